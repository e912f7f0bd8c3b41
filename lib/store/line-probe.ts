// Whether a line may say one of some terms, judged by its bytes alone. It may say yes to a line
// that holds none, which costs the parsing of it; it never says no to one that does.
//
// A term is looked for by its longest part that JSON and UTF-8 spell in one way only. What can be
// spelled otherwise (escapes, the two letters outside of ASCII whose lower case is inside) makes
// the line one that may hold anything.

import type { Line } from '../log/index.js'
import { ByteProbes } from './byte-probes.js'

const PROBE_BYTES_MIN = 2
const ESCAPE = Buffer.from('\\u', 'latin1')
/** KELVIN SIGN, whose lower case is k. */
const KELVIN = Buffer.from('\u212a')
/** The Turkish capital I with a dot, whose lower case is i and a combining dot. */
const DOTTED_I = Buffer.from('\u0130')
const COMBINING_DOT = '\u0307'

export class LineProbe {
  readonly #probes: ByteProbes | undefined
  /** The bit of the term that each probe stands for. */
  readonly #bits: readonly number[]
  readonly #unprobed: number
  readonly #odd: readonly Buffer[]
  readonly all: number

  /** Terms in lower case, at most 31 of them. */
  constructor(terms: readonly string[]) {
    this.all = 2 ** terms.length - 1
    const probes = terms.map(probeOf)
    const isLong = ({ length }: Buffer) => length >= PROBE_BYTES_MIN
    const used = probes.filter(isLong)
    this.#probes = used.length === 0 ? undefined : new ByteProbes(used)
    this.#bits = probes.flatMap((probe, index) => (isLong(probe) ? 1 << index : []))
    this.#unprobed = this.all & ~this.#bits.reduce((sum, bit) => sum | bit, 0)
    const letters = Buffer.concat(used)
    this.#odd = [
      ...(letters.includes('k') ? [KELVIN] : []),
      ...(letters.includes('i') ? [DOTTED_I] : []),
    ]
  }

  /** One bit for each term that the line may say. */
  termsIn({ bytes, start, end, isOversize }: Line): number {
    if (this.#probes === undefined || isOversize) return this.all
    const found = this.#probes.findIn(bytes, start, end)
    let terms = this.#unprobed
    for (const [index, bit] of this.#bits.entries()) if (found & (1 << index)) terms |= bit
    if (terms === this.all || !this.#isOddlySpelled(bytes.subarray(start, end))) return terms
    return this.all
  }

  #isOddlySpelled(line: Buffer): boolean {
    for (const letter of this.#odd) if (line.includes(letter)) return true
    for (let at = line.indexOf(ESCAPE); at !== -1; at = line.indexOf(ESCAPE, at + 2)) {
      // Control characters are no part of a term, and the only ones that occur often.
      const digits = line.toString('latin1', at + 2, at + 5)
      if (digits !== '000' && digits !== '001') return true
    }
    return false
  }
}

/** The longest run of characters that have one spelling, in bytes. */
function probeOf(term: string): Buffer {
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

/** But for the case of ASCII letters, and for what `#isOddlySpelled` finds. */
function hasOneSpelling(character: string): boolean {
  if (character >= '!' && character <= '~') return !'"\\/'.includes(character)
  if (character < '\u00a0' || !character.isWellFormed() || character === COMBINING_DOT) return false
  return character.toUpperCase() === character && character.toLowerCase() === character
}
