// Files of a rewind: the plan for people and programs, and doing it.

import { isOnChain } from '../format/index.js'
import {
  type FileRewindPlan,
  type FileRewindResult,
  isRestoreAllowed,
  planFileRewind,
} from '../session/index.js'
import { findEvent } from '../store/index.js'
import { storeOptionsOf } from './arguments.js'
import { type Call, UsageError } from './command.js'
import { EXIT } from './exit-codes.js'
import { toPlainText } from './plain-text.js'
import { pathOf } from './target.js'
import { withSession } from './with-session.js'

/** What the command does to the conversation, for the answer. */
export type RewindConversation = (
  session: Parameters<Parameters<typeof withSession>[1]>[0],
) => Promise<{ readonly fields: object; readonly sentence: string }>

/** Nothing is written without --apply; then files come first and the conversation second. */
export async function rewindFiles(
  call: Call,
  to: string,
  rewindConversation: RewindConversation,
): Promise<number> {
  const hasConversation = !call.has('no-conversation')
  if (hasConversation) await refuseBesideChain(call, to)
  if (!call.has('apply')) return showPlan(call, to)
  const { plan, result, conversation } = await withSession(call, async (session) => {
    if (hasConversation) session.checkRewind({ to })
    const plan = await session.planFileRewind({ to, projectRoot: call.value('project') })
    const result = await session.applyFileRewind(plan, allowedOf(call))
    const conversation = hasConversation ? await rewindConversation(session) : undefined
    return { plan, result, conversation }
  })
  for (const it of plan.diagnostics) call.notes.tell(it)
  if (call.has('json')) {
    const { session_id, target_uuid, projectRoot, unchanged } = plan
    const files = [...result.files, ...result.left.map(shownFile)]
    const { undo_uuid } = result
    const told = { isApplied: true, projectRoot, files, unchanged, undo_uuid }
    const answer = { session_id, target_uuid, ...told, ...conversation?.fields }
    await call.output.write(`${JSON.stringify(answer)}\n`)
  } else await printResult(call, plan, result, conversation?.sentence)
  const isAllDone = result.left.length === 0 && result.files.every(({ failure }) => !failure)
  const isNothing = result.files.length === 0 && conversation === undefined
  return isAllDone && !isNothing ? EXIT.done : EXIT.no
}

async function showPlan(call: Call, to: string): Promise<number> {
  const store = storeOptionsOf(call)
  const { sessionOf } = await import('./target.js')
  const session = await sessionOf(call.operands[0]!, store)
  const plan = await planFileRewind(session, { ...store, to, projectRoot: call.value('project') })
  for (const it of plan.diagnostics) call.notes.tell(it)
  const { session_id, target_uuid, projectRoot, unchanged } = plan
  const allowed = allowedOf(call)
  if (call.has('json')) {
    const files = plan.files.map(shownFile)
    const answer = { session_id, target_uuid, isApplied: false, projectRoot, files, unchanged }
    await call.output.write(`${JSON.stringify(answer)}\n`)
  } else {
    for (const file of plan.files) {
      const verb = isRestoreAllowed(file, allowed)
        ? `would ${verbOf(file)}`
        : `would leave (${file.action})`
      await call.output.write(row(verb, file.path, file.reason))
    }
    await call.output.flush()
    call.notes.say(`${unchanged} unchanged in ${toPlainText(projectRoot)}`)
  }
  const isDue = plan.files.some((file) => isRestoreAllowed(file, allowed))
  if (isDue) call.notes.say('Nothing was changed; --apply does it')
  sayWhatElse(call, plan.files)
  return isDue ? EXIT.done : EXIT.no
}

async function printResult(
  call: Call,
  plan: FileRewindPlan,
  { files, left, undo_uuid }: FileRewindResult,
  sentence: string | undefined,
): Promise<void> {
  for (const { path, action, failure } of files) {
    await call.output.write(row(failure ? `failed to ${action}` : DONE[action], path, failure))
  }
  for (const { path, action, reason } of left) {
    await call.output.write(row(`left (${action})`, path, reason))
  }
  if (sentence !== undefined) await call.output.write(`${toPlainText(sentence)}\n`)
  await call.output.flush()
  sayWhatElse(call, left)
  if (undo_uuid === null) return
  const isGrown = files.some(({ action }) => action === 'create')
  const switches = `--files --no-conversation${isGrown ? ' --delete' : ''} --apply`
  call.notes.say(`Undo with: rewind ${plan.session_id} --to ${undo_uuid} ${switches}`)
}

const DONE = { create: 'created', change: 'changed', delete: 'deleted' } as const

function verbOf({ action, sha256 }: FileRewindPlan['files'][number]): string {
  if (action === 'conflict') return 'overwrite'
  return sha256 === null ? 'delete' : action
}

function row(verb: string, path: string, reason: string | undefined): string {
  const why = reason === undefined ? '' : `: ${toPlainText(reason)}`
  return `${verb}  ${toPlainText(path)}${why}\n`
}

function sayWhatElse(call: Call, files: FileRewindPlan['files']): void {
  const isLeft = (action: string) => files.some((file) => file.action === action)
  if (isLeft('conflict') && !call.has('overwrite')) {
    call.notes.say('Conflicts are newer work; --overwrite replaces it and keeps a copy')
  }
  if (isLeft('delete') && !call.has('delete')) {
    call.notes.say('Files that were not there then are removed by --delete')
  }
}

function shownFile({ mark: _, now: __, ...file }: FileRewindPlan['files'][number]): object {
  return file
}

function allowedOf(call: Call): { overwrite: boolean; delete: boolean } {
  return { overwrite: call.has('overwrite'), delete: call.has('delete') }
}

/** A checkpoint of files stands beside the chain: a conversation cannot go on from there. */
async function refuseBesideChain(call: Call, to: string): Promise<void> {
  const path = await pathOf(call.operands[0]!, storeOptionsOf(call))
  const event = findEvent(path, to)?.event
  if (event === undefined || isOnChain(event)) return
  throw new UsageError(
    `"${to}" is no message (${event.type}); with --no-conversation only files go back to it`,
    { to },
  )
}
