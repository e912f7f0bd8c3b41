// Sessions as a table for people; in a pipe with whole ids, so that `awk '{print $1}'` names one.

import { basename } from 'node:path'
import type { SessionDigest, SessionStatus } from '../store/index.js'
import type { Colors } from './colors.js'
import { toPlainText } from './plain-text.js'
import { tableOf } from './table.js'

export interface TableOptions {
  /** The width of the terminal; `undefined` in a pipe. */
  readonly columns: number | undefined
  readonly colors: Colors
  readonly now: number
  /** All names of the store, to know how much of an id is enough. */
  readonly transcripts: readonly string[]
}

const ID_CHARS_MIN = 8
const EXTENSION = '.jsonl'
const HEADINGS = ['SESSION', 'TITLE', 'STATUS', 'LAST', 'PROJECT', 'SIZE']
const TITLE = 1
const STATUS = 2

export function sessionTable(sessions: readonly SessionDigest[], options: TableOptions): string {
  const { columns, colors } = options
  const idOf = columns === undefined ? wholeId : shortIds(options.transcripts)
  const rows = sessions.map((session) => ({
    cells: cellsOf(session, idOf(session), options.now),
    color: colorOf(session.status, colors),
  }))
  return tableOf(rows, { headings: HEADINGS, wide: TITLE, status: STATUS, columns, colors })
}

function cellsOf(session: SessionDigest, id: string, now: number): string[] {
  const { title, status, lastActivity, project, bytes } = session
  return [
    toPlainText(id),
    toPlainText(title ?? '') || '-',
    status,
    lastActivity === null ? '-' : ageOf(lastActivity, now),
    project === null ? '-' : toPlainText(basename(project)) || project,
    sizeOf(bytes),
  ]
}

function colorOf(status: SessionStatus, colors: Colors): (text: string) => string {
  return { open: colors.green, clean: String, crashed: colors.yellow, empty: colors.dim }[status]
}

function wholeId({ session_id }: SessionDigest): string {
  return session_id
}

/** As much of an id as it takes to mean no other. */
function shortIds(transcripts: readonly string[]): (session: SessionDigest) => string {
  const names = transcripts.map((path) => basename(path)).sort()
  const places = new Map(names.map((name, index) => [name, index]))
  return ({ session_id, path }) => {
    const name = basename(path)
    const place = places.get(name)
    // An id that is spelled otherwise on the disk is shown whole.
    if (place === undefined || name !== session_id + EXTENSION) return session_id
    const neighbours = [names[place - 1] ?? '', names[place + 1] ?? '']
    const shared = Math.max(...neighbours.map((other) => sharedChars(name, other)))
    return session_id.slice(0, Math.max(ID_CHARS_MIN, shared + 1))
  }
}

function sharedChars(one: string, other: string): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count++
  return count
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago, as people say it; a date for what is older than a month. */
export function ageOf(time: string, now: number): string {
  const age = now - Date.parse(time)
  if (!Number.isFinite(age)) return '-'
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  const days = Math.floor(age / DAY)
  if (days <= 30) return days === 1 ? 'yesterday' : `${days} days ago`
  return time.slice(0, 10)
}

export function sizeOf(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let size = bytes
  let unit = 0
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
