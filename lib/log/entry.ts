// What a reader yields: an event, a damaged range, or the torn end of a file. Damage is a value in
// its place in the stream; it becomes an error only for those who asked for `strict`.

import type { Diagnostic, DiagnosticCode, SessionEvent } from '../format/index.js'

/** The position of a line. Its fields are snake_case, as those of the event beside them. */
interface Place {
  /** Where the record starts; of a glued line, where this part of it starts. */
  readonly byte_offset: number
  /** Bytes of the record, without its newline. */
  readonly length: number
  /** Physical line, from 1. Absent when the reader did not start at the beginning. */
  readonly line_number?: number | undefined
  /** What was tolerated here. Absent when all is well. */
  readonly diagnostics?: readonly Diagnostic[] | undefined
}

export interface EventEntry extends Place {
  readonly kind: 'event'
  readonly event: SessionEvent
  /** The line carries no checksum: written by another tool, or changed. */
  readonly unverified?: true
}

export interface DamageEntry extends Place {
  readonly kind: 'damage'
  readonly reason: DiagnosticCode
  readonly diagnostics: readonly Diagnostic[]
}

/** Bytes after the last newline that say nothing yet: a writer died there, or is still writing. */
export interface TornEntry extends Place {
  readonly kind: 'torn'
  readonly reason: 'partial_tail'
  readonly diagnostics: readonly Diagnostic[]
}

/** What a reader yields: an event, damage, or a torn end. */
export type LogEntry = EventEntry | DamageEntry | TornEntry
