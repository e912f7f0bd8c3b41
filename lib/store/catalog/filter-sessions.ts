// Which sessions a listing shows, and in which order. The cold listing and the live catalog both
// end here, so that they cannot disagree.

import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { type ProjectScope, selectProjects } from '../projects/select-projects.js'
import type { SessionInfo, SessionKind, Unreadable } from './session-info.js'

/** Which sessions to list. */
export interface ListOptions {
  /**
   * Only sessions of this project, given in any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * How far that reaches: this folder, all working trees of its repository, or everything.
   *
   * @default 'exact'
   */
  scope?: ProjectScope | undefined

  /**
   * Also empty sessions, and those of no person: headless and subagent.
   *
   * @default false
   */
  all?: boolean | undefined

  /**
   * Only sessions that a process has open.
   *
   * @default false
   */
  active?: boolean | undefined

  /**
   * Maximum number of sessions.
   *
   * @default no limit
   */
  limit?: number | undefined

  /**
   * Count the lines of a session whose end has no count. Reads all of the file.
   *
   * @default false
   */
  counts?: boolean | undefined

  /**
   * Only these kinds.
   *
   * @default interactive; with `all`, every kind
   */
  kinds?: readonly SessionKind[] | undefined
}

/** A list of sessions, and the files that could not be read. */
export interface SessionList {
  /** The one with the latest activity first. */
  readonly sessions: SessionInfo[]
  /** Files of the folder that could not be read. */
  readonly skipped: Unreadable[]
}

const KINDS_BY_DEFAULT: readonly SessionKind[] = ['interactive']

export function selectSessions(
  store: StoreContext,
  digests: readonly SessionInfo[],
  options: ListOptions,
  countEvents: (digest: SessionInfo) => number | null,
): SessionInfo[] {
  const { all = false, active = false, counts = false, limit = Number.POSITIVE_INFINITY } = options
  checkLimit(limit)
  const kinds = options.kinds ?? (all ? undefined : KINDS_BY_DEFAULT)
  const isOfProject = projectFilter(store, options)
  const shown = digests
    .filter(
      (digest) =>
        (all || digest.status !== 'empty') &&
        (!active || digest.status === 'open') &&
        (kinds === undefined || kinds.includes(digest.kind)) &&
        isOfProject(digest),
    )
    .sort(byActivity)
    .slice(0, limit)
  if (!counts) return shown
  return shown.map((digest) =>
    digest.events === null ? { ...digest, events: countEvents(digest) } : digest,
  )
}

function byActivity(one: SessionInfo, other: SessionInfo): number {
  const left = one.lastActivity ?? ''
  const right = other.lastActivity ?? ''
  if (left !== right) return left < right ? 1 : -1
  return one.path < other.path ? -1 : 1
}

/** A project that moved or vanished is still found by the name it was recorded under. */
export function projectFilter(
  store: StoreContext,
  options: Pick<ListOptions, 'project' | 'scope'>,
): (digest: Pick<SessionInfo, 'project' | 'projectNormalized'>) => boolean {
  if (options.project === undefined) return () => true
  const selected = selectProjects(store, options)
  return ({ projectNormalized, project }) =>
    selected.has(projectNormalized) || selected.has(project)
}
