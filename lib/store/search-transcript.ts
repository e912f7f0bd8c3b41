// One transcript, searched from its start to its end or to the best hit there can be. Most lines
// are passed over by their bytes; nothing of the file is kept but the text around the best hit.

import { wordsOf } from '../chain/index.js'
import type { SessionEvent } from '../format/index.js'
import { type Line, readLog } from '../log/index.js'
import { excerptAround, wholeCharacters } from './excerpt.js'
import { LineProbe } from './line-probe.js'
import { matchText, placeOfMatch, type SearchQuery, type TextMatch } from './search-query.js'
import { onOneLine } from './served-text.js'
import { fieldsOf, textOf } from './session-digest-events.js'
import { mayBeOneOf } from './wanted-lines.js'

const SEARCHED = new Set(['user', 'assistant', 'summary'])

// Kept on both sides of a hit until it is redacted: some secrets are known by how they begin,
// and no rule looks further than this.
const KEPT_CHARS = 24 * 1024

export interface SearchOptions {
  readonly signal?: AbortSignal | undefined
  /** Is asked for every line; throws when there is no time left. */
  readonly onLine?: (() => void) | undefined
}

/** What was found in a transcript so far. */
export class TranscriptSearch {
  readonly #query: SearchQuery
  readonly #probe: LineProbe
  #terms = 0
  #hasPhrase = false
  #bestScore = 0
  #kept = ''

  constructor(query: SearchQuery, probe: LineProbe = new LineProbe(query.terms)) {
    this.#query = query
    this.#probe = probe
  }

  /** Negative, and the lower the better: the terms that were found, and one more for the phrase. */
  get rank(): number {
    return -(bitCount(this.#terms) + (this.#hasPhrase ? 1 : 0))
  }

  get hasHit(): boolean {
    return this.#terms !== 0
  }

  /** Nothing that follows could be better. */
  get isBest(): boolean {
    return this.#bestScore === this.#query.terms.length + 1
  }

  async run(path: string, { signal, onLine }: SearchOptions = {}): Promise<void> {
    const isWanted = (line: Line) => {
      onLine?.()
      return mayBeOneOf(SEARCHED, line) && this.#isWorthReading(this.#probe.termsIn(line))
    }
    for await (const entry of readLog(path, { signal, isWanted })) {
      if (entry.kind === 'event') this.take(entry.event)
      if (this.isBest) return
    }
  }

  take(event: SessionEvent): void {
    if (!SEARCHED.has(event.type)) return
    const text = textOfEvent(event)
    const match = matchText(text, this.#query)
    if (match.terms === 0) return
    this.#terms |= match.terms
    this.#hasPhrase ||= match.hasPhrase
    const score = scoreOf(match)
    if (score <= this.#bestScore) return
    this.#bestScore = score
    const place = placeOfMatch(text, this.#query)
    this.#kept = wholeCharacters(text.slice(Math.max(0, place - KEPT_CHARS), place + KEPT_CHARS))
  }

  /** The words around the best hit. */
  excerpt(redact: (text: string) => string): string {
    const text = onOneLine(redact(this.#kept))
    return excerptAround(text, placeOfMatch(text, this.#query))
  }

  /** A line is read for a term that is still missing, and for a better place than the best one. */
  #isWorthReading(terms: number): boolean {
    if (terms === 0) return false
    if ((terms & ~this.#terms) !== 0) return true
    const scoreMax = bitCount(terms) + (terms === this.#probe.all ? 1 : 0)
    return scoreMax > this.#bestScore
  }
}

function textOfEvent({ type, payload }: SessionEvent): string {
  return type === 'summary' ? (textOf(fieldsOf(payload)['text']) ?? '') : wordsOf(payload)
}

function scoreOf({ terms, hasPhrase }: TextMatch): number {
  return bitCount(terms) + (hasPhrase ? 1 : 0)
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
