// What was moved, would be moved, or stays: for the commands that make room.

import type {
  KeptSession,
  RetentionReport,
  RetentionSelection,
  StoreOptions,
} from '../store/index.js'
import { storeOptionsOf } from './arguments.js'
import { type Call, UsageError } from './command.js'
import { durationOf } from './duration.js'
import { EXIT } from './exit-codes.js'
import { toPlainText } from './plain-text.js'
import { ageOf, sizeOf } from './session-table.js'

export function selectionOf(call: Call): RetentionSelection & StoreOptions {
  const olderThanMs = durationOf(call, 'older-than')
  if (call.operands.length === 0 && olderThanMs === undefined) {
    throw new UsageError('Name sessions, or say --older-than')
  }
  return {
    ...storeOptionsOf(call),
    sessions: call.operands.length === 0 ? undefined : call.operands,
    olderThanMs,
    project: call.value('project'),
    apply: call.has('apply'),
  }
}

/** `verb`: what is done, and what would be. */
export async function reportRetention(
  call: Call,
  report: RetentionReport,
  verb: { readonly done: string; readonly planned: string },
): Promise<number> {
  if (call.has('json')) await call.output.write(`${JSON.stringify(report)}\n`)
  else await print(call, report, verb)
  if (report.sessions.length > 0) return EXIT.done
  return report.kept.some(isOpen) ? EXIT.locked : EXIT.no
}

async function print(
  call: Call,
  { isApplied, sessions, kept, skipped, finished }: RetentionReport,
  { done, planned }: { readonly done: string; readonly planned: string },
): Promise<void> {
  for (const { session_id, bytes, lastActivity } of sessions) {
    const age = lastActivity === null ? 'undated' : ageOf(lastActivity, Date.now())
    const what = `${toPlainText(session_id)}  ${sizeOf(bytes)}  ${age}`
    await call.output.write(`${isApplied ? done : planned}  ${what}\n`)
  }
  await call.output.flush()
  for (const id of finished) call.notes.say(`finished an earlier move of ${toPlainText(id)}`)
  for (const { session_id, reason } of kept) {
    call.notes.say(`kept ${toPlainText(session_id)}: ${toPlainText(reason)}`)
  }
  for (const { path, reason } of skipped) {
    call.notes.say(`skipped ${toPlainText(path)}: ${toPlainText(reason)}`)
  }
  if (sessions.length === 0) call.notes.say('Nothing to do')
  else if (!isApplied) call.notes.say('Nothing was changed; --apply does it')
}

function isOpen({ code }: KeptSession): boolean {
  return code === 'open'
}
