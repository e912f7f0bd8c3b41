// Bytes of one line in, what they say out. Never throws: a damaged line is something to report,
// not a reason to stop reading.

import { isUtf8 } from 'node:buffer'
import { type ChecksumState, checkChecksum } from './checksum.js'
import type { DiagnosticCode } from './diagnostic.js'
import type { SessionEvent } from './event.js'
import { LINE_PREFIX_BYTES, UUID_CHARS_MAX } from './limits.js'
import { salvage } from './salvage.js'

/** A part of a line, by its place in the buffer. A good line has one part, a glued one several. */
export type LinePart =
  | {
      readonly kind: 'event'
      readonly event: SessionEvent
      readonly checksum: ChecksumState
      readonly start: number
      readonly end: number
      /** What had to be tolerated to read it. */
      readonly notes: readonly DiagnosticCode[]
    }
  | {
      readonly kind: 'damage'
      readonly code: DiagnosticCode
      readonly message: string
      readonly start: number
      readonly end: number
    }

/** Options of the decoding of a line. */
export interface DecodeOptions {
  /**
   * The line is the first of the file, where a byte order mark may be.
   *
   * @default false
   */
  readonly isFirst?: boolean | undefined
  /**
   * Any JSON object counts, also one without an envelope (history lines).
   *
   * @default false
   */
  readonly bare?: boolean | undefined
}

const OPENING_BRACE = 0x7b
const NO_NOTES: readonly DiagnosticCode[] = []

/** The event of a line that is whole and proves it; `undefined` for every other line. */
export function decodeVerified(
  bytes: Buffer,
  start: number,
  end: number,
  { bare = false }: DecodeOptions = {},
): SessionEvent | undefined {
  if (bytes[start] !== OPENING_BRACE || checkChecksum(bytes, start, end) !== 'valid') {
    return undefined
  }
  const value = parseObject(bytes, start, end)
  return value === undefined ? undefined : asEvent(value, bare)
}

/** Every part of a line, in order; empty for a blank one. */
export function decodeLine(
  bytes: Buffer,
  start: number,
  end: number,
  options: DecodeOptions = {},
): readonly LinePart[] {
  const proven = decodeVerified(bytes, start, end, options)
  if (proven !== undefined) {
    return [{ kind: 'event', event: proven, checksum: 'valid', start, end, notes: NO_NOTES }]
  }
  const trimmed = trim(bytes, start, end, options.isFirst === true)
  if (trimmed.start >= trimmed.end) {
    if (!trimmed.notes.includes('nul_padding')) return []
    const run = end - start === 1 ? '1 NUL byte' : `${end - start} NUL bytes`
    const message = `${run} where a line should be (power loss leaves such runs)`
    return [{ kind: 'damage', code: 'nul_padding', message, start, end }]
  }
  return decodeTrimmed(bytes, trimmed, options)
}

/** Type, uuid and prev_uuid of a line of which only the beginning could be read. */
export function decodePrefix(bytes: Buffer, start: number, end: number): SessionEvent | undefined {
  const text = bytes.toString('utf8', start, Math.min(end, start + LINE_PREFIX_BYTES))
  const match = PREFIX.exec(text)
  if (match === null) return undefined
  try {
    // What the expression has matched begins with a brace, so it can be nothing but an object.
    return asEvent(JSON.parse(`${match[0]},"payload":null}`) as object, false)
  } catch {
    return undefined
  }
}

const STRING = '"(?:[^"\\\\]|\\\\.){0,256}"'
const PREFIX = new RegExp(
  `^\\{"type":${STRING},"ts":(?:${STRING}|[0-9.]+),"uuid":${STRING},"prev_uuid":(?:null|${STRING})`,
)

interface Trimmed {
  start: number
  end: number
  notes: DiagnosticCode[]
}

function decodeTrimmed(bytes: Buffer, trimmed: Trimmed, options: DecodeOptions): LinePart[] {
  const { start, end, notes } = trimmed
  const decode = (...record: [Buffer, number, number]) =>
    decodeRecord(...record, options.bare === true)
  const record = decode(bytes, start, end)
  // Of a wrong checksum the caller knows whether it is damage: only in a file of such lines.
  if (record !== undefined) return withNotes([record], notes)
  const isJson = parseObject(bytes, start, end) !== undefined
  const parts = isJson ? undefined : salvage(bytes, start, end, decode)
  if (parts !== undefined) return withNotes(parts, notes)
  const message = isJson ? 'The line is JSON, but not an event' : 'The line is not JSON'
  return [{ kind: 'damage', code: 'bad_line', message, start, end }]
}

/** What was tolerated around the line is noted with its first event. */
function withNotes(parts: LinePart[], notes: readonly DiagnosticCode[]): LinePart[] {
  const first = parts.findIndex((part) => part.kind === 'event')
  return parts.map((part, index) =>
    part.kind === 'event' && index === first ? { ...part, notes: [...notes, ...part.notes] } : part,
  )
}

/** One whole record inside a damaged line. */
function decodeRecord(
  bytes: Buffer,
  start: number,
  end: number,
  bare: boolean,
): LinePart | undefined {
  const checksum = checkChecksum(bytes, start, end)
  const value = parseObject(bytes, start, end)
  const event = value === undefined ? undefined : asEvent(value, bare)
  if (event === undefined) return undefined
  return { kind: 'event', event, checksum, start, end, notes: NO_NOTES }
}

function trim(bytes: Buffer, start: number, end: number, isFirst: boolean): Trimmed {
  const notes: DiagnosticCode[] = []
  if (isFirst && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) {
    start += 3
    notes.push('byte_order_mark')
  }
  let nuls = 0
  while (start < end && isPadding(bytes[start]!)) if (bytes[start++] === 0) nuls++
  while (start < end && isPadding(bytes[end - 1]!)) if (bytes[--end] === 0) nuls++
  if (nuls > 0) notes.push('nul_padding')
  return { start, end, notes }
}

function isPadding(byte: number): boolean {
  return byte === 0 || byte === 0x20 || byte === 0x09 || byte === 0x0d
}

function parseObject(bytes: Buffer, start: number, end: number): object | undefined {
  const text = bytes.toString('utf8', start, end)
  // Bytes that are not UTF-8 became this character; but a text may also contain it.
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asEvent(value: object, bare: boolean): SessionEvent | undefined {
  const event = value as { -readonly [Key in keyof SessionEvent]: SessionEvent[Key] }
  const { type, uuid, ts, prev_uuid } = event
  const isEvent = typeof type === 'string' && typeof uuid === 'string'
  if (!isEvent && !bare) return undefined
  // Other writers of this format, the first of them included, gave seconds or milliseconds.
  if (typeof ts === 'number') event.ts = isoOfEpoch(ts)
  if (!isEvent) return event
  if (type === '' || uuid === '' || uuid.length > UUID_CHARS_MAX) return undefined
  if (prev_uuid === undefined) event.prev_uuid = null
  else if (prev_uuid !== null && typeof prev_uuid !== 'string') return undefined
  return event
}

function isoOfEpoch(epoch: number): string {
  const date = new Date(epoch < 1e11 ? epoch * 1000 : epoch)
  return Number.isNaN(date.getTime()) ? String(epoch) : date.toISOString()
}
