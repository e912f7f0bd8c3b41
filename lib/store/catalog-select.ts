// Which sessions a listing shows, and in which order. The cold listing and the live catalog both
// end here, so that they cannot disagree.

import { SessionError } from '../errors.js'
import { normalizeProject } from './project.js'
import type { SessionDigest, SessionKind, Skipped } from './session-digest.js'

export interface ListOptions {
  /**
   * Only sessions of this project, given in any spelling of its path.
   *
   * @default every project
   */
  project?: string | undefined

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
  options: ListOptions,
  countEvents: (digest: SessionDigest) => number | null,
): SessionDigest[] {
  const { all = false, active = false, counts = false, limit = Number.POSITIVE_INFINITY } = options
  checkLimit(limit)
  const kinds = options.kinds ?? (all ? undefined : KINDS_BY_DEFAULT)
  const isOfProject = projectFilter(options.project)
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
function projectFilter(project: string | undefined): (digest: SessionDigest) => boolean {
  if (project === undefined) return () => true
  const names = new Set<string | null>([project, normalizeProject(project)])
  return (digest) => names.has(digest.projectNormalized) || names.has(digest.project)
}

function checkLimit(limit: number): void {
  if (typeof limit !== 'number') throw new TypeError('limit must be a number')
  if ((Number.isSafeInteger(limit) && limit >= 0) || limit === Number.POSITIVE_INFINITY) return
  throw new SessionError('ERR_ARG', 'limit must be a whole number from 0', { limit })
}
