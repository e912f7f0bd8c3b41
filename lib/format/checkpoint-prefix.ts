// What the beginning of a checkpoint's line says, read without parsing the line: which one it is,
// of which session and project, when and why. Our writer puts these fields first and in one order.
//
// Most lines differ from the one before them in ids and times only, and comparing is cheaper than
// matching. So the last line that was matched is kept as a mould for those that follow. A mould has
// proved itself by its checksum, and ids and times stand in a line twice; so damage is noticed where
// it would mislead. In the rest of the line it is not: that is for whoever loads it to see.

import {
  type CheckpointLabel,
  type Mould,
  mouldOf,
  TIME_AT,
  TIME_BYTES,
  TIME_END,
  UUID_AT,
} from './checkpoint-mould.js'
import { hasChecksumShape } from './checksum.js'

// Any order serves to compare; this one is that of nearly all processors.
const LITTLE = true

const NO_BYTES: Buffer = Buffer.alloc(0)
const NO_LABEL: CheckpointLabel = { session_key: '', project_normalized: null, trigger: '' }

/** One for all lines of a scan: it is about the line read last. */
export class CheckpointPrefix {
  /** The same object for lines that follow each other and share it. */
  label: CheckpointLabel = NO_LABEL
  /** Where the id stands, in plain ASCII. */
  idStart = 0
  idEnd = 0
  /** Behind what was read. */
  end = 0

  #mould: Mould | undefined
  /** The line the mould was made of, as far as it is compared. */
  #moulded = NO_BYTES
  #mouldView = viewOf(NO_BYTES)
  #bytes = NO_BYTES
  #view = viewOf(NO_BYTES)
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
    const { idAt, idEnd, end: mouldEnd } = this.#mould!
    this.#start = start
    this.end = start + mouldEnd
    this.idStart = start + idAt
    this.idEnd = start + idEnd
    return true
  }

  /** Milliseconds since the epoch. */
  get createdAtMs(): number {
    return this.#clock.timeAt(this.#view, this.#start + this.#mould!.createdAt)
  }

  /** Copies the bytes of the id, four at a time: calling `copy` takes longer than these few. */
  copyId(target: DataView, at: number): void {
    const view = this.#view
    let from = this.idStart
    let to = at
    for (; from + 4 <= this.idEnd; from += 4, to += 4) {
      target.setInt32(to, view.getInt32(from, LITTLE), LITTLE)
    }
    for (; from < this.idEnd; from++, to++) target.setUint8(to, view.getUint8(from))
  }

  #fits(start: number, end: number): boolean {
    if (this.#mould === undefined || end - start < this.#mould.end) return false
    if (!hasChecksumShape(this.#bytes, start, end)) return false
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
      this.#moulded = Buffer.allocUnsafe(mould.end)
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

/**
 * Eight bytes at a time, as numbers: no text is one that is not equal to itself, and no two texts
 * are the same one. The last eight may overlap those before; shorter parts are not equal.
 */
function isEqual(
  one: DataView,
  oneAt: number,
  other: DataView,
  otherAt: number,
  length: number,
): boolean {
  const last = length - 8
  if (last < 0) return false
  for (let at = 0; at < last; at += 8) {
    if (one.getFloat64(oneAt + at, LITTLE) !== other.getFloat64(otherAt + at, LITTLE)) return false
  }
  return one.getFloat64(oneAt + last, LITTLE) === other.getFloat64(otherAt + last, LITTLE)
}

/** Reads the times of lines, of which most are of one day. */
class Clock {
  #year = 0
  #month = 0
  #day = 0
  #dayMs = 0

  timeAt(view: DataView, at: number): number {
    const year = view.getInt32(at, LITTLE)
    const month = view.getInt32(at + 4, LITTLE)
    const day = view.getInt16(at + 8, LITTLE)
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
