// One session as a listing shows it, from two short looks into its transcript. Derived each time
// and never saved; the clock of the file system has no say in it.

import { existsSync } from 'node:fs'
import { inspectLock } from '../log/index.js'
import { normalizeProject } from './project.js'
import { digestFile } from './session-digest-file.js'

export type SessionKind = 'interactive' | 'headless' | 'subagent'

/**
 * - `open`: leased by a living owner
 * - `clean`: a terminator stands behind its last event
 * - `crashed`: it does not, which is a valid end too
 * - `empty`: no event but headers stands on its chain
 */
export type SessionStatus = 'open' | 'clean' | 'crashed' | 'empty'

export interface SessionDigest {
  readonly session_id: string
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
  readonly isEmpty: boolean
  readonly startedAt: string | null
  /** When the newest message was said, or else when anything was recorded. */
  readonly lastActivity: string | null
  readonly resumedFrom: { readonly session_id: string; readonly tip_uuid: string | null } | null
  readonly forkedFrom: { readonly session_id: string; readonly at_uuid: string | null } | null
  /** `null` unless the file tells it or somebody counts. */
  readonly events: number | null
  readonly bytes: number
}

/** A file that is no transcript one can look into, and why. */
export interface Skipped {
  readonly path: string
  readonly reason: string
}

export function isSkipped(digest: object): digest is Skipped {
  return 'reason' in digest
}

/** Reads the first 4 KiB and the last 64 KiB. Never throws for what it finds there. */
export function digestTranscript(path: string): SessionDigest | Skipped {
  const digest = digestFile(path)
  return isSkipped(digest) ? digest : withSurroundings(digest, existsSync(`${path}.lock`))
}

/**
 * Adds what does not stand in the file: whether somebody has it open, and where the project is.
 * `shown` is what this made of the same digest before; it comes back where it still holds.
 */
export function withSurroundings(
  digest: SessionDigest,
  hasLock: boolean,
  normalize = normalizeProject,
  shown = digest,
): SessionDigest {
  const { path, project } = digest
  const status = hasLock && leaseOf(path) !== undefined ? 'open' : digest.status
  const projectNormalized =
    digest.projectNormalized ?? (project === null ? null : normalize(project))
  for (const known of [shown, digest]) {
    if (status === known.status && projectNormalized === known.projectNormalized) return known
  }
  return { ...digest, status, projectNormalized }
}

/** Whether a living process has the log open. */
export function isLeased(path: string): boolean {
  return leaseOf(path) !== undefined
}

/** Since when which process has the transcript open; `undefined` when nobody who lives has. */
export function leaseOf(
  path: string,
): { readonly pid: number; readonly since: string } | undefined {
  const { verdict, owner } = inspectLock(path)
  return verdict === 'held' && owner?.mode === 'lease' ? owner : undefined
}
