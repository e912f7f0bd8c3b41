// Which event is the tip: the newest of the chain, the one the next event follows.
//
// It is the last on-chain event of the file, except where a line merely repeats an older one
// (a copied block, a stray header): standing at the end does not make it new. Writers and readers
// share this rule, so that both continue from the same event.

import type { SessionEvent } from './event.js'
import { isHeaderType, isOnChain } from './record-types.js'

/** What the rule looks at; a boundary is genuine if it says its own offset. */
export interface Link {
  readonly type: string
  readonly uuid: string
  readonly prev_uuid: string | null
  /** Of a rewind: the tip it left. */
  readonly fromUuid?: string | undefined
  /** Of a boundary: its line is at the offset that it records. */
  readonly isGenuine?: boolean | undefined
}

/** A link and the position of its line. */
export interface PlacedLink extends Link {
  readonly byte_offset: number
  readonly line_number?: number | undefined
}

export function linkOf(event: SessionEvent, byte_offset: number, base = 0): PlacedLink {
  const { type, uuid, prev_uuid } = event
  // The payload of other types is not needed, and may not even be read yet.
  if (type !== 'rewind' && type !== 'compaction_boundary') {
    return { type, uuid, prev_uuid, byte_offset }
  }
  const { from_uuid, offsets } = (event.payload ?? {}) as Record<string, unknown>
  if (type === 'rewind') {
    const fromUuid = typeof from_uuid === 'string' ? from_uuid : undefined
    return { type, uuid, prev_uuid, byte_offset, fromUuid }
  }
  const self = (offsets as { self?: unknown } | null | undefined)?.self
  return { type, uuid, prev_uuid, byte_offset, isGenuine: self === byte_offset - base }
}

/** The event continues from that tip, by its link or, a rewind, by what it left. */
export function follows(link: Link, tip: string): boolean {
  return link.prev_uuid === tip || link.fromUuid === tip
}

export type TipVerdict = 'tip' | 'off_chain' | 'extra_header' | 'duplicate_uuid'

/** Goes through a file's events in order. `isKnown`: whether an earlier one had that uuid. */
export class TipRule {
  readonly #isKnown: (uuid: string) => boolean
  #tip: string | null
  #isAtStart: boolean

  constructor(isKnown: (uuid: string) => boolean, tip: string | null = null) {
    this.#isKnown = isKnown
    this.#tip = tip
    this.#isAtStart = tip === null
  }

  get tip(): string | null {
    return this.#tip
  }

  take(link: Link): TipVerdict {
    if (!isOnChain(link)) return 'off_chain'
    // A fork begins with its own header, followed by those of its source.
    if (isHeaderType(link.type) && !this.#isAtStart) return 'extra_header'
    const isNew =
      this.#tip === null ||
      follows(link, this.#tip) ||
      link.isGenuine === true ||
      !this.#isKnown(link.uuid)
    if (!isNew) return 'duplicate_uuid'
    this.#isAtStart = isHeaderType(link.type)
    this.#tip = link.uuid
    return 'tip'
  }
}
