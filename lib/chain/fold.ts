// The projection as a left fold over the path: what the model sees after each event. It goes
// from the first event to the last and never back; a message costs the same however long the
// path is.

import {
  type Diagnostic,
  type DiagnosticCode,
  diagnostic,
  type SessionEvent,
} from '../format/index.js'
import { applyBoundary } from './boundary.js'
import { findEntry, MISSING } from './find-entry.js'
import {
  EMPTY_START,
  fieldsOf,
  isGap,
  type LastBoundary,
  type PathEvent,
  type PlacedEvent,
  type Projection,
  type ProjectionEntry,
  type ProjectionStart,
  uuidOf,
} from './projection.js'
import { Revisions } from './revisions.js'
import { UniqueEntries } from './unique-entries.js'

export interface FoldOptions {
  /** The name of the file the events stand in: any string, the same for all of them. */
  readonly file: string
  /** Default: nothing was there before. */
  readonly start?: ProjectionStart | undefined
  /** What is known of revised summaries in this file. */
  readonly revisions?: Revisions | undefined
}

const MESSAGES = new Set(['user', 'assistant', 'tool_call', 'tool_result', 'system'])

export class Fold implements Projection {
  readonly #file: string
  readonly #revisions: Revisions
  readonly #inherited: readonly Diagnostic[]
  readonly #findings: Diagnostic[] = []
  /** Repeated uuids included: what a boundary names is the last of them. */
  #all: ProjectionEntry[]
  /** Kept up from the first time that somebody asks: what a boundary covers need not be compared. */
  #unique: UniqueEntries | undefined
  #compactedCount: number
  #before: PlacedEvent | 'unread' | undefined
  #lastBoundary: LastBoundary | null = null
  #unfinishedCompaction: string | null = null

  constructor({ file, start = EMPTY_START, revisions = new Revisions() }: FoldOptions) {
    this.#file = file
    this.#revisions = revisions
    this.#inherited = start.diagnostics
    this.#all = [...start.entries]
    this.#compactedCount = start.compactedCount
    const [first] = this.#all
    this.#before = first?.kind === 'opaque' && first.file === file ? 'unread' : undefined
  }

  /** The next event of the path. Never throws, whatever its payload holds. */
  take(placed: PathEvent): void {
    const { event } = placed
    if (placed.isAfterGap === true) this.#append({ kind: 'missing', file: this.#file })
    if (isMessage(event)) this.#push(placed)
    else if (event.type === 'compaction_boundary') this.#compact(placed)
    else if (event.type === 'rewind') this.#rewind(placed)
    else if (event.type === 'summary') this.#unfinishedCompaction = event.uuid
    if (placed.isTurnEnded === true) this.endTurn()
    this.#before = placed
  }

  /** The last message was all of its turn. */
  endTurn(): void {
    const last = this.#all.findLast((entry) => !isGap(entry))
    if (last?.kind !== 'event') return
    // Repeated lines are one message: a compaction may leave another of them to be shown.
    const isRepeated = this.#shown.shownFor(last) !== last
    for (const entry of isRepeated ? this.#all.filter(isSame) : [last]) this.#markEnded(entry)

    function isSame(entry: ProjectionEntry): boolean {
      return uuidOf(entry) === last!.event.uuid && entry.file === last!.file
    }
  }

  /** The summary at that offset of this file was given another text. */
  revise(summaryOffset: number): void {
    for (const [index, entry] of this.#all.entries()) {
      if (entry.kind !== 'summary' || entry.file !== this.#file) continue
      if (entry.byte_offset !== summaryOffset) continue
      this.#all[index] = { ...entry, text: this.#textOf(entry) }
    }
    this.#replace(this.#all, this.#compactedCount)
  }

  get entries(): readonly ProjectionEntry[] {
    return this.#shown.entries
  }

  get compactedCount(): number {
    return this.#shown.compactedCount
  }

  get lastBoundary(): LastBoundary | null {
    return this.#lastBoundary
  }

  get contextEpoch(): number {
    return this.#lastBoundary?.epoch ?? 0
  }

  get unfinishedCompaction(): string | null {
    return this.#unfinishedCompaction
  }

  get isDegraded(): boolean {
    return this.#shown.hasGap
  }

  // Whatever was in doubt made the first entry opaque, and only a boundary that surely counts
  // takes it away; so nothing opaque left means nothing in doubt.
  get isComplete(): boolean {
    return this.#all[0]?.kind !== 'opaque'
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#inherited, ...this.#findings, ...this.#shown.findings]
  }

  get continuation(): ProjectionStart {
    const diagnostics = [...this.#inherited, ...this.#findings]
    return { entries: [...this.#all], compactedCount: this.#compactedCount, diagnostics }
  }

  get #shown(): UniqueEntries {
    this.#unique ??= new UniqueEntries(this.#all, this.#compactedCount)
    return this.#unique
  }

  /** A copy: whoever went on from here has the entry, too, and ends turns of its own. */
  #markEnded(entry: ProjectionEntry | undefined): void {
    if (entry?.kind !== 'event' || entry.isTurnEnded === true) return
    const ended: ProjectionEntry = { ...entry, isTurnEnded: true }
    this.#all[this.#all.lastIndexOf(entry)] = ended
    this.#unique?.replace(entry, ended)
  }

  #push(placed: PlacedEvent): void {
    const { event, byte_offset } = placed
    this.#append({ kind: 'event', file: this.#file, event, byte_offset })
    this.#unfinishedCompaction = null
  }

  #append(entry: ProjectionEntry): void {
    this.#all.push(entry)
    this.#unique?.push(entry)
  }

  #compact(boundary: PlacedEvent): void {
    const patch = applyBoundary({
      entries: this.#all,
      file: this.#file,
      boundary,
      before: this.#before,
      textOf: (summary) => this.#textOf(summary),
    })
    for (const { code, message } of patch.findings) this.#report(code, message, boundary)
    const { uuid, payload } = boundary.event
    this.#unfinishedCompaction = patch.isCommitted === false ? uuid : null
    if (patch.isCommitted === false) return
    if (patch.isCommitted === true) this.#lastBoundary = { uuid, epoch: epochOf(payload) }
    this.#replace([...patch.entries], patch.entries.length)
  }

  #rewind(rewind: PlacedEvent): void {
    this.#unfinishedCompaction = null
    const { truncate_after } = fieldsOf(rewind.event.payload)
    if (truncate_after === undefined || truncate_after === null) return
    const last = findEntry(this.#all, truncate_after, this.#file)
    if (last >= 0) {
      this.#replace(this.#all.slice(0, last + 1), Math.min(this.#compactedCount, last + 1))
    } else if (last === MISSING) {
      this.#report('rewind_target_missing', 'What it goes back to is not there', rewind)
    } else {
      this.#replace([{ kind: 'opaque', file: this.#file }], 1)
    }
  }

  #replace(entries: ProjectionEntry[], compactedCount: number): void {
    this.#all = entries
    this.#compactedCount = compactedCount
    this.#unique = undefined
  }

  #textOf({ event, byte_offset }: PlacedEvent): string {
    return this.#revisions.textOf(byte_offset) ?? String(fieldsOf(event.payload)['text'])
  }

  #report(code: DiagnosticCode, message: string, { event, byte_offset }: PlacedEvent): void {
    const where = { file: this.#file, byte_offset, uuid: event.uuid }
    this.#findings.push(diagnostic(code, message, where))
  }
}

// Payloads are looked at only where they matter here: a reader may fetch them on demand.
function isMessage(event: SessionEvent): boolean {
  if (MESSAGES.has(event.type)) return true
  if (event.type !== 'subagent_result') return false
  // With a tool call to its name the tool's result speaks for it.
  return typeof fieldsOf(event.payload)['tool_call_id'] !== 'string'
}

/** A boundary says its own number; one that does not say it starts the count again. */
function epochOf(payload: unknown): number {
  const { epoch } = fieldsOf(payload)
  return Number.isSafeInteger(epoch) && (epoch as number) > 0 ? (epoch as number) : 0
}
