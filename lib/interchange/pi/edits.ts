// The edits that are in effect at an entry: a list from the newest to the oldest on its path. Entries of one
// branch share it.

import type { Node } from './path.js'

export interface Edit {
  readonly target: Node
  /** `null` leaves the message out. */
  readonly replacement: unknown
  readonly up: Edit
  readonly depth: number
}

/** The end of every list. */
export const NO_EDITS = { depth: 0 } as Edit

export interface Change {
  readonly target: Node
  /** `undefined`: the message is as it was. */
  readonly replacement: unknown
}

/** What is different after a change from the edits of one entry to those of another. */
export function listChanges(before: Edit, after: Edit): readonly Change[] {
  const targets = new Set<Node>()
  let [left, taken] = [before, after]
  while (left !== taken) {
    const isDeeper = left.depth > taken.depth
    targets.add(isDeeper ? left.target : taken.target)
    if (isDeeper) left = left.up
    else taken = taken.up
  }
  return [...targets].map((target) => ({ target, replacement: findReplacement(after, target) }))
}

function findReplacement(edits: Edit, target: Node): unknown {
  for (let at = edits; at.depth > 0; at = at.up) if (at.target === target) return at.replacement
  return undefined
}
