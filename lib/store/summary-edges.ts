// What sums up what. A compaction covers the summaries that the model saw before it and no longer
// after it, and the checkpoints since the last one; the first node of a session that continues
// another follows the last node of that one.

import { isGap } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import type { Layout } from './layout.js'
import { loadSession } from './load-session.js'
import type { SummaryGraph } from './summary-graph.js'
import type { PlacedNode } from './summary-nodes.js'

export function childrenOf(node: PlacedNode, graph: SummaryGraph, layout: Layout): PlacedNode[] {
  const children = new Set(coveredBy(node, graph, layout))
  const isFirst = graph.nodesOf(node.sessionId)[0] === node
  const continued = isFirst ? graph.continuedBy(node.sessionId) : undefined
  if (continued !== undefined) children.add(graph.nodesOf(continued).at(-1)!)
  return [...children]
}

export function parentsOf(node: PlacedNode, graph: SummaryGraph, layout: Layout): PlacedNode[] {
  const siblings = graph.nodesOf(node.sessionId)
  const descendants = graph.descendantsOf(node.sessionId)
  const candidates = [
    ...siblings.slice(siblings.indexOf(node) + 1),
    ...descendants.flatMap((id) => graph.nodesOf(id)),
  ]
  return candidates.filter((candidate) => childrenOf(candidate, graph, layout).includes(node))
}

function coveredBy(node: PlacedNode, graph: SummaryGraph, layout: Layout): PlacedNode[] {
  const { compaction, sessionId } = node
  const path = graph.digestOf(sessionId)?.path
  if (compaction === undefined || path === undefined) return []
  const after = new Set(summariesAt(path, compaction.boundaryUuid, { graph, layout }))
  const summaries = summariesAt(path, compaction.summaryUuid, { graph, layout })
  return [...summaries.filter((summary) => !after.has(summary)), ...notesBefore(node, graph)]
}

/** The summaries that the model saw when this event was the newest. */
function summariesAt(
  path: string,
  at: string,
  { graph, layout }: { graph: SummaryGraph; layout: Layout },
): PlacedNode[] {
  try {
    const { log } = loadSession(path, { layout, at, lazyPayloads: true })
    return log.projection.entries.flatMap((entry) => {
      if (isGap(entry) || entry.kind !== 'summary') return []
      return graph.nodeAt(entry.file, entry.event.uuid) ?? []
    })
  } catch (error) {
    // The chain does not reach it: nobody can tell what was seen then.
    if (isSessionError(error, 'ERR_NOT_FOUND')) return []
    throw error
  }
}

/** The checkpoints since the compaction before. */
function notesBefore(node: PlacedNode, graph: SummaryGraph): PlacedNode[] {
  const nodes = graph.nodesOf(node.sessionId)
  const before = nodes.slice(0, nodes.indexOf(node))
  return before.slice(before.findLastIndex(({ compaction }) => compaction !== undefined) + 1)
}
