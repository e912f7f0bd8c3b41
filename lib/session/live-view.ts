// What is known of a session that is being written: what the model sees, title and tags. All are
// advanced with every line. The projection is read again from the file only when a line does not
// follow the last one (a rewind, another writer).

import {
  EMPTY_START,
  LiveProjection,
  opaqueStart,
  type Projection,
  type ProjectionStart,
  type ToolPolicy,
  toolPolicyOf,
} from '../chain/index.js'
import type { Diagnostic, SessionEvent } from '../format/index.js'
import type { LogObserver, LogOptions, NewEvent, TrailingEvent } from '../log/index.js'
import {
  type LoadedSession,
  META_STRIDE_BYTES,
  readMeta,
  SessionMeta,
  type StoreContext,
  takeLines,
} from '../store/index.js'

export class SessionView implements LogObserver {
  /** What this file's projection began with; opaque where the beginning of the file was not read. */
  start: ProjectionStart
  offsetBase = 0
  header: SessionEvent | undefined
  /** Events in the file; `undefined` when not all of it was read. */
  eventCount: number | undefined = 0
  /** What was tolerated when the file was last read. */
  diagnostics: readonly Diagnostic[] = []
  readonly #path: string
  readonly #load: () => LoadedSession
  #live: LiveProjection
  #isStale = false

  /** For a log that is still empty; `load` reads it again. */
  constructor(path: string, load: () => LoadedSession, start: ProjectionStart = EMPTY_START) {
    this.start = start
    this.#path = path
    this.#load = load
    this.#live = new LiveProjection({ file: path, start })
  }

  wrote(event: SessionEvent, byteOffset: number): void {
    if (this.eventCount !== undefined) this.eventCount++
    this.header ??= event.type === 'session_header' ? event : undefined
    if (this.#isStale) return
    if (!this.#live.push({ event, byte_offset: byteOffset })) this.#isStale = true
  }

  foreign(): void {
    this.#isStale = true
    this.eventCount = undefined
  }

  /** Replaces its state by what was read of a log that has lines already. */
  replace({ log, start, events, offsetBase, header, readFrom, diagnostics }: LoadedSession): void {
    this.start = start ?? opaqueStart(this.#path)
    this.#live = new LiveProjection({
      file: this.#path,
      start: this.start,
      revisions: log.revisions,
      path: log.path,
      nextPrevUuid: log.walk.nextPrevUuid,
      isTipNewest: log.walk.isTipNewest,
    })
    this.offsetBase = offsetBase
    this.header = header
    this.eventCount = readFrom === 0 ? events.length : undefined
    this.diagnostics = diagnostics
    this.#isStale = false
  }

  get projection(): Projection {
    if (this.#isStale) this.replace(this.#load())
    return this.#live
  }

  /** The policy for open tool calls, where the session's header names one. */
  get toolPolicy(): ToolPolicy | undefined {
    return toolPolicyOf(this.header)
  }
}

export type TitleSource = 'user' | 'auto'

/**
 * A session's title and tags. Their line is repeated every 48 KiB and at the end, so that a listing
 * finds it in the last 64 KiB of a file of any size.
 */
export class MetaKeeper {
  #meta = new SessionMeta()
  #titleAt = 0
  #tagsAt = 0

  /** Takes title and tags from a line, if it has any. */
  observe(event: SessionEvent, byteOffset: number): void {
    if (event.type !== 'session_meta') return
    const { hasTitle, hasTags } = this.#meta.take(event.payload)
    if (hasTitle) this.#titleAt = byteOffset
    if (hasTags) this.#tagsAt = byteOffset
  }

  /** Reads what a log says that has lines already. */
  learn(store: StoreContext, path: string): void {
    this.#meta = readMeta(store, path)
  }

  /** Repeats the line once enough bytes follow the last one. */
  readonly trailingEvent: TrailingEvent = ({ lines, end }) => {
    const { title, tags } = this.#meta
    const titleAt = title === undefined ? end : this.#titleAt
    const tagsAt = tags === undefined ? end : this.#tagsAt
    if (end - Math.min(titleAt, tagsAt) < META_STRIDE_BYTES) return undefined
    const meta = Object.assign(new SessionMeta(), this.#meta)
    takeLines(meta, lines)
    return meta.toEvent()
  }

  /** The line to repeat, if there is a title or a tag. */
  line(): NewEvent | undefined {
    return this.#meta.toEvent()
  }
}

export function titleEvent(title: string, source: TitleSource): NewEvent {
  return { type: 'session_meta', payload: { title, title_source: source } }
}

/** Log options by which the view, the title and the tags learn of every line. */
export function observersFor(
  view: SessionView,
  meta: MetaKeeper,
): Pick<LogOptions, 'observer' | 'trailingEvent'> {
  const observer: LogObserver = {
    wrote(event, byteOffset) {
      view.wrote(event, byteOffset)
      meta.observe(event, byteOffset)
    },
    foreign: () => view.foreign(),
  }
  return { observer, trailingEvent: meta.trailingEvent }
}
