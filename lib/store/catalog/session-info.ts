// One session as a listing shows it, from two short looks into its transcript. Derived each time
// and never saved; the clock of the file system has no say in it.

import { findLease } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { normalizeProject } from '../projects/normalize-project.js'
import { readTranscriptInfo } from './read-session-info.js'

export type SessionKind = 'interactive' | 'headless' | 'subagent'

/**
 * - `open`: leased by a living owner
 * - `clean`: a terminator follows its last event
 * - `crashed`: it does not, which is a valid end too
 * - `empty`: no event but headers is on its chain
 */
export type SessionStatus = 'open' | 'clean' | 'crashed' | 'empty'

/** A row of a list of sessions. */
export interface SessionInfo {
  readonly sessionId: string
  readonly path: string
  readonly title: string | null
  /** Whose title it is; `prompt` for the first words of the user. */
  readonly titleSource: 'user' | 'auto' | 'prompt' | null
  readonly project: string | null
  readonly projectNormalized: string | null
  readonly kind: SessionKind
  readonly harness: string | null
  readonly agentId: string | null
  readonly status: SessionStatus
  /** Nothing was said in it yet. Also an open session can be empty. */
  readonly empty: boolean
  readonly startedAt: string | null
  /** When the newest message was said, or else when anything was recorded. */
  readonly lastActivity: string | null
  readonly resumedFrom: { readonly sessionId: string; readonly tipUuid: string | null } | null
  readonly forkedFrom: { readonly sessionId: string; readonly atUuid: string | null } | null
  /** `null` unless the file has the count or `counts` was set. */
  readonly events: number | null
  readonly bytes: number
}

/** A file that is no transcript one can look into, and why. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

export function isUnreadable(digest: object): digest is Unreadable {
  return 'reason' in digest
}

/** Reads the first 4 KiB and the last 64 KiB. Never throws for what it finds there. */
export function readSessionInfo(store: StoreContext, path: string): SessionInfo | Unreadable {
  const digest = readTranscriptInfo(store, path)
  if (isUnreadable(digest)) return digest
  return withSurroundings(store, digest, store.env.fs.existsSync(`${path}.lock`))
}

/**
 * Adds what the file does not say: whether a process has it open, and where the project is.
 * `shown` is what this made of the same digest before; it comes back where it still holds.
 */
export function withSurroundings(
  store: StoreContext,
  digest: SessionInfo,
  hasLock: boolean,
  normalize = (project: string) => normalizeProject(store, project),
  shown = digest,
): SessionInfo {
  const { path, project } = digest
  const status = hasLock && findLease(path, store.env) !== undefined ? 'open' : digest.status
  const projectNormalized =
    digest.projectNormalized ?? (project === null ? null : normalize(project))
  for (const known of [shown, digest]) {
    if (status === known.status && projectNormalized === known.projectNormalized) return known
  }
  return { ...digest, status, projectNormalized }
}

/** Whether a living process has the log open. */
export function isLeased(store: StoreContext, path: string): boolean {
  return findLease(path, store.env) !== undefined
}
