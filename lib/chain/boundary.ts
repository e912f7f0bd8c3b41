// Applies a compaction boundary to the projection before it.
//
// A boundary takes effect once its line and its summary are whole. If a kept event is damaged later,
// only that event is lost, which is reported; an invalid boundary has no effect.
//
// Where the outcome depends on the part of the file that was not read, only the entries at the end
// that all outcomes share are kept, and the rest becomes opaque. A later boundary that keeps only
// known entries makes the projection complete again.

import type { DiagnosticCode } from '../format/index.js'
import {
  EITHER,
  fieldsOf,
  findEntry,
  MISSING,
  type PlacedEvent,
  type ProjectionEntry,
  UNREAD,
  uuidOf,
} from './projection.js'

type Entries = readonly ProjectionEntry[]

export interface Patch {
  /** The projection afterwards. */
  readonly entries: Entries
  /** `unknown`: it depends on the part that was not read. */
  readonly isCommitted: boolean | 'unknown'
  readonly findings: readonly PatchFinding[]
}

interface PatchFinding {
  readonly code: DiagnosticCode
  readonly message: string
}

export interface BoundaryInput {
  readonly entries: Entries
  /** The name of the file that holds the boundary. */
  readonly file: string
  readonly boundary: PlacedEvent
  /** The event directly before it on the path; `unread` when the path starts with the boundary. */
  readonly before: PlacedEvent | 'unread' | undefined
  /** The text of a summary as last revised. */
  readonly textOf: (summary: PlacedEvent) => string
}

export function applyBoundary(input: BoundaryInput): Patch {
  const { entries, file, boundary, before } = input
  const fields = fieldsOf(boundary.event.payload)
  const { anchorUuid, summary_event_uuid } = fields
  const anchors = [summary_event_uuid, boundary.event.uuid]
  if (!anchors.includes(anchorUuid))
    return uncommitted(entries, 'its anchor is neither its summary nor itself')
  if (before === 'unread') return unknown(input, entries.length)
  if (!isSummaryOf(fields, before)) return uncommitted(entries, 'its summary is not before it')

  const summary = isBlank(before) ? [] : [summaryEntry(file, before, input.textOf(before))]
  const isSuffix = anchorUuid === summary_event_uuid
  let isAmbiguous = false
  const patch = keep({ file, entries, summary, isSuffix, fields, find }, fields)
  return isAmbiguous ? unknown(input, entries.length) : patch

  function find(uuid: unknown): number {
    const index = findEntry(entries, uuid, file)
    if (index === EITHER) isAmbiguous = true
    return index
  }
}

function keep(cut: Cut, { headUuid, keptUuids }: Cut['fields']): Patch {
  if (Array.isArray(keptUuids)) return keepListed(cut, keptUuids)
  if (headUuid === null) return keepNothing(cut)
  if (typeof headUuid !== 'string') {
    return uncommitted(cut.entries, 'it does not say what it keeps')
  }
  return cut.isSuffix ? keepSuffix(cut) : keepPrefix(cut)
}

interface Cut {
  readonly file: string
  readonly entries: Entries
  /** The summary's entry, or nothing where another tool compacted without a text. */
  readonly summary: Entries
  /** The summary is before what is kept, not after it. */
  readonly isSuffix: boolean
  readonly fields: Readonly<Record<string, unknown>>
  readonly find: (uuid: unknown) => number
}

function isSummaryOf(
  { summary_event_uuid, strategy }: Readonly<Record<string, unknown>>,
  before: PlacedEvent | undefined,
): before is PlacedEvent {
  if (before?.event.type !== 'summary' || before.event.uuid !== summary_event_uuid) return false
  return !isBlank(before) || (strategy === 'external' && typeof textOf(before) === 'string')
}

/** As it was written: a later revision changes what is shown, not whether the boundary is valid. */
function isBlank(summary: PlacedEvent): boolean {
  const text = textOf(summary)
  return typeof text !== 'string' || text.trim() === ''
}

function textOf({ event }: PlacedEvent): unknown {
  return fieldsOf(event.payload)['text']
}

function summaryEntry(file: string, summary: PlacedEvent, text: string): ProjectionEntry {
  const { event, byte_offset } = summary
  return { kind: 'summary', file, event, byte_offset, text }
}

function keepNothing(cut: Cut): Patch {
  const { entries, summary } = cut
  const covered = coveredIndex(cut)
  if (covered === MISSING) return uncommitted(entries, 'what it covers is not in the log')
  if (covered === UNREAD) return unknown(cut, 1)
  return committed([...summary, ...entries.slice(covered + 1)])
}

function keepSuffix(cut: Cut): Patch {
  const { file, entries, summary, fields, find } = cut
  const head = find(fields['headUuid'])
  if (head >= 0) {
    const kept = entries.slice(head)
    return committed([...summary, ...kept], tailFindings(fields['tailUuid'], kept))
  }
  const covered = find(fields['coveredToUuid'])
  const from = covered >= 0 ? covered + 1 : entries[0]?.kind === 'lost' ? 1 : MISSING
  // If its head is in the unread part, all known entries stay.
  if (head === UNREAD) return unknown(cut, Math.max(from, 1), covered >= 0 || 'unknown')
  if (from === MISSING)
    return uncommitted(entries, 'neither its head nor what it covers is in the log')
  const message = `The first event it keeps, "${fields['headUuid']}", is not in the log`
  const gap: ProjectionEntry = { kind: 'missing', file }
  const kept = [...summary, gap, ...entries.slice(from)]
  return committed(kept, [{ code: 'compaction_head_missing', message }])
}

/** A tail that is not kept shows that the boundary was damaged or written for other messages. */
function tailFindings(tail: unknown, kept: Entries): readonly PatchFinding[] {
  if (typeof tail !== 'string' || kept.some((entry) => uuidOf(entry) === tail)) return []
  const message = `The last event it keeps, "${tail}", is not among those it keeps`
  return [{ code: 'compaction_tail_mismatch', message }]
}

function keepPrefix(cut: Cut): Patch {
  const { entries, summary, fields, find } = cut
  const head = find(fields['headUuid'])
  const tail = find(fields['tailUuid'])
  const covered = coveredIndex(cut)
  const isHopeless = head === MISSING || tail === MISSING || covered === MISSING
  // A tail in the unread part is before any head that was read.
  if (isHopeless || head > tail)
    return uncommitted(entries, 'what it keeps is not in the log in that order')
  const rest = Math.max(covered, tail, 0) + 1
  if (head === UNREAD || covered === UNREAD) return unknown(cut, rest)
  return committed([...entries.slice(head, tail + 1), ...summary, ...entries.slice(rest)])
}

/** Other tools keep a list of events instead of a range; the list also gives the order. */
function keepListed(cut: Cut, uuids: readonly unknown[]): Patch {
  const { file, entries, summary, isSuffix, find } = cut
  const covered = coveredIndex(cut)
  if (covered === MISSING) return uncommitted(entries, 'what it covers is not in the log')
  if (covered === UNREAD) return unknown(cut, entries.length)
  const findings: PatchFinding[] = []
  const listed = new Set<number>()
  const kept: (ProjectionEntry | 'unread')[] = []
  for (const uuid of new Set(uuids)) {
    const index = find(uuid)
    if (index >= 0) listed.add(index)
    if (index === MISSING)
      findings.push({ code: 'compaction_entry_missing', message: missingMessage(uuid) })
    kept.push(index === UNREAD ? 'unread' : (entries[index] ?? { kind: 'missing', file }))
  }
  const rest = entries.filter((_, index) => index > covered && !listed.has(index))
  const all = isSuffix ? [...summary, ...kept, ...rest] : [...kept, ...summary, ...rest]
  const known = all.slice(all.lastIndexOf('unread') + 1) as ProjectionEntry[]
  if (known.length === all.length) return committed(known, findings)
  return { entries: [{ kind: 'opaque', file }, ...known], isCommitted: true, findings }
}

function missingMessage(uuid: unknown): string {
  const name = typeof uuid === 'string' ? `"${uuid}"` : 'without a name'
  return `An event it keeps, ${name}, is not in the log`
}

/** The last entry it covers; all entries where it does not say. */
function coveredIndex({ entries, fields, find }: Cut): number {
  const { coveredToUuid } = fields
  const isGiven = coveredToUuid !== undefined && coveredToUuid !== null
  return isGiven ? find(coveredToUuid) : entries.length
}

function committed(entries: Entries, findings: readonly PatchFinding[] = []): Patch {
  return { entries, isCommitted: true, findings }
}

function uncommitted(entries: Entries, why: string): Patch {
  const message = `This compaction has no effect: ${why}`
  return { entries, isCommitted: false, findings: [{ code: 'compaction_uncommitted', message }] }
}

/** Keeps the entries from this index on, which are the same whatever the unread part holds. */
function unknown(
  { file, entries }: Pick<Cut, 'file' | 'entries'>,
  from: number,
  isCommitted: true | 'unknown' = 'unknown',
): Patch {
  const known = entries.slice(from)
  return { entries: [{ kind: 'opaque', file }, ...known], isCommitted, findings: [] }
}
