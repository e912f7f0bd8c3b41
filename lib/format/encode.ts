// Events in, bytes out. The one place that knows how a line is spelled.
//
// The envelope is put together by hand in its fixed order and only the payload goes through
// JSON.stringify; that is what makes an append nearly as cheap as a bare write.

import { SessionError } from '../errors.js'
import { CHECKSUM_BYTES, writeChecksum } from './checksum.js'
import { NEWLINE, UUID_CHARS_MAX, WRITE_LINE_BYTES_MAX } from './limits.js'

const RETAINED_BYTES = 2 * 1024 * 1024
const CACHED_VIEW_BYTES_MAX = 8192

// Lines start at 1, behind a newline that is written too when the file's tail is torn.
const FIRST_LINE_AT = 1

// The fields of a line in their order, as `recognise.ts` expects them too.
export const BEFORE_TYPE = '{"type":"'
export const BEFORE_TS = '","ts":"'
export const BEFORE_UUID = '","uuid":"'
export const BEFORE_PREV = '","prev_uuid":'
export const BEFORE_PAYLOAD = ',"payload":'

// C1 controls and line separators that other tools split lines at, and DEL.
const SEPARATORS = /[\u007f-\u009f\u2028\u2029]/g
const SAFE_UUID = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** What one line says, ready to be joined: everything but `type` is JSON text already. */
export interface LineParts {
  readonly type: string
  readonly ts: string
  readonly uuid: string
  readonly prevJson: string
  readonly payloadJson: string
}

/** Collects lines into one buffer, which is reused: its bytes are good until the next `reset`. */
export class LineEncoder {
  readonly #retained = Buffer.allocUnsafeSlow(RETAINED_BYTES)
  // One view per length, for checksums: making a view costs half as much as the checksum itself.
  readonly #views: Buffer[] = []
  #buffer = this.#retained
  #end = FIRST_LINE_AT

  constructor() {
    this.#retained[0] = NEWLINE
  }

  reset(): void {
    this.#buffer = this.#retained
    this.#end = FIRST_LINE_AT
  }

  /** Adds an event's line and returns its length, newline included. */
  addEvent(parts: LineParts): number {
    return this.#add(openLine(parts))
  }

  /** Adds a line without an envelope; `json` is the text of a non-empty object. */
  addBare(json: string): number {
    return this.#add(json.slice(0, -1))
  }

  /** All lines so far; with `isolate`, a newline first, which ends a torn line. */
  bytes({ isolate }: { isolate: boolean }): Buffer {
    return this.#buffer.subarray(this.start(isolate), this.#end)
  }

  // The same as buffer, start and end: a view would cost a tenth of a short line.
  get buffer(): Buffer {
    return this.#buffer
  }

  start(isolate: boolean): number {
    return isolate ? 0 : FIRST_LINE_AT
  }

  get end(): number {
    return this.#end
  }

  get byteLength(): number {
    return this.#end - FIRST_LINE_AT
  }

  /** Drops the lines added since `byteLength` was this, as if they had never been added. */
  backTo(byteLength: number): void {
    this.#end = byteLength + FIRST_LINE_AT
  }

  #add(open: string): number {
    const start = this.#end
    // Three bytes are the most a UTF-16 unit can take; measure only when that could not fit.
    if (start + open.length * 3 + CHECKSUM_BYTES + 1 > this.#buffer.length) this.#grow(open)
    let end = start + this.#buffer.write(open, start)
    // As many bytes as characters: all ASCII, where only DEL is left to look for.
    const isAscii = end - start === open.length
    if (isAscii ? open.includes('\x7f') : hasSeparator(open)) {
      return this.#add(open.replace(SEPARATORS, escapeCharacter))
    }
    end = writeChecksum(this.#buffer, end, this.#view(start, end))
    if (end - start > WRITE_LINE_BYTES_MAX) {
      throw new SessionError(
        'ERR_LINE_TOO_LARGE',
        `A line of ${end - start} bytes is over the limit of ${WRITE_LINE_BYTES_MAX}`,
        { lineBytes: end - start, lineBytesMax: WRITE_LINE_BYTES_MAX },
      )
    }
    this.#buffer[end++] = NEWLINE
    this.#end = end
    return end - start
  }

  #view(start: number, end: number): Buffer {
    const length = end - start
    if (start !== FIRST_LINE_AT || length >= CACHED_VIEW_BYTES_MAX) {
      return this.#buffer.subarray(start, end)
    }
    if (this.#buffer !== this.#retained) return this.#buffer.subarray(start, end)
    let view = this.#views[length]
    if (view === undefined) {
      view = this.#retained.subarray(start, end)
      this.#views[length] = view
    }
    return view
  }

  #grow(open: string): void {
    const needed = this.#end + Buffer.byteLength(open) + CHECKSUM_BYTES + 1
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}

/** How long the line of an event would be, newline included, without making it. */
export function measureLine(parts: LineParts): number {
  const open = openLine(parts).replace(SEPARATORS, escapeCharacter)
  return Buffer.byteLength(open) + CHECKSUM_BYTES + 1
}

/** The line up to its checksum. */
function openLine({ type, ts, uuid, prevJson, payloadJson }: LineParts): string {
  const head = openingOf(type)
  return `${head}${ts}${BEFORE_UUID}${uuid}${BEFORE_PREV}${prevJson}${BEFORE_PAYLOAD}${payloadJson}`
}

/** Throws for a uuid that could not be written between quotes as it is. */
export function assertUuid(uuid: string, field: 'uuid' | 'prev_uuid' | 'event_uuid'): void {
  if (typeof uuid !== 'string') throw new TypeError(`${field} must be a string`)
  if (uuid.length > UUID_CHARS_MAX || !SAFE_UUID.test(uuid)) {
    throw new SessionError(
      'ERR_ARG',
      `${field} must be 1 to ${UUID_CHARS_MAX} printable ASCII characters without quotes and backslashes`,
      { [field]: String(uuid).slice(0, UUID_CHARS_MAX) },
    )
  }
}

/** The one spelling of a time that is written, or a refusal. */
export function assertTime(ts: string): void {
  if (typeof ts !== 'string') throw new TypeError('ts must be a string')
  const ms = /^\d{4}-.{18}Z$/.test(ts) ? Date.parse(ts) : Number.NaN
  // `Date` takes 2026-02-30 for March 2.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== ts) {
    throw new SessionError('ERR_ARG', `ts must look like 2026-01-31T12:00:00.000Z, not "${ts}"`)
  }
}

/** JSON text of a uuid met in a file, where any string is possible. */
export function quoteUuid(uuid: string): string {
  if (SAFE_UUID.test(uuid)) return `"${uuid}"`
  return JSON.stringify(uuid).replace(SEPARATORS, escapeCharacter)
}

/** JSON text as lines have it: without characters that other tools take for the end of a line. */
export function escapeSeparators(json: string): string {
  return json.replace(SEPARATORS, escapeCharacter)
}

/** A text as it is written between the quotes of our lines. */
export function spellText(text: string): string {
  return escapeSeparators(JSON.stringify(text)).slice(1, -1)
}

function hasSeparator(text: string): boolean {
  SEPARATORS.lastIndex = 0
  const found = SEPARATORS.test(text)
  SEPARATORS.lastIndex = 0
  return found
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

const openings = new Map<string, string>()
const OPENINGS_MAX = 1024

function openingOf(type: string): string {
  let opening = openings.get(type)
  if (opening === undefined) {
    opening = `${BEFORE_TYPE}${type}${BEFORE_TS}`
    if (openings.size >= OPENINGS_MAX) openings.clear()
    openings.set(type, opening)
  }
  return opening
}
