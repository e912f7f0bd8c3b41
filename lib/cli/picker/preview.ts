// The last messages of a session, beside the list. A bounded part of the file is read.

import { wordsOf } from '../../chain/index.js'
import type { Environment } from '../../environment/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import type { SessionInfo } from '../../store/index.js'
import { toPlainLines } from '../output/plain-text.js'

const READ_BYTES_MAX = 256 * 1024
const MESSAGES_MAX = 6
const LINES_PER_MESSAGE_MAX = 6

const ROLES: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Assistant'],
])

/** Each session is read once. */
export function previewer(env: Environment): (digest: SessionInfo) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (digest) => {
    const lines = known.get(digest.path) ?? lastWords(env, digest)
    known.set(digest.path, lines)
    return lines
  }
}

function lastWords(environment: Environment, { path, bytes }: SessionInfo): string[] {
  const messages: string[][] = []
  const from = Math.max(0, bytes - READ_BYTES_MAX)
  try {
    for (const entry of readLogBackwardSync(path, { from, environment })) {
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
