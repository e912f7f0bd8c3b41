// A transcript read from its end, only as far as it takes to know what the model sees.
//
// Whatever was read is folded onto an opaque start, "all that was before"; once nothing opaque is
// left, nothing older could change the result, and reading stops. So the cost follows the live
// context and not the file. Of a file whose end does not settle the matter, the rest is scanned
// for its links; only what turns out to be seen by the model is kept of it.

import { fieldsOf, type LogProjection, type PlacedEvent, projectLog } from '../../chain/index.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import { type LogEntry, readLogBackwardSync, readLogSync } from '../../log/index.js'
import { lineStartBefore, readOffsets, statIfThere } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { findEvent } from './find-event.js'

export interface LoadOptions {
  /** As of this event; default: the tip. */
  readonly at?: string | undefined
  /** `then`: summaries as they read at that time. Default `newest`. */
  readonly revisions?: 'newest' | 'then' | undefined
  /** Parse payloads when they are looked at; the events then hold nothing beside their envelope. */
  readonly lazyPayloads?: boolean | undefined
  /**
   * Read at most about this many bytes of a longer file. Where they do not decide what the model sees,
   * the older part is a gap, and a diagnostic says so.
   */
  readonly bytesMax?: number | undefined
  /** Only for tests: see the tail of a session. */
  readonly fullScanThresholdBytes?: number | undefined
}

// Then a scan of all the rest is cheaper: it takes a third of the time for each line, and no memory
// for what it says.
const MEBIBYTE = 1024 * 1024
const FULL_SCAN_THRESHOLD_BYTES = MEBIBYTE

export interface SessionTail {
  /** What was read, in the order of the file. */
  readonly events: readonly PlacedEvent[]
  /** Everything before this byte was not read. */
  readonly readFrom: number
  /** There, when the end of the file says it all. */
  readonly result: LogProjection | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** Older events are read when their payload is used. */
  readonly isScanned: boolean
}

/** `offsetBase`: where offsets count from, known from the headers. */
export function readSessionTail(
  store: StoreContext,
  step: LoadOptions & { readonly path: string; readonly atOffset?: number | undefined },
  offsetBase: number,
): SessionTail {
  const { path, bytesMax } = step
  if (bytesMax === undefined || (statIfThere(path, store.env)?.size ?? 0) <= bytesMax) {
    return readWholeTail(store, step, offsetBase)
  }
  return readBoundedTail(store, { ...step, bytesMax }, offsetBase)
}

type BoundedStep = Parameters<typeof readSessionTail>[1] & { readonly bytesMax: number }

function readBoundedTail(store: StoreContext, step: BoundedStep, offsetBase: number): SessionTail {
  const { path, at, revisions, bytesMax } = step
  const read = readBackward(store, step, undefined)
  const isFound = at === undefined || read.events.some(({ event }) => event.uuid === at)
  // An older event: the part before it is what the model saw.
  const end = isFound ? undefined : endOfEvent(store, step)
  const { events, readFrom, diagnostics } =
    end === undefined ? read : readBackward(store, step, end)
  if (readFrom === 0) {
    return { events, readFrom, result: undefined, diagnostics, isScanned: false }
  }
  const options = { file: path, at, revisions, offsetBase, isWhole: false, trustsTip: true }
  const result = projectLog(events, options)
  const isCut = !result.projection.complete
  const what = `The context is longer than ${bytesMax / MEBIBYTE} MiB; older messages were not read`
  const where = { file: path, byte_offset: readFrom }
  const cut = isCut ? [diagnostic('context_cut', what, where)] : []
  return { events, readFrom, result, diagnostics: [...diagnostics, ...cut], isScanned: false }
}

/** From `end` on, until the result is decided or the limit is reached. */
function readBackward(
  { env }: StoreContext,
  { path, at, revisions, bytesMax }: BoundedStep,
  end: number | undefined,
): Pick<SessionTail, 'events' | 'readFrom' | 'diagnostics'> {
  const tail = new Tail(at, FULL_SCAN_THRESHOLD_BYTES)
  let readFrom = 0
  for (const entry of readLogBackwardSync(path, { to: end, environment: env })) {
    tail.take(entry)
    readFrom = entry.byte_offset
    if (tail.readBytes >= bytesMax) break
    if (!tail.isWorthATry) continue
    const options = { file: path, at, revisions, isWhole: false }
    if (projectLog(tail.events(), options).projection.complete) break
    tail.rememberFailure()
  }
  return { events: tail.events(), readFrom, diagnostics: tail.diagnostics }
}

/** Where the line of the event ends that the step is as of; `undefined` if it is not there. */
function endOfEvent(store: StoreContext, { path, at, atOffset }: BoundedStep): number | undefined {
  const found = entryAt(store, path, atOffset)
  const isThere = found?.kind === 'event' && found.event.uuid === at
  const entry = isThere ? found : findEvent(store, path, at!)
  return entry === undefined ? undefined : entry.byte_offset + entry.length + 1
}

function entryAt({ env }: StoreContext, path: string, from: number | undefined) {
  if (from === undefined) return undefined
  for (const entry of readLogSync(path, { from, environment: env })) return entry
  return undefined
}

function readWholeTail(
  { env }: StoreContext,
  {
    path,
    at,
    revisions,
    lazyPayloads = false,
    fullScanThresholdBytes = FULL_SCAN_THRESHOLD_BYTES,
  }: LoadOptions & { readonly path: string },
  offsetBase: number,
): SessionTail {
  const tail = new Tail(at, fullScanThresholdBytes)
  let isScanned = false
  for (const entry of readLogBackwardSync(path, { lazyPayloads, environment: env })) {
    tail.take(entry)
    if (tail.isWorthATry) {
      const events = tail.events()
      const options = { file: path, at, revisions, offsetBase, isWhole: false }
      const result = projectLog(events, options)
      if (result.projection.complete) {
        const { diagnostics } = tail
        return { events, readFrom: entry.byte_offset, result, diagnostics, isScanned: false }
      }
      tail.rememberFailure()
    }
    if (!lazyPayloads || !tail.isFarBack) continue
    // Of a line that holds several records the rest has not come yet.
    if (lineStartBefore(path, entry.byte_offset + 1, env) !== entry.byte_offset) continue
    for (const older of readOffsets(path, { to: entry.byte_offset }, env).reverse())
      tail.take(older)
    isScanned = true
    break
  }
  const { diagnostics } = tail
  return { events: tail.events(), readFrom: 0, result: undefined, diagnostics, isScanned }
}

class Tail {
  readonly diagnostics: Diagnostic[] = []
  readonly #newestFirst: PlacedEvent[] = []
  #isAtSeen: boolean
  readonly #at: string | undefined
  #end: number | undefined
  #readBytes = 0
  #hasBoundary = false
  /** The oldest event the newest boundary needs: once it is there, the rest may be enough. */
  #wanted: string | undefined
  #isWantedSeen = false
  #nextTryBytes = Number.POSITIVE_INFINITY
  readonly #fullScanThresholdBytes: number
  #reachBytes: number

  constructor(at: string | undefined, fullScanThresholdBytes: number) {
    this.#at = at
    this.#isAtSeen = at === undefined
    this.#fullScanThresholdBytes = fullScanThresholdBytes
    // Without a boundary the model may see everything, but nothing after `at`.
    this.#reachBytes = at === undefined ? Number.POSITIVE_INFINITY : 16 * fullScanThresholdBytes
  }

  take(entry: LogEntry): void {
    this.#end ??= entry.byte_offset + entry.length
    this.#readBytes = this.#end - entry.byte_offset
    if (entry.diagnostics !== undefined) this.diagnostics.push(...entry.diagnostics)
    if (entry.kind !== 'event') return
    const { event } = entry
    this.#newestFirst.push(entry)
    if (event.uuid === this.#at) {
      this.#isAtSeen = true
      this.#reachBytes = Number.POSITIVE_INFINITY
    }
    if (event.uuid === this.#wanted) this.#isWantedSeen = true
    if (event.type !== 'compaction_boundary' || !this.#isAtSeen || this.#hasBoundary) return
    this.#hasBoundary = true
    const fields = fieldsOf(event.payload)
    const slackBytes = Math.max(this.#fullScanThresholdBytes, this.#readBytes)
    this.#reachBytes = this.#readBytes + keptBytes(fields) + slackBytes
    const oldest = fields['headUuid'] ?? fields['coveredToUuid'] ?? fields['summary_event_uuid']
    if (typeof oldest === 'string') this.#wanted = oldest
    else this.rememberFailure()
  }

  get readBytes(): number {
    return this.#readBytes
  }

  /** What should have been enough was not. */
  get isFarBack(): boolean {
    return this.#readBytes > this.#reachBytes
  }

  /** Without a boundary nothing is ever left behind; with one, its head decides, or twice as much. */
  get isWorthATry(): boolean {
    if (!this.#hasBoundary || !this.#isAtSeen) return false
    return this.#isWantedSeen || this.#readBytes >= this.#nextTryBytes
  }

  rememberFailure(): void {
    this.#isWantedSeen = false
    this.#wanted = undefined
    this.#nextTryBytes = this.#readBytes * 2
  }

  events(): PlacedEvent[] {
    return this.#newestFirst.toReversed()
  }
}

/** How many bytes before the boundary its first kept event is, if the boundary says so. */
function keptBytes({
  anchorUuid,
  summary_event_uuid,
  offsets,
}: ReturnType<typeof fieldsOf>): number {
  const { self, head } = fieldsOf(offsets)
  const isSuffix = anchorUuid === summary_event_uuid
  return isSuffix && typeof self === 'number' && typeof head === 'number' ? self - head : 0
}
