// The sessions of a project.

import { basename } from 'node:path'
import {
  countEvents,
  findShownStatus,
  listSessions,
  listSidechains,
  listTranscripts,
  matchProject,
  PINNED,
  readSessionFigures,
  type SessionFigures,
  type SessionInfo,
  type ShownStatus,
  sumTokens,
} from '../../../store/index.js'
import { type Call, type Command, UsageError } from '../../command.js'
import { readChoice, readNumber, readTime, readWords, resolveFile } from '../../input/arguments.js'
import {
  COLUMN_NAMES,
  formatRows,
  isCounted,
  projectName,
  readColumns,
} from '../../list/columns.js'
import { type ListRow, toJsonRow } from '../../list/row.js'
import { toTree } from '../../list/tree.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'

const LESSON = `Newest first, by the last message. open: a process has it open; active: a harness claims it, or it
has events of the last four hours and no end; clean: it was closed; unclosed: it was not (\`close\`
does it); crashed: the process that had it open died, and nothing of it is lost; empty: no message
yet. A session that continues another one has its title and tags until it gets its own. On a
terminal, sessions with the tag \`pinned\` come first. In a sub-folder of a project the project is
meant. --long adds turns, tokens, cost, model, duration and lineage, with subagents: all of a log is
read for them once, and then only what was added. Duration is without pauses of half an hour and
more. What a fork copied counts for its source. TIME is 2026-01-31, or 90m, 2h, 3d ago.

Examples:
  $ jsonl-session list
  SESSION   TITLE                    STATUS   LAST       PROJECT  SIZE
  1f0c3e9d  Fix the parser           open     3 min ago  parser   1.2 MiB
  demo      hello                    clean    yesterday  parser   591 B

  $ jsonl-session list --sort cost --limit 1 --json
  {"sessions":[{"sessionId":"1f0c3e9d-…","title":"Fix the parser",…}],"skipped":[]}

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed
`

const STATUSES: readonly ShownStatus[] = [
  ...(['open', 'active', 'clean', 'unclosed', 'crashed', 'empty'] as const),
]
const ACTIVE: readonly ShownStatus[] = ['open', 'active']
const ORDERS = [
  ...(['last', 'started', 'title', 'size'] as const),
  ...(['turns', 'tokens', 'cost', 'duration'] as const),
] as const
type Order = (typeof ORDERS)[number]

export const list: Command = {
  name: 'list',
  summary: 'List the sessions of this project, newest first',
  options: [
    { name: 'project', value: 'P', text: 'of this project, by its name or path' },
    { name: 'all', text: 'every project; also empty, headless and subagent sessions' },
    { name: 'tag', value: 'TAGS', text: 'only those with all of these tags, separated by commas' },
    { name: 'active', text: 'only open and active ones' },
    {
      name: 'status',
      value: 'S',
      text: 'only those in one of these states, separated by commas',
      values: STATUSES,
      isList: true,
    },
    { name: 'since', value: 'TIME', text: 'only those with a message of this time or later' },
    { name: 'grep', value: 'TEXT', text: 'only those with this in title, id, project or tags' },
    {
      name: 'sort',
      value: 'BY',
      text: 'last, started, title, size, turns, tokens, cost or duration (default: last)',
      values: ORDERS,
    },
    { name: 'limit', value: 'N', text: 'print at most N' },
    { name: 'long', text: 'with turns, tokens, cost, model, duration and lineage' },
    {
      name: 'columns',
      value: 'NAMES',
      text: 'these columns, separated by commas',
      values: COLUMN_NAMES,
      isList: true,
    },
    { name: 'tree', text: 'below the sessions they continue, with forks and subagents' },
    { name: 'prices', value: 'FILE', text: 'JSON with prices of models, see docs/CLI.md' },
    { name: 'counts', text: 'count the events of files that do not record the number' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const choice = readColumns(call)
    const order = readChoice(call, 'sort', ORDERS) ?? 'last'
    const limit = readNumber(call, 'limit')
    const isWanted = readFilter(call)
    const { sessions: all, skipped } = listSessions(call.store, {
      all: call.has('all'),
      tags: readWords(call, 'tag'),
    })
    const { isOf, whose } = readProject(call, all)
    const chosen = all
      .filter(isOf)
      .map((info) => ({ info, status: findShownStatus(call.store, info), figures: undefined }))
      .filter(isWanted)
    const isCosted = [...choice.names, order].some(isCounted) || call.has('long')
    // What is not shown is not read, unless the order depends on it.
    const first = isCounted(order) ? chosen : selectFirst(call, chosen, order, limit)
    const counted = isCosted ? await addFigures(call, first) : { rows: first, skipped: [] }
    const rows = isCounted(order) ? selectFirst(call, counted.rows, order, limit) : counted.rows
    const events = call.has('counts') ? rows.map((row) => withEvents(call, row)) : rows
    const shown = call.has('tree') ? toTree(events, listSidechains(call.store).sidechains) : events
    const unread = [...skipped, ...counted.skipped]
    return printAnswer(call, {
      json: { sessions: shown.map(toJsonRow), skipped: unread },
      lines: () => formatRows(call, shown, choice, shortener(call)),
      skipped: unread,
      no: shown.length === 0 ? nothing(call, whose) : undefined,
    })
  },
}

function nothing(call: Call, whose: string | undefined): string {
  const what = call.has('active') ? 'No open or active sessions' : 'No sessions'
  const of = whose === undefined ? '' : ` of ${whose}`
  const isFiltered = ['tag', 'status', 'since', 'grep'].some(
    (name) => call.value(name) !== undefined,
  )
  const that = isFiltered ? ' that match' : ''
  const advice = whose === undefined ? '' : '; --all searches every project'
  return `${what}${of}${that} in ${call.store.layout.transcripts}${advice}`
}

/** Without a project the nearest one of the current folder is meant. */
function readProject(
  call: Call,
  sessions: readonly SessionInfo[],
): { isOf: (info: SessionInfo) => boolean; whose: string | undefined } {
  const given = call.value('project')
  if (given === undefined && call.has('all')) return { isOf: () => true, whose: undefined }
  const folder = resolveFile(call, given ?? call.io.cwd())
  const { isOf, project } = matchProject(call.store, sessions, {
    folder,
    isNearest: given === undefined,
  })
  if (project !== undefined || given === undefined) return { isOf, whose: project ?? folder }
  return { isOf: (info) => projectName(info.project) === given, whose: given }
}

function readFilter(call: Call): (row: ListRow) => boolean {
  const statuses = readWords(call, 'status')
  const unknown = statuses?.find((status) => !STATUSES.includes(status as ShownStatus))
  if (unknown !== undefined) {
    throw new UsageError(`--status takes ${STATUSES.join(', ')}, not "${unknown}"`)
  }
  const wanted = call.has('active') ? ACTIVE : (statuses as ShownStatus[] | undefined)
  const since = readTime(call, 'since')
  const sinceMs = since === undefined ? undefined : Date.parse(since)
  const text = call.value('grep')?.toLowerCase()
  return ({ info, status }) =>
    (wanted === undefined || wanted.includes(status as ShownStatus)) &&
    (sinceMs === undefined || Date.parse(info.lastActivity ?? '') >= sinceMs) &&
    (text === undefined || textsOf(info).some((one) => one.toLowerCase().includes(text)))
}

function textsOf({ title, sessionId, project, tags }: SessionInfo): readonly string[] {
  return [title ?? '', sessionId, project ?? '', ...(tags ?? [])]
}

/** In their order, pinned ones first on a terminal, as many as are asked for. */
function selectFirst(
  call: Call,
  rows: readonly ListRow[],
  order: Order,
  limit: number | undefined,
): readonly ListRow[] {
  const sorted = order === 'last' ? rows : rows.toSorted(ORDER_BY[order])
  const isScreen = call.output.isTerminal && !call.has('json')
  return (isScreen ? pinnedFirst(sorted) : sorted).slice(0, limit)
}

const descending =
  (numberOf: (figures: SessionFigures) => number) =>
  (one: ListRow, other: ListRow): number =>
    (other.figures ? numberOf(other.figures) : -1) - (one.figures ? numberOf(one.figures) : -1)

const ORDER_BY: Record<Exclude<Order, 'last'>, (one: ListRow, other: ListRow) => number> = {
  started: ({ info: one }, { info: other }) =>
    (one.startedAt ?? '') < (other.startedAt ?? '') ? 1 : -1,
  title: ({ info: one }, { info: other }) => (one.title ?? '').localeCompare(other.title ?? ''),
  size: ({ info: one }, { info: other }) => other.bytes - one.bytes,
  turns: descending(({ turns }) => turns),
  tokens: descending(({ tokens }) => sumTokens(tokens)),
  cost: descending(({ cost }) => cost.microDollars),
  duration: descending(({ durationMs }) => durationMs),
}

/** Those with the tag `pinned`, and then the others. */
function pinnedFirst(rows: readonly ListRow[]): readonly ListRow[] {
  const isPinned = ({ info }: ListRow) => info.tags?.includes(PINNED) === true
  return [...rows.filter(isPinned), ...rows.filter((row) => !isPinned(row))]
}

function withEvents({ store }: Call, row: ListRow): ListRow {
  const { info } = row
  return { ...row, info: { ...info, events: info.events ?? countEvents(store, info) } }
}

async function addFigures(call: Call, rows: readonly ListRow[]) {
  const prices = call.value('prices')
  const pricesFile = prices === undefined ? undefined : resolveFile(call, prices)
  const sessions = rows.map(({ info }) => info)
  const { figures, skipped } = await readSessionFigures(call.store, sessions, { pricesFile })
  return {
    rows: rows.map((row) => ({ ...row, figures: figures.get(row.info.sessionId) })),
    skipped,
  }
}

const ID_CHARS_MIN = 8
const EXTENSION = '.jsonl'

/** In a pipe whole ids, so that `awk '{print $1}'` names one; else as much as means no other. */
function shortener(call: Call) {
  if (call.output.columns === undefined) {
    const whole = ({ info }: Pick<ListRow, 'info'>) => info.sessionId
    return { shorten: whole, shortenId: (id: string) => id }
  }
  const names = listTranscripts(call.store)
    .map((path) => basename(path))
    .sort()
  const places = new Map(names.map((name, index) => [name, index]))
  const shortenId = (id: string, name = id + EXTENSION) => {
    const place = places.get(name)
    // An id that has another spelling on disk is shown whole.
    if (place === undefined || name !== id + EXTENSION) return id
    const neighbours = [names[place - 1] ?? '', names[place + 1] ?? '']
    const shared = Math.max(...neighbours.map((other) => countSharedChars(name, other)))
    return id.slice(0, Math.max(ID_CHARS_MIN, shared + 1))
  }
  return {
    shorten: ({ info }: Pick<ListRow, 'info'>) => shortenId(info.sessionId, basename(info.path)),
    shortenId: (id: string) => toPlainText(shortenId(id)),
  }
}

function countSharedChars(one: string, other: string): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count++
  return count
}
