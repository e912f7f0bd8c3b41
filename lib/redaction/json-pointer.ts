// Parts of a payload that its writer declares untouchable, named by JSON pointers (RFC 6901).

import { SessionError } from '../errors.js'

type Container = Readonly<Record<string, unknown>>

/** The redacted value, with the original back in the place that a pointer names, if there is one. */
export function restoreAt(redacted: unknown, original: unknown, pointer: string): unknown {
  return restore(redacted, original, tokensOf(pointer))
}

function tokensOf(pointer: string): string[] {
  if (typeof pointer !== 'string') throw new TypeError('A JSON pointer must be a string')
  if (pointer !== '' && !pointer.startsWith('/')) {
    throw new SessionError('ERR_ARG', `"${pointer}" is no JSON pointer: it must begin with /`)
  }
  const tokens = pointer.split('/').slice(1)
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function restore(redacted: unknown, original: unknown, tokens: readonly string[]): unknown {
  const [token, ...rest] = tokens
  if (redacted === original || token === undefined) return original
  if (!isContainer(original) || !isContainer(redacted) || !Object.hasOwn(original, token)) {
    return redacted
  }
  const restored = restore(redacted[token], original[token], rest)
  if (restored === redacted[token]) return redacted
  if (Array.isArray(redacted)) return redacted.with(Number(token), restored)
  const entries = Object.entries(redacted)
  return Object.fromEntries(entries.map(([key, value]) => [key, key === token ? restored : value]))
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}
