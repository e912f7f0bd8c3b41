// The projection as a left fold over the path: what the model sees after each event. Adding a message
// costs the same however long the path is.

import {
  type Diagnostic,
  type DiagnosticCode,
  diagnostic,
  isHeaderType,
  isOnChain,
  type SessionEvent,
} from '../format/index.js'
import { applyBoundary } from './boundary.js'
import {
  EMPTY_START,
  type EventEntry,
  fieldsOf,
  findEntry,
  isGap,
  type LastBoundary,
  MISSING,
  type PathEvent,
  type PlacedEvent,
  type Projection,
  type ProjectionEntry,
  type ProjectionStart,
  uuidOf,
} from './projection.js'
import { UniqueEntries } from './unique-entries.js'

export interface FoldOptions {
  /** The name of the file that holds the events: any string, the same for all of them. */
  readonly file: string
  /** @default an empty projection */
  readonly start?: ProjectionStart | undefined
  /** The revised summaries of this file. */
  readonly revisions?: Revisions | undefined
}

const MESSAGES = new Set(['user', 'assistant', 'tool_call', 'tool_result', 'system'])

export class Fold implements Projection {
  readonly #file: string
  readonly #revisions: Revisions
  readonly #inherited: readonly Diagnostic[]
  readonly #findings: Diagnostic[] = []
  /** Including repeated uuids: a boundary names the last of them. */
  #all: ProjectionEntry[]
  /** Maintained from the first read on: covered entries need not be compared. */
  #unique: UniqueEntries | undefined
  #compactedCount: number
  #before: PlacedEvent | 'unread' | undefined
  #lastBoundary: LastBoundary | null = null
  /** The newest boundary has no effect, or its markers contradict each other. */
  #isBoundaryBroken: boolean
  #unfinishedCompaction: string | null = null

  constructor({ file, start = EMPTY_START, revisions = new Revisions() }: FoldOptions) {
    this.#file = file
    this.#revisions = revisions
    this.#inherited = start.diagnostics
    this.#all = [...start.entries]
    this.#compactedCount = start.compactedCount
    this.#isBoundaryBroken = start.isBoundaryBroken ?? false
    const [first] = this.#all
    this.#before = first?.kind === 'opaque' && first.file === file ? 'unread' : undefined
  }

  /** Adds the next event of the path. Never throws, whatever its payload holds. */
  apply(placed: PathEvent): void {
    const { event } = placed
    if (placed.isAfterGap === true) this.#append({ kind: 'missing', file: this.#file })
    if (isMessage(event)) this.#push(placed)
    else if (event.type === 'compaction_boundary') this.#compact(placed)
    else if (event.type === 'rewind') this.#rewind(placed)
    else if (event.type === 'summary') this.#unfinishedCompaction = event.uuid
    if (placed.turnEnded === true) this.endTurn()
    this.#before = placed
  }

  /** Marks the last message as the end of its turn. */
  endTurn(): void {
    const last = this.#all.findLast((entry) => !isGap(entry))
    if (last?.kind !== 'event') return
    // Repeated lines are one message, and after a compaction another of them may be shown.
    const isRepeated = this.#shown.shownFor(last) !== last
    for (const entry of isRepeated ? this.#all.filter(isSame) : [last]) this.#markEnded(entry)

    function isSame(entry: ProjectionEntry): boolean {
      return uuidOf(entry) === last!.event.uuid && entry.file === last!.file
    }
  }

  /** Removes the newest entry if it is the event at that offset; returns whether it was. */
  protected removeNewest(byteOffset: number): boolean {
    const last = this.#all.at(-1)
    if (last?.kind !== 'event' || last.file !== this.#file) return false
    if (last.byte_offset !== byteOffset) return false
    this.#replace(this.#all.slice(0, -1), this.#compactedCount)
    return true
  }

  /** Replaces the text of the summary at that offset by its newest revision. */
  revise(summaryOffset: number): void {
    for (const [index, entry] of this.#all.entries()) {
      if (entry.kind !== 'summary' || entry.file !== this.#file) continue
      if (entry.byte_offset !== summaryOffset) continue
      this.#all[index] = { ...entry, text: this.#textOf(entry) }
    }
    this.#replace(this.#all, this.#compactedCount)
  }

  /** Replaces the payload of the messages of that uuid by their newest edit. */
  protected edit(target: string): void {
    for (const [index, entry] of this.#all.entries()) {
      if (entry.kind !== 'event' || entry.file !== this.#file) continue
      if (entry.event.uuid !== target) continue
      const { removed: _, ...shown } = entry
      this.#all[index] = { ...shown, ...this.#edited(entry) }
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

  get degraded(): boolean {
    return this.#shown.hasGap || this.#isBoundaryBroken
  }

  // Whatever is uncertain makes the first entry opaque, and only a boundary that certainly takes
  // effect removes it.
  get complete(): boolean {
    return this.#all[0]?.kind !== 'opaque'
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#inherited, ...this.#findings, ...this.#shown.findings]
  }

  get continuation(): ProjectionStart {
    const diagnostics = [...this.#inherited, ...this.#findings]
    const isBoundaryBroken = this.#isBoundaryBroken
    return {
      entries: [...this.#all],
      compactedCount: this.#compactedCount,
      diagnostics,
      ...(isBoundaryBroken && { isBoundaryBroken }),
    }
  }

  get #shown(): UniqueEntries {
    this.#unique ??= new UniqueEntries(this.#all, this.#compactedCount)
    return this.#unique
  }

  /** Replaces it by a copy: a projection that continues from here shares the entry. */
  #markEnded(entry: ProjectionEntry | undefined): void {
    if (entry?.kind !== 'event' || entry.turnEnded === true) return
    const ended: ProjectionEntry = { ...entry, turnEnded: true }
    this.#all[this.#all.lastIndexOf(entry)] = ended
    this.#unique?.replace(entry, ended)
  }

  #push(placed: PlacedEvent): void {
    const { byte_offset } = placed
    this.#append({ kind: 'event', file: this.#file, byte_offset, ...this.#edited(placed) })
    this.#unfinishedCompaction = null
  }

  /** The event as last edited. */
  #edited(placed: PlacedEvent): Pick<EventEntry, 'event' | 'removed'> {
    const { event } = placed
    const payload = this.#revisions.payloadOf(placed)
    if (payload === undefined) return { event }
    if (payload === null) return { event, removed: true }
    // Of an event that is read from the file on access, a spread has no time.
    return { event: { ...event, ts: event.ts, payload } }
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
    this.#isBoundaryBroken =
      patch.isCommitted === false ||
      patch.findings.some(({ code }) => code === 'compaction_tail_mismatch')
    if (patch.isCommitted === false) return
    if (patch.isCommitted === true) this.#lastBoundary = { uuid, epoch: readEpoch(payload) }
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
      this.#report('rewind_target_missing', 'The event it rewinds to is not in the log', rewind)
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

// Reads a payload only where it matters: it may be fetched on demand.
function isMessage(event: SessionEvent): boolean {
  if (MESSAGES.has(event.type)) return true
  if (event.type !== 'subagent_result') return false
  // A subagent that was started by a tool call is shown by the result of that call.
  return typeof fieldsOf(event.payload)['tool_call_id'] !== 'string'
}

/** The epoch that a boundary states; 0 where it does not. */
function readEpoch(payload: unknown): number {
  const { epoch } = fieldsOf(payload)
  return Number.isSafeInteger(epoch) && (epoch as number) > 0 ? (epoch as number) : 0
}

/**
 * The newest text of each summary, and the newest edit of each message. A revision refers to the
 * nearest summary of that uuid before it in the file, an edit to all events of that uuid before
 * it. Summaries are identified by offset, because uuids may be repeated.
 */
export class Revisions {
  readonly #offsets = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  readonly #edits = new Map<string, PlacedEvent>()

  /** Takes all events of a file in order; returns the offset of the summary that one revised. */
  add(placed: PlacedEvent): number | undefined {
    const { event, byte_offset } = placed
    if (event.type === 'summary') this.#offsets.set(event.uuid, byte_offset)
    if (event.type === 'message_edit') {
      const target = editedBy(event)
      if (target !== undefined) this.#edits.set(target, placed)
    }
    if (event.type !== 'summary_revision') return undefined
    const { summary_event_uuid, text } = fieldsOf(event.payload)
    const revised = this.#offsets.get(summary_event_uuid as string)
    // A blank revision must not replace a summary.
    if (revised === undefined || typeof text !== 'string' || text.trim() === '') return undefined
    this.#texts.set(revised, text)
    return revised
  }

  /** The payload that replaces the message's own; `null` if it was removed, `undefined` if not edited. */
  payloadOf({
    event,
    byte_offset,
  }: PlacedEvent): Readonly<Record<string, unknown>> | null | undefined {
    if (this.#edits.size === 0) return undefined
    const edit = this.#edits.get(event.uuid)
    if (edit === undefined || edit.byte_offset < byte_offset) return undefined
    const { payload } = fieldsOf(edit.event.payload)
    return payload === null ? null : fieldsOf(payload)
  }

  /** The revised text of the summary at that offset, if there is one. */
  textOf(summaryOffset: number): string | undefined {
    return this.#texts.get(summaryOffset)
  }
}

/** The uuid of the message that a valid edit names. */
function editedBy({ payload }: SessionEvent): string | undefined {
  const { target_uuid, payload: replacement } = fieldsOf(payload)
  const isObject = typeof replacement === 'object' && !Array.isArray(replacement)
  return typeof target_uuid === 'string' && isObject ? target_uuid : undefined
}

// The projection of a session that is being written: it is advanced, not computed again.
//
// An event that continues from the tip is applied. Any other event (a rewind, a repeated line, the
// branch of another writer) may change the whole path: `push` returns `false`, and the caller must
// read the file again.

export interface LiveProjectionOptions extends FoldOptions {
  /** The path so far, root first. */
  readonly path?: Iterable<PathEvent> | undefined
  /** The `prev_uuid` of the next event, as the walk found it. Required with a path. */
  readonly nextPrevUuid?: string | null | undefined
  /**
   * Whether the path ends with the last on-chain event of the file.
   *
   * @default true
   */
  readonly isTipNewest?: boolean | undefined
}

export class LiveProjection extends Fold {
  readonly #revisions: Revisions
  #nextPrevUuid: string | null
  /** The event before the tip, where the tip was pushed and linked to it. */
  #prevOfTip: string | null = null
  /** The line of the tip: its uuid may be repeated. */
  #tipOffset = -1
  #isTipNewest: boolean
  #isEmpty = true
  /** Nothing but headers so far. */
  #isAtStart = true

  constructor(options: LiveProjectionOptions) {
    const { path = [], nextPrevUuid = null, isTipNewest = true } = options
    const { revisions = new Revisions() } = options
    super({ ...options, revisions })
    this.#revisions = revisions
    this.#nextPrevUuid = nextPrevUuid
    this.#isTipNewest = isTipNewest
    for (const placed of path) this.#advance(placed)
  }

  /** Adds the next event of the file. `false`: nothing changed, and the file must be read again. */
  push(placed: PlacedEvent): boolean {
    const { event } = placed
    if (!isOnChain(event)) {
      const revised = this.#revisions.add(placed)
      if (revised !== undefined) this.revise(revised)
      const edited = event.type === 'message_edit' ? editedBy(event) : undefined
      if (edited !== undefined) this.edit(edited)
      if (event.type === 'turn_end' && this.#isTipNewest && !this.#isEmpty) this.endTurn()
      return true
    }
    const isHeader = isHeaderType(event.type)
    // After other events a header is off-chain.
    if (isHeader && !this.#isAtStart) return true
    const isRoot = this.#isEmpty && event.prev_uuid === null
    const isNext = event.prev_uuid !== null && event.prev_uuid === this.#nextPrevUuid
    const replacesTip = !isNext && this.#supersede(event)
    if (!isHeader && !isRoot && !isNext && !replacesTip) return false
    this.#tipOffset = placed.byte_offset
    if (!replacesTip) this.#prevOfTip = isNext ? this.#nextPrevUuid : null
    this.#revisions.add(placed)
    this.#advance(placed)
    this.#nextPrevUuid = event.uuid
    this.#isTipNewest = true
    return true
  }

  /** A reply that takes the place of the partial one before it. */
  #supersede({ type, prev_uuid, payload }: SessionEvent): boolean {
    if (type !== 'assistant' || prev_uuid === null || prev_uuid !== this.#prevOfTip) return false
    const { supersedes } = fieldsOf(payload)
    const isTip = typeof supersedes === 'string' && supersedes === this.#nextPrevUuid
    return isTip && this.removeNewest(this.#tipOffset)
  }

  #advance(placed: PathEvent): void {
    this.#isEmpty = false
    if (!isHeaderType(placed.event.type)) this.#isAtStart = false
    this.apply(placed)
  }
}
