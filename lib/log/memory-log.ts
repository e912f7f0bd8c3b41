// A log that is nowhere but in this process: no file, no folder, no lock. It refuses what a log
// on the disk refuses, and ends with whoever holds it.

import { SessionError } from '../errors.js'
import { Appender, appendOne } from './appender.js'
import { draftOf, type NewEvent } from './draft.js'
import type { EventEntry, LogEntry } from './entry.js'
import type { LogHandle } from './log-handle.js'
import { MemoryLines, placeInMemory } from './memory-lines.js'
import { type LogOptions, type LogSettings, settingsOf } from './options.js'
import type { Receipt } from './receipt.js'
import { draftTrailer } from './trailer.js'

export const MEMORY_SCHEME = 'memory:'

/** `name` is for people; two logs of one name share nothing. */
export function openMemoryLog(name: string, options: LogOptions = {}): MemoryLog {
  return new MemoryLog(name, settingsOf(options))
}

export class MemoryLog implements LogHandle {
  readonly path: string
  readonly #settings: LogSettings
  readonly #lines: MemoryLines
  readonly #appender: Appender
  #isClosed = false

  /** Use `openMemoryLog`. */
  constructor(name: string, settings: LogSettings) {
    this.path = MEMORY_SCHEME + name
    this.#settings = settings
    this.#lines = new MemoryLines(this.path)
    const { environment, hasLineNumbers, onDiagnostic, observer } = settings
    this.#appender = new Appender(placeInMemory(this.#lines), {
      environment,
      hasLineNumbers,
      danglingPrev: 'refuse',
      report: onDiagnostic,
      observer,
      trailer: draftTrailer(settings),
    })
  }

  get tip(): string | null {
    return this.#appender.tip
  }

  get size(): number {
    return this.#appender.size
  }

  /** Everything so far, for those who want it now. */
  get entries(): readonly EventEntry[] {
    return this.#lines.entries
  }

  async append<Type extends string>(event: NewEvent<Type>): Promise<Receipt> {
    return this.appendSync(event)
  }

  async appendAll(events: readonly NewEvent[]): Promise<Receipt[]> {
    return this.#append(events)
  }

  appendSync<Type extends string>(event: NewEvent<Type>): Receipt {
    return this.#append([event as NewEvent])[0]!
  }

  /** There is nothing to wait for: every append is there when its call returns. */
  flush(): void {}

  async *read(): AsyncGenerator<LogEntry, void, undefined> {
    yield* this.#lines.entries.slice()
  }

  async close(): Promise<void> {
    this.closeSync()
  }

  closeSync(): void {
    this.#isClosed = true
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #append(events: readonly NewEvent[]): Receipt[] {
    const { path } = this
    if (this.#isClosed) throw new SessionError('ERR_CLOSED', `${path} was closed`, { path })
    const drafts = events.map((event) => draftOf(event, this.#settings))
    return appendOne(this.#appender, drafts, false)
  }
}
