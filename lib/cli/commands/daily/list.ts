// The sessions of a project.

import { basename } from 'node:path'
import {
  findShownStatus,
  listSessions,
  listTranscripts,
  PINNED,
  type SessionInfo,
  type ShownStatus,
} from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { readNumber, readWords } from '../../input/arguments.js'
import { colorsOf } from '../../output/colors.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatTable } from '../../output/table.js'
import { formatAge, formatSize } from '../../output/units.js'

const LESSON = `Newest first, by the last message. open: a process has it open; active: a harness claims it, or it
has events of the last four hours and no end; clean: it was closed; unclosed: it was not (\`close\`
does it); crashed: the process that had it open died, and nothing of it is lost; empty: no message
yet. A session that continues another one has its title and tags until it gets its own. On a
terminal, sessions with the tag \`pinned\` come first. Events are counted only where the file records
it, or with --counts, which reads all of it.

Examples:
  $ jsonl-session list
  SESSION   TITLE                    STATUS   LAST       PROJECT  SIZE
  1f0c3e9d  Fix the parser           open     3 min ago  parser   1.2 MiB
  demo      hello                    clean    yesterday  parser   591 B

  $ jsonl-session list --all --limit 1 --json
  {"sessions":[{"sessionId":"1f0c3e9d-…","title":"Fix the parser",…}],"skipped":[]}

Exit codes:
  0 listed · 1 there are none · 2 wrong use, or failed
`

export const list: Command = {
  name: 'list',
  summary: 'List the sessions of this project, newest first',
  options: [
    { name: 'project', value: 'P', text: 'of this project (default: the current folder)' },
    { name: 'all', text: 'of every project; also empty sessions, headless and subagent ones' },
    { name: 'tag', value: 'TAGS', text: 'only those with all of these tags, separated by commas' },
    { name: 'active', text: 'only open and active ones' },
    { name: 'limit', value: 'N', text: 'at most N of them' },
    { name: 'counts', text: 'count the events of files that do not record the number' },
  ],
  lesson: LESSON,

  async run(call) {
    const project = call.value('project') ?? (call.has('all') ? undefined : call.io.cwd())
    const limit = readNumber(call, 'limit')
    const isActiveOnly = call.has('active')
    const isScreen = call.output.isTerminal && !call.has('json')
    const isFirstChosen = isActiveOnly || isScreen
    const { sessions: all, skipped } = listSessions(call.store, {
      project,
      all: call.has('all'),
      limit: isFirstChosen ? undefined : limit,
      counts: call.has('counts'),
      tags: readWords(call, 'tag'),
    })
    const rows = all.map((info) => ({ info, status: findShownStatus(call.store, info) }))
    const active = isActiveOnly ? rows.filter(({ status }) => ACTIVE.includes(status)) : rows
    const sessions = (isScreen ? pinnedFirst(active) : active).slice(0, limit)
    const { transcripts } = call.store.layout
    const what = isActiveOnly ? 'No open or active sessions' : 'No sessions'
    const whose = project === undefined ? '' : ` of ${project}`
    const advice = project === undefined ? '' : '; --all searches every project'
    return printAnswer(call, {
      json: { sessions: sessions.map(toRow), skipped },
      lines: () => formatSessions(call, sessions),
      skipped,
      no: sessions.length === 0 ? `${what}${whose} in ${transcripts}${advice}` : undefined,
    })
  },
}

const ACTIVE: readonly ShownStatus[] = ['open', 'active']

/** Those with the tag `pinned`, and then the others. */
function pinnedFirst(rows: readonly ListRow[]): readonly ListRow[] {
  const isPinned = ({ info }: ListRow) => info.tags?.includes(PINNED) === true
  return [...rows.filter(isPinned), ...rows.filter((row) => !isPinned(row))]
}

interface ListRow {
  readonly info: SessionInfo
  readonly status: ShownStatus
}

function toRow({ info, status }: ListRow): object {
  const { sessionId, title, titleSource, project, kind, harness, startedAt, lastActivity } = info
  const { resumedFrom, forkedFrom, parentSessionKey, events, bytes, tags } = info
  const about = { sessionId, title, titleSource, tags: tags ?? [], project, kind, harness, status }
  const lineage = { resumedFrom, forkedFrom, parentSessionId: parentSessionKey }
  return { ...about, startedAt, lastActivity, ...lineage, events, bytes }
}

const ID_CHARS_MIN = 8
const EXTENSION = '.jsonl'

/** In a pipe with whole ids, so that `awk '{print $1}'` names one. */
function formatSessions(call: Call, sessions: readonly ListRow[]): string[] {
  const { columns } = call.output
  const colors = colorsOf(call)
  const shorten =
    columns === undefined
      ? ({ sessionId }: SessionInfo) => sessionId
      : shortenIds(listTranscripts(call.store))
  const paints: Record<ShownStatus, (text: string) => string> = {
    open: colors.green,
    active: colors.green,
    clean: String,
    unclosed: String,
    crashed: colors.yellow,
    empty: colors.dim,
  }
  const rows = sessions.map(({ info, status }) => {
    const { title, lastActivity, project, bytes } = info
    return {
      cells: [
        toPlainText(shorten(info)),
        toPlainText(title ?? '') || '-',
        status,
        formatAge(lastActivity, call.env.now()),
        project === null ? '-' : toPlainText(basename(project)) || project,
        formatSize(bytes),
      ],
      color: paints[status],
    }
  })
  const headings = ['SESSION', 'TITLE', 'STATUS', 'LAST', 'PROJECT', 'SIZE']
  return formatTable(rows, { headings, wide: 1, status: 2, columns, colors })
}

/** As much of an id as it takes to mean no other. */
function shortenIds(transcripts: readonly string[]): (session: SessionInfo) => string {
  const names = transcripts.map((path) => basename(path)).sort()
  const places = new Map(names.map((name, index) => [name, index]))
  return ({ sessionId, path }) => {
    const name = basename(path)
    const place = places.get(name)
    // An id that has another spelling on disk is shown whole.
    if (place === undefined || name !== sessionId + EXTENSION) return sessionId
    const neighbours = [names[place - 1] ?? '', names[place + 1] ?? '']
    const shared = Math.max(...neighbours.map((other) => countSharedChars(name, other)))
    return sessionId.slice(0, Math.max(ID_CHARS_MIN, shared + 1))
  }
}

function countSharedChars(one: string, other: string): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count++
  return count
}
