// Lines of a file as byte ranges in one reused buffer, oldest first.
//
// Splits on the byte 0x0A before any decoding. Does no reading itself: it says which bytes it
// wants next, so that the same code serves readers that wait and readers that do not.

import { LINE_PREFIX_BYTES, NEWLINE, READ_LINE_BYTES_MAX } from '../../format/index.js'

/** The current line of a source. Good until the source moves on. */
export interface Line {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly byte_offset: number
  /** In the file, without the newline. */
  readonly length: number
  readonly line_number: number | undefined
  /** False for bytes after the last newline. */
  readonly isEnded: boolean
  /** Too long to hold: `start` to `end` is only its beginning. */
  readonly isOversize: boolean
  /** Its bytes stay as they are, also when the source moves on. */
  readonly isKept: boolean
}

export interface ReadRequest {
  readonly at: number
  readonly length: number
  readonly position: number
}

export interface LineSource extends Line {
  /** The bytes to put into `bytes` next; `undefined` when everything was asked for. */
  request(): ReadRequest | undefined
  /** To be called when the requested bytes are there. */
  accept(request: ReadRequest): void
  /** Moves to the next line; false when it takes more bytes, or when there is none. */
  next(): boolean
}

/** Tests make these small, so that every case occurs in a few bytes. */
export interface ReadSizes {
  readonly chunkBytes?: number | undefined
  readonly lineBytesMax?: number | undefined
}

export interface LineRange extends ReadSizes {
  readonly from: number
  readonly to: number
  /** How many lines precede `from`, if known. */
  readonly linesBefore?: number | undefined
  /** To read into, for those who read many short logs: making a buffer takes longer than reading one. */
  readonly buffer?: Buffer | undefined
}

// A read to the start of a fresh allocation is five times slower on some processors.
export const MARGIN_BYTES = 64

const CHUNK_BYTES = 256 * 1024

// A buffer that grew for a long line is kept up to here: the next one is seldom far.
const RETAINED_BYTES_MAX = 4 * 1024 * 1024

export class ForwardLines implements LineSource {
  bytes: Buffer
  start = MARGIN_BYTES
  end = MARGIN_BYTES
  byte_offset = 0
  length = 0
  line_number: number | undefined
  isEnded = true
  isOversize = false
  readonly isKept = false

  /** The buffer to go back to after a line that was too long for it. */
  #retained: Buffer
  readonly #chunkBytes: number
  readonly #lineBytesMax: number
  readonly #to: number
  /** The place in the file of the byte at `#filled`. */
  #position: number
  /** `bytes` holds the file from `#next` to `#filled`, with no newline before `#searched`. */
  #next = MARGIN_BYTES
  #searched = MARGIN_BYTES
  #filled = MARGIN_BYTES
  /** Where the line starts in the file of which only the beginning is held. */
  #longFrom: number | undefined
  #isSkipping: boolean

  constructor({ from, to, linesBefore, buffer, ...sizes }: LineRange) {
    // A short range needs no large buffer, and making one takes longer than reading the range.
    this.#chunkBytes = Math.min(
      sizes.chunkBytes ?? CHUNK_BYTES,
      Math.max(to - from, LINE_PREFIX_BYTES),
    )
    this.#lineBytesMax = sizes.lineBytesMax ?? READ_LINE_BYTES_MAX
    this.#retained = buffer ?? Buffer.allocUnsafeSlow(MARGIN_BYTES + 2 * this.#chunkBytes)
    this.bytes = this.#retained
    // One byte early: when that is the newline of the line before, nothing more is skipped.
    this.#isSkipping = from > 0
    this.#position = this.#isSkipping ? from - 1 : 0
    if (from === 0) this.line_number = 0
    else if (linesBefore !== undefined) this.line_number = linesBefore - 1
    this.#to = to
  }

  request(): ReadRequest | undefined {
    if (this.#position >= this.#to) return undefined
    this.#makeRoom()
    const free = this.bytes.length - 1 - this.#filled
    // Small enough to stay in the processor's cache, unless a long line asks for more at a time.
    const wanted = Math.max(this.#chunkBytes, this.#filled - this.#next)
    const length = Math.min(free, wanted, this.#to - this.#position)
    return { at: this.#filled, length, position: this.#position }
  }

  accept({ length }: ReadRequest): void {
    this.#filled += length
    this.#position += length
    // Bounds every search: the bytes after it are from an earlier read.
    this.bytes[this.#filled] = NEWLINE
  }

  next(): boolean {
    for (;;) {
      const at = this.bytes.indexOf(NEWLINE, this.#searched)
      const isEnded = at < this.#filled
      if (!isEnded) {
        this.#searched = this.#filled
        if (this.#position < this.#to || this.#next === this.#filled) return false
      }
      this.#take(at, isEnded)
      if (!this.#isSkipping) return true
      this.#isSkipping = false
    }
  }

  /**
   * Goes past the lines that end before this place in `bytes`, up to the first that is held back.
   * For those who know where to look, and of the rest only want to know how many there were.
   */
  skipLines(before: number, isPassed: (start: number, end: number) => boolean): void {
    if (this.#longFrom !== undefined || this.#isSkipping) return
    const { bytes } = this
    const limit = Math.min(before, this.#filled)
    let next = this.#next
    let count = 0
    let at = bytes.indexOf(NEWLINE, this.#searched)
    while (at < limit && at - next <= this.#lineBytesMax && isPassed(next, at)) {
      next = at + 1
      count++
      at = bytes.indexOf(NEWLINE, next)
    }
    this.#next = next
    this.#searched = at
    if (this.line_number !== undefined) this.line_number += count
  }

  /** Where the line begins to which `next` moves. */
  get nextStart(): number {
    return this.#next
  }

  #take(at: number, isEnded: boolean): void {
    const endOffset = this.#position - (this.#filled - at)
    this.byte_offset = this.#longFrom ?? endOffset - (at - this.#next)
    this.length = endOffset - this.byte_offset
    this.isOversize = this.length > this.#lineBytesMax
    this.isEnded = isEnded
    this.start = this.#next
    this.end = this.isOversize ? this.start + Math.min(this.length, LINE_PREFIX_BYTES) : at
    if (this.line_number !== undefined) this.line_number++
    this.#next = isEnded ? at + 1 : this.#filled
    this.#searched = this.#next
    this.#longFrom = undefined
  }

  /** Moves the unfinished line to the front; of one that is too long, only its beginning. */
  #makeRoom(): void {
    let held = this.#filled - this.#next
    if (this.#longFrom === undefined && held > this.#lineBytesMax) {
      this.#longFrom = this.#position - held
    }
    if (this.#longFrom !== undefined) held = Math.min(held, LINE_PREFIX_BYTES)
    const target = this.#bufferFor(held)
    this.bytes.copy(target, MARGIN_BYTES, this.#next, this.#next + held)
    this.bytes = target
    this.#next = MARGIN_BYTES
    this.#filled = MARGIN_BYTES + held
    this.#searched = this.#filled
  }

  #bufferFor(held: number): Buffer {
    const needed = MARGIN_BYTES + held + this.#chunkBytes + 1
    if (needed <= this.#retained.length) return this.#retained
    const largest = MARGIN_BYTES + this.#lineBytesMax + this.#chunkBytes + 1
    const size = Math.max(needed, Math.min(2 * this.bytes.length, largest))
    const larger = Buffer.allocUnsafeSlow(size)
    if (size <= RETAINED_BYTES_MAX) this.#retained = larger
    return larger
  }
}
