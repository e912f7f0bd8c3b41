// The projection of a session that is being written: it is advanced, not computed again.
//
// An event that goes on from the tip is taken as it is. One that does not (a rewind, a repeated
// line, another writer's branch) may change the whole path; then it says so and stays as it was,
// and the caller reads again.

import { isHeaderType, isOnChain } from '../format/index.js'
import { Fold, type FoldOptions } from './fold.js'
import type { PathEvent, PlacedEvent } from './projection.js'
import { Revisions } from './revisions.js'

export interface LiveProjectionOptions extends FoldOptions {
  /** The path so far, root first. */
  readonly path?: Iterable<PathEvent> | undefined
  /** What the next event must name, as the walk found it. Needed where there is a path. */
  readonly nextPrevUuid?: string | null | undefined
  /** Whether the path ends with the last event of the chain in the file. Default `true`. */
  readonly isTipNewest?: boolean | undefined
}

export class LiveProjection extends Fold {
  readonly #revisions: Revisions
  #nextPrevUuid: string | null
  #isTipNewest: boolean
  #isEmpty = true
  /** Nothing but headers so far. */
  #isAtStart = true

  constructor(options: LiveProjectionOptions) {
    const { path = [], nextPrevUuid = null, isTipNewest = true } = options
    const { revisions = new Revisions() } = options
    super({ ...options, revisions })
    this.#revisions = revisions
    this.#nextPrevUuid = nextPrevUuid
    this.#isTipNewest = isTipNewest
    for (const placed of path) this.#take(placed)
  }

  /** The next event of the file. `false`: nothing was taken, the file must be read again. */
  push(placed: PlacedEvent): boolean {
    const { event } = placed
    if (!isOnChain(event)) {
      const revised = this.#revisions.take(placed)
      if (revised !== undefined) this.revise(revised)
      if (event.type === 'turn_end' && this.#isTipNewest && !this.#isEmpty) this.endTurn()
      return true
    }
    const isHeader = isHeaderType(event.type)
    // Behind other events a header is a stray one, and off the chain.
    if (isHeader && !this.#isAtStart) return true
    const isRoot = this.#isEmpty && event.prev_uuid === null
    const isNext = event.prev_uuid !== null && event.prev_uuid === this.#nextPrevUuid
    if (!isHeader && !isRoot && !isNext) return false
    this.#revisions.take(placed)
    this.#take(placed)
    this.#nextPrevUuid = event.uuid
    this.#isTipNewest = true
    return true
  }

  #take(placed: PathEvent): void {
    this.#isEmpty = false
    if (!isHeaderType(placed.event.type)) this.#isAtStart = false
    this.take(placed)
  }
}
