// Which sessions a listing shows, and in which order. The cold listing and the live catalog both
// end here, so that they cannot disagree.

import type { StoreOptions } from './layout.js'
import { checkLimit } from './limit.js'
import { type ProjectScope, selectProjects } from './project-scope.js'
import type { SessionDigest, SessionKind, Skipped } from './session-digest.js'

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
   * Only sessions that somebody has open.
   *
   * @default false
   */
  active?: boolean | undefined

  /** @default no limit */
  limit?: number | undefined

  /**
   * Count the lines of a session that does not tell its events. Reads all of the file.
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

export interface SessionList {
  /** The one with the latest activity first. */
  readonly sessions: SessionDigest[]
  /** What stands beside them and could not be looked into. */
  readonly skipped: Skipped[]
}

const KINDS_BY_DEFAULT: readonly SessionKind[] = ['interactive']

export function selectSessions(
  digests: readonly SessionDigest[],
  options: ListOptions & StoreOptions,
  countEvents: (digest: SessionDigest) => number | null,
): SessionDigest[] {
  const { all = false, active = false, counts = false, limit = Number.POSITIVE_INFINITY } = options
  checkLimit(limit)
  const kinds = options.kinds ?? (all ? undefined : KINDS_BY_DEFAULT)
  const isOfProject = projectFilter(options)
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

function byActivity(one: SessionDigest, other: SessionDigest): number {
  const left = one.lastActivity ?? ''
  const right = other.lastActivity ?? ''
  if (left !== right) return left < right ? 1 : -1
  return one.path < other.path ? -1 : 1
}

/** A project that moved or vanished is still found by the name it was recorded under. */
export function projectFilter(
  options: Pick<ListOptions, 'project' | 'scope'> & StoreOptions,
): (digest: Pick<SessionDigest, 'project' | 'projectNormalized'>) => boolean {
  if (options.project === undefined) return () => true
  const selected = selectProjects(options)
  return ({ projectNormalized, project }) =>
    selected.has(projectNormalized) || selected.has(project)
}
