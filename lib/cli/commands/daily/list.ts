// The sessions of a project.

import { basename } from 'node:path'
import { listSessions, listTranscripts, type SessionInfo } from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { readNumber } from '../../input/arguments.js'
import { colorsOf } from '../../output/colors.js'
import { toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { formatTable } from '../../output/table.js'
import { formatAge, formatSize } from '../../output/units.js'

const LESSON = `Newest first, by the last message. open: a process has it open; clean: it was closed; crashed: it
was not closed, and nothing of it is lost; empty: no message yet. Events are counted only where the
file records it, or with --counts, which reads all of it.

Examples:
  $ jsonl-session list
  SESSION   TITLE                    STATUS   LAST       PROJECT  SIZE
  1f0c3e9d  Fix the parser           open     3 min ago  parser   1.2 MiB
  demo      hello                    crashed  yesterday  parser   591 B

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
    { name: 'active', text: 'only those that a process has open' },
    { name: 'limit', value: 'N', text: 'at most N of them' },
    { name: 'counts', text: 'count the events of files that do not record the number' },
  ],
  lesson: LESSON,

  async run(call) {
    const project = call.value('project') ?? (call.has('all') ? undefined : call.io.cwd())
    const { sessions, skipped } = listSessions(call.store, {
      project,
      all: call.has('all'),
      active: call.has('active'),
      limit: readNumber(call, 'limit'),
      counts: call.has('counts'),
    })
    const { transcripts } = call.store.layout
    const what = call.has('active') ? 'No open sessions' : 'No sessions'
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

function toRow(session: SessionInfo): object {
  const { sessionId, title, project, status, startedAt, lastActivity, events, bytes } = session
  return { sessionId, title, project, status, startedAt, lastActivity, events, bytes }
}

const ID_CHARS_MIN = 8
const EXTENSION = '.jsonl'

/** In a pipe with whole ids, so that `awk '{print $1}'` names one. */
function formatSessions(call: Call, sessions: readonly SessionInfo[]): string[] {
  const { columns } = call.output
  const colors = colorsOf(call)
  const shorten =
    columns === undefined
      ? ({ sessionId }: SessionInfo) => sessionId
      : shortenIds(listTranscripts(call.store))
  const paints = { open: colors.green, clean: String, crashed: colors.yellow, empty: colors.dim }
  const rows = sessions.map((session) => {
    const { title, status, lastActivity, project, bytes } = session
    return {
      cells: [
        toPlainText(shorten(session)),
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
