// A row of `list`: a session or, in a tree, the log of a subagent.

import type { SessionFigures, SessionInfo, ShownStatus, SidechainInfo } from '../../store/index.js'

export interface ListRow {
  readonly info: SessionInfo
  readonly status: ShownStatus | SidechainInfo['status']
  /** Where they were asked for. */
  readonly figures: SessionFigures | undefined
  /** The lines of the tree before its id. */
  readonly branch?: string
}

/** The session that a row belongs below, and how. */
export function parentOf({ info }: ListRow): { word: string; id: string } | undefined {
  const { resumedFrom, forkedFrom, parentSessionKey } = info
  if (resumedFrom !== null) return { word: 'continues', id: resumedFrom.sessionId }
  if (forkedFrom !== null) return { word: 'fork of', id: forkedFrom.sessionId }
  if (parentSessionKey !== null) return { word: 'subagent of', id: parentSessionKey }
  return undefined
}

/** For programs. */
export function toJsonRow({ info, status, figures }: ListRow): object {
  const { sessionId, title, titleSource, project, kind, harness, startedAt, lastActivity } = info
  const { resumedFrom, forkedFrom, parentSessionKey, events, bytes } = info
  const tags = info.tags ?? []
  const about = { sessionId, title, titleSource, tags, project, kind, harness, status }
  const lineage = { resumedFrom, forkedFrom, parentSessionId: parentSessionKey }
  return { ...about, startedAt, lastActivity, ...lineage, events, bytes, ...figures }
}
