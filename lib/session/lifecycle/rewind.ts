// Which event a rewind links to. A rewind is an event like any other, so another rewind can undo it
// and the branch that was left stays readable.

import { isGap, type Projection, type ProjectionEntry } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'

export interface RewindContext {
  readonly projection: Projection
  readonly path: string
  readonly headerUuid: string | null
  /** Finds the event of that uuid in this file, on the chain or off it. */
  readonly find: (uuid: string) => SessionEvent | undefined
  /** What this file's projection began with. */
  readonly inherited: () => readonly ProjectionEntry[]
}

export interface RewindLink {
  readonly prevUuid: string
  /** Cuts the projection after this message, where the link alone cannot express it. */
  readonly truncateAfter: string | undefined
}

export function rewindLink(to: string, place: RewindContext): RewindLink {
  const { projection, headerUuid, path } = place
  const index = projection.entries.findLastIndex(
    (entry) => !isGap(entry) && entry.event.uuid === to,
  )
  // A message before the last compaction: linking to it would undo the compaction.
  if (index !== -1 && index < projection.compactedCount && projection.lastBoundary !== null) {
    return { prevUuid: projection.lastBoundary.uuid, truncateAfter: to }
  }
  const event = place.find(to)
  if (event !== undefined) {
    if (isOnChain(event)) return { prevUuid: to, truncateAfter: undefined }
    throw new SessionError('ERR_ARG', `"${to}" is off-chain (${event.type}); rewind to a message`, {
      to,
    })
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
