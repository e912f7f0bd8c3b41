// What the model sees, as a value.

import { type Diagnostic, diagnostic, type SessionEvent } from '../format/index.js'

/** An event and the offset of its line, as the log module returns it. */
export interface PlacedEvent {
  readonly event: SessionEvent
  readonly byte_offset: number
}

export interface PathEvent extends PlacedEvent {
  /** The event it follows is not in the log; it is linked to the one before it in the file. */
  readonly isAfterGap?: boolean | undefined
  /** A `turn_end` follows it, with no other on-chain event between them. */
  readonly turnEnded?: boolean | undefined
}

/** One entry of a projection: an event, a summary or a gap. */
export type ProjectionEntry = EventEntry | SummaryEntry | GapEntry

export interface EventEntry extends PlacedEvent {
  readonly kind: 'event'
  readonly file: string
  /** A turn ended while this was the last message the model saw. */
  readonly turnEnded?: true | undefined
  /** A later edit removed it: a boundary may name it, but it is not shown. */
  readonly removed?: true | undefined
}

export interface SummaryEntry extends PlacedEvent {
  readonly kind: 'summary'
  readonly file: string
  /** As last revised; the event itself keeps the text it was written with. */
  readonly text: string
}

/** A part that is missing from what the model sees. */
export interface GapEntry {
  /**
   * `lost`: an ancestor whose file is gone. `missing`: an event that is named but not in the log.
   * `opaque`: the part that was not read, or that depends on it.
   */
  readonly kind: 'lost' | 'missing' | 'opaque'
  readonly file: string
}

/** What the model sees of a log. */
export interface Projection {
  /** Only the first entry can be `lost` or `opaque`. */
  readonly entries: readonly ProjectionEntry[]
  /** How many of the entries are from before the last compaction. */
  readonly compactedCount: number
  /** The last boundary of this file that took effect. */
  readonly lastBoundary: LastBoundary | null
  readonly contextEpoch: number
  /** The summary or boundary of an unfinished compaction at the end of the chain. */
  readonly unfinishedCompaction: string | null
  /**
   * There is a gap in what the model sees, or the newest boundary is invalid: it has no effect, or
   * its tail is not among what it keeps. What a later compaction covered does not count.
   */
  readonly degraded: boolean
  /** The unread part of the file could change nothing but the diagnostics. */
  readonly complete: boolean
  /** Of what was read. */
  readonly diagnostics: readonly Diagnostic[]
  /** The start of a projection for a session that is resumed from here. */
  readonly continuation: ProjectionStart
}

export interface LastBoundary {
  readonly uuid: string
  readonly epoch: number
}

/** The start of a fold: the continuation of the parent, or one of the three below. */
export interface ProjectionStart {
  /** Including repeated uuids and removed messages, which are not shown but may be named. */
  readonly entries: readonly ProjectionEntry[]
  readonly compactedCount: number
  readonly diagnostics: readonly Diagnostic[]
  /** Of the newest boundary before it. */
  readonly isBoundaryBroken?: boolean | undefined
}

export const EMPTY_START: ProjectionStart = { entries: [], compactedCount: 0, diagnostics: [] }

/** For a session whose parent is missing or is its own descendant. */
export function lostStart(
  file: string,
  code: 'parent_session_missing' | 'lineage_cycle',
  message: string,
): ProjectionStart {
  const diagnostics = [diagnostic(code, message, { file })]
  return { entries: [{ kind: 'lost', file }], compactedCount: 0, diagnostics }
}

/** For the last events of a file, whose start was not read. */
export function opaqueStart(file: string): ProjectionStart {
  return { ...EMPTY_START, entries: [{ kind: 'opaque', file }] }
}

export function isGap(entry: ProjectionEntry): entry is GapEntry {
  return entry.kind !== 'event' && entry.kind !== 'summary'
}

export function uuidOf(entry: ProjectionEntry): string | undefined {
  return isGap(entry) ? undefined : entry.event.uuid
}

/** There is no such entry. */
export const MISSING = -1
/** It is not among the entries that were read; it may be in the unread part. */
export const UNREAD = -2
/** Either it is in the unread part, or an ancestor's entry that was read is meant. */
export const EITHER = -3

/**
 * The index of the entry that a uuid refers to, or one of the above: the last entry with that uuid,
 * of this file before those of its ancestors, because uuids are unique within one file only.
 */
export function findEntry(
  entries: readonly ProjectionEntry[],
  uuid: unknown,
  file: string,
): number {
  if (typeof uuid !== 'string') return MISSING
  let ancestral = MISSING
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!
    if (uuidOf(entry) !== uuid) continue
    if (entry.file === file) return index
    if (ancestral === MISSING) ancestral = index
  }
  const opaque = entries[0]?.kind === 'opaque' ? entries[0] : undefined
  if (opaque === undefined) return ancestral
  if (ancestral === MISSING) return UNREAD
  return opaque.file === file ? EITHER : ancestral
}

/** Payloads come from files: they may be anything. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : {}
}
