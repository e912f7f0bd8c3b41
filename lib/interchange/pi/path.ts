// The entries of a pi session from its root to one of them, and what a compaction keeps of them.

import type { Edit } from './edits.js'

export interface Node {
  readonly uuid: string
  readonly up: Node | undefined
  /** `system`: a change of the prompt, which the next compaction takes in. */
  readonly kind: 'message' | 'system' | 'hidden'
  /** How many messages there are on the path to it, with itself. */
  readonly count: number
  /** By the last compaction on the path. */
  readonly cut: Cut
  readonly edits: Edit
  /** Where to read it again. */
  readonly byteOffset: number
  readonly length: number
}

/** What a compaction left. */
export interface Cut {
  /** The number of compactions on the path. */
  readonly epoch: number
  /** The messages from this count on are still there. */
  readonly start: number
  /** How many messages were before it. */
  readonly count: number
  /** The event that is shown before what was kept. */
  readonly lead: string | undefined
}

export const NOTHING_CUT: Cut = { epoch: 0, start: 0, count: 0, lead: undefined }

export interface Kept {
  readonly first: Node | undefined
  /** What is shown before the first. */
  readonly before: string | undefined
  /** Changes of the prompt among what is kept. */
  readonly prompts: readonly Node[]
  /** The entry it names is not on the path. */
  readonly isMissing: boolean
  /** Some of it was left out by an earlier compaction. */
  readonly isCovered: boolean
}

/** What a compaction after `tip` keeps: from the entry `id` on; nothing if it is `undefined`. */
export function findKept(tip: Node, id: string | undefined): Kept {
  const { cut } = tip
  const prompts: Node[] = []
  let first: Node | undefined
  let isCovered = false
  let at: Node | undefined = id === undefined ? undefined : tip
  for (; at !== undefined; at = at.up) {
    if (at.kind !== 'hidden' && at.count < cut.start) isCovered = true
    else if (at.kind === 'message') first = at
    else if (at.kind === 'system' && at.count > cut.count) prompts.push(at)
    if (at.uuid === id) break
  }
  if (at === undefined) {
    return { ...NOTHING_KEPT, isMissing: id !== undefined }
  }
  return { first, before: first && findBefore(first, cut), prompts, isMissing: false, isCovered }
}

const NOTHING_KEPT: Kept = {
  first: undefined,
  before: undefined,
  prompts: [],
  isMissing: false,
  isCovered: false,
}

function findBefore(first: Node, cut: Cut): string | undefined {
  for (let at = first.up; at !== undefined && at.count >= cut.start; at = at.up) {
    const isTakenIn = at.kind === 'system' && at.count <= cut.count
    if (at.kind !== 'hidden' && !isTakenIn) return at.uuid
  }
  return cut.lead
}
