// From events to the projection. This is the definition; whoever reads less than the whole file
// must come to the same, and may trust the result only where it says that it is complete.

import { isHeaderType, isOnChain, linkOf } from '../format/index.js'
import { Fold, type FoldOptions } from './fold.js'
import {
  fieldsOf,
  opaqueStart,
  type PathEvent,
  type PlacedEvent,
  type Projection,
  type ProjectionStart,
} from './projection.js'
import { Revisions } from './revisions.js'
import { type Walk, walkChain } from './walk.js'

/** Folds the events of a path, root first, onto what was there before them. */
export function project(path: Iterable<PathEvent>, options: FoldOptions): Projection {
  const fold = new Fold(options)
  for (const placed of path) fold.take(placed)
  return snapshotOf(fold)
}

export interface ProjectLogOptions {
  readonly file: string
  /** The continuation of the parent's projection; default: the file has no parent. */
  readonly start?: ProjectionStart | undefined
  /** The projection as of this event; default: the tip. */
  readonly at?: string | undefined
  /** `then`: summaries read as they did before the next event. Default `newest`. */
  readonly revisions?: 'newest' | 'then' | undefined
  /** `false`: these are the last events of the file only. Default `true`. */
  readonly isWhole?: boolean | undefined
  /** Where offsets count from in a fork. Of a whole file it is known. */
  readonly offsetBase?: number | undefined
}

export interface LogProjection {
  readonly walk: Walk
  readonly path: readonly PathEvent[]
  readonly revisions: Revisions
  readonly projection: Projection
}

/** All of a file's events, or its last ones, in their order. */
export function projectLog(
  events: readonly PlacedEvent[],
  { file, start, at, revisions: which, isWhole = true, offsetBase }: ProjectLogOptions,
): LogProjection {
  const base = offsetBase ?? (isWhole ? offsetBaseOf(events) : 0)
  const links = events.map(({ event, byte_offset }) => linkOf(event, byte_offset, base))
  const walk = walkChain(links, { at, isWhole })
  // A path that may lead to another event tells nothing: all of it counts as not read.
  const positions = walk.isUndecided ? [] : walk.path
  const path = positions.map((position) => {
    const { event, byte_offset } = events[position]!
    const isAfterGap = walk.guessed.has(position)
    return { event, byte_offset, isAfterGap, isTurnEnded: walk.turnEnds.has(position) }
  })
  const revisions = new Revisions()
  const known = which === 'then' ? events.slice(0, nextOnChain(events, walk)) : events
  for (const placed of known) revisions.take(placed)
  const before = walk.reachedOpaque ? opaqueStart(file) : start
  const projection = project(path, { file, start: before, revisions })
  return { walk, path, revisions, projection }
}

/**
 * In a fork offsets count from the end of its own header. A fork of a fork begins with several
 * headers, and their bases add up.
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

/** Where the first event after the path stands that is on the chain. */
function nextOnChain(events: readonly PlacedEvent[], { path }: Walk): number {
  const last = path.at(-1) ?? -1
  const next = events.findIndex(
    ({ event }, position) => position > last && isOnChain(event) && !isHeaderType(event.type),
  )
  return next === -1 ? events.length : next
}

function snapshotOf(fold: Fold): Projection {
  const { entries, compactedCount, lastBoundary, contextEpoch } = fold
  const { unfinishedCompaction, isDegraded, isComplete, diagnostics, continuation } = fold
  return {
    entries,
    compactedCount,
    lastBoundary,
    contextEpoch,
    unfinishedCompaction,
    isDegraded,
    isComplete,
    diagnostics,
    continuation,
  }
}
