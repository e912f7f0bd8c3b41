// What the last session knew, and a new one that continues it.

import type { InterruptionKind } from '../../../chain/index.js'
import { isSessionError, SessionError } from '../../../errors.js'
import { type ResumedSession, type ResumeOptions, resumeSession } from '../../../session/index.js'
import { type Call, type Command, PICK, UsageError } from '../../command.js'
import { readChoice, rejectTogether } from '../../input/arguments.js'
import { CONTEXT_BYTES_MAX, EVENT_TEXT, readEventOption } from '../../input/event.js'
import { findLog, findSession } from '../../input/target.js'
import { splitCommand } from '../../launch/split-command.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printJson, printLines } from '../../output/print.js'
import { reportError } from '../../output/report-error.js'
import { plural } from '../../output/units.js'
import { orientationOf } from '../../print/orientation.js'
import { printMessages } from '../../print/session.js'

const LESSON = `Without a session the newest of this project is taken: the one with the latest message. The old
transcript is only read; the new session names it as its parent and continues from there.
Permissions are kept in memory only, so nothing that was allowed before is allowed now. Under
--tools, synthesize reports to the model that the outcome of a call without a result is unknown,
retry leaves calls open that may run again, and drop omits the call.

--exec CMD starts a command with the session, without a shell: quotes and backslashes separate
words, nothing is expanded. {file} and {id} in CMD are the file with what the model sees (mode 0600,
removed afterwards) and the session; they are also in JSONL_SESSION_CONTEXT and JSONL_SESSION_ID.
The session is not locked meanwhile, so the command may write to it; its exit code is passed on.

Examples:
  $ jsonl-session resume
  newest session of /home/ada/parser: demo
  resumed demo as 7c1d8f1f-6f0a-4b0e-8a52-7d8c4f7e9a51 in
  /home/ada/.jsonl-session/.transcripts/7c1d8f1f-6f0a-4b0e-8a52-7d8c4f7e9a51.jsonl
  2 messages
  Session        Fix the parser
  Last prompt    hello
  …

  $ jsonl-session resume demo --exec 'my-agent --context {file}'

Exit codes:
  0 resumed · 1 nothing was selected · 2 wrong use, ambiguous, or failed; of CMD with --exec
  3 nothing to resume; none is created then
  4 something is missing, under --strict · 5 --mode append, and another process has it open
`

const MODES = ['new', 'append', 'inspect'] as const
const TOOL_POLICIES = ['synthesize', 'retry', 'drop'] as const

const FORMATS = ['markdown', 'json'] as const

export const resume: Command = {
  name: 'resume',
  summary: 'Continue a session in a new one: see where it is, or start an agent with it',
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
      text: 'what to do with calls that have no result: synthesize, retry or drop',
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
    { name: 'full', text: 'print all messages that the model sees, not only where the session is' },
    {
      name: 'exec',
      value: 'CMD',
      text: 'start this command with the session (default on a terminal: the setting launcher)',
    },
    { name: 'no-exec', text: 'do not start the launcher of the settings' },
    {
      name: 'format',
      value: 'F',
      text: 'what the command is given: markdown (default) or json',
      values: FORMATS,
    },
    { name: 'to-stdin', text: 'give it on stdin, not in a file' },
    PICK,
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const options = toResumeOptions(call)
    const launcher = readLauncher(call, options)
    if (options.id !== undefined) rejectUnbegun(call, options.id)
    const resumed = await resumeAndRelease(call, options)
    if (resumed === undefined) return EXIT.notFound
    if (launcher !== undefined) return launchWith(call, launcher, resumed, options)
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
    throw new UsageError('--project and --all cannot be combined with a session')
  }
  const usual = call.has('dry-run') ? 'inspect' : 'new'
  const mode = readChoice(call, 'mode', MODES) ?? usual
  const newId = call.value('id')
  if (newId !== undefined && mode !== 'new') {
    throw new UsageError(`--id names a new session, but --mode ${mode} creates none`)
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

/** The command to start; `undefined`: none. A script never gets the launcher of the settings. */
function readLauncher(call: Call, { mode }: ResumeOptions): readonly string[] | undefined {
  const given = call.value('exec')
  readChoice(call, 'format', FORMATS)
  for (const name of ['json', 'full', 'no-exec']) rejectTogether(call, 'exec', name)
  if (given !== undefined && mode === 'inspect') {
    throw new UsageError('--exec needs a session to write to; --mode inspect makes none')
  }
  const isForPeople = call.io.stdin.isTTY === true && call.output.isTerminal
  const isRefused = call.has('json') || call.has('full') || call.has('no-exec')
  const setting =
    isForPeople && !isRefused && mode !== 'inspect'
      ? call.store.config().settings.get('launcher')?.value
      : undefined
  const command = given ?? (typeof setting === 'string' && setting !== '' ? setting : undefined)
  if (command === undefined && (call.value('format') !== undefined || call.has('to-stdin'))) {
    throw new UsageError('--format and --to-stdin belong to --exec')
  }
  if (command === undefined) return undefined
  // Before anything is created.
  const words = splitCommand(command, call.env.host.platform)
  if (call.has('to-stdin') && words.some((word) => word.includes('{file}'))) {
    throw new UsageError('{file} and --to-stdin cannot be combined: there is no file then')
  }
  return words
}

/** What the command prints is its own, so everything else goes to stderr. */
async function launchWith(
  call: Call,
  command: readonly string[],
  resumed: ResumedSession,
  options: ResumeOptions,
): Promise<number> {
  const { notes } = call
  for (const line of [...findingsOf(resumed, options), ...orientationOf(call, resumed)]) {
    notes.say(line)
  }
  notes.say('Permissions are reset: what was allowed before must be allowed again.')
  notes.say(`Starting ${toPlainText(command.join(' '))}`)
  return call.modules.launch({
    call,
    resumed,
    answer: toAnswer(resumed),
    command,
    format: readChoice(call, 'format', FORMATS) ?? 'markdown',
    byStdin: call.has('to-stdin'),
  })
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
    call.notes.say(
      '--all resumes the newest of any project; `jsonl-session list --all` lists them.',
    )
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
  if (call.has('full')) await printMessages(call, resumed.messages, { isWhole: false })
  else await printLines(call, orientationOf(call, resumed))
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
  if (degraded) lines.push('Part of what the model should see is missing or damaged.')
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
      return `It stopped while tools were running; ${plural(count, 'call')} may or may not have run.`
    case 'no_reply':
      return 'It stopped before the last message was answered.'
    case 'partial_reply':
      return 'It stopped in the middle of a reply.'
    case 'compaction':
      return 'It stopped in the middle of a compaction, which has no effect.'
  }
}

function nextSteps(resumed: ResumedSession, { mode }: ResumeOptions): string[] {
  const { sessionId, resumedFrom, retry } = resumed
  const lines: string[] = []
  const shown = mode === 'new' ? resumedFrom.sessionId : sessionId
  lines.push(`All messages: jsonl-session show ${shown}, or --full.`)
  if (retry.length > 0) {
    const names = retry.map(({ name }) => name).join(', ')
    lines.push(`Can be run again if you allow it: ${names}.`)
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
