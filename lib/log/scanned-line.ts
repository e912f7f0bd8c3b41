// What a prefix scan knows of a line, found by comparing bytes where our own writer puts them.
// Strings are made when asked for, so that whoever wants only offsets makes none.

import { hasChecksumShape, UUID_CHARS_MAX } from '../format/index.js'
import type { EventEntry } from './entry.js'
import type { Line } from './line-source.js'
import type { UuidIndex } from './uuid-index.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const TYPE_BYTES_MAX = 64
const TIME_BYTES = 24

const TYPE_FIELD = Buffer.from('{"type":"')
const TIME_FIELD = Buffer.from('","ts":"')
const UUID_FIELD = Buffer.from('","uuid":"')
const PREV_FIELD = Buffer.from('","prev_uuid":')
const NULL = Buffer.from('null')
const PAYLOAD_FIELD = Buffer.from(',"payload":')

const EMPTY = Buffer.alloc(0)

/** One view for all lines of a scan: good during the visit, gone after it. */
export class ScannedLine {
  byte_offset = 0
  length = 0

  #bytes: Buffer = EMPTY
  #entry: EventEntry | undefined
  #typeStart = 0
  #typeEnd = 0
  #uuidStart = 0
  #uuidEnd = 0
  #prevStart = 0
  #prevEnd = 0

  /** Read from its place in the bytes; else the whole line was decoded. */
  get isCanonical(): boolean {
    return this.#entry === undefined
  }

  /** What a reader yields, where the line was decoded. */
  get entry(): EventEntry | undefined {
    return this.#entry
  }

  get type(): string {
    return this.#entry?.event.type ?? this.#bytes.toString('latin1', this.#typeStart, this.#typeEnd)
  }

  get uuid(): string {
    return this.#entry?.event.uuid ?? this.#bytes.toString('latin1', this.#uuidStart, this.#uuidEnd)
  }

  get prev_uuid(): string | null {
    if (this.#entry !== undefined) return this.#entry.event.prev_uuid
    if (this.#prevEnd === 0) return null
    return this.#bytes.toString('latin1', this.#prevStart, this.#prevEnd)
  }

  addTo(index: UuidIndex): void {
    if (this.#entry !== undefined) index.add(this.#entry.event.uuid, this.byte_offset)
    else index.addBytes(this.#bytes, this.#uuidStart, this.#uuidEnd, this.byte_offset)
  }

  setEntry(entry: EventEntry): void {
    this.#entry = entry
    this.byte_offset = entry.byte_offset
    this.length = entry.length
  }

  /** False when the line is not spelled exactly as our writer does; then nothing is known. */
  setLine({ bytes, start, end, byte_offset, length }: Line): boolean {
    if (!isAt(bytes, start, TYPE_FIELD) || !hasChecksumShape(bytes, start, end)) return false
    const typeStart = start + TYPE_FIELD.length
    const typeEnd = plainEnd(bytes, typeStart, typeStart + TYPE_BYTES_MAX)
    if (typeEnd === -1 || !isAt(bytes, typeEnd, TIME_FIELD)) return false
    const timeEnd = typeEnd + TIME_FIELD.length + TIME_BYTES
    if (!isTime(bytes, timeEnd - TIME_BYTES) || !isAt(bytes, timeEnd, UUID_FIELD)) return false
    const uuidStart = timeEnd + UUID_FIELD.length
    const uuidEnd = plainEnd(bytes, uuidStart, uuidStart + UUID_CHARS_MAX)
    if (uuidEnd === -1 || !isAt(bytes, uuidEnd, PREV_FIELD)) return false
    const payload = this.#setPrev(bytes, uuidEnd + PREV_FIELD.length)
    if (payload === -1 || !isAt(bytes, payload, PAYLOAD_FIELD)) return false
    this.#bytes = bytes
    this.#entry = undefined
    this.byte_offset = byte_offset
    this.length = length
    this.#typeStart = typeStart
    this.#typeEnd = typeEnd
    this.#uuidStart = uuidStart
    this.#uuidEnd = uuidEnd
    return true
  }

  #setPrev(bytes: Buffer, at: number): number {
    this.#prevEnd = 0
    if (isAt(bytes, at, NULL)) return at + NULL.length
    if (bytes[at] !== QUOTE) return -1
    this.#prevStart = at + 1
    this.#prevEnd = plainEnd(bytes, at + 1, at + 1 + UUID_CHARS_MAX)
    return this.#prevEnd === -1 ? -1 : this.#prevEnd + 1
  }
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false
  }
  return true
}

/** The quote behind one to so many plain characters, which mean themselves; -1 for others. */
function plainEnd(bytes: Buffer, start: number, last: number): number {
  for (let at = start; at <= last; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at > start ? at : -1
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return -1
  }
  return -1
}

/** As long as a timestamp and without a quote, so that what follows is the next field. */
function isTime(bytes: Buffer, start: number): boolean {
  for (let at = start; at < start + TIME_BYTES; at++) {
    if (bytes[at]! < 0x2b || bytes[at]! > 0x5a) return false
  }
  return true
}
