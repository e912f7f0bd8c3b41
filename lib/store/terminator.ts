// How a transcript ends: with a terminator behind its last event, or without.

import { isOnChain } from '../format/index.js'
import { readLogBackwardSync } from '../log/index.js'

/** When the session was ended; `undefined` when it was not, or went on since. */
export function findEndTime(path: string): string | undefined {
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true })) {
    if (entry.kind !== 'event') continue
    if (entry.event.type === 'session_terminator') return entry.event.ts
    if (isOnChain(entry.event)) return undefined
  }
  return undefined
}
