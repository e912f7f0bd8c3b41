// Single events of a transcript: by uuid, with a scan that parses only the line it finds, and the end.

import type { PlacedEvent } from '../../chain/index.js'
import { isOnChain } from '../../format/index.js'
import { indexUuids, readLogBackwardSync, readLogSync } from '../../log/index.js'
import { lineStartBefore } from '../../log/internal.js'
import type { StoreContext } from '../context.js'

/** The last one of that uuid. */
export function findEvent(
  { env }: StoreContext,
  path: string,
  uuid: string,
): (PlacedEvent & { length: number }) | undefined {
  const offset = indexUuids(path, { verify: true, environment: env }).find(uuid)
  if (offset === undefined) return undefined
  for (const entry of readLogSync(path, { from: offset, environment: env })) {
    if (entry.kind === 'event' && entry.event.uuid === uuid) return entry
  }
  return undefined
}

/** When the session ended; `undefined` when it did not, was resumed, or has no transcript. */
export function findEndTime({ env }: StoreContext, path: string): string | undefined {
  if (!env.fs.existsSync(path)) return undefined
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true, environment: env })) {
    if (entry.kind !== 'event') continue
    if (entry.event.type === 'session_terminator') return entry.event.ts
    if (isOnChain(entry.event)) return undefined
  }
  return undefined
}

/** Where the line begins that contains the byte before `offset`. */
export function findLineStart({ env }: StoreContext, path: string, offset: number): number {
  return lineStartBefore(path, offset, env)
}
