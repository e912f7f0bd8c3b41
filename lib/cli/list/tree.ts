// Sessions below those that they continue, were forked from or were started by.

import type { SidechainInfo } from '../../store/index.js'
import { type ListRow, parentOf } from './row.js'

/** A session is where the first of its family is in `rows`; one whose parent is not there is a root. */
export function toTree(
  rows: readonly ListRow[],
  sidechains: readonly SidechainInfo[],
): readonly ListRow[] {
  const byId = new Map(rows.map((row) => [row.info.sessionId, row]))
  const children = new Map<string, ListRow[]>()
  const addChild = (id: string, row: ListRow) => {
    const siblings = children.get(id)
    if (siblings === undefined) children.set(id, [row])
    else siblings.push(row)
  }
  const roots: ListRow[] = []
  const placed = new Set<string>()
  for (const row of rows) {
    const root = findRoot(row, byId)
    if (!placed.has(root.info.sessionId)) roots.push(root)
    placed.add(root.info.sessionId)
    if (root !== row) addChild(parentOf(row)!.id, row)
  }
  for (const task of sidechains) {
    if (task.parentSessionId !== null) addChild(task.parentSessionId, toTaskRow(task))
  }
  const tree: ListRow[] = []
  const add = (row: ListRow, lead: string, branch: string, below: string) => {
    tree.push({ ...row, branch: lead + branch })
    // The log of a subagent may have the id of a session.
    const own =
      row.info.kind === 'subagent' && !byId.has(row.info.sessionId)
        ? []
        : children.get(row.info.sessionId)
    const sorted = (own ?? []).toSorted(byStart)
    children.delete(row.info.sessionId)
    for (const [index, child] of sorted.entries()) {
      const isLast = index === sorted.length - 1
      add(child, lead + below, isLast ? '└─ ' : '├─ ', isLast ? '   ' : '│  ')
    }
  }
  for (const root of roots) add(root, '', '', '')
  return tree
}

/** Headers may name each other in a circle: the first of it that is met again is the root. */
function findRoot(row: ListRow, byId: ReadonlyMap<string, ListRow>): ListRow {
  const seen = new Set([row])
  for (let current = row; ; ) {
    const parent = byId.get(parentOf(current)?.id ?? '')
    if (parent === undefined) return current
    if (seen.has(parent)) return [...seen].sort(byStart)[0]!
    seen.add(parent)
    current = parent
  }
}

function byStart({ info: one }: ListRow, { info: other }: ListRow): number {
  const left = `${one.startedAt ?? ''} ${one.sessionId}`
  const right = `${other.startedAt ?? ''} ${other.sessionId}`
  return left < right ? -1 : 1
}

function toTaskRow(task: SidechainInfo): ListRow {
  const { taskId, path, prompt, startedAt, endedAt, bytes, parentSessionId, status } = task
  const info = {
    sessionId: taskId,
    path,
    title: prompt,
    titleSource: prompt === null ? null : ('prompt' as const),
    tags: null,
    project: null,
    projectNormalized: null,
    kind: 'subagent' as const,
    harness: null,
    agentId: null,
    parentSessionKey: parentSessionId,
    status: 'clean' as const,
    empty: false,
    startedAt,
    lastActivity: endedAt ?? startedAt,
    resumedFrom: null,
    forkedFrom: null,
    events: null,
    bytes,
  }
  return { info, status, figures: undefined }
}
