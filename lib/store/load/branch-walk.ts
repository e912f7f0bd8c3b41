// The part of one file that is on a branch, found by its links from the end of the file.

import { fieldsOf, type PlacedEvent } from '../../chain/index.js'
import { textOf } from '../../format/fields.js'
import { isHeaderType, isOnChain, type SessionEvent } from '../../format/index.js'
import type { LogEntry } from '../../log/index.js'

/** Bytes of a file that are on the branch. */
export interface Part {
  from: number
  to: number
}

export interface Branch {
  readonly parts: readonly Part[]
  readonly isFound: boolean
  /** What a rewind of this file cut the branch after, if that is in an ancestor. */
  readonly cut: string | undefined
  /** How many of the wanted events are on it. */
  readonly count: number
}

/** The newest events that a caller wants. */
export interface LastEvents {
  readonly count: number
  readonly types: ReadonlySet<string>
}

export interface BranchStart {
  readonly tip: string | undefined
  readonly cut: string | undefined
  /** Off-chain events after the tip are left out. */
  readonly endsAtTip: boolean
  /** Stop when this many events of these types are on the branch. */
  readonly last?: LastEvents | undefined
}

/** Follows the links of a file from its end, and collects what is on the branch. */
export class BranchWalk implements Branch {
  readonly parts: Part[] = []
  isFound = false
  cut: string | undefined
  readonly #exact: ReadonlySet<number> | undefined
  readonly #rootOffset: number
  /** The event that ends the branch; `undefined`: off-chain events may follow its tip. */
  readonly #last: string | undefined
  /** The uuid of the next event of the branch; `null`: the next on-chain event, whatever it is. */
  #wanted: string | null | undefined
  #open: Part | undefined
  /** Off-chain events up to here belong to the on-chain event before them. */
  #end: number | undefined
  #isAtRoot = false
  readonly #lastEvents: LastEvents | undefined
  count = 0

  constructor(
    { headers }: { readonly headers: readonly PlacedEvent[] },
    start: BranchStart,
    exact?: ReadonlySet<number>,
  ) {
    const { tip, cut, endsAtTip, last } = start
    this.#lastEvents = last
    this.#wanted = tip
    this.#last = endsAtTip ? tip : undefined
    this.cut = cut
    this.#exact = exact
    this.#rootOffset = headers.at(-1)?.byte_offset ?? -1
  }

  /** The branch has an event that follows a missing one. */
  get isLost(): boolean {
    if (this.isComplete) return false
    return this.isFound && !this.#isAtRoot && typeof this.#wanted === 'string'
  }

  /** All events that were wanted are there. */
  get isComplete(): boolean {
    return this.#lastEvents !== undefined && this.count >= this.#lastEvents.count
  }

  /** Returns whether nothing more is needed. */
  add(entry: LogEntry): boolean {
    const end = entry.byte_offset + entry.length + 1
    this.#end ??= end
    if (entry.kind !== 'event') return false
    const { event, byte_offset } = entry
    if (!this.isFound && event.uuid === this.#last) this.#end = end
    if (!isOnChain(event)) {
      // The branch ends with the on-chain event before an off-chain one that was named.
      if (!this.isFound && event.uuid === this.#wanted) this.#wanted = null
      return false
    }
    const isHeader = isHeaderType(event.type)
    // A header in the middle of a file is not part of its chain.
    if (isHeader && byte_offset > this.#rootOffset) return false
    if (!this.#isOnBranch(event, byte_offset)) {
      this.#leave(byte_offset)
      return false
    }
    this.isFound = true
    this.#wanted = event.prev_uuid
    const isCut = this.cut !== undefined && event.uuid !== this.cut
    if (isCut) this.#leave(byte_offset)
    else this.#include(byte_offset)
    if (!isCut) this.cut = cutOf(event)
    if (!isCut && this.#lastEvents?.types.has(event.type) === true) this.count++
    this.#isAtRoot = isHeader
    return isHeader || this.isComplete
  }

  #isOnBranch({ uuid }: SessionEvent, byteOffset: number): boolean {
    if (this.#exact !== undefined) return this.#exact.has(byteOffset)
    return this.#wanted === null || uuid === this.#wanted
  }

  #include(byteOffset: number): void {
    if (this.#open === undefined) {
      this.#open = { from: byteOffset, to: this.#end! }
      this.parts.unshift(this.#open)
    }
    this.#open.from = byteOffset
  }

  #leave(byteOffset: number): void {
    this.#open = undefined
    this.#end = byteOffset
  }
}

/** A rewind may cut what it follows, instead of linking to its target. */
function cutOf({ type, payload }: SessionEvent): string | undefined {
  if (type !== 'rewind') return undefined
  return textOf(fieldsOf(payload)['truncate_after']) ?? undefined
}
