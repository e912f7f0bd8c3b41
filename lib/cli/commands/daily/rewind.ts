// Back to an older message of the same session: the conversation, its files, or both.

import { SessionError } from '../../../errors.js'
import { isOnChain } from '../../../format/index.js'
import {
  type FileRewindPlan,
  type FileRewindResult,
  isRestoreAllowed,
  planFileRewind,
  type Session,
} from '../../../session/index.js'
import { findEvent } from '../../../store/index.js'
import { type Call, type Command, UsageError } from '../../command.js'
import { rejectTogether, resolveFile } from '../../input/arguments.js'
import { findLog, findSession } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { answer, answerDryRun, printJson, printLines } from '../../output/print.js'
import { plural } from '../../output/units.js'
import { withSession } from '../../with-session.js'

const LESSON = `The next event will follow the message you name, as if what came after it had not been said.
Nothing is deleted: a rewind is an event, and another one undoes it. \`jsonl-session show\` prints the
uuids of the messages.

With --files the files that the session saved become what they were at that message, too, or alone
(--no-conversation). Then the command shows a plan and writes nothing without --apply. Files whose
content no checkpoint holds are newer work and are kept without --overwrite. What is replaced is
saved first; the answer names the checkpoint that restores it. See docs/FILES.md.

Examples:
  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --reason 'wrong file'
  rewound demo to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a: 1 message is left; undo with --to 6a4f…

  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --files --no-conversation
  would change  src/config.ts

Exit codes:
  0 rewound, shown, or nothing to do · 1 some files were left · 2 wrong use, or failed
  3 no such session, message or saved file · 5 another process has it open
`

export const rewind: Command = {
  name: 'rewind',
  summary: 'Continue from an older message of a session; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'to', value: 'U', text: 'the message to continue from' },
    { name: 'reason', value: 'TEXT', text: 'why, stored with the rewind' },
    { name: 'files', text: 'also the files it saved; a plan without --apply' },
    { name: 'no-conversation', text: 'the files alone' },
    { name: 'apply', text: 'with --files: do it' },
    { name: 'dry-run', text: 'show what would happen; write nothing' },
    { name: 'overwrite', text: 'with --files: replace newer work, too; a copy is kept' },
    { name: 'delete', text: 'with --files: remove files that did not exist then' },
    { name: 'project', value: 'DIR', text: 'with --files: where the project is now' },
  ],
  lesson: LESSON,

  async run(call) {
    const to = call.value('to')
    if (to === undefined) throw new UsageError('rewind needs --to, the uuid of a message')
    if (call.has('files')) {
      return rewindFiles(call, to, (session) => rewindIn(session, to, call.value('reason')))
    }
    rejectWithoutFiles(call)
    if (call.has('dry-run')) return dryRun(call, to)
    const { fields, sentence } = await withSession(call, (session) =>
      rewindIn(session, to, call.value('reason')),
    )
    return answer(call, fields, sentence)
  },
}

function rejectWithoutFiles(call: Call): void {
  const given = ['no-conversation', 'apply', 'overwrite', 'delete'].find((name) => call.has(name))
  const name = given ?? (call.value('project') === undefined ? undefined : 'project')
  if (name !== undefined) throw new UsageError(`--${name} needs --files`)
}

function dryRun(call: Call, to: string): Promise<number> {
  const sessionId = findSession(call, call.operands[0]!)
  const path = findLog(call, sessionId)
  if (findEvent(call.store, path, to) === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No event "${to}" in ${path}`, { to, path })
  }
  return answerDryRun(call, { sessionId, targetUuid: to }, `would rewind ${sessionId} to ${to}`)
}

async function rewindIn(session: Session, to: string, reason: string | undefined) {
  const before = session.tip
  let prevUuid: string | null | undefined
  const stop = session.onAppend((event) => {
    prevUuid = event.prev_uuid
  })
  const { uuid: rewindUuid } = await session.rewind({ to, reason })
  stop()
  const { length: messages } = session.messages().messages
  const left = `${plural(messages, 'message')} ${messages === 1 ? 'is' : 'are'} left`
  return {
    fields: { sessionId: session.id, targetUuid: to, rewindUuid, prevUuid, messages },
    sentence: `rewound ${session.id} to ${to}: ${left}; undo with --to ${before}`,
  }
}

type PlannedFile = FileRewindPlan['files'][number]

/** What the command does to the conversation, for the answer. */
type RewindConversation = (
  session: Session,
) => Promise<{ readonly fields: object; readonly sentence: string }>

/** Nothing is written without --apply; then files come first and the conversation second. */
export async function rewindFiles(
  call: Call,
  to: string,
  rewindConversation: RewindConversation,
): Promise<number> {
  rejectTogether(call, 'apply', 'dry-run')
  const hasConversation = !call.has('no-conversation')
  if (hasConversation) rejectOffChain(call, to)
  const project = call.value('project')
  const options = { to, projectRoot: project && resolveFile(call, project) }
  if (!call.has('apply')) return showPlan(call, options)
  const { plan, result, conversation } = await withSession(call, async (session) => {
    if (hasConversation) session.checkRewind({ to })
    const plan = await session.planFileRewind(options)
    const result = await session.applyFileRewind(plan, readAllowed(call))
    const conversation = hasConversation ? await rewindConversation(session) : undefined
    return { plan, result, conversation }
  })
  for (const diagnostic of plan.diagnostics) call.notes.report(diagnostic)
  if (call.has('json')) {
    const { sessionId, targetUuid, projectRoot, unchanged } = plan
    const files = [...result.files, ...result.left.map(toShown)]
    const done = { applied: true, projectRoot, files, unchanged, undoUuid: result.undoUuid }
    await printJson(call, { sessionId, targetUuid, ...done, ...conversation?.fields })
  } else {
    await printResult(call, plan, result, conversation?.sentence)
  }
  const isAllDone = result.left.length === 0 && result.files.every(({ failure }) => !failure)
  return isAllDone ? EXIT.done : EXIT.no
}

async function showPlan(
  call: Call,
  options: { to: string; projectRoot: string | undefined },
): Promise<number> {
  const plan = await planFileRewind(call.store, findSession(call, call.operands[0]!), options)
  for (const diagnostic of plan.diagnostics) call.notes.report(diagnostic)
  const { sessionId, targetUuid, projectRoot, unchanged } = plan
  const isAllowed = (file: PlannedFile) => isRestoreAllowed(file, readAllowed(call))
  if (call.has('json')) {
    const files = plan.files.map(toShown)
    await printJson(call, { sessionId, targetUuid, applied: false, projectRoot, files, unchanged })
  } else {
    const rows = plan.files.map((file) => {
      const verb = isAllowed(file) ? `would ${verbOf(file)}` : `would leave (${file.action})`
      return toRow(verb, file.path, file.reason)
    })
    await printLines(call, rows)
    await call.output.flush()
    call.notes.say(`${unchanged} unchanged in ${toPlainText(projectRoot)}`)
  }
  if (plan.files.some(isAllowed)) call.notes.say('Nothing was changed; --apply does it')
  sayWhatElse(call, plan.files)
  return plan.files.length === 0 || plan.files.some(isAllowed) ? EXIT.done : EXIT.no
}

async function printResult(
  call: Call,
  plan: FileRewindPlan,
  { files, left, undoUuid }: FileRewindResult,
  sentence: string | undefined,
): Promise<void> {
  const rows = files.map(({ path, action, failure }) =>
    toRow(failure ? `failed to ${action}` : DONE[action], path, failure),
  )
  const kept = left.map(({ path, action, reason }) => toRow(`left (${action})`, path, reason))
  const words = sentence === undefined ? [] : [toPlainText(sentence)]
  await printLines(call, [...rows, ...kept, ...words])
  await call.output.flush()
  sayWhatElse(call, left)
  if (undoUuid === null) return
  const isGrown = files.some(({ action }) => action === 'create')
  const switches = `--files --no-conversation${isGrown ? ' --delete' : ''} --apply`
  call.notes.say(`Undo with: rewind ${plan.sessionId} --to ${undoUuid} ${switches}`)
}

const DONE = { create: 'created', change: 'changed', delete: 'deleted' } as const

function verbOf({ action, sha256 }: PlannedFile): string {
  if (action === 'conflict') return 'overwrite'
  return sha256 === null ? 'delete' : action
}

function toRow(verb: string, path: string, reason: string | undefined): string {
  const why = reason === undefined ? '' : `: ${toPlainText(reason)}`
  return `${verb}  ${toPlainText(path)}${why}`
}

function sayWhatElse(call: Call, files: readonly PlannedFile[]): void {
  const isLeft = (action: string) => files.some((file) => file.action === action)
  if (isLeft('conflict') && !call.has('overwrite')) {
    call.notes.say('Conflicts are newer work; --overwrite replaces it and keeps a copy')
  }
  if (isLeft('delete') && !call.has('delete')) {
    call.notes.say('--delete removes files that did not exist then')
  }
}

function toShown({ mark: _, now: __, ...file }: PlannedFile): object {
  return file
}

function readAllowed(call: Call): { overwrite: boolean; delete: boolean } {
  return { overwrite: call.has('overwrite'), delete: call.has('delete') }
}

/** A checkpoint of files is off-chain: a conversation cannot continue from it. */
function rejectOffChain(call: Call, to: string): void {
  const event = findEvent(call.store, findLog(call, call.operands[0]!), to)?.event
  if (event === undefined || isOnChain(event)) return
  throw new UsageError(
    `"${to}" is not a message (${event.type}); with --no-conversation only files are rewound to it`,
    { to },
  )
}
