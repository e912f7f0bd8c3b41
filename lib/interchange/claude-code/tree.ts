// The tree of a Claude Code transcript as our chain: which event the next line follows.
//
// Lines name their parents, so branches stay branches. Only the lines of one reply differ: it is
// written as one line per block, and the results of parallel tools are children of different blocks.
// A walk up from the last line would miss all but one of them, so here they follow each other in the
// order of the file. Of the lines before a compaction only those that it keeps are remembered.

import { HEADER_UUID } from '../import/importer.js'

/** An event of the main chain since the last boundary. */
export interface Node {
  readonly uuid: string
  /** What it follows here; `undefined` at the header and at a boundary. */
  readonly up: Node | undefined
  /** The reply it belongs to: of a block, of a result, of their children. */
  readonly reply: string | undefined
  /** The model sees it. */
  readonly isMessage: boolean
  /** Claude Code can take it for the end of the conversation. */
  readonly isEnd: boolean
}

interface Line {
  /** What its children follow. */
  readonly node: Node
  /** The event it became; `undefined` if it became no event. */
  readonly own: Node | undefined
  /** As in the file, to walk through a kept segment. */
  readonly parent: string | null
  /** Kept by the last boundary, and not the last of those. */
  readonly isKept: boolean
}

export type Place =
  | { readonly kind: 'found'; readonly node: Node }
  /** It continues from the middle of what a boundary kept. */
  | { readonly kind: 'kept'; readonly node: Node }
  | { readonly kind: 'unknown' }

const LOOSE = { up: undefined, reply: undefined, isMessage: false, isEnd: false }
const ROOT: Node = { ...LOOSE, uuid: HEADER_UUID }

export class ClaudeTree {
  #lines = new Map<string, Line>()
  #boundary: Node | undefined
  #tip: Node = ROOT
  #newest: Node = ROOT
  #hasKept = false

  get root(): Node {
    return ROOT
  }

  get tip(): Node {
    return this.#tip
  }

  /** The event that was added last, also beside the path. */
  get newest(): Node {
    return this.#newest
  }

  get boundary(): Node | undefined {
    return this.#boundary
  }

  /** The last compaction kept messages. */
  get hasKept(): boolean {
    return this.#hasKept
  }

  /** A line that is remembered, whether or not it became an event on the path. */
  has(id: string): boolean {
    return this.#lines.has(id)
  }

  /** The event a line became, unless a compaction dropped it. */
  eventOf(id: string): Node | undefined {
    return this.#lines.get(id)?.own
  }

  /** What follows a line if nothing else does. */
  whereIs(id: string): Place {
    const line = this.#lines.get(id)
    if (line === undefined) return { kind: 'unknown' }
    return { kind: line.isKept ? 'kept' : 'found', node: line.node }
  }

  /** What a line with this parent follows; `reply` is the reply it is a block of. */
  placeFor(parent: string | null | undefined, reply: string | undefined): Place {
    if (parent === null) return { kind: 'found', node: ROOT }
    if (parent === undefined) return { kind: 'found', node: this.#tip }
    const place = this.whereIs(parent)
    if (place.kind !== 'found') return place
    const { node } = place
    return { kind: 'found', node: this.#isReplyBetween(node, reply) ? this.#tip : node }
  }

  /** Whether everything from the tip back to the node belongs to one of the two replies. */
  #isReplyBetween(node: Node, own: string | undefined): boolean {
    if (node === this.#tip) return true
    const replies = [node.reply, own].filter((reply) => reply !== undefined)
    let at: Node | undefined = this.#tip
    while (at !== undefined && at !== node) {
      if (at.reply === undefined || !replies.includes(at.reply)) return false
      at = at.up
    }
    return at === node
  }

  /** A line that became an event. `id`: its id in the file. */
  add(id: string, parent: string | null, node: Node): void {
    // A parent is named by the string that is held already: files of any size must fit.
    const held = parent === null ? undefined : this.#lines.get(parent)?.own?.uuid
    const known = held === parent ? held : parent
    this.#lines.set(id, { node, own: node, parent: known, isKept: false })
    this.#tip = node
    this.#newest = node
  }

  /** A line that became an event which the model does not see: its children follow its parent. */
  addAside(
    id: string,
    parent: string | null,
    { uuid, place }: { uuid: string; place: Node },
  ): void {
    this.bridge(id, parent, place)
    this.#newest = { ...LOOSE, uuid, up: place, isEnd: true }
  }

  /** An event of ours between two lines. */
  insert(uuid: string, after: Node): Node {
    this.#tip = { ...LOOSE, uuid, up: after, reply: after.reply }
    this.#newest = this.#tip
    return this.#tip
  }

  /** A line that became no event: its children follow its parent. */
  bridge(id: string, parent: string | null, node: Node): void {
    this.#lines.set(id, { node, own: undefined, parent, isKept: false })
  }

  /** From the tail up to the head, by the links of the file; in the order of the file. */
  segment(head: string, tail: string): { uuids: string[]; isWhole: boolean } {
    const uuids: string[] = []
    const visited = new Set<string>()
    for (let at: string | null = tail; at !== null && !visited.has(at); ) {
      const line: Line | undefined = this.#lines.get(at)
      if (line === undefined) break
      visited.add(at)
      if (line.own !== undefined) uuids.push(at)
      if (at === head) return { uuids: uuids.reverse(), isWhole: true }
      at = line.parent
    }
    return { uuids: uuids.reverse(), isWhole: false }
  }

  /** What the summary of a compaction follows: the path that holds what it keeps. */
  placeForSummary(kept: readonly string[]): Node {
    const last = this.#lines.get(kept.at(-1) ?? '')
    if (last === undefined || last.isKept || last.node === this.#boundary) return this.#tip
    return this.isOnPath(last.node) ? this.#tip : last.node
  }

  isOnPath(node: Node, from = this.#tip): boolean {
    for (let at: Node | undefined = from; at !== undefined; at = at.up) {
      if (at === node) return true
    }
    return false
  }

  countMessages(): number {
    let count = 0
    for (let at: Node | undefined = this.#tip; at !== undefined; at = at.up) {
      if (at.isMessage) count++
    }
    return count
  }

  /** A compaction: drops what it does not keep. */
  compact(ids: CompactedIds, kept: readonly string[]): void {
    const boundary: Node = { ...LOOSE, uuid: ids.boundaryUuid, isEnd: true }
    const summary: Node = { ...LOOSE, uuid: ids.summaryUuid, isMessage: true }
    const lines = new Map<string, Line>()
    for (const [index, id] of kept.entries()) {
      const line = this.#lines.get(id)
      if (line === undefined) continue
      // A line that follows the last of them follows the boundary.
      const isLast = kept.slice(index + 1).every((later) => this.#isSameReply(line, later))
      lines.set(id, isLast ? { ...line, node: boundary } : { ...line, isKept: true })
    }
    const here = { node: boundary, parent: null, isKept: false }
    lines.set(ids.boundary, { ...here, own: boundary })
    for (const id of ids.summaries) lines.set(id, { ...here, own: summary, parent: ids.boundary })
    this.#lines = lines
    this.#boundary = boundary
    this.#tip = boundary
    this.#newest = boundary
    this.#hasKept = kept.length > 0
  }

  /** The messages since the last compaction that no other message follows. */
  findEnds(): Node[] {
    const ends = new Set<Node>()
    const followed = new Set<Node>()
    for (const { own, node, isKept } of this.#lines.values()) {
      if (own !== node || isKept || !own.isEnd) continue
      ends.add(own)
      let at = own.up
      while (at !== undefined && !at.isEnd) at = at.up
      if (at !== undefined) followed.add(at)
    }
    return [...ends].filter((end) => !followed.has(end))
  }

  #isSameReply({ own }: Line, other: string): boolean {
    return own?.reply !== undefined && this.#lines.get(other)?.own?.reply === own.reply
  }
}

/** The ids of the lines of a compaction in the file, and of the events they became. */
export interface CompactedIds {
  readonly boundary: string
  readonly summaries: readonly string[]
  readonly boundaryUuid: string
  readonly summaryUuid: string
}
