// Secrets that are known by their name: variables and fields that are given a value, and variables
// that are mentioned. The name stays, the value goes.

import { patternRule, REDACTED, type Rule } from './rule.js'
import {
  type Found,
  findSecretValue,
  isSecretString,
  OPERATOR,
  type ValueShape,
} from './secret-values.js'

// A word that only begins with KEY or TOKEN is another word: KEYBOARD, TOKENIZERS.
const SECRET_WORD = String.raw`(?:(?:KEY|TOKEN)S?\d*(?![A-Z0-9])|SECRET|PASSWORD|PASSWD|CREDENTIAL)`
const HAS_SECRET_WORD = `(?=[A-Z0-9_]*${SECRET_WORD})`

// One word without a `$` is not enough: KEY, TOKEN and SECRET also head columns and legends.
const VARIABLE = `(?:\\$${HAS_SECRET_WORD}|(?<![A-Za-z0-9_$])[A-Z]${HAS_SECRET_WORD})[A-Z0-9_]*`
const VARIABLE_NAME = new RegExp(`(${VARIABLE})${OPERATOR}`, 'g')
const WHOLE_VARIABLE_NAME = new RegExp(`^${VARIABLE}$`)
const VARIABLE_VALUE: ValueShape = { bare: /[^\s"']*/y, charsMin: 4 }
/** `MAX_TOKENS=200000`: a number under such a name says how many, not which. */
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

/** `password: …`, `client_secret=…`, `"accessToken":"…"`; never after mere space. */
export const secretFields: Rule = {
  name: 'secret-field',
  redact: (text) => redactValues(text, FIELD_NAME, (at) => findSecretValue(text, at, FIELD_VALUE)),
  redactMember: (name, text) =>
    WHOLE_FIELD_NAME.test(name) && isSecretString(text, FIELD_VALUE) ? REDACTED : text,
}

const REDACTED_VALUE = String.raw`${OPERATOR}(?:\\{0,3}["'])?\[REDACTED\]`

/** `$API_TOKEN`, `${API_TOKEN}`; as the name of a value that is redacted it stays. */
export const mentionedVariables: Rule = patternRule(
  'variable-mention',
  new RegExp(
    String.raw`\$\{?(?=[A-Z])${HAS_SECRET_WORD}[A-Z0-9_]+(?![A-Z0-9_])(?:\}|(?!\}))` +
      `(?!${REDACTED_VALUE})`,
    'g',
  ),
)

function isNumber(value: string): boolean {
  return value.length <= NUMBER_CHARS_MAX && /^[\d_.]+$/.test(value)
}

/** Every value that is found behind a name becomes the marker. `at`: where the value begins. */
function redactValues(
  text: string,
  names: RegExp,
  find: (at: number, nameOf: () => string) => Found | undefined,
): string {
  const parts: string[] = []
  let copied = 0
  let from = 0
  // Asked for rarely, so it is looked for once more: to remember every match would cost the most.
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
