// Session keys become file names, and back. The mapping is injective and stays so on disks that
// ignore case, so two keys never share a file.

import { SessionError } from '../errors.js'

const NAME_BYTES_MAX = 180
const NAME_BYTES_KEPT = 140
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/

/**
 * Trimmed, in NFC, without a leading `session:`. The result is the session's id, everywhere; the
 * ids of subagents' tasks follow the same rule.
 */
export function normalizeSessionKey(key: string, what = 'A session id'): string {
  if (typeof key !== 'string') throw new TypeError(`${what} must be a string`)
  const id = key
    .trim()
    .replace(/^session:/, '')
    .trim()
    .normalize('NFC')
  if (id === '') throw new SessionError('ERR_ARG', `${what} must not be empty`)
  if (!id.isWellFormed()) {
    throw new SessionError(
      'ERR_ARG',
      `${what} must not contain half a character (a lone surrogate)`,
      { id },
    )
  }
  return id
}

/** The name as `encodeName` spells it; one that is too long ends in a hash of the id. */
export function fileNameOf(key: string): string {
  const id = normalizeSessionKey(key)
  const name = encodeName(id)
  if (name.length <= NAME_BYTES_MAX) return name
  // Loaded only for the few that need it: it takes a tenth of the start of a command.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16)
  // A key cut in the middle of a %XX would not decode; the header holds the whole key anyway.
  return `${name.slice(0, NAME_BYTES_KEPT).replace(/%[0-9A-F]?$/, '')}-${hash}`
}

/** Every byte outside `[a-z0-9._-]` as `%XX`; so also leading and trailing dots and reserved names. */
export function encodeName(text: string): string {
  let name = ''
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte)
    name += /[a-z0-9._-]/.test(character) ? character : percent(byte)
  }
  if (name.startsWith('.')) name = `%2E${name.slice(1)}`
  if (name.endsWith('.')) name = `${name.slice(0, -1)}%2E`
  if (RESERVED.test(name)) name = percent(name.charCodeAt(0)) + name.slice(1)
  return name
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
