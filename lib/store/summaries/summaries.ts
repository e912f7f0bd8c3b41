// Lists the summaries of all sessions, and expands one to its neighbours and its conversation.

import { SessionError } from '../../errors.js'
import { clamp } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { redactorOf, type ServedTextOptions, withoutHalves } from '../text/output-text.js'
import { readTurns } from '../text/transcript-text.js'
import { SummaryGraph } from './graph.js'
import type { PlacedNode, SummaryCheckpoint, SummarySourceType } from './nodes.js'

const LIMIT = { least: 0, most: 200, otherwise: 50 }

export interface SummariesOptions extends ServedTextOptions {
  /**
   * Checkpoint records; those that summarize become nodes too.
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
   * Number of the newest to skip.
   *
   * @default 0
   */
  offset?: number | undefined
}

/** A node of the graph of summaries. The fields have the names of the original specification. */
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

/** A page of summaries. */
export interface SummaryList {
  readonly summaries: readonly SummaryNode[]
  /** The number of all summaries. */
  readonly total: number
}

export function listSummaries(
  store: StoreContext,
  options: ListSummariesOptions = {},
): SummaryList {
  const count = clamp('limit', options.limit, LIMIT)
  const redact = redactorOf(options)
  const graph = new SummaryGraph(store, options.checkpoints)
  const nodes = [...graph.nodes()].sort(newestFirst)
  const from = clamp('offset', options.offset, { least: 0, most: nodes.length, otherwise: 0 })
  const shown = nodes.slice(from, from + count)
  return { summaries: shown.map((node) => toSummaryNode(node, redact)), total: nodes.length }
}

function newestFirst(one: PlacedNode, other: PlacedNode): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1
  return other.order - one.order
}

function toSummaryNode(node: PlacedNode, redact: (text: string) => string): SummaryNode {
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

const CHARS = { least: 200, most: 12_000, otherwise: 2000 }

export interface ExpandSummaryOptions extends SummariesOptions {
  /**
   * Also return the text that the summary covers.
   *
   * @default true
   */
  includeTranscript?: boolean | undefined

  /**
   * From 200 to 12,000.
   *
   * @default 2000
   */
  transcriptCharLimit?: number | undefined
}

export interface ExpandedNode {
  readonly id: string
  readonly kind: 'session'
  readonly depth: 0
  readonly sourceType: SummarySourceType
  /** The key of the session. */
  readonly sourceRef: string
  readonly score: number
  readonly createdAt: string
  readonly content: string
}

export interface ExpandedSummary {
  readonly node: ExpandedNode
  /** What covers this one. */
  readonly parents: readonly ExpandedNode[]
  /** What this one covers. */
  readonly children: readonly ExpandedNode[]
  /** Always empty: memories are not kept here. */
  readonly linkedMemories: readonly never[]
  /** The conversation between the previous summary and this one; `null` without `includeTranscript`. */
  readonly transcript: { readonly sessionKey: string; readonly excerpt: string } | null
}

/** ERR_NOT_FOUND when no summary of this agent has that id. */
export async function expandSummary(
  store: StoreContext,
  id: string,
  options: ExpandSummaryOptions = {},
): Promise<ExpandedSummary> {
  if (typeof id !== 'string') throw new TypeError('The id of a summary must be a string')
  if (id.trim() === '') throw new SessionError('ERR_ARG', 'The id of a summary is empty')
  const charsMax = clamp('transcriptCharLimit', options.transcriptCharLimit, CHARS)
  const graph = new SummaryGraph(store, options.checkpoints)
  const node = [...graph.nodes()].find((one) => one.id === id)
  if (node === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No summary "${id}" in ${store.layout.root}`, { id })
  }
  const redact = redactorOf(options)
  const show = (one: PlacedNode) => toExpandedNode(one, redact)
  const { includeTranscript = true } = options
  return {
    node: show(node),
    parents: graph.parentsOf(node).map(show),
    children: graph.childrenOf(node).map(show),
    linkedMemories: [],
    transcript: includeTranscript
      ? await readExcerpt(store, node, graph, { charsMax, redact })
      : null,
  }
}

async function readExcerpt(
  store: StoreContext,
  node: PlacedNode,
  graph: SummaryGraph,
  { charsMax, redact }: { charsMax: number; redact: (text: string) => string },
): Promise<ExpandedSummary['transcript']> {
  const { sessionId } = node
  const path = graph.pathOf(sessionId)
  if (path === undefined) return null
  const { from, to } = findRange(node, graph)
  let excerpt = ''
  for await (const { text } of readTurns(store, path, { from, to, redact })) {
    excerpt += excerpt === '' ? text : `\n${text}`
    if (excerpt.length >= charsMax) break
  }
  return { sessionKey: sessionId, excerpt: withoutHalves(excerpt.slice(0, charsMax)) }
}

/** From the previous node to the end of this one; all of a summarized session. */
function findRange(
  node: PlacedNode,
  graph: SummaryGraph,
): { from: number; to?: number | undefined } {
  if (node.sourceType === 'summary') return { from: 0 }
  const nodes = graph.nodesOf(node.sessionId)
  const index = nodes.indexOf(node)
  const from = nodes.slice(0, index).findLast(({ reach }) => reach !== undefined)?.reach ?? 0
  const next = nodes.slice(index).find(({ reach }) => reach !== undefined)
  return { from, to: next?.reach }
}

function toExpandedNode(node: PlacedNode, redact: (text: string) => string): ExpandedNode {
  const { id, sourceType, sessionId, score, createdAt, text } = node
  return {
    id,
    kind: 'session',
    depth: 0,
    sourceType,
    sourceRef: sessionId,
    score,
    createdAt,
    content: redact(text),
  }
}
