// What the last session knew, and a new one to go on in.

import { isSessionError } from '../../errors.js'
import { tolerantJson } from '../../format/index.js'
import type { ResumedSession, ResumeOptions } from '../../session/index.js'
import { resumeSession } from '../../session/index.js'
import { oneOf, refuseTogether, storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { printResumed } from '../print-resumed.js'
import { reportError } from '../report-error.js'
import { sessionOf } from '../target.js'

const LESSON = `Without a session the newest of this project is taken: the one in which somebody last spoke. The
old transcript is only read; the new session names it as its parent and goes on from there.
Nothing that was allowed before is allowed again: permissions are kept in memory only. Under
--tools, synthesize tells the model that nothing is known of a call without a result, retry
leaves those open that may be run again, drop leaves the call out.

Examples:
  $ jsonl-session resume
  newest session of /home/ada/parser: demo
  resumed demo as 7c1d8f1f-6f0a-4b0e-8a52-7d8c4f7e9a51 in
  /home/ada/.jsonl-session/.transcripts/7c1d8f1f-6f0a-4b0e-8a52-7d8c4f7e9a51.jsonl
  2 messages
  …

  $ jsonl-session resume demo --mode inspect --json
  {"session_id":"demo","resumed_from":{"session_id":"demo",…},…,"permissions":"reset"}

Exit codes:
  0 resumed · 1 none was picked · 2 wrong use, ambiguous, or failed
  3 nothing to resume; none is created then
  4 something is missing, under --strict · 5 --mode append, and another process has it open
`

export const resume: Command = {
  name: 'resume',
  summary: 'Print what the model knows of a session, and begin a new one that continues it',
  operand: '[session]',
  operandText: 'the session (default: the newest of this project)',
  options: [
    {
      name: 'mode',
      value: 'MODE',
      text: 'new: continue in a new session; append: in the same file; inspect: write nothing (default: new)',
    },
    { name: 'at', value: 'U', text: 'go on from this event instead of the newest' },
    {
      name: 'tools',
      value: 'POLICY',
      text: 'what becomes of calls without a result: synthesize, retry or drop',
    },
    { name: 'strict', text: 'exit with 4 if anything is missing or damaged' },
    { name: 'id', value: 'NEW', text: 'the id of the new session (default: a random one)' },
    { name: 'project', value: 'P', text: 'the newest of this project (default: where you are)' },
    { name: 'all', text: 'the newest of any project' },
    {
      name: 'pick',
      text: 'choose it from a list: type to filter, Enter takes it, Esc leaves',
      isForPeople: true,
    },
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const options = await optionsOf(call)
    const resumed = await resumeAndRelease(call, options)
    if (resumed === undefined) return EXIT.notFound
    if (call.has('json')) {
      await call.output.write(`${tolerantJson(answerOf(resumed))}\n`)
      return EXIT.done
    }
    await printResumed(call, resumed, options)
    return EXIT.done
  },
}

async function optionsOf(call: Call): Promise<ResumeOptions> {
  const storeOptions = storeOptionsOf(call)
  const [target] = call.operands
  refuseTogether(call, 'project', 'all')
  const project = call.value('project')
  if (target !== undefined && (project !== undefined || call.has('all'))) {
    throw new UsageError('A session is named, so --project and --all have nothing to choose')
  }
  const mode = oneOf(call, 'mode', ['new', 'append', 'inspect']) ?? 'new'
  const newId = call.value('id')
  if (newId !== undefined && mode !== 'new') {
    throw new UsageError(`--id names a new session, and --mode ${mode} makes none`)
  }
  return {
    ...storeOptions,
    id: target === undefined ? undefined : await sessionOf(target, storeOptions),
    project: target !== undefined || call.has('all') ? undefined : (project ?? call.io.cwd()),
    mode,
    newId,
    at: call.value('at'),
    toolPolicy: oneOf(call, 'tools', ['synthesize', 'retry', 'drop']),
    strict: call.has('strict'),
    onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
  }
}

/** `undefined` when this project has no session, which was told then. */
async function resumeAndRelease(
  call: Call,
  options: ResumeOptions,
): Promise<ResumedSession | undefined> {
  try {
    const resumed = await resumeSession(options)
    // Before anything is printed: whoever goes on with it must not wait for a pager to end.
    await resumed.session?.release()
    return resumed
  } catch (error) {
    if (options.project === undefined || !isSessionError(error, 'ERR_NOT_FOUND')) throw error
    reportError(error, { io: call.io, isJson: call.has('json'), commandName: resume.name })
    call.notes.say('--all takes the newest of any project; `jsonl-session list --all` shows them.')
    return undefined
  }
}

function answerOf(resumed: ResumedSession): object {
  const { session_id, resumed_from, transcript_path, messages } = resumed
  const { interruption, retry, degraded, diagnostics } = resumed
  return {
    session_id,
    resumed_from,
    transcript_path,
    messages,
    interruption,
    retry,
    degraded,
    diagnostics,
    permissions: 'reset',
  }
}
