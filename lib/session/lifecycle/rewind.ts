// Which event a rewind links to. A rewind is an event like any other, so another rewind can undo it
// and the branch that was left stays readable.

import { isGap, type Projection, type ProjectionStart } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { isOnChain, type SessionEvent } from '../../format/index.js'
import type { NewEvent, Receipt } from '../../log/index.js'
import { idOfFileName } from '../../store/index.js'

/** Where to continue. */
export interface RewindOptions {
  /** The message to continue from. */
  to: string
  /**
   * Why, stored with the rewind.
   *
   * @default none
   */
  reason?: string | undefined
  /**
   * For a message that a later compaction kept: the model sees the summary and what was kept up to
   * this message, instead of what it saw when this message was the newest.
   *
   * @default false
   */
  keepCompaction?: boolean | undefined
  /**
   * Events to append after the rewind, in the same write: a reader finds all of it or nothing.
   *
   * @default none
   */
  append?: readonly NewEvent[] | undefined
}

/** The receipt of a rewind, and those of the events that were appended with it. */
export type RewindReceipt = Receipt & { readonly appended: readonly Receipt[] }

export interface RewindContext {
  readonly projection: Projection
  readonly path: string
  readonly headerUuid: string | null
  /** Finds the event of that uuid in this file, on the chain or off it. */
  readonly find: (uuid: string) => SessionEvent | undefined
  /** What this file's projection began with. */
  readonly inherited: () => Inherited
}

export type Inherited = Pick<ProjectionStart, 'entries' | 'compactedCount'>

export interface RewindLink {
  readonly prevUuid: string
  /** Cuts the projection after this message, where the link alone cannot express it. */
  readonly truncateAfter: string | undefined
}

/** The rewind from this tip, as it is written. */
export function rewindEvent(
  { to, reason }: RewindOptions,
  { prevUuid, truncateAfter }: RewindLink,
  tip: string | null,
): NewEvent {
  const payload = {
    target_uuid: to,
    from_uuid: tip ?? prevUuid,
    ...(truncateAfter !== undefined && { truncate_after: truncateAfter }),
    ...(reason !== undefined && { reason }),
  }
  return { type: 'rewind', prev_uuid: prevUuid, payload }
}

/** Links so that the model sees what it saw when the target was the newest event. */
export function rewindLink(
  { to, keepCompaction = false }: RewindOptions,
  place: RewindContext,
): RewindLink {
  const { projection, headerUuid, path } = place
  const { lastBoundary, compactedCount } = projection
  const isKept = keepCompaction && lastBoundary !== null && isWithin(indexOf(to, projection))
  if (isKept) return { prevUuid: lastBoundary.uuid, truncateAfter: to }
  const event = place.find(to)
  if (event !== undefined) {
    if (isOnChain(event)) return { prevUuid: to, truncateAfter: undefined }
    throw new SessionError('ERR_ARG', `"${to}" is off-chain (${event.type}); rewind to a message`, {
      to,
    })
  }
  const inherited = place.inherited()
  const index = indexOf(to, inherited)
  if (headerUuid === null || index === -1) {
    throw new SessionError(
      'ERR_NOT_FOUND',
      `No event "${to}" in ${path}; if another session holds it, use: fork <session> --at ${to}`,
      { to, path },
    )
  }
  if (index < inherited.compactedCount && !keepCompaction) {
    const owner = idOfFileName(inherited.entries[index]!.file)
    const what = `"${to}" is in session "${owner}", before a compaction that this session inherited`
    const advice = `use: fork ${owner} --at ${to}; or keepCompaction to keep the summary`
    throw new SessionError('ERR_ARG', `${what}; ${advice}`, { to, sessionId: owner })
  }
  return { prevUuid: headerUuid, truncateAfter: to }

  function isWithin(found: number): boolean {
    return found !== -1 && found < compactedCount
  }
}

function indexOf(uuid: string, { entries }: Pick<Inherited, 'entries'>): number {
  return entries.findLastIndex((entry) => !isGap(entry) && entry.event.uuid === uuid)
}
