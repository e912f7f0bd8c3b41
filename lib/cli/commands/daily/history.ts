// The prompts of all sessions.

import { basename, parse } from 'node:path'
import {
  type HistoryEntry,
  type HistoryScope,
  normalizeProject,
  readHistory,
  recallHistory,
} from '../../../store/index.js'
import { type Call, type Command, UsageError } from '../../command.js'
import {
  ORDERS,
  openStore,
  readChoice,
  readNumber,
  readOrder,
  rejectTogether,
} from '../../input/arguments.js'
import { findSession } from '../../input/target.js'
import { colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { DiagnosticGroups } from '../../output/notes.js'
import { clip, pad, toPlainText, widthOfText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatAge } from '../../output/units.js'

const LESSON = `Shows the prompts of the project you are in; in your home folder, of all projects. --session,
--project and --all choose others. A prompt that was given several times in a row is shown once,
unless --all-lines or --order asc ask for every line.

Examples:
  $ jsonl-session history --limit 2
  3 min ago   now run the tests
  yesterday   rename the config key

  $ jsonl-session history --all --limit 1 --json
  [{"prompt":"now run the tests","ts":"2026-01-31T12:00:02.000Z","sessionId":"demo",…}]

HISTORY_RETAIN_DAYS=30 hides what is older than 30 days.

Exit codes:
  0 shown · 1 there are none · 2 wrong use, or failed
`

const GAP = '  '
const PROJECT_COLUMNS_MAX = 20
const TIME_CHARS = 24

const SCOPES = ['session', 'project', 'global'] as const

export const history: Command = {
  name: 'history',
  summary: 'Print the prompts of this project, newest first',
  options: [
    { name: 'limit', value: 'N', text: 'print at most N (default: 50)' },
    { name: 'scope', value: 'SCOPE', text: 'session, project or global', values: SCOPES },
    { name: 'session', value: 'S', text: 'only this session' },
    { name: 'project', value: 'P', text: 'the project (default: the current folder)' },
    { name: 'all', text: 'every project, as --scope global' },
    {
      name: 'order',
      value: 'O',
      text: 'desc: newest first (default), asc: oldest first, every line',
      values: ORDERS,
    },
    { name: 'all-lines', text: 'every line, repeated ones too' },
    { name: 'forward', text: 'an earlier spelling of --order asc', isHidden: true },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const wanted = readWanted(call)
    const found = new DiagnosticGroups(call.notes)
    const entries = await readEntries(call, wanted, found)
    await printAnswer(call, { json: entries, lines: () => toRows(call, entries, wanted) })
    found.report()
    if (entries.length > 0) return EXIT.done
    call.notes.say(noneText(call, wanted))
    return EXIT.no
  },
}

interface Wanted {
  readonly scope: HistoryScope
  readonly sessionId?: string | undefined
  readonly project?: string | undefined
}

function readWanted(call: Call): Wanted {
  for (const other of ['project', 'session', 'scope']) rejectTogether(call, 'all', other)
  rejectTogether(call, 'project', 'session')
  const given = readChoice(call, 'scope', SCOPES)
  const session = call.value('session')
  const project = call.value('project')
  const named = session !== undefined ? 'session' : project !== undefined ? 'project' : undefined
  if (given !== undefined && named !== undefined && given !== named) {
    throw new UsageError(`--scope ${given} and --${named} cannot be combined`)
  }
  if (given === 'session' && session === undefined) {
    throw new UsageError('--scope session needs --session ID')
  }
  if (call.has('all')) return { scope: 'global' }
  const scope = given ?? named ?? defaultScope(call)
  return scope === 'project'
    ? { scope, project: project ?? call.io.cwd() }
    : { scope, sessionId: scope === 'session' ? session : undefined }
}

/** The home folder itself and the root are not projects, so there it means everything. */
function defaultScope({ io, env, store }: Call): HistoryScope {
  const here = normalizeProject(store, io.cwd())
  const home = normalizeProject(store, env.host.homedir())
  const isNowhere = here === parse(here).root || here === home
  return isNowhere ? 'global' : 'project'
}

async function readEntries(
  call: Call,
  wanted: Wanted,
  found: DiagnosticGroups,
): Promise<HistoryEntry[]> {
  const order = readOrder(call, { usual: 'desc', asc: 'forward' })
  const limit = readNumber(call, 'limit')
  const store = openStore(call, found.add)
  const isEveryLine = order === 'asc' || call.has('all-lines')
  const read = (filter: Wanted) => {
    if (!isEveryLine) return recallHistory(store, { ...filter, limit })
    return readHistory(store, { ...filter, limit, order })
  }
  const entries = await read(wanted)
  if (entries.length > 0 || wanted.sessionId === undefined) return entries
  // A session may have prompts and no transcript, so only then its id may be incomplete.
  const sessionId = findSession(call, wanted.sessionId)
  return sessionId === wanted.sessionId ? [] : read({ ...wanted, sessionId })
}

/** On a terminal as wide as that; in a pipe complete and with exact times. */
function toRows(call: Call, entries: readonly HistoryEntry[], { scope }: Wanted): string[] {
  const { columns } = call.output
  const colors = colorsOf(call)
  const rows = entries.map(({ prompt, ts, project }) => {
    if (columns === undefined) return [toPlainText(ts).padEnd(TIME_CHARS), toPlainText(prompt)]
    const name = clip(toPlainText(basename(project ?? '')) || '-', PROJECT_COLUMNS_MAX)
    const age = formatAge(ts, call.env.now())
    return [age, ...(scope === 'global' ? [name] : []), toPlainText(prompt)]
  })
  const widths = rows[0]?.map((_, index) =>
    Math.max(...rows.map((row) => widthOfText(row[index]!))),
  )
  return rows.map((row) => {
    const start = row.slice(0, -1).map((cell, index) => pad(cell, widths![index]!) + GAP)
    const before = start.join('')
    const prompt = row.at(-1)!
    if (columns === undefined) return `${before}${prompt}`
    return colors.dim(before) + clip(prompt, Math.max(1, columns - widthOfText(before)))
  })
}

function noneText(call: Call, { scope, sessionId, project }: Wanted): string {
  const { historyPath } = call.store.layout
  const whose = scope === 'session' ? ` of session ${sessionId}` : ` of ${project}`
  const advice = '; --all searches every project'
  const [of, more] = scope === 'global' ? ['', ''] : [whose, advice]
  return `No prompts${of} in ${historyPath}${more}`
}
