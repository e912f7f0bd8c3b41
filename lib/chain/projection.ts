// What the model sees, as a value: the entries in their order, and what they rest on.

import { type Diagnostic, diagnostic, type SessionEvent } from '../format/index.js'

/** An event and where its line stands. What the log room yields has this shape. */
export interface PlacedEvent {
  readonly event: SessionEvent
  readonly byte_offset: number
}

export interface PathEvent extends PlacedEvent {
  /** The event it follows is not in the log; the one before it on the path is a guess. */
  readonly isAfterGap?: boolean | undefined
  /** A `turn_end` stands behind it, and no other event of the chain between them. */
  readonly isTurnEnded?: boolean | undefined
}

export type ProjectionEntry = EventEntry | SummaryEntry | GapEntry

export interface EventEntry extends PlacedEvent {
  readonly kind: 'event'
  readonly file: string
  /** A turn ended while this was the last message the model saw. */
  readonly isTurnEnded?: true | undefined
}

export interface SummaryEntry extends PlacedEvent {
  readonly kind: 'summary'
  readonly file: string
  /** As last revised; the event itself keeps the text it was written with. */
  readonly text: string
}

/** Something that says nothing to the model, because it is not there to say it. */
export interface GapEntry {
  /**
   * `lost`: an ancestor whose file is gone. `missing`: an event that was named and is not in the
   * log. `opaque`: what was not read, or depends on it; its file may have entries in there.
   */
  readonly kind: 'lost' | 'missing' | 'opaque'
  readonly file: string
}

export interface Projection {
  /** What is lost or opaque can only be the first of them. */
  readonly entries: readonly ProjectionEntry[]
  /** How many of the entries were there when the last compaction was committed. */
  readonly compactedCount: number
  /** The last boundary of this file that counts. */
  readonly lastBoundary: LastBoundary | null
  readonly contextEpoch: number
  /** A compaction the chain ends with and that does not count: its summary or its boundary. */
  readonly unfinishedCompaction: string | null
  /** There is a gap in what the model sees. What was summed up since no longer counts. */
  readonly isDegraded: boolean
  /** Nothing that was not read could change any of this but the diagnostics. */
  readonly isComplete: boolean
  /** Of what was read. */
  readonly diagnostics: readonly Diagnostic[]
  /** What the fold of a session resumed from here starts with. */
  readonly continuation: ProjectionStart
}

export interface LastBoundary {
  readonly uuid: string
  readonly epoch: number
}

/** What a fold begins with: the continuation of the parent, or one of the three below. */
export interface ProjectionStart {
  /** Repeated uuids included: they are left out of what is shown, not of what may be named. */
  readonly entries: readonly ProjectionEntry[]
  readonly compactedCount: number
  readonly diagnostics: readonly Diagnostic[]
}

export const EMPTY_START: ProjectionStart = { entries: [], compactedCount: 0, diagnostics: [] }

/** For a session whose parent is not there, or is its own descendant. */
export function lostStart(
  file: string,
  code: 'lineage_missing' | 'lineage_cycle',
  message: string,
): ProjectionStart {
  const diagnostics = [diagnostic(code, message, { file })]
  return { entries: [{ kind: 'lost', file }], compactedCount: 0, diagnostics }
}

/** For the events of the last part of a file: they add to whatever was there before. */
export function opaqueStart(file: string): ProjectionStart {
  return { ...EMPTY_START, entries: [{ kind: 'opaque', file }] }
}

export function isGap(entry: ProjectionEntry): entry is GapEntry {
  return entry.kind !== 'event' && entry.kind !== 'summary'
}

export function uuidOf(entry: ProjectionEntry): string | undefined {
  return isGap(entry) ? undefined : entry.event.uuid
}

/** Payloads come from files: they may be anything. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : {}
}
