// Where a rewind links to. It is an event like any other, so it can be undone by another rewind,
// and the branch that was left stays readable.

import { isGap, type Projection, type ProjectionEntry } from '../chain/index.js'
import { SessionError } from '../errors.js'
import { isOnChain, type SessionEvent } from '../format/index.js'

export interface RewindPlace {
  readonly projection: Projection
  readonly path: string
  readonly headerUuid: string | null
  /** The event of that uuid in this file, on the chain or off it. */
  readonly find: (uuid: string) => SessionEvent | undefined
  /** What this file's projection began with, read if it was not. */
  readonly inherited: () => readonly ProjectionEntry[]
}

export interface RewindLink {
  readonly prevUuid: string
  /** Cuts the projection after this message, where the link alone cannot say it. */
  readonly truncateAfter: string | undefined
}

/** The first rule that fits. */
export function rewindLink(to: string, place: RewindPlace): RewindLink {
  const { projection, headerUuid, path } = place
  const index = projection.entries.findLastIndex(
    (entry) => !isGap(entry) && entry.event.uuid === to,
  )
  // A message that stands before the last compaction: linking to it would undo the compaction.
  if (index !== -1 && index < projection.compactedCount && projection.lastBoundary !== null) {
    return { prevUuid: projection.lastBoundary.uuid, truncateAfter: to }
  }
  const event = place.find(to)
  if (event !== undefined) {
    if (isOnChain(event)) return { prevUuid: to, truncateAfter: undefined }
    throw new SessionError('ERR_ARG', `"${to}" stands beside the chain (${event.type})`, { to })
  }
  const isInherited = () =>
    place.inherited().some((entry) => !isGap(entry) && entry.event.uuid === to)
  if (headerUuid !== null && isInherited()) return { prevUuid: headerUuid, truncateAfter: to }
  throw new SessionError(
    'ERR_NOT_FOUND',
    `No event "${to}" in ${path}; if another session holds it, use: fork <session> --at ${to}`,
    { to, path },
  )
}
