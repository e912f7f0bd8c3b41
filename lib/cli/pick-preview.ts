// The last words of a session, for somebody who wonders whether it is the one. A bounded part of
// its end is read, however long it is.

import { wordsOf } from '../chain/index.js'
import { readLogBackwardSync } from '../log/index.js'
import type { SessionDigest } from '../store/index.js'
import { toPlainLines } from './plain-text.js'

const READ_BYTES_MAX = 256 * 1024
const MESSAGES_MAX = 6
const LINES_PER_MESSAGE_MAX = 6

const ROLES: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
])

/** Each session is read once: people go up and down. */
export function previewer(): (digest: SessionDigest) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (digest) => {
    const lines = known.get(digest.path) ?? lastWords(digest)
    known.set(digest.path, lines)
    return lines
  }
}

function lastWords({ path, bytes }: SessionDigest): string[] {
  const messages: string[][] = []
  try {
    for (const entry of readLogBackwardSync(path, { from: Math.max(0, bytes - READ_BYTES_MAX) })) {
      if (entry.kind !== 'event') continue
      const role = ROLES.get(entry.event.type)
      if (role === undefined) continue
      const lines = toPlainLines(wordsOf(entry.event.payload))
      if (lines.length === 0) continue
      messages.unshift([`${role}: ${lines[0]}`, ...lines.slice(1, LINES_PER_MESSAGE_MAX)])
      if (messages.length >= MESSAGES_MAX) break
    }
  } catch (error) {
    return [`(${(error as Error).message})`]
  }
  return messages.flat()
}
