// Whether a line may contain one of some terms, by its bytes. It may be wrong about a line without a
// term, which is then parsed in vain; it is never wrong about a line with one.
//
// A term is searched by its longest part that JSON and UTF-8 spell in one way only. A line with other
// spellings (escapes, the two letters outside of ASCII with a lower case inside) may contain any term.

import type { Line } from '../../log/index.js'
import { AnyBytesFinder } from './find-any-bytes.js'

const NEEDLE_BYTES_MIN = 2
const ESCAPE = Buffer.from('\\u', 'latin1')
/** KELVIN SIGN, whose lower case is k. */
const KELVIN = Buffer.from('\u212a')
/** The Turkish capital I with a dot, whose lower case is i and a combining dot. */
const DOTTED_I = Buffer.from('\u0130')
const COMBINING_DOT = '\u0307'

export class LinePrefilter {
  readonly #finder: AnyBytesFinder | undefined
  /** The bit of the term of each needle. */
  readonly #bits: readonly number[]
  readonly #unsearched: number
  readonly #odd: readonly Buffer[]
  readonly all: number

  /** Terms in lower case, at most 31 of them. */
  constructor(terms: readonly string[]) {
    this.all = 2 ** terms.length - 1
    const needles = terms.map(longestPart)
    const isLong = ({ length }: Buffer) => length >= NEEDLE_BYTES_MIN
    const used = needles.filter(isLong)
    this.#finder = used.length === 0 ? undefined : new AnyBytesFinder(used)
    this.#bits = needles.flatMap((needle, index) => (isLong(needle) ? 1 << index : []))
    this.#unsearched = this.all & ~this.#bits.reduce((sum, bit) => sum | bit, 0)
    const letters = Buffer.concat(used)
    this.#odd = [
      ...(letters.includes('k') ? [KELVIN] : []),
      ...(letters.includes('i') ? [DOTTED_I] : []),
    ]
  }

  /** One bit for each term that the line may contain. */
  termsIn({ bytes, start, end, isOversize }: Line): number {
    if (this.#finder === undefined || isOversize) return this.all
    const found = this.#finder.findIn(bytes, start, end)
    let terms = this.#unsearched
    for (const [index, bit] of this.#bits.entries()) if (found & (1 << index)) terms |= bit
    if (terms === this.all || !this.#hasOtherSpelling(bytes.subarray(start, end))) return terms
    return this.all
  }

  #hasOtherSpelling(line: Buffer): boolean {
    for (const letter of this.#odd) if (line.includes(letter)) return true
    for (let at = line.indexOf(ESCAPE); at !== -1; at = line.indexOf(ESCAPE, at + 2)) {
      // Control characters are common, and never part of a term.
      const digits = line.toString('latin1', at + 2, at + 5)
      if (digits !== '000' && digits !== '001') return true
    }
    return false
  }
}

/** The longest run of characters that have one spelling, in bytes. */
function longestPart(term: string): Buffer {
  let longest = Buffer.alloc(0)
  let run = ''
  for (const character of [...term, '']) {
    if (character !== '' && hasOneSpelling(character)) {
      run += character
      continue
    }
    const bytes = Buffer.from(run)
    if (bytes.length > longest.length) longest = bytes
    run = ''
  }
  return longest
}

/** But for the case of ASCII letters, and for what `#hasOtherSpelling` finds. */
function hasOneSpelling(character: string): boolean {
  if (character >= '!' && character <= '~') return !'"\\/'.includes(character)
  if (character < '\u00a0' || !character.isWellFormed() || character === COMBINING_DOT) return false
  return character.toUpperCase() === character && character.toLowerCase() === character
}
