// The logs that are counted, each with the session and project it counts for. A fork comes after
// its source, so that what it copied is known by then.

import { listHeaders, type SessionHeader } from './catalog-headers.js'
import type { StoreOptions } from './layout.js'
import type { Skipped } from './session-digest.js'
import { listSidechains } from './sidechains.js'

export interface StatsFile {
  readonly path: string
  readonly session_id: string
  readonly project: string | null
  /** Where the part ends that was copied from another session; `undefined` for no fork. */
  readonly copiedTo: string | undefined
  /** The session that the first of a line of forks was forked from; `undefined` where there is no fork. */
  readonly family: string | undefined
}

export interface StatsFiles {
  readonly files: readonly StatsFile[]
  readonly sessions: readonly SessionHeader[]
  readonly skipped: readonly Skipped[]
}

export function listStatsFiles({
  root,
  home,
  agent,
  project,
}: StoreOptions & { project?: string | undefined }): StatsFiles {
  const store = { root, home, agent }
  const { sessions, skipped } = listHeaders({ ...store, project })
  const byId = new Map(sessions.map((session) => [session.session_id, session]))
  const children = listSidechains(store)
  const files = [
    ...filesOf(sessions, byId),
    ...children.sidechains.flatMap(({ path, parent_session_id, task_id }) => {
      const parent = parent_session_id === null ? undefined : byId.get(parent_session_id)
      if (parent === undefined && project !== undefined) return []
      const session_id = parent_session_id ?? task_id
      const owner = parent?.projectNormalized ?? parent?.project ?? null
      return [{ path, session_id, project: owner, copiedTo: undefined, family: undefined }]
    }),
  ]
  return { files, sessions, skipped: [...skipped, ...children.skipped] }
}

type ById = ReadonlyMap<string, SessionHeader>

/** Sources before their forks. */
function filesOf(sessions: readonly SessionHeader[], byId: ById): StatsFile[] {
  const placed = sessions.map((session) => ({ session, ancestors: ancestorsOf(session, byId) }))
  placed.sort(
    (one, other) =>
      one.ancestors.length - other.ancestors.length ||
      (one.session.path < other.session.path ? -1 : 1),
  )
  const forked = new Set(placed.flatMap(({ ancestors }) => ancestors.at(-1) ?? []))
  return placed.map(({ session, ancestors }) => {
    const { path, session_id, projectNormalized, project, forkedFrom } = session
    const root = ancestors.at(-1) ?? session_id
    return {
      path,
      session_id,
      project: projectNormalized ?? project,
      copiedTo: forkedFrom?.at_uuid ?? undefined,
      family: forked.has(root) ? root : undefined,
    }
  })
}

/** The sessions it was forked from, nearest first; the last may be gone. */
function ancestorsOf(session: SessionHeader, byId: ById): string[] {
  const ids: string[] = []
  let from = session.forkedFrom
  while (from !== null && !ids.includes(from.session_id)) {
    ids.push(from.session_id)
    from = byId.get(from.session_id)?.forkedFrom ?? null
  }
  return ids
}
