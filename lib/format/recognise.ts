// Reads a line by its bytes, without parsing it, where it is spelled exactly as `encode.ts` spells
// it. Every shortcut of the library is built on this module: for a line that it does not recognise,
// the caller uses the decoder, which reads any JSON.

import { CHECKSUM_BYTES, checkChecksum, hasChecksumDigits, hasChecksumShape } from './checksum.js'
import { BEFORE_PAYLOAD, BEFORE_PREV, BEFORE_TS, BEFORE_TYPE, BEFORE_UUID } from './encode.js'
import type { SessionEvent } from './event.js'
import { NEWLINE, UUID_CHARS_MAX } from './limits.js'

export type Envelope = Pick<SessionEvent, 'type' | 'ts' | 'uuid' | 'prev_uuid'>

export const TYPE_BYTES_MAX = 64
const TIME_BYTES = 24
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** How every line of ours begins. Inside a JSON string its quotes would be escaped. */
export const RECORD_START = Buffer.from(BEFORE_TYPE, 'latin1')
const TS_FIELD = Buffer.from(BEFORE_TS, 'latin1')
const UUID_FIELD = Buffer.from(BEFORE_UUID, 'latin1')
const PREV_FIELD = Buffer.from(BEFORE_PREV, 'latin1')
const PAYLOAD_FIELD = Buffer.from(BEFORE_PAYLOAD, 'latin1')
const NULL = Buffer.from('null', 'latin1')

const PLAIN = '[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]'
const UUID = `(${PLAIN}{1,${UUID_CHARS_MAX}})`
const ENVELOPE = new RegExp(
  `^\\${BEFORE_TYPE}(${PLAIN}{1,${TYPE_BYTES_MAX}})${BEFORE_TS}([+-Z]{${TIME_BYTES}})` +
    `${BEFORE_UUID}${UUID}${BEFORE_PREV}(?:null|"${UUID}")${BEFORE_PAYLOAD}`,
)
const FIELDS_BYTES = (BEFORE_TYPE + BEFORE_TS + BEFORE_UUID + BEFORE_PREV + BEFORE_PAYLOAD).length
const ENVELOPE_BYTES_MAX = FIELDS_BYTES + TYPE_BYTES_MAX + TIME_BYTES + 2 * UUID_CHARS_MAX + 2

/**
 * The fields before the payload; `undefined` for another spelling. The checksum is not looked at.
 *
 * One expression over the line's first characters: in a process that has just started it is several
 * times faster than comparing bytes in code that is not compiled yet. `EnvelopeOffsets` is for long
 * scans.
 */
export function readEnvelope(bytes: Buffer, start: number, end: number): Envelope | undefined {
  const head = bytes.toString('latin1', start, Math.min(end, start + ENVELOPE_BYTES_MAX))
  const match = ENVELOPE.exec(head)
  if (match === null) return undefined
  return { type: match[1]!, ts: match[2]!, uuid: match[3]!, prev_uuid: match[4] ?? null }
}

/** Where the payload begins in a line that `readEnvelope` read, counted from the line's start. */
export function payloadOffset({ type, ts, uuid, prev_uuid }: Envelope): number {
  const prev = prev_uuid === null ? NULL.length : prev_uuid.length + '""'.length
  return FIELDS_BYTES + type.length + ts.length + uuid.length + prev
}

/** The offsets that `readEnvelope` finds, without making a string. One object serves all lines. */
export class EnvelopeOffsets {
  typeStart = 0
  typeEnd = 0
  uuidStart = 0
  uuidEnd = 0
  prevStart = 0
  /** 0 where `prev_uuid` is `null`. */
  prevEnd = 0

  /** False for another spelling, also of the checksum; then the offsets mean nothing. */
  find(bytes: Buffer, start: number, end: number): boolean {
    if (!isAt(bytes, start, RECORD_START) || !hasChecksumShape(bytes, start, end)) return false
    this.typeStart = start + RECORD_START.length
    this.typeEnd = plainEnd(bytes, this.typeStart, TYPE_BYTES_MAX)
    if (this.typeEnd === -1 || !isAt(bytes, this.typeEnd, TS_FIELD)) return false
    const timeStart = this.typeEnd + TS_FIELD.length
    const timeEnd = timeStart + TIME_BYTES
    if (!isTime(bytes, timeStart) || !isAt(bytes, timeEnd, UUID_FIELD)) return false
    this.uuidStart = timeEnd + UUID_FIELD.length
    this.uuidEnd = plainEnd(bytes, this.uuidStart, UUID_CHARS_MAX)
    if (this.uuidEnd === -1 || !isAt(bytes, this.uuidEnd, PREV_FIELD)) return false
    const prevEnd = this.#findPrev(bytes, this.uuidEnd + PREV_FIELD.length)
    return prevEnd !== -1 && isAt(bytes, prevEnd, PAYLOAD_FIELD)
  }

  #findPrev(bytes: Buffer, at: number): number {
    this.prevEnd = 0
    if (isAt(bytes, at, NULL)) return at + NULL.length
    if (bytes[at] !== QUOTE) return -1
    this.prevStart = at + 1
    this.prevEnd = plainEnd(bytes, at + 1, UUID_CHARS_MAX)
    return this.prevEnd === -1 ? -1 : this.prevEnd + 1
  }
}

/** The type a line begins with; `undefined` where it does not begin with one. */
export function readType(bytes: Buffer, start: number, end: number): string | undefined {
  if (!isAt(bytes, start, RECORD_START)) return undefined
  const typeStart = start + RECORD_START.length
  const typeEnd = plainEnd(bytes, typeStart, TYPE_BYTES_MAX)
  return typeEnd === -1 || typeEnd >= end ? undefined : bytes.toString('latin1', typeStart, typeEnd)
}

/** `undefined` where the line does not begin with a type, which may then be anywhere in it. */
export function hasType(bytes: Buffer, start: number, type: Buffer): boolean | undefined {
  if (!isAt(bytes, start, RECORD_START)) return undefined
  const typeStart = start + RECORD_START.length
  return isAt(bytes, typeStart, type) && bytes[typeStart + type.length] === QUOTE
}

/** The verified line of that uuid, newline included, anywhere in the bytes, also inside a line. */
export function findOwnLine(bytes: Buffer, uuid: string): Buffer | undefined {
  const name = Buffer.from(`${BEFORE_UUID}${uuid}"`)
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
    const start = bytes.lastIndexOf(RECORD_START, at)
    const end = bytes.indexOf(NEWLINE, at)
    if (start === -1 || end === -1) continue
    if (checkChecksum(bytes, start, end) === 'valid') return bytes.subarray(start, end + 1)
  }
  return undefined
}

const LITTLE_ENDIAN = true
const FIRST_EIGHT = RECORD_START.readDoubleLE()
const CHECKSUM_START = Buffer.from(',"crc":"', 'latin1').readDoubleLE()
const QUOTE_AND_BRACE = 0x7d22

/**
 * Makes a test for one buffer: whether a line begins and ends as ours do. It compares eight bytes
 * at a time as a number, which is exact: none of the expected texts is a NaN.
 */
export function ownSpellingTest(bytes: Buffer): (start: number, end: number) => boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return (start, end) =>
    end - start >= RECORD_START.length + CHECKSUM_BYTES &&
    view.getFloat64(start, LITTLE_ENDIAN) === FIRST_EIGHT &&
    view.getUint8(start + 8) === QUOTE &&
    view.getFloat64(end - CHECKSUM_BYTES, LITTLE_ENDIAN) === CHECKSUM_START &&
    view.getUint16(end - 2, LITTLE_ENDIAN) === QUOTE_AND_BRACE &&
    hasChecksumDigits(bytes, end - 10)
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false
  }
  return true
}

/** The quote behind 1 to `max` unescaped ASCII characters; -1 for anything else. */
function plainEnd(bytes: Buffer, start: number, max: number): number {
  for (let at = start; at <= start + max; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at > start ? at : -1
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return -1
  }
  return -1
}

/** As long as a timestamp and without a quote, so that the next field follows it. */
function isTime(bytes: Buffer, start: number): boolean {
  for (let at = start; at < start + TIME_BYTES; at++) {
    if (bytes[at]! < 0x2b || bytes[at]! > 0x5a) return false
  }
  return true
}
