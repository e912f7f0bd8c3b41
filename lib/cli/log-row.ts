// An entry of a log as one row for people. Offset and line come first, so that the columns stand
// in line whatever the row has to say.

import type { SessionEvent } from '../format/index.js'
import type { FollowEntry, LogEntry } from '../log/index.js'
import type { Colors } from './colors.js'
import { clip, toPlainText } from './plain-text.js'
import { plural } from './plural.js'
import { snippetOf } from './snippet.js'

const SNIPPET_COLUMNS_MAX = 200
const UUID_CHARS = 8
const TYPE_CHARS = 14

export interface RowOptions {
  /** The width of the terminal; `undefined` in a pipe. */
  readonly columns: number | undefined
  readonly colors: Colors
}

export function rowOf(entry: LogEntry | FollowEntry, { columns, colors }: RowOptions): string {
  const isNarrow = columns !== undefined
  const text = entry.kind === 'event' ? eventText(entry, { isNarrow }) : badNews(entry)
  const row = `${placeOf(entry)}  ${text}`
  return colorOf(entry, colors)(isNarrow ? clip(row, columns) : row)
}

type Entry<Kind> = Extract<LogEntry | FollowEntry, { kind: Kind }>

function placeOf(entry: LogEntry | FollowEntry): string {
  const line = 'line_number' in entry ? entry.line_number : undefined
  return `${String(entry.byte_offset).padStart(8)} ${String(line ?? '-').padStart(5)}`
}

function eventText(
  { event, diagnostics = [] }: Entry<'event'>,
  { isNarrow }: { isNarrow: boolean },
): string {
  // In a terminal the text needs the columns more than the time needs its milliseconds.
  const time = isNarrow ? fieldOf(event.ts).replace(/\.\d+Z$/, 'Z') : fieldOf(event.ts)
  const notes = diagnostics.map(({ code }) => `[${code}] `).join('')
  const columns = [
    time.padEnd(isNarrow ? 20 : 24),
    typeOf(event).padEnd(TYPE_CHARS),
    fieldOf(event.uuid).slice(0, UUID_CHARS).padEnd(UUID_CHARS),
    `${notes}${snippetOf(event, SNIPPET_COLUMNS_MAX)}`,
  ]
  return columns.join('  ').trimEnd()
}

function badNews(entry: Entry<'damage' | 'torn' | 'replaced'>): string {
  const { kind, length, diagnostics } = entry
  const [first] = diagnostics
  const what = toPlainText(first?.message ?? '')
  if (kind === 'replaced') return `REPLACED  ${what}`
  const reason = kind === 'damage' ? `${entry.reason}, ` : ''
  return `${kind.toUpperCase()}  ${reason}${plural(length, 'byte')}: ${what}`
}

/** Fields of a stranger's line may be missing, or anything. */
function fieldOf(value: unknown): string {
  return typeof value === 'string' ? toPlainText(value) : '-'
}

function typeOf(event: SessionEvent): string {
  return event.type === undefined ? 'history' : fieldOf(event.type)
}

function colorOf(entry: LogEntry | FollowEntry, colors: Colors): (text: string) => string {
  if (entry.kind === 'damage') return colors.red
  if (entry.kind !== 'event') return colors.yellow
  return entry.event.type === undefined || entry.event.prev_uuid !== null ? String : colors.dim
}
