// Lines of a file as byte ranges in one reused buffer, newest first.
//
// The bytes are right-aligned: every read goes in front of what is held, so a line that spans
// several chunks is in one piece by the time its beginning is found.

import { LINE_PREFIX_BYTES, NEWLINE, READ_LINE_BYTES_MAX } from '../../format/index.js'
import { type LineRange, type LineSource, MARGIN_BYTES, type ReadRequest } from './forward-lines.js'

// The last few lines are what most callers want, so the first read is small.
const FIRST_CHUNK_BYTES = 16 * 1024
const CHUNK_BYTES_MAX = 256 * 1024

export class BackwardLines implements LineSource {
  bytes: Buffer
  start = 0
  end = 0
  byte_offset = 0
  length = 0
  readonly line_number = undefined
  isEnded = false
  isOversize = false
  readonly isKept: boolean

  readonly #chunkBytesMax: number
  readonly #lineBytesMax: number
  readonly #from: number
  /** One byte before `from`: only a newline there proves that a line starts at `from`. */
  readonly #lowest: number
  #chunkBytes: number
  /** The place in the file of the byte at `#low`, the first that is held. */
  #lowOffset: number
  #low: number
  /** Behind the last byte of the line whose beginning is looked for; none from `#searched` on. */
  #high: number
  #searched: number
  /** Where the line ends in the file of which only the beginning is held. */
  #longTo: number | undefined
  #isNextEnded = false
  #isDone = false

  constructor(
    { from, to, chunkBytes, lineBytesMax = READ_LINE_BYTES_MAX }: LineRange,
    { isKept = false }: { isKept?: boolean | undefined } = {},
  ) {
    this.isKept = isKept
    this.#chunkBytes = chunkBytes ?? FIRST_CHUNK_BYTES
    this.#chunkBytesMax = chunkBytes ?? CHUNK_BYTES_MAX
    this.#lineBytesMax = lineBytesMax
    this.#from = from
    this.#lowest = Math.max(0, from - 1)
    this.#lowOffset = to
    this.bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + 2 * this.#chunkBytes)
    this.#low = this.bytes.length
    this.#high = this.#low
    this.#searched = this.#low
  }

  request(): ReadRequest | undefined {
    if (this.#lowOffset <= this.#lowest) return undefined
    this.#forgetLongLine()
    const length = Math.min(this.#chunkBytes, this.#lowOffset - this.#lowest)
    this.#chunkBytes = Math.min(2 * this.#chunkBytes, this.#chunkBytesMax)
    if (this.#low - MARGIN_BYTES < length) this.#makeRoom(length)
    return { at: this.#low - length, length, position: this.#lowOffset - length }
  }

  accept({ length }: ReadRequest): void {
    this.#low -= length
    this.#lowOffset -= length
    // Bounds every search: the bytes before are from an earlier read.
    this.bytes[this.#low - 1] = NEWLINE
  }

  next(): boolean {
    while (!this.#isDone) {
      const at = this.bytes.lastIndexOf(NEWLINE, this.#searched - 1)
      if (at < this.#low) {
        this.#searched = this.#low
        if (this.#lowOffset > this.#lowest) return false
        this.#isDone = true
        // What is left begins before `from`, so it is not one of the lines asked for.
        if (this.#from > 0) return false
      }
      this.#take(Math.max(at + 1, this.#low))
      // There is nothing after the last newline.
      if (this.isEnded || this.length > 0) return true
    }
    return false
  }

  #take(start: number): void {
    this.byte_offset = this.#lowOffset + (start - this.#low)
    this.length = (this.#longTo ?? this.#lowOffset + (this.#high - this.#low)) - this.byte_offset
    this.isOversize = this.length > this.#lineBytesMax
    this.start = start
    this.end = this.isOversize ? start + Math.min(this.length, LINE_PREFIX_BYTES) : this.#high
    this.isEnded = this.#isNextEnded
    this.#isNextEnded = true
    this.#high = start - 1
    this.#searched = this.#high
    this.#longTo = undefined
  }

  /** Of a line that is too long only the part that may turn out to be its beginning is kept. */
  #forgetLongLine(): void {
    const held = this.#high - this.#low
    if (this.#longTo === undefined && held > this.#lineBytesMax) {
      this.#longTo = this.#lowOffset + held
    }
    if (this.#longTo !== undefined) this.#high = this.#low + Math.min(held, LINE_PREFIX_BYTES)
  }

  #makeRoom(length: number): void {
    const held = this.#high - this.#low
    const needed = MARGIN_BYTES + held + length
    const target = this.#roomFor(needed, held)
    const low = target.length - held
    this.bytes.copy(target, low, this.#low, this.#low + held)
    this.bytes = target
    this.#low = low
    this.#high = low + held
    this.#searched = low
  }

  #roomFor(needed: number, held: number): Buffer {
    if (!this.isKept && needed <= this.bytes.length) return this.bytes
    const largest = MARGIN_BYTES + this.#lineBytesMax + this.#chunkBytesMax
    // Twice as much each time, or a long line would be copied once for every chunk of it. Where
    // buffers are kept, only the line at hand is taken along.
    const grown = 2 * (this.isKept ? held : this.bytes.length)
    return Buffer.allocUnsafeSlow(Math.max(needed, Math.min(grown, largest)))
  }
}
