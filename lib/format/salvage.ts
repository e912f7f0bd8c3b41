// What can be saved from a line in which several records ran together.
//
// Two shapes occur in the field: records glued end to end, and a record cut short by a crash
// with a whole one behind it. A record counts only where it is a record of its own.
// An object in the position of a JSON value may be part of a payload (an agent that
// reads its own log stores such), so there it stays damage: better a gap than a false event.

import type { LinePart } from './decode.js'
import { RECORD_START, TYPE_BYTES_MAX } from './recognise.js'

// Each look at a place that holds no record may read the rest of the line once.
const FAILURES_MAX = 16
const TIME_FIELD = Buffer.from('","ts":', 'latin1')

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

type DecodeRecord = (bytes: Buffer, start: number, end: number) => LinePart | undefined

/** The parts of a line that is not one JSON object, or `undefined` when nothing in it is whole. */
export function salvage(
  buffer: Buffer,
  start: number,
  end: number,
  decode: DecodeRecord,
): LinePart[] | undefined {
  // Ends with the line, because a search in a buffer knows no other bound.
  const bytes = buffer.subarray(0, end)
  const parts: LinePart[] = []
  let failures = 0
  let from = start
  let positions = new ValuePositions(bytes, from)
  let isSpliced = false
  for (let at = from; at < end && failures < FAILURES_MAX; ) {
    const found = recordAt(bytes, at, end, decode)
    if (found === undefined || (at > from && !isFollowedByRecord(bytes, found.end, end))) {
      failures++
      at = nextStart(bytes, at + 1, positions)
      continue
    }
    if (at > from) {
      isSpliced = true
      parts.push(fragment(from, at))
    }
    parts.push(found)
    at = skipPadding(bytes, found.end)
    from = at
    positions = new ValuePositions(bytes, from)
  }
  if (parts.length === 0) return undefined
  if (from < end) parts.push(fragment(from, end))
  const note = isSpliced ? 'interrupted_record' : 'concatenated_records'
  return parts.map((part) => (part.kind === 'event' ? { ...part, notes: [note] } : part))
}

/** After a record inside another one, something of that other one follows. */
function isFollowedByRecord(bytes: Buffer, from: number, end: number): boolean {
  const at = skipPadding(bytes, from)
  return at === end || bytes.subarray(at, at + RECORD_START.length).equals(RECORD_START)
}

function fragment(start: number, end: number): LinePart {
  const message = 'A record that was cut short; the next one was written onto the same line'
  return { kind: 'damage', code: 'interrupted_record', message, start, end }
}

function recordAt(
  bytes: Buffer,
  start: number,
  end: number,
  decode: DecodeRecord,
): LinePart | undefined {
  if (bytes[start] !== OPENING_BRACE) return undefined
  const close = objectEnd(bytes, start, end)
  return close === undefined ? undefined : decode(bytes, start, close)
}

/** The place after the brace that closes the object at `start`. */
function objectEnd(bytes: Buffer, start: number, end: number): number | undefined {
  let depth = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = stringEnd(bytes, at, end)
    } else if (byte === OPENING_BRACE) {
      depth++
    } else if (byte === CLOSING_BRACE && --depth === 0) {
      return at + 1
    }
  }
  return undefined
}

/** The place of the quote that closes the string opened at `open`, or `end`. */
function stringEnd(bytes: Buffer, open: number, end: number): number {
  for (let at = open + 1; at < end; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at
  }
  return end
}

/** The next place that looks like the start of a line and is not a value inside another record. */
function nextStart(bytes: Buffer, after: number, positions: ValuePositions): number {
  let at = bytes.indexOf(RECORD_START, after)
  while (at !== -1) {
    if (hasTimeField(bytes, at) && !positions.isValue(at)) return at
    at = bytes.indexOf(RECORD_START, at + 1)
  }
  return bytes.length
}

function hasTimeField(bytes: Buffer, start: number): boolean {
  const typeStart = start + RECORD_START.length
  const type = bytes.subarray(typeStart, typeStart + TYPE_BYTES_MAX + 1)
  const typeLength = type.indexOf(QUOTE)
  if (typeLength === -1) return false
  const typeEnd = typeStart + typeLength
  return bytes.subarray(typeEnd, typeEnd + TIME_FIELD.length).equals(TIME_FIELD)
}

/** Walks a record once, forward, so that asking of a thousand places costs one walk. */
class ValuePositions {
  readonly #bytes: Buffer
  #at: number
  #last = 0

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes
    this.#at = from
  }

  /** Whether a JSON value may be at `at`; to be called in rising order. */
  isValue(at: number): boolean {
    for (; this.#at < at; this.#at++) {
      const byte = this.#bytes[this.#at]!
      // Inside a string a quote would be escaped, so one that is still open at `at` was cut short
      // there, and another record begins: what follows may be a value of that.
      if (byte === QUOTE) this.#at = stringEnd(this.#bytes, this.#at, at)
      if (byte > 0x20) this.#last = byte
    }
    return this.#last === 0x3a || this.#last === 0x2c || this.#last === 0x5b
  }
}

function skipPadding(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === 0 || bytes[at] === 0x20) at++
  return at
}
