// Searches one transcript to its end or to the best possible hit. Most lines are skipped by their
// bytes; only the text around the best hit is kept in memory.

import { wordsOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { fieldsOf, textOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import { type Line, type ReadLogOptions, readLog } from '../../log/index.js'
import type { TextSpan } from '../grep/pattern.js'
import { LinePrefilter } from '../prefilter/line-prefilter.js'
import { mayHaveType } from '../prefilter/type-prefilter.js'
import { excerptAround, toOneLine, withoutHalves } from '../text/output-text.js'

const SEARCHED = new Set(['user', 'assistant', 'summary'])

// Kept on both sides of a hit until it is redacted: some secrets are recognised by their beginning,
// and no redaction rule reads further than this.
const KEPT_CHARS = 24 * 1024

export interface SearchOptions {
  /** @default the end of the file */
  readonly to?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly environment: ReadLogOptions['environment']
  /** Called for every line; throws when the time is over. */
  readonly onLine?: (() => void) | undefined
}

/** What was found in a transcript so far. */
export class TranscriptSearch {
  readonly #query: SearchQuery
  readonly #prefilter: LinePrefilter
  #terms = 0
  #hasPhrase = false
  #bestScore = 0
  #kept = ''

  constructor(query: SearchQuery, prefilter: LinePrefilter = new LinePrefilter(query.terms)) {
    this.#query = query
    this.#prefilter = prefilter
  }

  /** Negative, lower is better: the number of terms found, and one more for the phrase. */
  get rank(): number {
    return -(bitCount(this.#terms) + (this.#hasPhrase ? 1 : 0))
  }

  get hasHit(): boolean {
    return this.#terms !== 0
  }

  /** No later line can be better. */
  get isBest(): boolean {
    return this.#bestScore === this.#query.terms.length + 1
  }

  async run(path: string, { to, signal, environment, onLine }: SearchOptions): Promise<void> {
    const isWanted = (line: Line) => {
      onLine?.()
      return mayHaveType(SEARCHED, line) && this.#isWorthReading(this.#prefilter.termsIn(line))
    }
    for await (const entry of readLog(path, { to, signal, environment, isWanted })) {
      if (entry.kind === 'event') this.add(entry.event)
      if (this.isBest) return
    }
  }

  add(event: SessionEvent): void {
    if (SEARCHED.has(event.type)) this.addText(textOfEvent(event))
  }

  addText(text: string): void {
    const match = matchText(text, this.#query)
    if (match.terms === 0) return
    this.#terms |= match.terms
    this.#hasPhrase ||= match.hasPhrase
    const score = scoreOf(match)
    if (score <= this.#bestScore) return
    this.#bestScore = score
    const at = findMatch(text, this.#query)
    this.#kept = withoutHalves(text.slice(Math.max(0, at - KEPT_CHARS), at + KEPT_CHARS))
  }

  /** The words around the best hit. */
  excerpt(redact: (text: string) => string): string {
    const text = toOneLine(redact(this.#kept))
    return excerptAround(text, findMatch(text, this.#query))
  }

  /** A line is parsed for a term that is still missing, or for a better hit than the best one. */
  #isWorthReading(terms: number): boolean {
    if (terms === 0) return false
    if ((terms & ~this.#terms) !== 0) return true
    const scoreMax = bitCount(terms) + (terms === this.#prefilter.all ? 1 : 0)
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

const TERM_CHARS_MIN = 3
const TERMS_MAX = 8

// Punctuation around words is not searched.
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

export interface SearchQuery {
  /** The query on one line. */
  readonly text: string
  /** The same in lower case, as are the terms. */
  readonly phrase: string
  /** Distinct, and never empty: a query of short words is one term. */
  readonly terms: readonly string[]
}

export function parseQuery(query: string): SearchQuery {
  if (typeof query !== 'string') throw new TypeError('A query must be a string')
  const text = toOneLine(query)
  if (text === '') throw new SessionError('ERR_ARG', 'A search needs a query')
  const phrase = text.toLowerCase()
  const words = phrase.split(' ').map((word) => word.replace(EDGES, ''))
  const terms = new Set(words.filter((word) => [...word].length >= TERM_CHARS_MIN))
  return { text, phrase, terms: terms.size === 0 ? [phrase] : [...terms].slice(0, TERMS_MAX) }
}

export interface TextMatch {
  /** One bit for each term that occurs. */
  readonly terms: number
  readonly hasPhrase: boolean
}

export function matchText(text: string, { terms, phrase }: SearchQuery): TextMatch {
  const lower = toOneLine(text).toLowerCase()
  let found = 0
  for (const [index, term] of terms.entries()) if (lower.includes(term)) found |= 1 << index
  return { terms: found, hasPhrase: lower.includes(phrase) }
}

/** The index of the first match in a text; 0 if there is none. */
export function findMatch(text: string, { terms, phrase }: SearchQuery): number {
  const lower = text.toLowerCase()
  const phraseIndex = lower.indexOf(phrase)
  if (phraseIndex !== -1) return phraseIndex
  const indexes = terms.map((term) => lower.indexOf(term)).filter((index) => index !== -1)
  return indexes.length === 0 ? 0 : Math.min(...indexes)
}

/** Where the words of a query are in a text, in order; of the whole query, as one. */
export function findSearchMatches(text: string, query: string): TextSpan[] {
  const { terms, phrase } = parseQuery(query)
  const lower = text.toLowerCase()
  // The indexes of a text that gets longer are not those of the original.
  if (lower.length !== text.length) return []
  const spans: TextSpan[] = []
  for (const term of [phrase, ...terms]) {
    for (let start = lower.indexOf(term); start !== -1; start = lower.indexOf(term, start + 1)) {
      const end = start + term.length
      if (!spans.some((span) => span.start < end && start < span.end)) spans.push({ start, end })
    }
  }
  return spans.sort((one, other) => one.start - other.start)
}
