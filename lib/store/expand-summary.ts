// One summary with its neighbours, and the words it was made of, in the shape of the seed.

import { SessionError } from '../errors.js'
import { clamp } from './clamp.js'
import { wholeCharacters } from './excerpt.js'
import { layoutOf } from './layout.js'
import { redactorOf } from './served-text.js'
import type { SummariesOptions } from './summaries.js'
import { childrenOf, parentsOf } from './summary-edges.js'
import { readSummaryGraph, type SummaryGraph } from './summary-graph.js'
import type { PlacedNode, SummarySourceType } from './summary-nodes.js'
import { readTurns } from './transcript-text.js'

const CHARS = { least: 200, most: 12_000, otherwise: 2000 }

export interface ExpandSummaryOptions extends SummariesOptions {
  /** @default true */
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
  /** What sums this one up. */
  readonly parents: readonly ExpandedNode[]
  /** What this one sums up. */
  readonly children: readonly ExpandedNode[]
  /** Part of the shape, and always empty: memories are not kept here. */
  readonly linkedMemories: readonly never[]
  /** What was said between the summary before and this one; `null` when it is not asked for. */
  readonly transcript: { readonly sessionKey: string; readonly excerpt: string } | null
}

/** ERR_NOT_FOUND when no summary of this agent has that id. */
export async function expandSummary(
  id: string,
  options: ExpandSummaryOptions = {},
): Promise<ExpandedSummary> {
  if (typeof id !== 'string') throw new TypeError('The id of a summary must be a string')
  if (id.trim() === '') throw new SessionError('ERR_ARG', 'Say which summary to expand')
  const charsMax = clamp('transcriptCharLimit', options.transcriptCharLimit, CHARS)
  const layout = layoutOf(options)
  const graph = readSummaryGraph(options, options.checkpoints ?? [])
  const node = [...graph.nodes()].find((one) => one.id === id)
  if (node === undefined) {
    throw new SessionError('ERR_NOT_FOUND', `No summary "${id}" in ${layout.root}`, { id })
  }
  const redact = redactorOf(options)
  const show = (one: PlacedNode) => expandedNode(one, redact)
  const { includeTranscript = true } = options
  return {
    node: show(node),
    parents: parentsOf(node, graph, layout).map(show),
    children: childrenOf(node, graph, layout).map(show),
    linkedMemories: [],
    transcript: includeTranscript ? await transcriptOf(node, graph, { charsMax, redact }) : null,
  }
}

async function transcriptOf(
  node: PlacedNode,
  graph: SummaryGraph,
  { charsMax, redact }: { charsMax: number; redact: (text: string) => string },
): Promise<ExpandedSummary['transcript']> {
  const { sessionId } = node
  const path = graph.digestOf(sessionId)?.path
  if (path === undefined) return null
  const { from, to } = rangeOf(node, graph)
  let excerpt = ''
  for await (const { text } of readTurns(path, { from, to, redact })) {
    excerpt += excerpt === '' ? text : `\n${text}`
    if (excerpt.length >= charsMax) break
  }
  return { sessionKey: sessionId, excerpt: wholeCharacters(excerpt.slice(0, charsMax)) }
}

/** From the node before up to where this one reaches, or to the next; of a whole session, all. */
function rangeOf(node: PlacedNode, graph: SummaryGraph): { from: number; to?: number | undefined } {
  if (node.sourceType === 'summary') return { from: 0 }
  const nodes = graph.nodesOf(node.sessionId)
  const index = nodes.indexOf(node)
  const from = nodes.slice(0, index).findLast(({ reach }) => reach !== undefined)?.reach ?? 0
  const next = nodes.slice(index).find(({ reach }) => reach !== undefined)
  return { from, to: next?.reach }
}

function expandedNode(node: PlacedNode, redact: (text: string) => string): ExpandedNode {
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
