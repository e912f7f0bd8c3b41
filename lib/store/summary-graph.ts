// The summaries of a store, by session. Derived from the logs each time and never saved.

import { listSessions } from './catalog.js'
import type { StoreOptions } from './layout.js'
import type { SessionDigest } from './session-digest.js'
import {
  checkpointNode,
  compactionsIn,
  type PlacedNode,
  type SummaryCheckpoint,
} from './summary-nodes.js'

export class SummaryGraph {
  readonly #digests: ReadonlyMap<string, SessionDigest>
  readonly #nodes = new Map<string, PlacedNode[]>()
  /** What stands in a file, whoever's node it is: a fork begins with those of its source. */
  readonly #inFile = new Map<string, readonly PlacedNode[]>()

  constructor(digests: readonly SessionDigest[], checkpoints: Iterable<SummaryCheckpoint>) {
    this.#digests = new Map(digests.map((digest) => [digest.session_id, digest]))
    for (const digest of digests) this.#inFile.set(digest.path, compactionsIn(digest))
    for (const { session_id, path } of digests) {
      const own = this.#inFile.get(path)!.filter((node) => this.#originOf(node) === node)
      this.#nodes.set(session_id, own)
    }
    for (const checkpoint of checkpoints) this.#addCheckpoint(checkpoint)
  }

  *nodes(): Generator<PlacedNode> {
    for (const nodes of this.#nodes.values()) yield* nodes
  }

  /** Those of one session, in the order of its transcript. */
  nodesOf(sessionId: string): readonly PlacedNode[] {
    return this.#nodes.get(sessionId) ?? []
  }

  digestOf(sessionId: string): SessionDigest | undefined {
    return this.#digests.get(sessionId)
  }

  /** The node of a summary, by the file it was met in. */
  nodeAt(path: string, summaryUuid: string): PlacedNode | undefined {
    const inFile = this.#inFile.get(path)
    const node = inFile?.findLast((one) => one.compaction?.summaryUuid === summaryUuid)
    return node && this.#originOf(node)
  }

  /** The nearest session that this one continues and that has nodes. */
  continuedBy(sessionId: string): string | undefined {
    const seen = new Set([sessionId])
    for (let id = this.#parentOf(sessionId); id !== undefined; id = this.#parentOf(id)) {
      if (seen.has(id)) return undefined
      seen.add(id)
      if (this.nodesOf(id).length > 0) return id
    }
    return undefined
  }

  /** The sessions that continue this one, over any number of steps. */
  descendantsOf(sessionId: string): string[] {
    const found = new Set([sessionId])
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const [id] of this.#digests) if (found.has(this.#parentOf(id) ?? '')) found.add(id)
    }
    found.delete(sessionId)
    return [...found]
  }

  #parentOf(sessionId: string): string | undefined {
    return this.#digests.get(sessionId)?.resumedFrom?.session_id
  }

  /** A node that a fork copied is its source's, as long as the source has it. */
  #originOf(node: PlacedNode): PlacedNode {
    const seen = new Set<string>()
    let origin = node
    for (let id = node.sessionId; !seen.has(id); id = origin.sessionId) {
      seen.add(id)
      const source = this.#digests.get(this.#digests.get(id)?.forkedFrom?.session_id ?? '')
      const { boundaryUuid } = origin.compaction ?? {}
      const copied = source && this.#inFile.get(source.path)
      origin = copied?.find((it) => it.compaction?.boundaryUuid === boundaryUuid) ?? origin
    }
    return origin
  }

  #addCheckpoint(checkpoint: SummaryCheckpoint): void {
    const nodes = this.#nodes.get(checkpoint.session_key) ?? []
    const node = checkpointNode(checkpoint, nodes)
    if (node === undefined) return
    const place = nodes.findLastIndex((other) => other.place <= node.place) + 1
    nodes.splice(place, 0, node)
    this.#nodes.set(checkpoint.session_key, nodes)
  }
}

/** The graph of one agent. */
export function readSummaryGraph(
  { root, home, agent }: StoreOptions,
  checkpoints: Iterable<SummaryCheckpoint>,
): SummaryGraph {
  return new SummaryGraph(listSessions({ root, home, agent, all: true }).sessions, checkpoints)
}
