// What the beginning of a checkpoint's line says, read without parsing the line: which one it is,
// of which session and project, when and why. Our writer puts these fields first and in one order.
//
// Most lines differ from the one before them in ids and times only, and comparing is cheaper than
// matching. So the last line that was matched is kept as a mould for those that follow. A mould has
// proved itself by its checksum, and ids and times stand in a line twice; so damage is noticed where
// it would mislead. In the rest of the line it is not: that is for whoever loads it to see.

import { isUtf8 } from 'node:buffer'
import { checkChecksum } from './checksum.js'

const UUID = '[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}'
const TEXT = '(?:[^"\\\\]|\\\\.)'
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'
const BEFORE_TIME = '{"type":"checkpoint","ts":"'
const BEFORE_UUID = '","uuid":"'
const BEFORE_ID = '","prev_uuid":null,"payload":{"id":"'
const BEFORE_SESSION = '","session_key":"'
const BEFORE_CREATED = '","created_at":"'
// Tried on bytes taken for latin1, so that places in the match are places in the line.
const SHAPE = new RegExp(
  `^\\{"type":"checkpoint","ts":"(${TIME})","uuid":"(${UUID})","prev_uuid":null,"payload":\\{` +
    `"id":"\\2","session_key":"(${TEXT}+)","created_at":"\\1",` +
    `"project_normalized":(?:null|"(${TEXT}*)"),"trigger":"([a-z_]{1,64})"`,
)

// Enough for nearly all; a path may take up to 4,096 bytes, and more where it is escaped.
const SHORT_BYTES = 512
const LONG_BYTES = 32 * 1024

const TIME_BYTES = 24
const TIME_AT = BEFORE_TIME.length
const TIME_END = TIME_AT + TIME_BYTES
const UUID_AT = TIME_END + BEFORE_UUID.length

/** What a checkpoint shares with its neighbours. */
export interface CheckpointLabel {
  readonly session_key: string
  readonly project_normalized: string | null
  readonly trigger: string
}

/** Where in the beginning of a line the parts stand that may differ in the next. */
interface Mould {
  readonly uuidEnd: number
  readonly idAt: number
  readonly idEnd: number
  readonly createdAt: number
  readonly end: number
  readonly label: CheckpointLabel
}

const NO_LABEL: CheckpointLabel = { session_key: '', project_normalized: null, trigger: '' }

/** One for all lines of a scan: it is about the line read last. */
export class CheckpointPrefix {
  /** The same object for lines that follow each other and share it. */
  label: CheckpointLabel = NO_LABEL
  /** Where the id stands, in plain ASCII. */
  idStart = 0
  idEnd = 0

  #mould: Mould | undefined
  /** The line the mould was made of, as far as it is compared. */
  #moulded = Buffer.alloc(SHORT_BYTES)
  #mouldView: DataView = viewOf(this.#moulded)
  #bytes: Buffer = this.#moulded
  #view: DataView = this.#mouldView
  #start = 0
  readonly #clock = new Clock()

  /** False when the line is not spelled as our writer spells a checkpoint. */
  read(bytes: Buffer, start: number, end: number): boolean {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = viewOf(bytes)
    }
    if (!this.#fits(start, end)) {
      const mould = mouldOf(bytes, start, end)
      if (mould === undefined) return false
      this.#keep(mould, start)
    }
    const { idAt, idEnd } = this.#mould!
    this.#start = start
    this.idStart = start + idAt
    this.idEnd = start + idEnd
    return true
  }

  /** Milliseconds since the epoch. */
  get createdAtMs(): number {
    return this.#clock.timeAt(this.#view, this.#start + this.#mould!.createdAt)
  }

  #fits(start: number, end: number): boolean {
    if (this.#mould === undefined || end - start < this.#mould.end) return false
    const { uuidEnd, idAt, idEnd, createdAt, end: mouldEnd } = this.#mould
    const line = this.#view
    const mould = this.#mouldView
    return (
      isEqual(line, start, mould, 0, TIME_AT) &&
      isEqual(line, start + TIME_AT, line, start + createdAt, TIME_BYTES) &&
      isEqual(line, start + TIME_END, mould, TIME_END, UUID_AT - TIME_END) &&
      isEqual(line, start + UUID_AT, line, start + idAt, idEnd - idAt) &&
      isEqual(line, start + uuidEnd, mould, uuidEnd, idAt - uuidEnd) &&
      isEqual(line, start + idEnd, mould, idEnd, createdAt - idEnd) &&
      isEqual(
        line,
        start + createdAt + TIME_BYTES,
        mould,
        createdAt + TIME_BYTES,
        mouldEnd - createdAt - TIME_BYTES,
      )
    )
  }

  #keep(mould: Mould, start: number): void {
    if (mould.end > this.#moulded.length) {
      this.#moulded = Buffer.alloc(mould.end)
      this.#mouldView = viewOf(this.#moulded)
    }
    this.#bytes.copy(this.#moulded, 0, start, start + mould.end)
    this.#mould = mould
    this.label = mould.label
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Four bytes at a time; the last four may overlap those before. Shorter parts are not equal. */
function isEqual(
  one: DataView,
  oneAt: number,
  other: DataView,
  otherAt: number,
  length: number,
): boolean {
  const last = length - 4
  if (last < 0) return false
  for (let at = 0; at < last; at += 4) {
    if (one.getInt32(oneAt + at) !== other.getInt32(otherAt + at)) return false
  }
  return one.getInt32(oneAt + last) === other.getInt32(otherAt + last)
}

function mouldOf(bytes: Buffer, start: number, end: number): Mould | undefined {
  const match = matchUpTo(SHORT_BYTES) ?? matchUpTo(LONG_BYTES)
  if (match === null || checkChecksum(bytes, start, end) !== 'valid') return undefined
  const [{ length }, , uuid = '', sessionJson = '', projectJson, trigger = ''] = match
  const session_key = textOf(sessionJson)
  const project_normalized = projectJson === undefined ? null : textOf(projectJson)
  if (session_key === undefined || project_normalized === undefined) return undefined
  const uuidEnd = UUID_AT + uuid.length
  const idAt = uuidEnd + BEFORE_ID.length
  const idEnd = idAt + uuid.length
  return {
    uuidEnd,
    idAt,
    idEnd,
    createdAt: idEnd + BEFORE_SESSION.length + sessionJson.length + BEFORE_CREATED.length,
    end: length,
    label: { session_key, project_normalized, trigger: flat(trigger) },
  }

  function matchUpTo(length: number): RegExpExecArray | null {
    return SHAPE.exec(bytes.toString('latin1', start, Math.min(end, start + length)))
  }
}

/** What a JSON string says, of which the bytes are given as latin1. */
function textOf(latin1: string): string | undefined {
  const bytes = Buffer.from(latin1, 'latin1')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return undefined
  }
}

/** A part of a match would keep all of the text alive that it was found in. */
function flat(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1')
}

/** Reads the times of lines, of which most are of one day. */
class Clock {
  #year = 0
  #month = 0
  #day = 0
  #dayMs = 0

  timeAt(view: DataView, at: number): number {
    const year = view.getInt32(at)
    const month = view.getInt32(at + 4)
    const day = view.getInt16(at + 8)
    if (year !== this.#year || month !== this.#month || day !== this.#day) {
      this.#year = year
      this.#month = month
      this.#day = day
      const years = twoDigits(view, at) * 100 + twoDigits(view, at + 2)
      this.#dayMs = Date.UTC(years, twoDigits(view, at + 5) - 1, twoDigits(view, at + 8))
    }
    const minutes = twoDigits(view, at + 11) * 60 + twoDigits(view, at + 14)
    const seconds = minutes * 60 + twoDigits(view, at + 17)
    return this.#dayMs + seconds * 1000 + digit(view, at + 20) * 100 + twoDigits(view, at + 21)
  }
}

function twoDigits(view: DataView, at: number): number {
  return digit(view, at) * 10 + digit(view, at + 1)
}

function digit(view: DataView, at: number): number {
  return view.getUint8(at) - 0x30
}
