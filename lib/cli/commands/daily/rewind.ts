// Back to an older message of the same session: the conversation, its files, or both.

import { SessionError } from '../../../errors.js'
import { isOnChain } from '../../../format/index.js'
import {
  type FileRewindPlan,
  type FileRewindResult,
  isRestoreAllowed,
  planFileRewind,
  type RewindOptions,
  type Session,
} from '../../../session/index.js'
import { findEvent } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, PICK, UsageError } from '../../command.js'
import { resolveFile } from '../../input/arguments.js'
import { EVENT_TEXT, readEventOption } from '../../input/event.js'
import { findLog, findSession, namedSession } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { answer, answerDryRun, type Plan, planCommand } from '../../output/print.js'
import { plural } from '../../output/units.js'
import { withSession } from '../../with-session.js'

const LESSON = `The next event will follow the message you name, as if what came after it had not been said: the
model sees what it saw then, as after \`fork --at\`. A message that a compaction kept is shown with
all that came before it; with --keep-compaction after the summary instead. Nothing is deleted: a
rewind is an event, and another one undoes it. \`jsonl-session show\` prints the uuids; --pick lists
the messages to choose from.

With --files the files that the session saved become what they were at that message, too, or alone
(--no-conversation). Then the command shows a plan and writes nothing without --apply. Files whose
content no checkpoint holds are newer work and are kept without --overwrite. What is replaced is
saved first; the answer names the checkpoint that restores it. Files that were saved outside of the
session's project are restored only with --project. See docs/FILES.md.

Examples:
  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --reason 'wrong file'
  rewound demo to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a: 1 message is left; undo with --to 6a4f…

  $ jsonl-session rewind demo --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a --files --no-conversation
  would change  src/config.ts

Exit codes:
  0 rewound, shown, or nothing to do · 1 some files were left, or none was picked
  2 wrong use, or failed · 3 no such session, message or saved file · 5 another process has it open
`

export const rewind: Command = {
  name: 'rewind',
  summary: 'Continue from an older message of a session; nothing is deleted',
  operand: '[session]',
  operandText: 'the session; not with --pick',
  options: [
    { name: 'to', value: 'EVENT', text: `the message to continue from: ${EVENT_TEXT}` },
    { name: 'reason', value: 'TEXT', text: 'why, stored with the rewind' },
    { name: 'keep-compaction', text: 'keep the summary before a message that a compaction kept' },
    { name: 'files', text: 'also restore the files it saved; shows a plan without --apply' },
    { name: 'no-conversation', text: 'restore only the files' },
    { name: 'apply', text: 'with --files: carry out the plan' },
    DRY_RUN,
    { name: 'overwrite', text: 'with --files: replace newer work, too; a copy is kept' },
    { name: 'delete', text: 'with --files: remove files that did not exist then' },
    { name: 'project', value: 'DIR', text: 'with --files: restore into this folder' },
    PICK,
  ],
  pickNext: 'message',
  lesson: LESSON,

  async run(call) {
    const target = namedSession(call, 'rewind')
    const path = () => findLog(call, target)
    const to = readEventOption(call, 'to', path)
    if (to === undefined)
      throw new UsageError('rewind needs --to, the message to continue from, or --pick')
    if (call.has('files')) return rewindFiles(call, to)
    rejectWithoutFiles(call)
    if (call.has('dry-run')) return dryRun(call, to)
    const { fields, sentence } = await withSession(call, (session) =>
      rewindIn(session, readRewind(call, to)),
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

/** What was done to the conversation, for the answer. */
interface Rewound {
  readonly fields: object
  readonly sentence: string
}

function readRewind(call: Call, to: string): RewindOptions {
  return { to, reason: call.value('reason'), keepCompaction: call.has('keep-compaction') }
}

async function rewindIn(session: Session, options: RewindOptions): Promise<Rewound> {
  const { to } = options
  const before = session.tip
  let prevUuid: string | null | undefined
  const stop = session.onAppend((event) => {
    prevUuid = event.prev_uuid
  })
  const { uuid: rewindUuid } = await session.rewind(options)
  stop()
  const { length: messages } = session.messages().messages
  const left = `${plural(messages, 'message')} ${messages === 1 ? 'is' : 'are'} left`
  return {
    fields: { sessionId: session.id, targetUuid: to, rewindUuid, prevUuid, messages },
    sentence: `rewound ${session.id} to ${to}: ${left}; undo with --to ${before}`,
  }
}

type PlannedFile = FileRewindPlan['files'][number]

/** Nothing is written without --apply; then files come first and the conversation second. */
function rewindFiles(call: Call, to: string): Promise<number> {
  const hasConversation = !call.has('no-conversation')
  if (hasConversation) rejectOffChain(call, to)
  const project = call.value('project')
  const options = { to, projectRoot: project && resolveFile(call, project) }
  const allowed = { overwrite: call.has('overwrite'), delete: call.has('delete') }
  return planCommand(call, async (apply) => {
    if (!apply) {
      const session = findSession(call, call.operands[0]!)
      return toPlan(call, await planFileRewind(call.store, session, options), allowed)
    }
    return withSession(call, async (session) => {
      if (hasConversation) session.checkRewind(readRewind(call, to))
      const plan = await session.planFileRewind(options)
      const result = await session.applyFileRewind(plan, allowed)
      const rewound = hasConversation ? await rewindIn(session, readRewind(call, to)) : undefined
      return toResult(call, plan, result, rewound)
    })
  })
}

type Allowed = { readonly overwrite: boolean; readonly delete: boolean }

function toPlan(call: Call, plan: FileRewindPlan, allowed: Allowed): Plan {
  const { sessionId, targetUuid, projectRoot, unchanged } = plan
  const isAllowed = (file: PlannedFile) => isRestoreAllowed(file, allowed)
  const files = plan.files.map(toShown)
  const isIdle = !plan.files.some(isAllowed)
  return {
    json: { sessionId, targetUuid, applied: false, projectRoot, files, unchanged },
    rows: plan.files.map((file) => {
      const verb = isAllowed(file) ? `would ${verbOf(file)}` : `would leave (${file.action})`
      return toRow(verb, file.path, file.reason)
    }),
    diagnostics: plan.diagnostics,
    notes: [
      `${unchanged} unchanged in ${toPlainText(projectRoot)}`,
      ...moreNotes(call, plan.files),
    ],
    idle: isIdle,
    exitCode: plan.files.length > 0 && isIdle ? EXIT.no : EXIT.done,
  }
}

function toResult(
  call: Call,
  plan: FileRewindPlan,
  { files, left, undoUuid }: FileRewindResult,
  conversation: Rewound | undefined,
): Plan {
  const { sessionId, targetUuid, projectRoot, unchanged } = plan
  const all = [...files, ...left.map(toShown)]
  const done = { applied: true, projectRoot, files: all, unchanged, undoUuid }
  const isGrown = files.some(({ action }) => action === 'create')
  const place = call.value('project') === undefined ? '' : ` --project ${projectRoot}`
  const switches = `--files --no-conversation${isGrown ? ' --delete' : ''}${place} --apply`
  const undo = `Undo with: rewind ${sessionId} --to ${undoUuid} ${switches}`
  const isAllDone = left.length === 0 && files.every(({ failure }) => !failure)
  return {
    json: { sessionId, targetUuid, ...done, ...conversation?.fields },
    rows: [
      ...files.map(({ path, action, failure }) =>
        toRow(failure ? `failed to ${action}` : DONE[action], path, failure),
      ),
      ...left.map(({ path, action, reason }) => toRow(`left (${action})`, path, reason)),
      ...(conversation === undefined ? [] : [toPlainText(conversation.sentence)]),
    ],
    diagnostics: plan.diagnostics,
    notes: [...moreNotes(call, left), ...(undoUuid === null ? [] : [undo])],
    exitCode: isAllDone ? EXIT.done : EXIT.no,
  }
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

function moreNotes(call: Call, files: readonly PlannedFile[]): string[] {
  const isLeft = (action: PlannedFile['action'], option: string) =>
    !call.has(option) && files.some((file) => file.action === action)
  return [
    isLeft('conflict', 'overwrite')
      ? ['Conflicts are newer work; --overwrite replaces it and keeps a copy']
      : [],
    isLeft('delete', 'delete') ? ['--delete removes files that did not exist then'] : [],
  ].flat()
}

function toShown({ mark: _, now: __, ...file }: PlannedFile): object {
  return file
}

/** A checkpoint of files is off-chain: a conversation cannot continue from it. */
function rejectOffChain(call: Call, to: string): void {
  const event = findEvent(call.store, findLog(call, call.operands[0]!), to)?.event
  if (event === undefined || isOnChain(event)) return
  throw new UsageError(
    `"${to}" is not a message (${event.type}); --no-conversation rewinds only the files to it`,
    { to },
  )
}
