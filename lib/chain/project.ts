// From events to the projection. This is the definition: a reader that reads less than the whole file
// must get the same result, and may use it only where `complete` is set.

import { isHeaderType, isOnChain, linkOf } from '../format/index.js'
import { Fold, type FoldOptions, Revisions } from './fold.js'
import {
  fieldsOf,
  opaqueStart,
  type PathEvent,
  type PlacedEvent,
  type Projection,
  type ProjectionStart,
} from './projection.js'
import { type Walk, walkChain } from './walk.js'

/** Folds the events of a path, root first, onto the projection before them. */
export function project(path: Iterable<PathEvent>, options: FoldOptions): Projection {
  const fold = new Fold(options)
  for (const placed of path) fold.apply(placed)
  return toSnapshot(fold)
}

export interface ProjectLogOptions {
  readonly file: string
  /**
   * The continuation of the parent's projection.
   *
   * @default the file has no parent
   */
  readonly start?: ProjectionStart | undefined
  /**
   * The projection as of this event.
   *
   * @default the tip
   */
  readonly at?: string | undefined
  /**
   * `then`: summaries with the text they had before the next event.
   *
   * @default 'newest'
   */
  readonly revisions?: 'newest' | 'then' | undefined
  /**
   * `false`: these are only the last events of the file.
   *
   * @default true
   */
  readonly isWhole?: boolean | undefined
  /**
   * With `isWhole: false`, take the last event of these for the tip, although an earlier one could
   * decide otherwise: for views of a part.
   *
   * @default false
   */
  readonly trustsTip?: boolean | undefined
  /** Where offsets start in a fork; derived from the headers of a whole file. */
  readonly offsetBase?: number | undefined
}

export interface LogProjection {
  readonly walk: Walk
  readonly path: readonly PathEvent[]
  readonly revisions: Revisions
  readonly projection: Projection
}

/** Takes all events of a file, or its last ones, in order. */
export function projectLog(
  events: readonly PlacedEvent[],
  { file, start, at, revisions: which, isWhole = true, trustsTip, offsetBase }: ProjectLogOptions,
): LogProjection {
  const base = offsetBase ?? (isWhole ? offsetBaseOf(events) : 0)
  const links = events.map(({ event, byte_offset }) => linkOf(event, byte_offset, base))
  const walk = walkChain(links, { at, isWhole })
  // A path whose end is uncertain is not used: all of it counts as unread.
  const positions = walk.isUndecided && trustsTip !== true ? [] : walk.path
  const path = positions.map((position) => {
    const { event, byte_offset } = events[position]!
    const isAfterGap = walk.guessed.has(position)
    return { event, byte_offset, isAfterGap, turnEnded: walk.turnEnds.has(position) }
  })
  const revisions = new Revisions()
  const known = which === 'then' ? events.slice(0, nextOnChain(events, walk)) : events
  for (const placed of known) revisions.add(placed)
  const before = walk.reachedOpaque ? opaqueStart(file) : start
  const projection = project(path, { file, start: before, revisions })
  return { walk, path, revisions, projection }
}

/**
 * In a fork offsets are relative to the end of its own header. A fork of a fork has several headers,
 * and their bases add up.
 */
export function offsetBaseOf(events: Iterable<PlacedEvent>): number {
  let sum = 0
  for (const { event } of events) {
    if (!isHeaderType(event.type)) break
    const { base } = fieldsOf(fieldsOf(event.payload)['forked_from'])
    if (Number.isSafeInteger(base)) sum += base as number
  }
  return sum
}

/** The position of the first on-chain event after the path. */
function nextOnChain(events: readonly PlacedEvent[], { path }: Walk): number {
  const last = path.at(-1) ?? -1
  const next = events.findIndex(
    ({ event }, position) => position > last && isOnChain(event) && !isHeaderType(event.type),
  )
  return next === -1 ? events.length : next
}

function toSnapshot(fold: Fold): Projection {
  const { entries, compactedCount, lastBoundary, contextEpoch } = fold
  const { unfinishedCompaction, degraded, complete, diagnostics, continuation } = fold
  return {
    entries,
    compactedCount,
    lastBoundary,
    contextEpoch,
    unfinishedCompaction,
    degraded,
    complete,
    diagnostics,
    continuation,
  }
}
