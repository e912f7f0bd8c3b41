// A log that is nowhere but in this process: no file, no folder, no lock. It refuses what a log
// on the disk refuses, and its lines are gone when the handle is dropped.

import { SessionError } from '../errors.js'
import { decodeVerified, NEWLINE, type SessionEvent } from '../format/index.js'
import type { EventEntry, LogEntry } from './entry.js'
import type { LogHandle, Receipt } from './log-handle.js'
import { type LogOptions, type LogSettings, toLogSettings } from './options.js'
import { Appender, type AppendTarget, appendOne } from './write/appender.js'
import { type NewEvent, prepareAll } from './write/prepared-event.js'

export const MEMORY_SCHEME = 'memory:'

/** `name` is for people; two logs of one name share nothing. */
export function openMemoryLog(name: string, options: LogOptions = {}): MemoryLog {
  return new MemoryLog(name, toLogSettings(options))
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
    const report = settings.onDiagnostic
    this.#appender = new Appender(memoryTarget(this.#lines), {
      settings,
      report,
      danglingPrev: 'refuse',
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

  async sync(): Promise<void> {}

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
    return appendOne(this.#appender, prepareAll(events, this.#settings), false)
  }
}

// Lines that stay in memory. They are the same bytes that a file would hold, so every limit and
// every offset means the same; nothing here can reach a disk.

class MemoryLines {
  readonly path: string
  readonly isTailTorn = false
  readonly #entries: EventEntry[] = []
  readonly #byUuid = new Map<string, EventEntry>()
  #size = 0

  constructor(path: string) {
    this.path = path
  }

  get size(): number {
    return this.#size
  }

  /** In their order. */
  get entries(): readonly EventEntry[] {
    return this.#entries
  }

  write(bytes: Buffer, start = 0, end = bytes.length): void {
    for (let from = start; from < end; ) {
      const to = bytes.indexOf(NEWLINE, from)
      this.#add(decodeVerified(bytes, from, to)!, to - from)
      from = to + 1
    }
  }

  /** The last event of that uuid. */
  find(uuid: string): { event: SessionEvent; byte_offset: number } | undefined {
    return this.#byUuid.get(uuid)
  }

  #add(event: SessionEvent, length: number): void {
    const line_number = this.#entries.length + 1
    const entry: EventEntry = { kind: 'event', byte_offset: this.#size, length, line_number, event }
    this.#entries.push(entry)
    this.#byUuid.set(event.uuid, entry)
    this.#size += length + 1
  }
}

/** No other process can write here, so there is nothing to check. */
function memoryTarget(lines: MemoryLines): AppendTarget {
  return {
    file: lines,
    known: { find: (uuid) => lines.find(uuid), addLines: () => {} },
    detector: {
      isDue: () => false,
      check: () => undefined,
      invalidate: () => {},
      remember: () => {},
      rebase: () => {},
    },
    state: { tip: null, newlineCount: 0 },
    isAlone: () => true,
    countNewlines: (to) => lines.entries.filter(({ byte_offset }) => byte_offset < to).length,
  }
}
