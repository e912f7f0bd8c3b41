// The rules that every redactor has, in the order in which they are applied; docs/REDACTION.md
// explains them. Those for secrets with a known form are here, the others in files of their own.

import { base64 } from './base64.js'
import { mentionedVariables, secretFields, secretVariables } from './named-secrets.js'
import { commandLines, cookies, markupFields, urlPasswords, webhookUrls } from './places.js'
import { patternRule, REDACTED, type Rule } from './rule.js'
import { vendorKeys } from './vendor-keys.js'

// After a scheme: at least eight characters that are not only a plain word. Many English sentences
// start with "Basic" or "Token", so there a hyphen or a slash is not enough, and words in CamelCase
// are names. In an Authorization header all of that counts.
const VALUE = String.raw`[A-Za-z0-9\-._~+/]{8,}=*`
const NO_WORD = '(?=[A-Za-z.]*(?:[0-9_~+/=-]|[a-z][A-Z]))'
const NO_WORDS = '(?=[A-Za-z./-]*(?:[0-9_~+=]|[a-z][A-Z]))'
const NO_CAMEL_CASE = String.raw`(?![A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*\.?(?![A-Za-z0-9\-._~+/=]))`
const HEADER = String.raw`(?:[Aa]uthorization|AUTHORIZATION)["'\])]{0,3}\s{0,8}[=:,]\s{0,8}["'\`]?`
const SCHEME = '(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|TOKEN)'

// A header without a scheme: a longer value that has a digit.
const NO_SCHEME = String.raw`(?=[A-Za-z0-9\-._~+/]{16})(?=[A-Za-z\-._~+/]{0,80}[0-9])`
const CREDENTIALS = new RegExp(
  `(${HEADER}(?:${SCHEME}\\s+${NO_WORD}|${NO_SCHEME})` +
    `|\\bBearer\\s+${NO_WORD}${NO_CAMEL_CASE}` +
    `|\\b(?:Basic|Token)\\s+${NO_WORDS}${NO_CAMEL_CASE})${VALUE}`,
  'g',
)

// Docker keeps `user:password` in base64 under this name.
const DOCKER_LOGIN = /(["']auth["']\s{0,4}:\s{0,4}["'])([A-Za-z0-9+/]{8,400}={0,2})(?=["'])/g

const authorization: Rule = {
  name: 'authorization',
  redact: (text) =>
    text
      .replace(CREDENTIALS, `$1${REDACTED}`)
      .replace(DOCKER_LOGIN, (match, name: string, login: string) =>
        isLogin(login) ? name + REDACTED : match,
      ),
  redactMember: (name, text) =>
    name === 'auth' && /^[A-Za-z0-9+/]{8,400}={0,2}$/.test(text) && isLogin(text) ? REDACTED : text,
}

function isLogin(base64: string): boolean {
  return /^[\x21-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(base64, 'base64').toString('latin1'))
}

/** `eyJ` is `{"` in base64; an encrypted token has five parts. */
const jsonWebTokens: Rule = patternRule(
  'jwt',
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,3}/g,
)

const ANY_BEGIN = '-----BEGIN '
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const END_CHARS_MAX = 80
/** More than any key has. */
const BODY_CHARS_MAX = 20_000
/** The characters of a key: base64, its headers, and escaped newlines. */
const BODY = /^[A-Za-z0-9+/=\s\\,:-]*/

/**
 * Private keys in PEM: everything from BEGIN to END, or as far as a key without an END can reach. Not
 * one pattern, so that the text after a BEGIN is read once, however many there are.
 */
const privateKeys: Rule = {
  name: 'private-key',
  redact(text) {
    if (!text.includes(ANY_BEGIN)) return text
    let redacted = ''
    let copied = 0
    BEGIN.lastIndex = 0
    for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
      redacted += text.slice(copied, begin.index) + REDACTED
      copied = endOfKey(text, BEGIN.lastIndex)
      BEGIN.lastIndex = copied
    }
    return redacted + text.slice(copied)
  },
}

function endOfKey(text: string, bodyStart: number): number {
  const nextBegin = text.indexOf(ANY_BEGIN, bodyStart)
  const limit = nextBegin === -1 ? text.length : nextBegin
  const reach = Math.min(limit, bodyStart + BODY_CHARS_MAX + END_CHARS_MAX)
  const body = text.slice(bodyStart, reach)
  const end = END.exec(body)
  if (end !== null) return bodyStart + end.index + end[0].length
  // Without an END: everything up to the next BEGIN, or up to the end, may be part of the key.
  if (limit <= bodyStart + BODY_CHARS_MAX) return limit
  return bodyStart + BODY.exec(body)![0].length
}

// A variable with its value comes before one that is only mentioned, which is replaced as a whole.
export const DEFAULT_RULES: readonly Rule[] = [
  privateKeys,
  authorization,
  cookies,
  jsonWebTokens,
  vendorKeys,
  urlPasswords,
  webhookUrls,
  commandLines,
  markupFields,
  secretVariables,
  mentionedVariables,
  secretFields,
  base64,
]
