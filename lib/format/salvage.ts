// What can be saved from a line in which several records ran together.
//
// Two shapes occur in the field: records glued end to end, and a record cut short by a crash
// with a whole one behind it. A record is taken only where it stands as a record of its own.
// An object in the position of a JSON value may be part of somebody's payload (an agent that
// reads its own log stores such), so there it stays damage: better a gap than a false event.

import type { LinePart } from './decode.js'

const ATTEMPTS_MAX = 16
const RECORD_START = Buffer.from('{"type":"', 'latin1')
const TIME_FIELD = Buffer.from('","ts":', 'latin1')
const TYPE_BYTES_MAX = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

type DecodeRecord = (bytes: Buffer, start: number, end: number) => LinePart | undefined

/** The parts of a line that is not one JSON object, or `undefined` when nothing in it is whole. */
export function salvage(
  bytes: Buffer,
  start: number,
  end: number,
  decode: DecodeRecord,
): LinePart[] | undefined {
  const parts: LinePart[] = []
  let attempts = 0
  let from = start
  let isSpliced = false
  for (let at = from; at < end; ) {
    const found = attempts++ < ATTEMPTS_MAX ? recordAt(bytes, at, end, decode) : undefined
    if (found === undefined) {
      at = nextStart(bytes, from, at + 1, end)
      continue
    }
    if (at > from) {
      isSpliced = true
      parts.push(fragment(from, at))
    }
    parts.push(found)
    at = skipPadding(bytes, found.end, end)
    from = at
  }
  if (parts.length === 0) return undefined
  if (from < end) parts.push(fragment(from, end))
  const note = isSpliced ? 'spliced_record' : 'glued_records'
  return parts.map((part) => (part.kind === 'event' ? { ...part, notes: [note] } : part))
}

function fragment(start: number, end: number): LinePart {
  const message = 'A record that was cut short; the next one was written onto the same line'
  return { kind: 'damage', code: 'spliced_record', message, start, end }
}

function recordAt(
  bytes: Buffer,
  start: number,
  end: number,
  decode: DecodeRecord,
): LinePart | undefined {
  if (bytes[start] !== OPENING_BRACE) return undefined
  // The whole rest first: that is the usual case, and it needs no search.
  const rest = decode(bytes, start, end)
  if (rest !== undefined) return rest
  const close = objectEnd(bytes, start, end)
  return close === undefined || close === end ? undefined : decode(bytes, start, close)
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

/** The next place that looks like the start of a line and cannot be a value inside the record at `from`. */
function nextStart(bytes: Buffer, from: number, after: number, end: number): number {
  let at = bytes.indexOf(RECORD_START, after)
  while (at !== -1 && at < end) {
    if (hasTimeField(bytes, at, end) && !isValuePosition(bytes, from, at)) return at
    at = bytes.indexOf(RECORD_START, at + 1)
  }
  return end
}

function hasTimeField(bytes: Buffer, start: number, end: number): boolean {
  const typeStart = start + RECORD_START.length
  const typeEnd = bytes.indexOf(QUOTE, typeStart)
  if (typeEnd === -1 || typeEnd >= end || typeEnd - typeStart > TYPE_BYTES_MAX) return false
  return bytes.subarray(typeEnd, typeEnd + TIME_FIELD.length).equals(TIME_FIELD)
}

function isValuePosition(bytes: Buffer, from: number, at: number): boolean {
  let last = 0
  for (let position = from; position < at; position++) {
    const byte = bytes[position]!
    if (byte === QUOTE) {
      position = stringEnd(bytes, position, at)
      // Inside a string a quote would be escaped, so the record at `at` is not part of it.
      if (position >= at) return false
    }
    if (byte > 0x20) last = byte
  }
  return last === 0x3a || last === 0x2c || last === 0x5b
}

function skipPadding(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] === 0 || bytes[at] === 0x20)) at++
  return at
}
