// What somebody looks for: up to eight terms, and the phrase they stand in.

import { SessionError } from '../errors.js'
import { onOneLine } from './served-text.js'

const TERM_CHARS_MIN = 3
const TERMS_MAX = 8

// What people put around words and do not look for.
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

export interface SearchQuery {
  /** As it was asked, on one line. */
  readonly text: string
  /** The same in lower case, as are the terms. */
  readonly phrase: string
  /** Distinct, and never empty: a query of short words is one term. */
  readonly terms: readonly string[]
}

export function parseQuery(query: string): SearchQuery {
  if (typeof query !== 'string') throw new TypeError('A query must be a string')
  const text = onOneLine(query)
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
  const lower = onOneLine(text).toLowerCase()
  let found = 0
  for (const [index, term] of terms.entries()) if (lower.includes(term)) found |= 1 << index
  return { terms: found, hasPhrase: lower.includes(phrase) }
}

/** Where the first match begins in a text; 0 where there is none. */
export function placeOfMatch(text: string, { terms, phrase }: SearchQuery): number {
  const lower = text.toLowerCase()
  const ofPhrase = lower.indexOf(phrase)
  if (ofPhrase !== -1) return ofPhrase
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place !== -1)
  return places.length === 0 ? 0 : Math.min(...places)
}
