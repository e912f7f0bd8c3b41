// What a compaction boundary makes of the projection before it.
//
// A boundary counts once its line and its summary are whole. A kept event that was damaged later
// costs that event, visibly; a boundary that cannot be honoured leaves everything as it was.
//
// Where the part that was not read decides, all outcomes are taken at once: what they share stays,
// at the end, and the rest becomes opaque, events of this file included. So a later boundary that keeps only what is known makes
// the projection complete again, however much before it was in doubt.

import type { DiagnosticCode } from '../format/index.js'
import { EITHER, findEntry, MISSING, UNREAD } from './find-entry.js'
import { fieldsOf, type PlacedEvent, type ProjectionEntry } from './projection.js'

type Entries = readonly ProjectionEntry[]

export interface Patch {
  /** The projection afterwards. */
  readonly entries: Entries
  /** `unknown`: the part that was not read decides. */
  readonly isCommitted: boolean | 'unknown'
  readonly findings: readonly PatchFinding[]
}

interface PatchFinding {
  readonly code: DiagnosticCode
  readonly message: string
}

export interface BoundaryPlace {
  readonly entries: Entries
  /** The name of the file the boundary stands in. */
  readonly file: string
  readonly boundary: PlacedEvent
  /** The event right before it on the path; `unread` when the path was cut just there. */
  readonly before: PlacedEvent | 'unread' | undefined
  /** The text a summary stands for today. */
  readonly textOf: (summary: PlacedEvent) => string
}

export function applyBoundary(place: BoundaryPlace): Patch {
  const { entries, file, boundary, before } = place
  const fields = fieldsOf(boundary.event.payload)
  const { anchorUuid, summary_event_uuid } = fields
  const anchors = [summary_event_uuid, boundary.event.uuid]
  if (!anchors.includes(anchorUuid)) return uncommitted(entries, 'its anchor is neither of its two')
  if (before === 'unread') return unknown(place, entries.length)
  if (!isSummaryOf(fields, before)) return uncommitted(entries, 'its summary is not before it')

  const summary = isBlank(before) ? [] : [summaryEntry(file, before, place.textOf(before))]
  const isSuffix = anchorUuid === summary_event_uuid
  let isAmbiguous = false
  const patch = keep({ file, entries, summary, isSuffix, fields, find }, fields)
  return isAmbiguous ? unknown(place, entries.length) : patch

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
  /** The summary's entry, or none where another tool compacted without a text. */
  readonly summary: Entries
  /** The summary stands before what is kept, not after it. */
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

/** As it was written: a later revision decides what is shown, not whether the boundary counts. */
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
  if (covered === MISSING) return uncommitted(entries, 'what it covers is not there')
  if (covered === UNREAD) return unknown(cut, 1)
  return committed([...summary, ...entries.slice(covered + 1)])
}

function keepSuffix(cut: Cut): Patch {
  const { file, entries, summary, fields, find } = cut
  const head = find(fields['headUuid'])
  if (head >= 0) return committed([...summary, ...entries.slice(head)])
  const covered = find(fields['coveredToUuid'])
  const from = covered >= 0 ? covered + 1 : entries[0]?.kind === 'lost' ? 1 : MISSING
  // If its head stands in the part not read, all of the known entries stay.
  if (head === UNREAD) return unknown(cut, Math.max(from, 1), covered >= 0 || 'unknown')
  if (from === MISSING) return uncommitted(entries, 'neither its head nor what it covers is there')
  const message = `The first event it keeps, "${fields['headUuid']}", is not there`
  const gap: ProjectionEntry = { kind: 'missing', file }
  const kept = [...summary, gap, ...entries.slice(from)]
  return committed(kept, [{ code: 'kept_head_missing', message }])
}

function keepPrefix(cut: Cut): Patch {
  const { entries, summary, fields, find } = cut
  const head = find(fields['headUuid'])
  const tail = find(fields['tailUuid'])
  const covered = coveredIndex(cut)
  const isHopeless = head === MISSING || tail === MISSING || covered === MISSING
  // A tail in the part not read stands before any head that was read.
  if (isHopeless || head > tail) return uncommitted(entries, 'what it keeps is not there in order')
  const rest = Math.max(covered, tail, 0) + 1
  if (head === UNREAD || covered === UNREAD) return unknown(cut, rest)
  return committed([...entries.slice(head, tail + 1), ...summary, ...entries.slice(rest)])
}

/** Other tools keep a list of events instead of a range; it says the order, too. */
function keepListed(cut: Cut, uuids: readonly unknown[]): Patch {
  const { file, entries, summary, isSuffix, find } = cut
  const covered = coveredIndex(cut)
  if (covered === MISSING) return uncommitted(entries, 'what it covers is not there')
  if (covered === UNREAD) return unknown(cut, entries.length)
  const findings: PatchFinding[] = []
  const places = new Set<number>()
  const kept: (ProjectionEntry | 'unread')[] = []
  for (const uuid of new Set(uuids)) {
    const index = find(uuid)
    if (index >= 0) places.add(index)
    if (index === MISSING) findings.push({ code: 'kept_uuid_missing', message: missingOf(uuid) })
    kept.push(index === UNREAD ? 'unread' : (entries[index] ?? { kind: 'missing', file }))
  }
  const rest = entries.filter((_, index) => index > covered && !places.has(index))
  const all = isSuffix ? [...summary, ...kept, ...rest] : [...kept, ...summary, ...rest]
  const known = all.slice(all.lastIndexOf('unread') + 1) as ProjectionEntry[]
  if (known.length === all.length) return committed(known, findings)
  return { entries: [{ kind: 'opaque', file }, ...known], isCommitted: true, findings }
}

function missingOf(uuid: unknown): string {
  const name = typeof uuid === 'string' ? `"${uuid}"` : 'without a name'
  return `An event it keeps, ${name}, is not there`
}

/** The last entry it covers; where it does not say, all there are. */
function coveredIndex({ entries, fields, find }: Cut): number {
  const { coveredToUuid } = fields
  const isSaid = coveredToUuid !== undefined && coveredToUuid !== null
  return isSaid ? find(coveredToUuid) : entries.length
}

function committed(entries: Entries, findings: readonly PatchFinding[] = []): Patch {
  return { entries, isCommitted: true, findings }
}

function uncommitted(entries: Entries, why: string): Patch {
  const message = `This compaction does not count: ${why}`
  return { entries, isCommitted: false, findings: [{ code: 'uncommitted_boundary', message }] }
}

/** Of the entries, those from this index on stand at the end whatever the unread part holds. */
function unknown(
  { file, entries }: Pick<Cut, 'file' | 'entries'>,
  from: number,
  isCommitted: true | 'unknown' = 'unknown',
): Patch {
  const known = entries.slice(from)
  return { entries: [{ kind: 'opaque', file }, ...known], isCommitted, findings: [] }
}
