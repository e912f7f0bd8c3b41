// One text looked for in many bytes, as quickly as Node can. There are two ways, and which of them
// is the quicker depends on the data.
//
// A rare byte of the needle is found by the processor's own search, which `Buffer.indexOf` uses for
// the first byte of short needles; so a part that begins with that byte is looked for, and the rest
// is compared. Where every byte is common, pairs of bytes are looked at, with leaps as long as the
// needle (the idea of Wu and Manber); Node's own leaps are shorter.

const WINDOW_BYTES_MAX = 7
const SAMPLE_BYTES_MIN = 4 * 1024
const SAMPLE_BYTES_MAX = 64 * 1024
const LEAP_MAX = 255
// Measured: a stop at a byte costs as much as three or four leaps.
const STOPS_PER_LEAP_MAX = 0.3
const PAIRS = 2 ** 16

export class Needle {
  readonly #bytes: Buffer
  #window: Buffer
  #shift = 0
  #leaps: Uint8Array | undefined
  #isTuned = false

  /** At least one byte. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#window = bytes.subarray(0, WINDOW_BYTES_MAX)
  }

  /** Where it stands first, from there on; -1 for nowhere. */
  find(bytes: Buffer, from: number): number {
    if (!this.#isTuned) this.#tune(bytes.subarray(from, from + SAMPLE_BYTES_MAX))
    if (this.#leaps !== undefined) return this.#findByLeaps(bytes, from, this.#leaps)
    const shift = this.#shift
    for (let at = from + shift; ; at++) {
      at = bytes.indexOf(this.#window, at)
      if (at === -1) return -1
      if (this.#isAt(bytes, at - shift)) return at - shift
    }
  }

  #findByLeaps(bytes: Buffer, from: number, leaps: Uint8Array): number {
    const last = this.#bytes.length - 1
    const end = bytes.length
    for (let at = from + last; at < end; ) {
      const leap = leaps[(bytes[at - 1]! << 8) | bytes[at]!]!
      if (leap > 0) at += leap
      else if (this.#isAt(bytes, at - last)) return at - last
      else at++
    }
    return -1
  }

  /** The data of one search are alike, so the first of them speak for the rest. */
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
    const stops = (counts[needle[rarest]!]! / sample.length) * (needle.length - 1)
    if (stops > STOPS_PER_LEAP_MAX) this.#leaps = leapsOf(needle)
  }

  #isAt(bytes: Buffer, start: number): boolean {
    const needle = this.#bytes
    if (start + needle.length > bytes.length) return false
    for (let at = 0; at < needle.length; at++) if (bytes[start + at] !== needle[at]) return false
    return true
  }
}

/** By the two last bytes of the window: how far it may move at least. */
function leapsOf(needle: Buffer): Uint8Array {
  const last = needle.length - 1
  const leaps = new Uint8Array(PAIRS).fill(Math.min(last, LEAP_MAX))
  for (let at = 1; at <= last; at++) {
    leaps[(needle[at - 1]! << 8) | needle[at]!] = Math.min(last - at, LEAP_MAX)
  }
  return leaps
}
