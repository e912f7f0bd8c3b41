// What is searched: a text, or a regular expression that always takes linear time, because it may
// come from anywhere.

import { SessionError } from '../../errors.js'
import { findRequiredLiteral } from '../prefilter/required-literal.js'

export interface PatternOptions {
  /**
   * - `auto`: a text if it contains no character with a meaning in regular expressions
   *
   * @default 'auto'
   */
  syntax?: 'auto' | 'literal' | 'regex' | undefined

  /** @default false */
  ignoreCase?: boolean | undefined
}

export interface Pattern {
  readonly ignoreCase: boolean
  /** Every matching text contains it, apart from case; empty if unknown. */
  readonly literal: string
  /** The index of the first match; -1 if there is none. */
  find(text: string): number
  /** The first match at `from` or later; `undefined` if there is none. */
  locate(text: string, from: number): TextSpan | undefined
}

/** A part of a text, by indexes of its UTF-16 units. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/

// Letters that match letters outside of ASCII if case is ignored.
const FOLDED = /[ks\u0080-\u{10ffff}]+/iu

export async function compilePattern(
  pattern: string,
  { syntax = 'auto', ignoreCase = false }: PatternOptions = {},
): Promise<Pattern> {
  if (typeof pattern !== 'string') throw new TypeError('A pattern must be a string')
  if (!['auto', 'literal', 'regex'].includes(syntax)) {
    throw new SessionError('ERR_ARG', `syntax must be auto, literal or regex, not "${syntax}"`)
  }
  if (!pattern.isWellFormed()) {
    throw new SessionError('ERR_ARG', 'The pattern contains half a character (a lone surrogate)')
  }
  const isRegex = syntax === 'regex' || (syntax === 'auto' && SPECIAL.test(pattern))
  if (isRegex) return regexPattern(pattern, ignoreCase)
  return ignoreCase ? caselessPattern(pattern) : literalPattern(pattern)
}

function literalPattern(literal: string): Pattern {
  return {
    ignoreCase: false,
    literal,
    find: (text) => text.indexOf(literal),
    locate: (text, from) => toSpan(text.indexOf(literal, from), literal.length),
  }
}

function toSpan(start: number, length: number): TextSpan | undefined {
  return start === -1 ? undefined : { start, end: start + length }
}

function caselessPattern(pattern: string): Pattern {
  const literal = pattern.toLowerCase()
  return {
    ignoreCase: true,
    literal,
    // A few letters get longer in lower case; then the index is a little late, and still inside.
    find: (text) => Math.min(text.toLowerCase().indexOf(literal), text.length),
    locate(text, from) {
      const lower = text.toLowerCase()
      // The indexes of a text that gets longer are not those of the original.
      if (lower.length !== text.length) return undefined
      return toSpan(lower.indexOf(literal, from), literal.length)
    },
  }
}

async function regexPattern(pattern: string, ignoreCase: boolean): Promise<Pattern> {
  const { RE2JS } = await import('re2js')
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  let regex: ReturnType<typeof RE2JS.compile>
  try {
    regex = RE2JS.compile(pattern, flags)
  } catch (cause) {
    // The user did not type these flags.
    const reason = (cause as Error).message
      .replace(/^error parsing regexp: /, '')
      .replace(/`(?:\(\?[im]+\))+/, '`')
    throw new SessionError('ERR_ARG', `The pattern is not a regular expression: ${reason}`, {
      cause,
      pattern,
    })
  }
  const required = findRequiredLiteral(pattern)
  return {
    ignoreCase,
    literal: ignoreCase ? longestOf(required.toLowerCase().split(FOLDED)) : required,
    find(text) {
      // Testing for a match is several times faster than locating it.
      if (!regex.test(text)) return -1
      const matcher = regex.matcher(text)
      return matcher.find() ? matcher.start() : 0
    },
    locate(text, from) {
      const matcher = regex.matcher(text)
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined
    },
  }
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}
