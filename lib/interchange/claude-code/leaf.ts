// Where a conversation of Claude Code ends: at the line that it recorded as the leaf, or at the newest line
// of the file if that follows the leaf. After a compaction that keeps messages, only an end counts.

import { textOf } from '../import/fields.js'
import type { ForeignValue } from '../import/importer.js'
import type { ClaudeTree, Node, Place } from './tree.js'

export class ClaudeLeaf {
  /** The last line of the file, by its id there. */
  #newest: string | undefined
  #recorded: string | undefined
  /** The user chose the recorded leaf, and no line was written since. */
  #isExplicit = false
  /** The user rewound to before the first message, and no line was written since. */
  #isCleared = false

  /** For every line of the session in the order of the file. */
  addLine(id: string, { isBoundary }: { isBoundary: boolean }): void {
    this.#newest = id
    this.#isExplicit = false
    this.#isCleared = false
    if (isBoundary) this.#recorded = undefined
  }

  /** For a `last-prompt`. */
  addRecorded({ leafUuid, explicit }: ForeignValue): void {
    const id = textOf(leafUuid)
    const isExplicit = explicit === true
    if (id !== undefined) {
      this.#isExplicit = isExplicit || (this.#isExplicit && id === this.#recorded)
      this.#recorded = id
      this.#isCleared = false
    } else if (leafUuid === null && isExplicit) {
      this.#isCleared = true
      this.#isExplicit = false
      this.#recorded = undefined
    }
  }

  /** What the next message would follow; `undefined` if no line of the file is known. */
  find(tree: ClaudeTree): Place | undefined {
    if (this.#isCleared) return { kind: 'found', node: tree.root }
    const newest = placeOf(tree, this.#newest)
    const recorded = placeOf(tree, this.#recorded)
    const leaf = this.#choose(tree, recorded, newest)
    if (leaf === undefined || leaf.kind === 'kept') return leaf
    return { kind: 'found', node: endBefore(leaf.node) }
  }

  #choose(
    tree: ClaudeTree,
    recorded: KnownPlace | undefined,
    newest: KnownPlace | undefined,
  ): KnownPlace | undefined {
    if (this.#isExplicit && recorded !== undefined) return recorded
    if (tree.hasKept) {
      const ends = tree.findEnds()
      if (ends.length === 1) return { kind: 'found', node: ends[0]! }
      return recorded !== undefined && ends.includes(recorded.node) ? recorded : newest
    }
    if (recorded === undefined || newest === undefined) return recorded ?? newest
    return tree.isOnPath(recorded.node, newest.node) ? newest : recorded
  }
}

type KnownPlace = Exclude<Place, { kind: 'unknown' }>

function placeOf(tree: ClaudeTree, id: string | undefined): KnownPlace | undefined {
  const place = id === undefined ? undefined : tree.whereIs(id)
  return place === undefined || place.kind === 'unknown' ? undefined : place
}

/** The nearest event at which a conversation can end. */
function endBefore(node: Node): Node {
  let at = node
  while (!at.isEnd && at.up !== undefined) at = at.up
  return at
}
