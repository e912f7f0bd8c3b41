// A transcript read from its end, only as far as it takes to know what the model sees.
//
// Whatever was read is folded onto an opaque start, "all that was before"; once nothing opaque is
// left, nothing older could change the result, and reading stops. So the cost follows the live
// context and not the file. A file whose end does not settle the matter is read to its start.

import { fieldsOf, type LogProjection, type PlacedEvent, projectLog } from '../chain/index.js'
import { type Diagnostic, isHeaderType } from '../format/index.js'
import { type LogEntry, readLogBackwardSync } from '../log/index.js'

export interface TailOptions {
  readonly at?: string | undefined
  readonly revisions?: 'newest' | 'then' | undefined
  /** Where offsets count from: known from the headers. */
  readonly offsetBase: number
  readonly lazyPayloads?: boolean | undefined
}

export interface SessionTail {
  /** What was read, in the order of the file. */
  readonly events: readonly PlacedEvent[]
  /** Everything before this byte was not read. */
  readonly readFrom: number
  /** There, when the end of the file says it all. */
  readonly result: LogProjection | undefined
  readonly diagnostics: readonly Diagnostic[]
}

export function readSessionTail(
  path: string,
  { lazyPayloads, ...options }: TailOptions,
): SessionTail {
  const tail = new Tail(options.at)
  for (const entry of readLogBackwardSync(path, { lazyPayloads })) {
    tail.take(entry)
    if (!tail.isWorthATry) continue
    const events = tail.events()
    const result = projectLog(events, { file: path, ...options, isWhole: false })
    if (result.projection.isComplete) {
      return { events, readFrom: entry.byte_offset, result, diagnostics: tail.diagnostics }
    }
    tail.rememberFailure()
  }
  const { diagnostics } = tail
  return { events: tail.events(), readFrom: 0, result: undefined, diagnostics }
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

  constructor(at: string | undefined) {
    this.#at = at
    this.#isAtSeen = at === undefined
  }

  take(entry: LogEntry): void {
    this.#end ??= entry.byte_offset + entry.length
    this.#readBytes = this.#end - entry.byte_offset
    if (entry.diagnostics !== undefined) this.diagnostics.push(...entry.diagnostics)
    if (entry.kind !== 'event') return
    const { event } = entry
    this.#newestFirst.push(entry)
    if (event.uuid === this.#at) this.#isAtSeen = true
    if (event.uuid === this.#wanted) this.#isWantedSeen = true
    if (event.type !== 'compaction_boundary' || !this.#isAtSeen || this.#hasBoundary) return
    this.#hasBoundary = true
    const fields = fieldsOf(event.payload)
    const oldest = fields['headUuid'] ?? fields['coveredToUuid'] ?? fields['summary_event_uuid']
    if (typeof oldest === 'string') this.#wanted = oldest
    else this.rememberFailure()
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

/** The headers a file begins with: its own first, in a fork followed by those of its source. */
export function leadingHeaders(events: Iterable<PlacedEvent>): PlacedEvent[] {
  const headers: PlacedEvent[] = []
  for (const placed of events) {
    if (!isHeaderType(placed.event.type)) break
    headers.push(placed)
  }
  return headers
}
