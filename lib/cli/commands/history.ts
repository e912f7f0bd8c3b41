// What was asked before, in all sessions.

import type { HistoryEntry, HistoryScope } from '../../store/index.js'
import { oneOf, refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Shows the prompts of the project you are in; in your home folder, of all projects. --session,
--project and --all choose others. A prompt that was given several times in a row is shown once,
unless --all-lines or --forward ask for every line.

Examples:
  $ jsonl-session history --limit 2
  3 min ago   now run the tests
  yesterday   rename the config key

  $ jsonl-session history --all --limit 1 --json
  [{"prompt":"now run the tests","ts":"2026-01-31T12:00:02.000Z","session_id":"demo",…}]

HISTORY_RETAIN_DAYS=30 hides what is older than 30 days.

Exit codes:
  0 shown · 1 there are none · 2 wrong use, or failed
`

export const history: Command = {
  name: 'history',
  summary: 'Print the prompts of this project, newest first',
  operand: '',
  operandText: '',
  options: [
    { name: 'limit', value: 'N', text: 'at most N of them (default: 50)' },
    { name: 'scope', value: 'SCOPE', text: 'session, project or global' },
    { name: 'session', value: 'S', text: 'of this session' },
    { name: 'project', value: 'P', text: 'of this project (default: where you are)' },
    { name: 'all', text: 'of every project, as --scope global' },
    { name: 'forward', text: 'oldest first, every line' },
    { name: 'all-lines', text: 'every line, repeated ones too' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const wanted = await wantedOf(call)
    const { groupDiagnostics } = await import('../group-diagnostics.js')
    const found = groupDiagnostics(call.notes)
    const entries = await readWanted(call, wanted, found.take)
    if (call.has('json')) await call.output.write(`${JSON.stringify(entries)}\n`)
    else if (entries.length > 0) await printRows(call, entries, wanted)
    await call.output.flush()
    found.tell()
    if (entries.length > 0) return EXIT.done
    await tellMiss(call, wanted)
    return EXIT.no
  },
}

interface Wanted {
  readonly scope: HistoryScope
  readonly session_id?: string | undefined
  readonly project?: string | undefined
}

const SCOPES = ['session', 'project', 'global'] as const

async function wantedOf(call: Call): Promise<Wanted> {
  for (const other of ['project', 'session', 'scope']) refuseTogether(call, 'all', other)
  refuseTogether(call, 'project', 'session')
  const given = oneOf(call, 'scope', SCOPES)
  const session_id = call.value('session')
  const project = call.value('project')
  const named = session_id !== undefined ? 'session' : project !== undefined ? 'project' : undefined
  if (given !== undefined && named !== undefined && given !== named) {
    throw new UsageError(`--scope ${given} and --${named} do not go together`)
  }
  if (given === 'session' && session_id === undefined) {
    throw new UsageError('--scope session needs --session, the id of one')
  }
  if (call.has('all')) return { scope: 'global' }
  const scope = given ?? named ?? (await defaultScope(call))
  return scope === 'project'
    ? { scope, project: project ?? call.io.cwd() }
    : { scope, session_id: scope === 'session' ? session_id : undefined }
}

/** Nobody works in their home folder itself, so whoever stands there means everything. */
async function defaultScope({ io }: Call): Promise<HistoryScope> {
  const { homedir } = await import('node:os')
  const { parse } = await import('node:path')
  const { normalizeProject } = await import('../../store/index.js')
  const here = normalizeProject(io.cwd())
  const isNowhere = here === parse(here).root || here === normalizeProject(homedir())
  return isNowhere ? 'global' : 'project'
}

type Tell = NonNullable<Parameters<Call['notes']['tell']>[0]>

async function readWanted(
  call: Call,
  wanted: Wanted,
  onDiagnostic: (diagnostic: Tell) => void,
): Promise<HistoryEntry[]> {
  const { read_history, recallHistory } = await import('../../store/index.js')
  const limit = wholeNumberOf(call, 'limit')
  const isEveryLine = call.has('forward') || call.has('all-lines')
  const read = (filter: Wanted) => {
    const options = { ...storeOptionsOf(call), ...filter, limit, onDiagnostic }
    if (!isEveryLine) return recallHistory(options)
    return read_history({ ...options, reverse: !call.has('forward') })
  }
  const entries = await read(wanted)
  if (entries.length > 0 || wanted.session_id === undefined) return entries
  const session_id = await wholeSessionId(call, wanted.session_id)
  return session_id === undefined ? [] : read({ ...wanted, session_id })
}

/** The session of the store whose id begins so; `undefined` when there is none. */
async function wholeSessionId(call: Call, beginning: string): Promise<string | undefined> {
  const { digestTranscript, findTranscript, isSkipped } = await import('../../store/index.js')
  const { isSessionError } = await import('../../errors.js')
  try {
    const digest = digestTranscript(findTranscript(beginning, storeOptionsOf(call)))
    return isSkipped(digest) || digest.session_id === beginning ? undefined : digest.session_id
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return undefined
    throw error
  }
}

async function printRows(call: Call, entries: readonly HistoryEntry[], { scope }: Wanted) {
  const { historyRows } = await import('../history-rows.js')
  const { colorsOf } = await import('../colors.js')
  await call.output.write(
    historyRows(entries, {
      columns: call.output.columns,
      colors: colorsOf(call),
      now: Date.now(),
      hasProjects: scope === 'global',
    }),
  )
}

async function tellMiss(call: Call, { scope, session_id, project }: Wanted): Promise<void> {
  const { layoutOf } = await import('../../store/index.js')
  const { historyPath } = layoutOf(storeOptionsOf(call))
  if (scope === 'global') return call.notes.say(`No prompts in ${historyPath}`)
  const whose = scope === 'session' ? `session ${session_id}` : project
  call.notes.say(`No prompts of ${whose} in ${historyPath}; --all looks at every project`)
}
