// Searches bytes for several short strings in one pass, ignoring the case of ASCII letters.
//
// It looks at pairs of bytes and skips as far as no needle can begin before (as Wu and Manber do):
// several times faster than parsing the line.

const A = 0x41
const Z = 0x5a
const CASE_BIT = 0x20

/** Each byte as the lower case of it. */
const LOWER = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) LOWER[byte] = byte >= A && byte <= Z ? byte | CASE_BIT : byte

// Small enough for the fastest cache: a table of all pairs took up to three times as long.
const SLOTS = 2 ** 12

function slotOf(first: number, second: number): number {
  return ((first << 4) ^ second) & (SLOTS - 1)
}

export class AnyBytesFinder {
  readonly #needles: readonly Buffer[]
  readonly #shortest: number
  /** By the two last bytes of the window: how far it may move; the minimum of pairs in one slot. */
  readonly #skips = new Uint8Array(SLOTS)

  /** In lower case, at least two bytes each, at most 31 of them. */
  constructor(needles: readonly Buffer[]) {
    this.#needles = needles
    this.#shortest = Math.min(255, ...needles.map(({ length }) => length))
    this.#skips.fill(this.#shortest - 1)
    for (const needle of needles) {
      for (let end = 1; end < this.#shortest; end++) {
        this.#lower(needle[end - 1]!, needle[end]!, this.#shortest - 1 - end)
      }
    }
  }

  /** One bit for each needle that occurs between `start` and `end`. */
  findIn(bytes: Buffer, start: number, end: number): number {
    const skips = this.#skips
    const all = 2 ** this.#needles.length - 1
    let found = 0
    for (let at = start + this.#shortest - 1; at < end; ) {
      const skip = skips[slotOf(bytes[at - 1]!, bytes[at]!)]!
      if (skip > 0) {
        at += skip
        continue
      }
      found |= this.#beginningAt(bytes, at - this.#shortest + 1, end)
      if (found === all) return found
      at++
    }
    return found
  }

  #beginningAt(bytes: Buffer, start: number, end: number): number {
    let found = 0
    for (const [index, needle] of this.#needles.entries()) {
      if (start + needle.length > end) continue
      let same = 0
      while (same < needle.length && LOWER[bytes[start + same]!] === needle[same]) same++
      if (same === needle.length) found |= 1 << index
    }
    return found
  }

  /** Of both letters of the pair, in either case. */
  #lower(first: number, second: number, skip: number): void {
    for (const one of casesOf(first)) {
      for (const two of casesOf(second)) {
        const slot = slotOf(one, two)
        this.#skips[slot] = Math.min(this.#skips[slot]!, skip)
      }
    }
  }
}

function casesOf(byte: number): number[] {
  const upper = byte & ~CASE_BIT
  return LOWER[upper] === byte ? [byte, upper] : [byte]
}
