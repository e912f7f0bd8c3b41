// What the last session knew, and a new one that continues it.

import type { InterruptionKind } from '../../../chain/index.js'
import { isSessionError, SessionError } from '../../../errors.js'
import { type ResumedSession, type ResumeOptions, resumeSession } from '../../../session/index.js'
import { type Call, type Command, PICK, UsageError } from '../../command.js'
import { readChoice, rejectTogether } from '../../input/arguments.js'
import { CONTEXT_BYTES_MAX, EVENT_TEXT, readEventOption } from '../../input/event.js'
import { findLog, findSession } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printJson } from '../../output/print.js'
import { reportError } from '../../output/report-error.js'
import { plural } from '../../output/units.js'
import { printMessages } from '../../print/session.js'

const LESSON = `Without a session the newest of this project is taken: the one with the latest message. The old
transcript is only read; the new session names it as its parent and continues from there.
Permissions are kept in memory only, so nothing that was allowed before is allowed now. Under
--tools, synthesize reports to the model that the outcome of a call without a result is unknown,
retry leaves calls open that may run again, and drop omits the call.

Examples:
  $ jsonl-session resume
  newest session of /home/ada/parser: demo
  resumed demo as 7c1d8f1f-6f0a-4b0e-8a52-7d8c4f7e9a51 in
  /home/ada/.jsonl-session/.transcripts/7c1d8f1f-6f0a-4b0e-8a52-7d8c4f7e9a51.jsonl
  2 messages
  …

  $ jsonl-session resume demo --mode inspect --json
  {"sessionId":"demo","resumedFrom":{"sessionId":"demo",…},…,"permissions":"reset"}

Exit codes:
  0 resumed · 1 nothing was selected · 2 wrong use, ambiguous, or failed
  3 nothing to resume; none is created then
  4 something is missing, under --strict · 5 --mode append, and another process has it open
`

const MODES = ['new', 'append', 'inspect'] as const
const TOOL_POLICIES = ['synthesize', 'retry', 'drop'] as const

export const resume: Command = {
  name: 'resume',
  summary: 'Continue a session in a new one, and print what the model sees',
  operand: '[session]',
  operandText: 'the session (default: the newest of this project)',
  options: [
    {
      name: 'mode',
      value: 'MODE',
      text: 'new: continue in a new session; append: in the same file; inspect: write nothing (default: new)',
      values: MODES,
    },
    { name: 'at', value: 'EVENT', text: `continue from this event: ${EVENT_TEXT}` },
    {
      name: 'tools',
      value: 'POLICY',
      text: 'what becomes of calls without a result: synthesize, retry or drop',
      values: TOOL_POLICIES,
    },
    { name: 'strict', text: 'exit with 4 if anything is missing or damaged' },
    { name: 'id', value: 'NEW', text: 'the id of the new session (default: a random one)' },
    {
      name: 'project',
      value: 'P',
      text: 'the newest of this project (default: the current folder)',
    },
    { name: 'all', text: 'the newest of any project' },
    { name: 'dry-run', text: 'write nothing, as --mode inspect' },
    PICK,
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const options = toResumeOptions(call)
    if (options.id !== undefined) rejectUnbegun(call, options.id)
    const resumed = await resumeAndRelease(call, options)
    if (resumed === undefined) return EXIT.notFound
    if (call.has('json')) await printJson(call, toAnswer(resumed))
    else await printResumed(call, resumed, options)
    return EXIT.done
  },
}

function toResumeOptions(call: Call): ResumeOptions {
  const [target] = call.operands
  rejectTogether(call, 'project', 'all')
  rejectTogether(call, 'mode', 'dry-run')
  const project = call.value('project')
  if (target !== undefined && (project !== undefined || call.has('all'))) {
    throw new UsageError('A session is named, so --project and --all have nothing to choose')
  }
  const usual = call.has('dry-run') ? 'inspect' : 'new'
  const mode = readChoice(call, 'mode', MODES) ?? usual
  const newId = call.value('id')
  if (newId !== undefined && mode !== 'new') {
    throw new UsageError(`--id names a new session, and --mode ${mode} makes none`)
  }
  const id = target === undefined ? undefined : findSession(call, target)
  return {
    id,
    project: target !== undefined || call.has('all') ? undefined : (project ?? call.io.cwd()),
    mode,
    newId,
    at: readAt(call, id, mode),
    toolPolicy: readChoice(call, 'tools', TOOL_POLICIES),
    strict: call.has('strict'),
  }
}

/** A file without a byte has nothing to continue. */
function rejectUnbegun(call: Call, id: string): void {
  const path = call.store.layout.transcriptPath(id)
  if (call.env.fs.statSync(path, { throwIfNoEntry: false })?.size !== 0) return
  const what = `${path} is empty: its writer ended before the first line. Use \`jsonl-session start\``
  throw new SessionError('ERR_NOT_FOUND', what, { path })
}

/** With --mode append the library refuses it, whatever it names. */
function readAt(call: Call, id: string | undefined, mode: string): string | undefined {
  if (id === undefined || mode === 'append') return call.value('at')
  return readEventOption(call, 'at', () => findLog(call, id))
}

/** `undefined` when this project has no session, which was reported then. */
async function resumeAndRelease(
  call: Call,
  options: ResumeOptions,
): Promise<ResumedSession | undefined> {
  try {
    const resumed = await resumeSession(call.store, options, { bytesMax: CONTEXT_BYTES_MAX })
    // Before anything is printed: the next writer must not wait for a pager to end.
    await resumed.session?.release()
    return resumed
  } catch (error) {
    if (options.project === undefined || !isSessionError(error, 'ERR_NOT_FOUND')) throw error
    reportError(error, { io: call.io, isJson: call.has('json'), commandName: resume.name })
    call.notes.say('--all takes the newest of any project; `jsonl-session list --all` shows them.')
    return undefined
  }
}

function toAnswer(resumed: ResumedSession): object {
  const { sessionId, resumedFrom, transcriptPath, messages } = resumed
  const { interruption, retry, degraded, diagnostics } = resumed
  const origin = { sessionId, resumedFrom, transcriptPath }
  const found = { messages, interruption, retry, degraded, diagnostics }
  return { ...origin, ...found, permissions: 'reset' }
}

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
  // On a terminal both streams meet, so the conversation is set apart.
  if (output.isTerminal) notes.say('')
  await printMessages(call, resumed.messages, { isWhole: false })
  await output.flush()
  if (output.isTerminal) notes.say('')
  say(nextSteps(resumed, options))
}

function findingsOf(resumed: ResumedSession, options: ResumeOptions): string[] {
  const { resumedFrom, messages, interruption, degraded, transcriptPath } = resumed
  const lines: string[] = []
  if (options.id === undefined) {
    const whose = options.project === undefined ? '' : ` of ${options.project}`
    lines.push(`newest session${whose}: ${resumedFrom.sessionId}`)
  }
  lines.push(`${deedOf(resumed, options)} ${transcriptPath}`)
  lines.push(`${plural(messages.length, 'message')}${diagnosticsOf(resumed)}`)
  if (degraded) lines.push('Something is missing in what the model sees.')
  for (const { kind, uuids } of interruption.found) lines.push(wordsOf(kind, uuids.length))
  return lines
}

function deedOf({ sessionId, resumedFrom }: ResumedSession, { mode }: ResumeOptions): string {
  if (mode === 'inspect') return `inspecting ${sessionId}, writing nothing, in`
  if (mode === 'append') return `continuing ${sessionId} in`
  return `resumed ${resumedFrom.sessionId} as ${sessionId} in`
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
  const { sessionId, resumedFrom, retry } = resumed
  const lines: string[] = []
  if (retry.length > 0) {
    const names = retry.map(({ name }) => name).join(', ')
    lines.push(`May be run again, once you allow it: ${names}.`)
  }
  if (mode !== 'inspect') {
    const call = `resumeSession({ id: '${sessionId}', mode: 'append' })`
    lines.push(`To continue: jsonl-session resume ${sessionId} --mode append, or ${call}.`)
  } else {
    lines.push(`To continue in a new session: jsonl-session resume ${sessionId}.`)
  }
  if (mode === 'new') {
    const id = resumedFrom.sessionId
    lines.push(`To inspect it without creating one: jsonl-session resume ${id} --mode inspect.`)
  }
  lines.push('Permissions are reset: what was allowed before must be allowed again.')
  return lines
}
