// The summaries of all sessions, newest first, in the shape of the seed.

import { clamp } from './clamp.js'
import type { StoreOptions } from './layout.js'
import { redactorOf, type ServedTextOptions } from './served-text.js'
import { readSummaryGraph } from './summary-graph.js'
import type { PlacedNode, SummaryCheckpoint, SummarySourceType } from './summary-nodes.js'

const LIMIT = { least: 0, most: 200, otherwise: 50 }

export interface SummariesOptions extends StoreOptions, ServedTextOptions {
  /**
   * Checkpoint records, of which those that sum up become nodes too.
   *
   * @default none
   */
  checkpoints?: Iterable<SummaryCheckpoint> | undefined
}

export interface ListSummariesOptions extends SummariesOptions {
  /**
   * From 0 to 200.
   *
   * @default 50
   */
  limit?: number | undefined

  /**
   * How many of the newest to pass over.
   *
   * @default 0
   */
  offset?: number | undefined
}

export interface SummaryNode {
  readonly id: string
  readonly kind: 'session'
  readonly depth: 0
  readonly source_type: SummarySourceType
  /** The key of the session. */
  readonly source_ref: string
  readonly meta_json: string
  readonly score: number
  readonly created_at: string
  readonly content: string
}

export interface SummaryList {
  readonly summaries: readonly SummaryNode[]
  /** How many there are, shown or not. */
  readonly total: number
}

export function listSummaries(options: ListSummariesOptions = {}): SummaryList {
  const count = clamp('limit', options.limit, LIMIT)
  const redact = redactorOf(options)
  const graph = readSummaryGraph(options, options.checkpoints ?? [])
  const nodes = [...graph.nodes()].sort(newestFirst)
  const from = clamp('offset', options.offset, { least: 0, most: nodes.length, otherwise: 0 })
  const shown = nodes.slice(from, from + count)
  return { summaries: shown.map((node) => shownNode(node, redact)), total: nodes.length }
}

function newestFirst(one: PlacedNode, other: PlacedNode): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1
  return other.place - one.place
}

function shownNode(node: PlacedNode, redact: (text: string) => string): SummaryNode {
  const { id, sourceType, sessionId, meta, score, createdAt, text } = node
  return {
    id,
    kind: 'session',
    depth: 0,
    source_type: sourceType,
    source_ref: sessionId,
    meta_json: JSON.stringify(meta),
    score,
    created_at: createdAt,
    content: redact(text),
  }
}
