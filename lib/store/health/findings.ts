// What `examineStore` returns.

import type { Diagnostic } from '../../format/index.js'

/**
 * - `damage`: lines that cannot be read as they were written, or links to missing events
 * - `unreadable`: a log that cannot be opened or read
 * - `link`: a log that writers reject: a symbolic link, or a file with several hard links
 * - `parent_session_missing`: a session that continues a missing one
 * - `mode`: users other than the owner have access
 * - `obstructed`: something other than a lock is where a lock belongs
 * - `abandoned_lock`: its process is gone; the next writer takes it over
 * - `orphan`: a subagent without a session, or events that wait for a missing session
 * - `refused`: queued events that the log of their session does not accept
 * - `leftover`: a file of a write that was interrupted
 * - `history`: the live file of the history is full, or nearly so
 * - `project_missing`: checkpoints of a project whose folder is missing
 * - `advisory`: no kernel locks here, so a single writer is not guaranteed
 */
export type FindingCode =
  | 'damage'
  | 'unreadable'
  | 'link'
  | 'parent_session_missing'
  | 'mode'
  | 'obstructed'
  | 'abandoned_lock'
  | 'orphan'
  | 'refused'
  | 'leftover'
  | 'history'
  | 'project_missing'
  | 'advisory'

/** One problem of a store. */
export interface StoreFinding {
  readonly code: FindingCode
  /** `info` is not a problem. */
  readonly severity: Diagnostic['severity']
  readonly path: string
  readonly message: string
  /** What `fixStore` would do about it; `undefined`: nothing. */
  readonly fix?: 'chmod' | 'remove' | undefined
  /** Of damage: the findings of `verifyLog`. */
  readonly diagnostics?: readonly Diagnostic[] | undefined
}

export const CHANNELS = [
  'transcripts',
  'sidechains',
  'checkpoints',
  'claims',
  'spool',
  'history',
  'store',
] as const

export type ChannelName = (typeof CHANNELS)[number]

/** The logs of one kind, of all agents. */
export interface ChannelSize {
  readonly channel: ChannelName
  readonly files: number
  readonly bytes: number
}

export interface HeldLock {
  readonly path: string
  readonly pid: number
  readonly since: string
}

/** The findings of an examination. */
export interface StoreHealth {
  readonly root: string
  readonly home: string
  /** Every line was read, not only the beginning and the end of each file. */
  readonly deep: boolean
  /** All findings are `info`. */
  readonly healthy: boolean
  readonly findings: readonly StoreFinding[]
  readonly channels: readonly ChannelSize[]
  readonly locks: {
    /** `advisory`: without the addon two writers may fork a chain; no line is lost by that. */
    readonly mode: 'kernel' | 'advisory'
    readonly held: readonly HeldLock[]
  }
  readonly claims: { readonly active: number; readonly expired: number }
  readonly history: {
    readonly entries: number
    readonly bytes: number
    readonly limits: { readonly entries: number; readonly bytes: number }
  }
  /** Names in the root that this library did not create. */
  readonly unknown: readonly string[]
}
