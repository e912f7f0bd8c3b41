// Secrets that are known by their own shape, wherever they stand.

import { patternRule, REDACTED, type Rule } from './rule.js'

// After a scheme: at least eight characters, of which something is no plain word. "Basic" and
// "Token" begin many an English sentence, so there a hyphen or a slash proves nothing; and words
// in CamelCase are names of things. In a header that says what it is, all of that counts.
const VALUE = String.raw`[A-Za-z0-9\-._~+/]{8,}=*`
const NO_WORD = '(?=[A-Za-z.]*(?:[0-9_~+/=-]|[a-z][A-Z]))'
const NO_WORDS = '(?=[A-Za-z./-]*(?:[0-9_~+=]|[a-z][A-Z]))'
const NO_CAMEL_CASE = String.raw`(?![A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*\.?(?![A-Za-z0-9\-._~+/=]))`
const HEADER = String.raw`(?:[Aa]uthorization|AUTHORIZATION)["'\])]{0,3}\s{0,8}[=:,]\s{0,8}["'\`]?`
const SCHEME = '(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|TOKEN)'

export const authorization: Rule = patternRule(
  'authorization',
  new RegExp(
    `(${HEADER}${SCHEME}\\s+${NO_WORD}` +
      `|\\bBearer\\s+${NO_WORD}${NO_CAMEL_CASE}` +
      `|\\b(?:Basic|Token)\\s+${NO_WORDS}${NO_CAMEL_CASE})${VALUE}`,
    'g',
  ),
  `$1${REDACTED}`,
)

/** `eyJ` is how `{"` looks in base64; an encrypted token has five parts. */
export const jsonWebTokens: Rule = patternRule(
  'jwt',
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,3}/g,
)

const VENDOR_KEYS = [
  'sk-(?:ant-|proj-|live-|test-)?[A-Za-z0-9_-]{12,}',
  '(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}',
  'gh[pousr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  'glpat-[A-Za-z0-9_-]{16,}',
  'xox[abeprs]-[A-Za-z0-9-]{10,}',
  'npm_[A-Za-z0-9]{30,}',
  'hf_[A-Za-z0-9]{20,}',
  'AIza[A-Za-z0-9_-]{30,}',
  '(?:AKIA|ASIA)[A-Z0-9]{16}',
]

export const vendorKeys: Rule = patternRule(
  'vendor-key',
  new RegExp(`\\b(?:${VENDOR_KEYS.join('|')})\\b`, 'g'),
)

/** `scheme://user:password@`; the user may be missing. The search begins at the rare `://`. */
export const urlPasswords: Rule = patternRule(
  'url-password',
  /:\/\/(?<=[a-z0-9+.-]:\/\/)(?!\[REDACTED\]@)[^\s/:@]{0,200}:[^\s/@]{1,200}@/gi,
  `://${REDACTED}@`,
)
