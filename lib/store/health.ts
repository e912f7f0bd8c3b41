// What can be said of a store as a whole: the words in which its examination answers.

import type { Diagnostic } from '../format/index.js'

/**
 * - `damage`: lines that cannot be read as they were written, or links that lead nowhere
 * - `unreadable`: a log that cannot be looked into at all
 * - `link`: a log under a name that writers refuse: a symbolic link, or one of several hard links
 * - `lineage`: a session that continues another one which is not there
 * - `mode`: others than the owner can reach it
 * - `obstructed`: something that is no lock stands where one belongs
 * - `abandoned_lock`: its process is gone; the next writer takes it over by itself
 * - `orphan`: a subagent of no session, or events that wait for a session that is not there
 * - `leftover`: what a process left that died in the middle of a write
 * - `history`: the live file of the history is full, or nearly so
 * - `gone_project`: checkpoints of a project whose folder is not there any more
 * - `advisory`: no kernel locks here, so the promise of a single writer is weaker
 */
export type FindingCode =
  | 'damage'
  | 'unreadable'
  | 'link'
  | 'lineage'
  | 'mode'
  | 'obstructed'
  | 'abandoned_lock'
  | 'orphan'
  | 'leftover'
  | 'history'
  | 'gone_project'
  | 'advisory'

export interface StoreFinding {
  readonly code: FindingCode
  /** `info` is worth knowing and nothing is wrong with it. */
  readonly severity: Diagnostic['severity']
  readonly path: string
  readonly message: string
  /** What `fixStore` would do about it; `undefined`: nothing, a person decides. */
  readonly fix?: 'chmod' | 'remove' | undefined
  /** Of damage: what was found, in the words of `verifyLog`. */
  readonly diagnostics?: readonly Diagnostic[] | undefined
}

export type ChannelName =
  | 'transcripts'
  | 'sidechains'
  | 'checkpoints'
  | 'claims'
  | 'spool'
  | 'history'
  | 'store'

/** The logs of one kind, over all agents. */
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

export interface StoreHealth {
  readonly root: string
  readonly home: string
  /** Every line was read, and not only the two ends of each file. */
  readonly isDeep: boolean
  /** No finding is more than `info`. */
  readonly isHealthy: boolean
  readonly findings: readonly StoreFinding[]
  readonly channels: readonly ChannelSize[]
  readonly locks: {
    /** `advisory`: without the addon two writers may fork a chain; nothing is lost by it. */
    readonly mode: 'kernel' | 'advisory'
    readonly held: readonly HeldLock[]
  }
  readonly claims: { readonly active: number; readonly expired: number }
  readonly history: {
    readonly entries: number
    readonly bytes: number
    readonly limits: { readonly entries: number; readonly bytes: number }
  }
  /** The names beside the agents' own: whoever put them there knows what they are. */
  readonly unknown: readonly string[]
}
