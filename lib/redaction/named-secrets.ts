// Secrets that are recognized by their name: variables and fields with a value, and variables that are
// mentioned. The name stays, the value is replaced.

import { REDACTED, type Rule } from './rule.js'

/** Between a name and its value, on the same line; a newline may follow a colon. Also in nested JSON. */
const OPERATOR = String.raw`(?:\\{0,3}["'])?[ \t]*(?:(?::(?!:)=?|=>)\s*|=(?!=)[ \t]*)`

// A character is looked up faster than a pattern, and most values start with another one.
const QUOTE_BEGINS = `"'\\`
const OPENING_QUOTE = /\\{0,3}["']/y
const IN_DOUBLE_QUOTES = /[^\s"]*/y
const IN_SINGLE_QUOTES = /[^\s']*/y

// Code that names a secret: types, empty values, and lookups in the environment.
const TYPE = String.raw`(?:[Ss]tring|[Nn]umber|[Bb]oolean|unknown|undefined|Optional\[\w{1,40}\])`
const NOTHING = '(?:null|none|None|true|false|True|False)'
const NO_MORE = String.raw`(?![^\s"'\`,;:|&(){}<>[\]=.]|\.\S)`
const ENVIRONMENT = String.raw`(?:process\.env|import\.meta\.env|os\.environ|os\.getenv)\b`
const NO_SECRET = new RegExp(
  `(?:(?:${TYPE}|${NOTHING})[!?]?(?:\\[\\])?${NO_MORE}|${ENVIRONMENT})`,
  'y',
)
const NO_SECRET_BEGINS = 'sSnNbBuOtTfFpio'

interface ValueShape {
  /** The characters of a value without quotes; sticky. */
  readonly bare: RegExp
  readonly charsMin: number
}

interface Found {
  readonly start: number
  readonly end: number
}

// Not a word that only starts with KEY or TOKEN: KEYBOARD, TOKENIZERS.
const SECRET_WORD = String.raw`(?:(?:KEY|TOKEN)S?\d*(?![A-Z0-9])|SECRET|PASSWORD|PASSWD|CREDENTIAL)`
const HAS_SECRET_WORD = `(?=[A-Z0-9_]*${SECRET_WORD})`

// One word without a `$` is not enough: KEY, TOKEN and SECRET are also column titles.
const VARIABLE = `(?:\\$${HAS_SECRET_WORD}|(?<![A-Za-z0-9_$])[A-Z]${HAS_SECRET_WORD})[A-Z0-9_]*`
const VARIABLE_NAME = new RegExp(`(${VARIABLE})${OPERATOR}`, 'g')
const WHOLE_VARIABLE_NAME = new RegExp(`^${VARIABLE}$`)
const VARIABLE_VALUE: ValueShape = { bare: /[^\s"']*/y, charsMin: 4 }
/** `MAX_TOKENS=200000`: a number under such a name is a count. */
const COUNT = /(?:^|_)(?:TOKENS|MAX|MIN|LIMIT|COUNT|BUDGET|TTL|SIZE|LENGTH)(?:_|$)/
const NUMBER_CHARS_MAX = 15

const FIELD =
  '(?:(?:api|access|secret)[_-]?key|(?:access|auth|refresh|session|api|bot|id)[_-]?token' +
  '|client[_-]?secret|secret|password|passwd|passphrase|credential|(?<!_)token)'
const FIELD_NAME = new RegExp(`(?<![A-Za-z0-9])${FIELD}${OPERATOR}`, 'gi')
const WHOLE_FIELD_NAME = new RegExp(`(?<![A-Za-z0-9])${FIELD}$`, 'i')
const FIELD_VALUE: ValueShape = { bare: /[^\s"',;]*/y, charsMin: 6 }

/** `GITHUB_TOKEN=…`, `export DB_PASSWORD="…"`, `"API_KEY": "…"`. */
export const secretVariables: Rule = {
  name: 'secret-variable',
  redact: (text) =>
    redactValues(text, VARIABLE_NAME, (at, nameOf) => {
      const found = findSecretValue(text, at, VARIABLE_VALUE)
      if (found === undefined || !isNumber(text.slice(found.start, found.end))) return found
      return COUNT.test(nameOf()) ? undefined : found
    }),
  redactMember: (name, text) => {
    const isSecret = WHOLE_VARIABLE_NAME.test(name) && isSecretString(text, VARIABLE_VALUE)
    return isSecret && !(isNumber(text) && COUNT.test(name)) ? REDACTED : text
  },
}

/** `password: …`, `client_secret=…`, `"accessToken":"…"`; never after space alone. */
export const secretFields: Rule = {
  name: 'secret-field',
  redact: (text) => redactValues(text, FIELD_NAME, (at) => findSecretValue(text, at, FIELD_VALUE)),
  redactMember: (name, text) =>
    WHOLE_FIELD_NAME.test(name) && isSecretString(text, FIELD_VALUE) ? REDACTED : text,
}

const REDACTED_VALUE = String.raw`${OPERATOR}(?:\\{0,3}["'])?\[REDACTED\]`

const MENTION = new RegExp(
  String.raw`\$\{?(?=[A-Z])${HAS_SECRET_WORD}[A-Z0-9_]+(?![A-Z0-9_])(?:\}|(?!\}))` +
    `(?!${REDACTED_VALUE})`,
  'g',
)

/** `$API_TOKEN`, `${API_TOKEN}`; it stays as the name of a redacted value. */
export const mentionedVariables: Rule = {
  name: 'variable-mention',
  redact: (text) => text.replace(MENTION, REDACTED),
}

function isNumber(value: string): boolean {
  return value.length <= NUMBER_CHARS_MAX && /^[\d_.]+$/.test(value)
}

/** Replaces every value that `find` returns after a name. `at`: where the value starts. */
function redactValues(
  text: string,
  names: RegExp,
  find: (at: number, nameOf: () => string) => Found | undefined,
): string {
  const parts: string[] = []
  let copied = 0
  let from = 0
  // Needed rarely, so it is searched again: keeping every match would cost most.
  const nameOf = () => {
    names.lastIndex = from
    return names.exec(text)?.[1] ?? ''
  }
  names.lastIndex = 0
  while (names.test(text)) {
    const at = names.lastIndex
    const found = find(at, nameOf)
    from = found?.end ?? at
    names.lastIndex = from
    if (found === undefined) continue
    parts.push(text.slice(copied, found.start), REDACTED)
    copied = found.end
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied)
}

/** The value that starts here, if it must be redacted. */
function findSecretValue(text: string, at: number, shape: ValueShape): Found | undefined {
  const start = QUOTE_BEGINS.includes(text[at]!) ? endOfMatch(OPENING_QUOTE, text, at) : at
  // The start decides first, so that a long value that is not a secret is not read.
  if (start === text.length || !canBeSecret(text, start)) return undefined
  const end =
    start === at ? endOfBare(text, start, shape.bare) : endOfQuoted(text, start, text[start - 1]!)
  return end - start < shape.charsMin ? undefined : { start, end }
}

/** The same for a string that is the value as a whole. */
function isSecretString(text: string, { charsMin }: ValueShape): boolean {
  return text.length >= charsMin && canBeSecret(text, 0) && !/\s/.test(text)
}

function canBeSecret(text: string, start: number): boolean {
  if (text.startsWith(REDACTED, start)) return false
  return !NO_SECRET_BEGINS.includes(text[start]!) || endOfMatch(NO_SECRET, text, start) === start
}

/** Up to the same quote. A quoted sentence is not a secret; a text may end within the quotes. */
function endOfQuoted(text: string, start: number, quote: string): number {
  let end = endOfMatch(quote === '"' ? IN_DOUBLE_QUOTES : IN_SINGLE_QUOTES, text, start)
  if (end < text.length && text[end] !== quote) return start
  while (end > start && text[end - 1] === '\\') end--
  return end
}

/** Without a closing comma, or a bracket that was not opened inside. */
function endOfBare(text: string, start: number, bare: RegExp): number {
  let end = endOfMatch(bare, text, start)
  if (!',;)]}'.includes(text[end - 1]!)) return end
  const closing = /[([{]/.test(text.slice(start, end)) ? ',;' : ',;)]}'
  while (end > start && closing.includes(text[end - 1]!)) end--
  return end
}

/** Where a sticky pattern that starts here ends; the start if it does not match. */
function endOfMatch(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : at
}
