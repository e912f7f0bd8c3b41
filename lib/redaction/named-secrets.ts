// Secrets that are recognized by their name: variables and fields with a value, and variables that are
// mentioned. The name stays, the value is replaced.

import { REDACTED, type Rule } from './rule.js'

/** Between a name and its value, on the same line; a newline may follow a colon. Also in nested JSON. */
const OPERATOR = String.raw`(?:\\{0,3}["'])?\]?[ \t]*(?:(?::(?!:)=?|=>)\s*|=(?!=)[ \t]*)`

// A character is looked up faster than a pattern, and most values start with another one.
const QUOTE_BEGINS = `"'\\`
const OPENING_QUOTE = /\\{0,3}["']/y
const IN_DOUBLE_QUOTES = /[^\s"]*/y
const IN_SINGLE_QUOTES = /[^\s']*/y
const PHRASE_CHARS_MAX = 200
const WORDS_IN_DOUBLE_QUOTES = /[^\n"]{1,200}(?=")/y
const WORDS_IN_SINGLE_QUOTES = /[^\n']{1,200}(?=')/y
/** Words of a label or a message, which a phrase of random words lacks. */
const SENTENCE =
  /\b(?:an?|and|are|at|be|by|can|cannot|could|do|does|enter|expired?|failed|for|from|has|if|in|incorrect|invalid|is|it|its|least|missing|must|no|not|of|on|or|please|provide|required?|should|so|than|that|the|this|to|use|used|value|was|when|where|which|will|with|wrong|you|your|password|passphrase|token|secret|credentials?|key)\b/i

// Code that names a secret: types, empty values, lookups in the environment, calls of functions; and
// `<placeholders>`.
const TYPE = String.raw`(?:[Ss]tring|[Nn]umber|[Bb]oolean|unknown|undefined|Optional\[\w{1,40}\])`
const NOTHING = '(?:null|none|None|true|false|True|False)'
const NO_MORE = String.raw`(?![^\s"'\`,;:|&(){}<>[\]=.]|\.\S)`
const ENVIRONMENT = String.raw`(?:process\.env|import\.meta\.env|os\.environ|os\.getenv)\b`
const CALL = String.raw`[A-Za-z_$][A-Za-z_$.]{0,80}\((?:\)|["'A-Za-z_$])`
const PLACEHOLDER = '<[A-Za-z][A-Za-z _-]{0,40}>'
// `[a]`: the word itself would look like code that waits, which this module must not do.
const SYNTAX = String.raw`(?:typeof|keyof|[a]wait|new|readonly)[ \t]|0x[0-9a-fA-F]{1,8}\b`
const NO_SECRET = new RegExp(
  `(?:(?:${TYPE}|${NOTHING})[!?]?(?:\\[\\])?${NO_MORE}|${ENVIRONMENT}|${CALL}|${PLACEHOLDER}|${SYNTAX})`,
  'y',
)
/** The name of a type or a variable in mixed case, without digits, and what follows no password. */
const NAME = String.raw`(?:[a-z]{1,20}\.){0,3}[A-Za-z](?=[A-Za-z]{0,80}(?:[a-z][A-Z]|[A-Z][a-z])|[a-z]{1,80}[<;,)])[A-Za-z]{1,80}`
const NAMED_TYPE = new RegExp(String.raw`${NAME}(?:<|[ \t]+[|&][ \t])`, 'y')
const NAMED_AFTER_COLON = new RegExp(String.raw`${NAME}(?:[[(,;)|&]|\.[A-Z]|[ \t]+=)`, 'y')
const CODE_BEGINS = /[A-Za-z_$<0]/

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
const SECRET_WORD = String.raw`(?:(?:KEY|TOKEN)S?\d*(?![A-Z0-9])|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:(?<=_)(?:PASS|PWD|CREDS)|SSHPASS)(?![A-Z0-9_]))`
const HAS_SECRET_WORD = `(?=[A-Z0-9_]*${SECRET_WORD})`

// One word without a `$` is not enough: KEY, TOKEN and SECRET are also column titles.
const TITLE = '(?:KEY|TOKEN|SECRET)S?(?![A-Z0-9_])'
/** Keys that open nothing. */
const HARMLESS_KEY =
  '(?:(?:PRIMARY|FOREIGN|PUBLIC|SORT|PARTITION|CACHE|META|UNIQUE|INDEX|ROW|STORAGE|QUERY|DOM|HOT|SHORTCUT|MAP)_?KEYS?' +
  '|(?:MON|TUR|DON|WHIS)KEYS?)'
const VARIABLE =
  `(?:\\$|(?=[A-Z_])(?<![A-Za-z0-9_$])(?!${TITLE}))${HAS_SECRET_WORD}` +
  `[A-Z0-9_]+(?<!${HARMLESS_KEY})(?![A-Z0-9_])`
const VARIABLE_NAME = new RegExp(`(${VARIABLE})${OPERATOR}`, 'g')
const WHOLE_VARIABLE_NAME = new RegExp(`^${VARIABLE}$`)
const VARIABLE_VALUE: ValueShape = { bare: /[^\s"']*/y, charsMin: 4 }
/** `MAX_TOKENS=200000`: a number under such a name is a count. */
const COUNT = /(?:^|_)(?:TOKENS|MAX|MIN|LIMIT|COUNT|BUDGET|TTL|SIZE|LENGTH)(?:_|$)/
const NUMBER_CHARS_MAX = 15
const OTHER_WORD = /TOKEN|SECRET|PASS|CREDENTIAL/

/** A word in lower case, as in camel case, and in upper case. */
const spellings = (words: string) =>
  words
    .split(' ')
    .flatMap((word) => [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()])
    .join('|')
/** The word is the last one of a name: `secret`, `db_secret`, `dbSecret`. */
const lastWord = (word: string) => {
  const capital = word[0]!.toUpperCase() + word.slice(1)
  const upper = word.toUpperCase()
  const apart = `(?:${word}|${upper})(?<![A-Za-z0-9](?:${word}|${upper}))`
  return `(?:${apart}|${capital}(?<![A-Z]${capital}))`
}
const KEY_KINDS = spellings(
  'api access secret private account encryption signing master preshared subscription license auth ' +
    'consumer webhook admin hmac jwt deploy',
)
const TOKEN_KINDS = spellings('access auth refresh session api bot id bearer')
/** They count or separate pieces of a text, or say where to continue. */
const HARMLESS_TOKENS = spellings(
  'eos bos pad unk mask sep cls next prev page last first start stop end cancel cancellation ' +
    'continuation image audio video special tag source progress max min',
)
const KEY = `(?:${spellings('key')})`
const TOKEN = `(?:${spellings('token')})`

// What is before the last word is looked at afterwards, so that the search begins with a rare word.
const FIELD = [
  spellings('password passwd passphrase passcode'),
  ...['secret', 'credential', 'psk'].map(lastWord),
  'secret(?<=(?:client|app|shared|webhook|consumer)secret)',
  '(?:pass|PASS)(?<=[A-Za-z0-9][_-](?:pass|PASS)|(?:db|user|root|smtp|require)pass)',
  'Pass(?<=[a-z0-9][_-]?Pass)',
  `${KEY}(?<=(?:${KEY_KINDS})[_-]?${KEY})`,
  '[Kk]ey[_-]?(?:[Dd]ata|[Bb]ase)(?<=(?:client[_-]key[_-]data|[Ss]ecret[_-]?[Kk]ey[_-]?[Bb]ase))',
  `${TOKEN}(?<=(?:${TOKEN_KINDS})[_-]?${TOKEN})`,
  `${lastWord('token')}(?<!(?:${HARMLESS_TOKENS})[_-]?${TOKEN})`,
  '_auth(?<![A-Za-z0-9]_auth)',
  'SharedAccessSignature',
].join('|')
/** `PWD` is also the working folder. */
const FOLDER = String.raw`["'\\]{0,4}(?:[/~.]|[A-Za-z]:[/\\])`
const FIELD_NAME = new RegExp(
  `(?:(?:${FIELD})${OPERATOR}|${lastWord('pwd')}${OPERATOR}(?!${FOLDER}))`,
  'g',
)
const WHOLE_FIELD_NAME = new RegExp(`(?:${FIELD}|${lastWord('pwd')})$`)
const FIELD_VALUE: ValueShape = { bare: /[^\s"',;]*/y, charsMin: 6 }

/** `GITHUB_TOKEN=…`, `export DB_PASSWORD="…"`, `"API_KEY": "…"`. */
export const secretVariables: Rule = {
  name: 'secret-variable',
  redact: (text) =>
    redactValues(text, VARIABLE_NAME, (at, nameOf) => {
      const found = findSecretValue(text, at, VARIABLE_VALUE)
      const value = found === undefined ? '' : text.slice(found.start, found.end)
      return isNumber(value) && isHarmlessNumber(nameOf(), value) ? undefined : found
    }),
  redactMember: (name, text) => {
    const isSecret = WHOLE_VARIABLE_NAME.test(name) && isSecretString(text, VARIABLE_VALUE)
    return isSecret && !(isNumber(text) && isHarmlessNumber(name, text)) ? REDACTED : text
  },
}

/** `password: …`, `client_secret=…`, `"accessToken":"…"`; never after space alone. */
export const secretFields: Rule = {
  name: 'secret-field',
  redact: (text) => redactValues(text, FIELD_NAME, (at) => findSecretValue(text, at, FIELD_VALUE)),
  redactMember: (name, text) => {
    const isSecret = WHOLE_FIELD_NAME.test(name) && isSecretString(text, FIELD_VALUE)
    return isSecret && !(/pwd$/i.test(name) && PATH.test(text)) ? REDACTED : text
  },
}

const PATH = new RegExp(`^${FOLDER}`)

function isNumber(value: string): boolean {
  return value.length <= NUMBER_CHARS_MAX && /^(?:[\d_.]+|0x[0-9a-fA-F]+;?)$/.test(value)
}

function isHarmlessNumber(name: string, value: string): boolean {
  return COUNT.test(name) || (value.startsWith('0x') && !OTHER_WORD.test(name))
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
  if (start === at && isNamedType(text, start)) return undefined
  const end =
    start === at ? endOfBare(text, start, shape.bare) : endOfQuoted(text, start, text[start - 1]!)
  return end - start < shape.charsMin ? undefined : { start, end }
}

/** The same for a string that is the value as a whole. */
function isSecretString(text: string, { charsMin }: ValueShape): boolean {
  if (text.length < charsMin || !canBeSecret(text, 0)) return false
  return !/\s/.test(text) || isPhrase(text)
}

function canBeSecret(text: string, start: number): boolean {
  if (text.startsWith(REDACTED, start)) return false
  return !CODE_BEGINS.test(text[start]!) || endOfMatch(NO_SECRET, text, start) === start
}

function isNamedType(text: string, start: number): boolean {
  if (endOfMatch(NAMED_TYPE, text, start) !== start) return true
  const isAfterColon = text[start - 1] === ':' || text.slice(start - 2, start) === ': '
  return isAfterColon && endOfMatch(NAMED_AFTER_COLON, text, start) !== start
}

/** Several words in quotes that no label or message would have: a passphrase. */
function isPhrase(text: string): boolean {
  return text.length <= PHRASE_CHARS_MAX && !text.includes('\n') && !SENTENCE.test(text)
}

/** Up to the same quote. A quoted sentence is not a secret; a text may end within the quotes. */
function endOfQuoted(text: string, start: number, quote: string): number {
  const isDouble = quote === '"'
  let end = endOfMatch(isDouble ? IN_DOUBLE_QUOTES : IN_SINGLE_QUOTES, text, start)
  if (end < text.length && text[end] !== quote) {
    end = endOfMatch(isDouble ? WORDS_IN_DOUBLE_QUOTES : WORDS_IN_SINGLE_QUOTES, text, start)
    if (!isPhrase(text.slice(start, end))) return start
  }
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
