// The summaries of a store and what they cover, read from the logs each time. A compaction covers the
// summaries that were in the context before it and no longer after it, and the checkpoints since the
// previous compaction; the first node of a session that continues another covers the last node of
// that one.

import { isGap } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { listSessions } from '../catalog/list-sessions.js'
import type { SessionInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { loadSession } from '../load/load-session.js'
import {
  type PlacedNode,
  readCompactions,
  type SummaryCheckpoint,
  toCheckpointNode,
} from './nodes.js'

export class SummaryGraph {
  readonly #store: StoreContext
  readonly #sessions: ReadonlyMap<string, SessionInfo>
  readonly #nodes = new Map<string, PlacedNode[]>()
  /** The compactions of each file; a fork begins with those of its source. */
  readonly #inFile = new Map<string, readonly PlacedNode[]>()

  constructor(store: StoreContext, checkpoints: Iterable<SummaryCheckpoint> = []) {
    const { sessions } = listSessions(store, { all: true })
    this.#store = store
    this.#sessions = new Map(sessions.map((session) => [session.sessionId, session]))
    for (const session of sessions) this.#inFile.set(session.path, readCompactions(store, session))
    for (const { sessionId, path } of sessions) {
      const own = this.#inFile.get(path)!.filter((node) => this.#findOrigin(node) === node)
      this.#nodes.set(sessionId, own)
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

  pathOf(sessionId: string): string | undefined {
    return this.#sessions.get(sessionId)?.path
  }

  /** What the node covers. */
  childrenOf(node: PlacedNode): PlacedNode[] {
    const children = new Set(this.#coveredBy(node))
    const isFirst = this.nodesOf(node.sessionId)[0] === node
    const continued = isFirst ? this.#continuedBy(node.sessionId) : undefined
    if (continued !== undefined) children.add(this.nodesOf(continued).at(-1)!)
    return [...children]
  }

  /** What covers the node. */
  parentsOf(node: PlacedNode): PlacedNode[] {
    const siblings = this.nodesOf(node.sessionId)
    const candidates = [
      ...siblings.slice(siblings.indexOf(node) + 1),
      ...this.#descendantsOf(node.sessionId).flatMap((id) => this.nodesOf(id)),
    ]
    return candidates.filter((candidate) => this.childrenOf(candidate).includes(node))
  }

  #coveredBy(node: PlacedNode): PlacedNode[] {
    const { compaction, sessionId } = node
    const path = this.pathOf(sessionId)
    if (compaction === undefined || path === undefined) return []
    const after = new Set(this.#summariesAt(path, compaction.boundaryUuid))
    const summaries = this.#summariesAt(path, compaction.summaryUuid)
    const nodes = this.nodesOf(sessionId)
    const before = nodes.slice(0, nodes.indexOf(node))
    const previous = before.findLastIndex((other) => other.compaction !== undefined)
    return [...summaries.filter((summary) => !after.has(summary)), ...before.slice(previous + 1)]
  }

  /** The summaries in the context when this event was the newest. */
  #summariesAt(path: string, at: string): PlacedNode[] {
    try {
      const { log } = loadSession(this.#store, path, { at, lazyPayloads: true })
      return log.projection.entries.flatMap((entry) => {
        if (isGap(entry) || entry.kind !== 'summary') return []
        return this.#nodeAt(entry.file, entry.event.uuid) ?? []
      })
    } catch (error) {
      // The chain does not reach the event, so the context of that time is unknown.
      if (isSessionError(error, 'ERR_NOT_FOUND')) return []
      throw error
    }
  }

  /** The node of a summary, by the file that contains it. */
  #nodeAt(path: string, summaryUuid: string): PlacedNode | undefined {
    const inFile = this.#inFile.get(path)
    const node = inFile?.findLast((one) => one.compaction?.summaryUuid === summaryUuid)
    return node && this.#findOrigin(node)
  }

  /** The nearest session that this one continues and that has nodes. */
  #continuedBy(sessionId: string): string | undefined {
    const seen = new Set([sessionId])
    for (let id = this.#parentOf(sessionId); id !== undefined; id = this.#parentOf(id)) {
      if (seen.has(id)) return undefined
      seen.add(id)
      if (this.nodesOf(id).length > 0) return id
    }
    return undefined
  }

  /** The sessions that continue this one, over any number of steps. */
  #descendantsOf(sessionId: string): string[] {
    const found = new Set([sessionId])
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const [id] of this.#sessions) if (found.has(this.#parentOf(id) ?? '')) found.add(id)
    }
    found.delete(sessionId)
    return [...found]
  }

  #parentOf(sessionId: string): string | undefined {
    return this.#sessions.get(sessionId)?.resumedFrom?.sessionId
  }

  /** A node that a fork copied belongs to its source, if the source still has it. */
  #findOrigin(node: PlacedNode): PlacedNode {
    const seen = new Set<string>()
    let origin = node
    for (let id = node.sessionId; !seen.has(id); id = origin.sessionId) {
      seen.add(id)
      const source = this.#sessions.get(this.#sessions.get(id)?.forkedFrom?.sessionId ?? '')
      const { boundaryUuid } = origin.compaction ?? {}
      const copied = source && this.#inFile.get(source.path)
      origin = copied?.find((it) => it.compaction?.boundaryUuid === boundaryUuid) ?? origin
    }
    return origin
  }

  #addCheckpoint(checkpoint: SummaryCheckpoint): void {
    const nodes = this.#nodes.get(checkpoint.session_key) ?? []
    const node = toCheckpointNode(checkpoint, nodes)
    if (node === undefined) return
    const index = nodes.findLastIndex((other) => other.order <= node.order) + 1
    nodes.splice(index, 0, node)
    this.#nodes.set(checkpoint.session_key, nodes)
  }
}
