// A resumed session for people: what was found and where to go on stands on stderr, around the
// conversation itself.

import type { InterruptionKind } from '../chain/index.js'
import type { ResumedSession, ResumeOptions } from '../session/index.js'
import type { Call } from './command.js'
import { toPlainText } from './plain-text.js'
import { plural } from './plural.js'
import { printMessages } from './print-session.js'

export async function printResumed(
  call: Call,
  resumed: ResumedSession,
  options: ResumeOptions,
): Promise<void> {
  const { output, notes } = call
  const say = (lines: readonly string[]) => {
    for (const line of lines) notes.say(toPlainText(line))
  }
  say(findingsOf(resumed, options))
  // On a terminal both streams meet, and the conversation should stand apart.
  if (output.isTerminal) notes.say('')
  await printMessages(call, resumed.messages, { isWhole: false })
  await output.flush()
  if (output.isTerminal) notes.say('')
  say(nextSteps(resumed, options))
}

function findingsOf(resumed: ResumedSession, options: ResumeOptions): string[] {
  const { resumed_from, messages, interruption, degraded, transcript_path } = resumed
  const lines: string[] = []
  if (options.id === undefined) {
    const whose = options.project === undefined ? '' : ` of ${options.project}`
    lines.push(`newest session${whose}: ${resumed_from.session_id}`)
  }
  lines.push(`${deedOf(resumed, options)} ${transcript_path}`)
  lines.push(`${plural(messages.length, 'message')}${diagnosticsOf(resumed)}`)
  if (degraded) lines.push('Something is missing in what the model sees.')
  for (const { kind, uuids } of interruption.found) lines.push(wordsOf(kind, uuids.length))
  return lines
}

function deedOf({ session_id, resumed_from }: ResumedSession, { mode }: ResumeOptions): string {
  if (mode === 'inspect') return `looking at ${session_id}; nothing is written. It lies in`
  if (mode === 'append') return `going on with ${session_id} in`
  return `resumed ${resumed_from.session_id} as ${session_id} in`
}

function diagnosticsOf({ diagnostics }: ResumedSession): string {
  if (diagnostics.length === 0) return ''
  const codes = [...new Set(diagnostics.map(({ code }) => code))]
  return `, ${plural(diagnostics.length, 'finding')}: ${codes.join(', ')} (--json shows all)`
}

function wordsOf(kind: InterruptionKind, count: number): string {
  switch (kind) {
    case 'tool_call':
      return `It stopped while tools were at work; calls that may or may not have run: ${count}.`
    case 'no_reply':
      return 'It stopped before the last message was answered.'
    case 'partial_reply':
      return 'It stopped in the middle of a reply.'
    case 'compaction':
      return 'It stopped in the middle of a compaction, which does not count.'
  }
}

function nextSteps(resumed: ResumedSession, { mode }: ResumeOptions): string[] {
  const { session_id, resumed_from, retry } = resumed
  const lines: string[] = []
  if (retry.length > 0) {
    const names = retry.map(({ name }) => name).join(', ')
    lines.push(`May be run again, once you allow it: ${names}.`)
  }
  if (mode !== 'inspect') {
    const call = `resumeSession({ id: '${session_id}', mode: 'append' })`
    lines.push(`To go on: jsonl-session resume ${session_id} --mode append, or ${call}.`)
  } else {
    lines.push(`To go on in a new session: jsonl-session resume ${session_id}.`)
  }
  if (mode === 'new') {
    const id = resumed_from.session_id
    lines.push(`To look without creating one: jsonl-session resume ${id} --mode inspect.`)
  }
  lines.push('Permissions start empty: what was allowed before must be allowed again.')
  return lines
}
