// What follows the name of a secret: is it a value that must go, and where does it end?

import { REDACTED } from './rule.js'

/** Between a name and its value, on the same line; only a colon may end it. Also in JSON in JSON. */
export const OPERATOR = String.raw`(?:\\{0,3}["'])?[ \t]*(?:(?::(?!:)=?|=>)\s*|=(?!=)[ \t]*)`

// Most values begin otherwise, and a character is looked up faster than a pattern.
const QUOTE_BEGINS = `"'\\`
const OPENING_QUOTE = /\\{0,3}["']/y
const IN_DOUBLE_QUOTES = /[^\s"]*/y
const IN_SINGLE_QUOTES = /[^\s']*/y

// Types, nothing at all, and places where a value would be found: code that names a secret.
const TYPE = String.raw`(?:[Ss]tring|[Nn]umber|[Bb]oolean|unknown|undefined|Optional\[\w{1,40}\])`
const NOTHING = '(?:null|none|None|true|false|True|False)'
const NO_MORE = String.raw`(?![^\s"'\`,;:|&(){}<>[\]=.]|\.\S)`
const ENVIRONMENT = String.raw`(?:process\.env|import\.meta\.env|os\.environ|os\.getenv)\b`
const NO_SECRET = new RegExp(
  `(?:(?:${TYPE}|${NOTHING})[!?]?(?:\\[\\])?${NO_MORE}|${ENVIRONMENT})`,
  'y',
)
const NO_SECRET_BEGINS = 'sSnNbBuOtTfFpio'

export interface ValueShape {
  /** What a value without quotes is made of; sticky. */
  readonly bare: RegExp
  readonly charsMin: number
}

export interface Found {
  readonly start: number
  readonly end: number
}

/** The value that begins at this place, if there is one to redact. */
export function findSecretValue(text: string, at: number, shape: ValueShape): Found | undefined {
  const start = QUOTE_BEGINS.includes(text[at]!) ? endOfMatch(OPENING_QUOTE, text, at) : at
  // First what the beginning tells: a long value that is not meant must not be looked through.
  if (start === text.length || !canBeSecret(text, start)) return undefined
  const end =
    start === at ? endOfBare(text, start, shape.bare) : endOfQuoted(text, start, text[start - 1]!)
  return end - start < shape.charsMin ? undefined : { start, end }
}

/** The same for a string that is the value as a whole. */
export function isSecretString(text: string, { charsMin }: ValueShape): boolean {
  return text.length >= charsMin && canBeSecret(text, 0) && !/\s/.test(text)
}

function canBeSecret(text: string, start: number): boolean {
  if (text.startsWith(REDACTED, start)) return false
  return !NO_SECRET_BEGINS.includes(text[start]!) || endOfMatch(NO_SECRET, text, start) === start
}

/** Up to the same quote. A sentence in quotes is no secret; a text may be cut off within one. */
function endOfQuoted(text: string, start: number, quote: string): number {
  let end = endOfMatch(quote === '"' ? IN_DOUBLE_QUOTES : IN_SINGLE_QUOTES, text, start)
  if (end < text.length && text[end] !== quote) return start
  while (end > start && text[end - 1] === '\\') end--
  return end
}

/** Without what closes around it: a comma, or a bracket that was not opened inside. */
function endOfBare(text: string, start: number, bare: RegExp): number {
  let end = endOfMatch(bare, text, start)
  if (!',;)]}'.includes(text[end - 1]!)) return end
  const closing = /[([{]/.test(text.slice(start, end)) ? ',;' : ',;)]}'
  while (end > start && closing.includes(text[end - 1]!)) end--
  return end
}

/** Where a sticky pattern ends that begins at this place; the place itself if there is none. */
function endOfMatch(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : at
}
