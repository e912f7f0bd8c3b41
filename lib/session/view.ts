// What the model sees of a session that is being written: advanced with every line, and read again
// from where it lies only when a line does not simply go on (a rewind, another writer).

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
import type { LogObserver } from '../log/index.js'
import type { LoadedSession } from '../store/index.js'

export class SessionView implements LogObserver {
  readonly #path: string
  readonly #load: () => LoadedSession
  #live: LiveProjection
  #start: ProjectionStart
  #isStale = false
  #offsetBase = 0
  #header: SessionEvent | undefined
  #eventCount: number | undefined
  /** What was tolerated when the file was last read. */
  #diagnostics: readonly Diagnostic[] = []

  /** For a log that is still empty; `load` reads it again. */
  constructor(path: string, load: () => LoadedSession, start: ProjectionStart = EMPTY_START) {
    this.#path = path
    this.#load = load
    this.#start = start
    this.#live = new LiveProjection({ file: path, start })
    this.#eventCount = 0
  }

  wrote(event: SessionEvent, byteOffset: number): void {
    if (this.#eventCount !== undefined) this.#eventCount++
    this.#header ??= event.type === 'session_header' ? event : undefined
    if (this.#isStale) return
    if (!this.#live.push({ event, byte_offset: byteOffset })) this.#isStale = true
  }

  foreign(): void {
    this.#isStale = true
    this.#eventCount = undefined
  }

  /** Takes over what was read of a log that has lines already. */
  take(loaded: LoadedSession): void {
    const { log, start, events } = loaded
    this.#start = start ?? opaqueStart(this.#path)
    this.#live = new LiveProjection({
      file: this.#path,
      start: this.#start,
      revisions: log.revisions,
      path: log.path,
      nextPrevUuid: log.walk.nextPrevUuid,
      isTipNewest: log.walk.isTipNewest,
    })
    this.#offsetBase = loaded.offsetBase
    this.#header = loaded.header
    this.#eventCount = loaded.readFrom === 0 ? events.length : undefined
    this.#diagnostics = loaded.diagnostics
    this.#isStale = false
  }

  get projection(): Projection {
    if (this.#isStale) this.take(this.#load())
    return this.#live
  }

  /** What this file's projection began with; opaque where its beginning was not read. */
  get start(): ProjectionStart {
    return this.#start
  }

  get offsetBase(): number {
    return this.#offsetBase
  }

  get headerUuid(): string | null {
    return this.#header?.uuid ?? null
  }

  /** What becomes of open calls, where the session's header says it. */
  get toolPolicy(): ToolPolicy | undefined {
    return toolPolicyOf(this.#header)
  }

  /** Events in the file; `undefined` when not all of it was read. */
  get eventCount(): number | undefined {
    return this.#eventCount
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics
  }
}
