// Names for events that a harness tells: who tells the same thing twice gives it the same name.

import type { NewEvent } from '../log/index.js'
import { saidIn } from '../store/index.js'

/** Of names that are made here (RFC 9562, version 5). */
const NAMESPACE = Buffer.from('6f0c9a52b1d84e0b9c3e5a7d21f4c8e6', 'hex')

const VERSION = 0x50
const VARIANT = 0x80

/** Two lists of parts never share a name, wherever a part ends. */
export function uuidOf(parts: readonly string[]): string {
  const hash = createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest()
  hash[6] = (hash[6]! & 0x0f) | VERSION
  hash[8] = (hash[8]! & 0x3f) | VARIANT
  const hex = hash.toString('hex')
  const ends = [0, 8, 12, 16, 20, 32]
  return ends
    .slice(1)
    .map((end, index) => hex.slice(ends[index], end))
    .join('-')
}

/** What an event says, as a short text; when and where it was said is left out. */
export function contentHash({ type, payload }: NewEvent, mark = ''): string {
  const text = JSON.stringify([type, saidIn(payload), mark])
  return createHash('sha256').update(text).digest('hex')
}

// Loaded only where it is needed: it takes a tenth of the start of a command.
function createHash(algorithm: 'sha1' | 'sha256') {
  return process.getBuiltinModule('node:crypto').createHash(algorithm)
}
