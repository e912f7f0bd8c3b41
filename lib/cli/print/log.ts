// The entries of one log as rows.

import { SessionError } from '../../errors.js'
import { type SessionEvent, tolerantJson } from '../../format/index.js'
import {
  type FollowEntry,
  followLog,
  type LogEntry,
  readLog,
  readLogBackward,
} from '../../log/index.js'
import type { Call } from '../command.js'
import { type Colors, colorsOf } from '../output/colors.js'
import { EXIT } from '../output/exit-codes.js'
import { clip, toPlainText } from '../output/plain-text.js'
import { toCamelCase } from '../output/print.js'
import { snippetOf } from '../output/snippet.js'
import { plural } from '../output/units.js'

export interface PrintLogOptions {
  readonly limit: number
  readonly from: number | undefined
  readonly signal: AbortSignal | undefined
  readonly isReverse: boolean
  readonly isFollowing: boolean
  readonly cursor: string | undefined
}

export async function printLog(path: string, call: Call, options: PrintLogOptions) {
  const { output } = call
  const { limit, isFollowing } = options
  const colors = colorsOf(call)
  const isJson = call.has('json')
  const bare = await isHistory(call, path)
  let rowCount = 0
  let damageCount = 0
  let firstDamage = 0
  if (limit === 0) return EXIT.done
  for await (const entry of entriesOf(call, path, { ...options, bare })) {
    if (isDamaged(entry) && damageCount++ === 0) firstDamage = entry.byte_offset
    // Read for every row: a terminal may change its width meanwhile.
    const row = isJson
      ? tolerantJson(toCamelCase(entry) as object)
      : rowOf(entry, { columns: output.columns, colors })
    await output.write(`${row}\n`)
    if (isFollowing) await output.flush()
    if (++rowCount >= limit) break
  }
  if (damageCount === 0 || !call.has('strict')) return EXIT.done
  const what = `${path} holds ${plural(damageCount, 'damaged entry', 'damaged entries')}, the first at byte ${firstDamage}`
  throw new SessionError('ERR_DAMAGED', what, { path, damageCount, byte_offset: firstDamage })
}

interface Source extends PrintLogOptions {
  readonly bare: boolean
}

function entriesOf(
  { env: environment }: Call,
  path: string,
  source: Source,
): AsyncIterable<LogEntry | FollowEntry> {
  const { from, cursor, signal, bare, isReverse, isFollowing } = source
  if (isFollowing) return followLog(path, { from, cursor, signal, bare, environment })
  const range = { from, bare, environment }
  return isReverse ? readLogBackward(path, range) : readLog(path, range)
}

/** The lines of a history have no envelope, which the first readable one shows. */
async function isHistory({ env }: Call, path: string): Promise<boolean> {
  for await (const entry of readLog(path, { bare: true, environment: env })) {
    if (entry.kind === 'event') return entry.event.uuid === undefined && 'prompt' in entry.event
  }
  return false
}

/** What `strict` means everywhere: damaged, unverified, or incomplete in memory. */
function isDamaged({ kind, diagnostics = [] }: LogEntry | FollowEntry): boolean {
  if (kind === 'damage') return true
  if (kind !== 'event') return false
  return diagnostics.some(({ severity, code }) => severity === 'error' || code === 'unverified')
}

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
  const text = entry.kind === 'event' ? eventText(entry, { isNarrow }) : toDamageText(entry)
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
  // On a terminal the columns are for the text, not for milliseconds.
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

function toDamageText(entry: Entry<'damage' | 'torn' | 'replaced'>): string {
  const { kind, length, diagnostics } = entry
  const [first] = diagnostics
  const what = toPlainText(first?.message ?? '')
  if (kind === 'replaced') return `REPLACED  ${what}`
  const reason = kind === 'damage' ? `${entry.reason}, ` : ''
  return `${kind.toUpperCase()}  ${reason}${plural(length, 'byte')}: ${what}`
}

/** Fields of another tool's line may be missing, or of any type. */
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
