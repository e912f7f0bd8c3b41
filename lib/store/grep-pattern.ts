// What somebody looks for, as a test of texts: the text itself, or a regular expression that takes
// linear time whatever it says, because it may come from anywhere.

import { SessionError } from '../errors.js'
import { requiredLiteral } from './required-literal.js'

export interface PatternOptions {
  /**
   * - `auto`: a text when it holds no character that a regular expression treats specially
   *
   * @default 'auto'
   */
  syntax?: 'auto' | 'literal' | 'regex' | undefined

  /** @default false */
  ignoreCase?: boolean | undefined
}

export interface Pattern {
  readonly ignoreCase: boolean
  /** Every text that matches holds it, but for the case of its letters; empty when unknown. */
  readonly literal: string
  /** Where the first match begins; -1 for none. */
  find(text: string): number
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/

// Letters that a regular expression without case also takes for others, outside of ASCII.
const FOLDED = /[ks\u0080-\u{10ffff}]+/iu

export async function compilePattern(
  pattern: string,
  { syntax = 'auto', ignoreCase = false }: PatternOptions = {},
): Promise<Pattern> {
  if (typeof pattern !== 'string') throw new TypeError('A pattern must be a string')
  if (!['auto', 'literal', 'regex'].includes(syntax)) {
    throw new SessionError('ERR_ARG', `syntax is auto, literal or regex, not "${syntax}"`)
  }
  if (!pattern.isWellFormed()) {
    throw new SessionError('ERR_ARG', 'The pattern holds half a character (a lone surrogate)')
  }
  const isRegex = syntax === 'regex' || (syntax === 'auto' && SPECIAL.test(pattern))
  if (isRegex) return regexPattern(pattern, ignoreCase)
  return ignoreCase ? caselessPattern(pattern) : literalPattern(pattern)
}

function literalPattern(literal: string): Pattern {
  return { ignoreCase: false, literal, find: (text) => text.indexOf(literal) }
}

function caselessPattern(pattern: string): Pattern {
  const literal = pattern.toLowerCase()
  return {
    ignoreCase: true,
    literal,
    // A few letters get longer in lower case; then the place is a little late, and still inside.
    find: (text) => Math.min(text.toLowerCase().indexOf(literal), text.length),
  }
}

async function regexPattern(pattern: string, ignoreCase: boolean): Promise<Pattern> {
  const { RE2JS } = await import('re2js')
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  let regex: ReturnType<typeof RE2JS.compile>
  try {
    regex = RE2JS.compile(pattern, flags)
  } catch (cause) {
    // The flags are ours, and nobody typed them.
    const reason = (cause as Error).message
      .replace(/^error parsing regexp: /, '')
      .replace(/`(?:\(\?[im]+\))+/, '`')
    throw new SessionError('ERR_ARG', `The pattern is no regular expression: ${reason}`, {
      cause,
      pattern,
    })
  }
  const required = requiredLiteral(pattern)
  return {
    ignoreCase,
    literal: ignoreCase ? longestOf(required.toLowerCase().split(FOLDED)) : required,
    find(text) {
      // Saying whether there is a match is several times quicker than saying where.
      if (!regex.test(text)) return -1
      const matcher = regex.matcher(text)
      return matcher.find() ? matcher.start() : 0
    },
  }
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}
