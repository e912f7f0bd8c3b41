// A log that is kept open for appending, wherever its lines are: on the disk, or in memory only.

import type { LineParts } from '../format/index.js'
import type { LogEntry } from './entry.js'
import type { NewEvent } from './write/prepared-event.js'

export interface LogHandle extends AsyncDisposable {
  /** Where it is; `memory:` and a name for one that is nowhere. */
  readonly path: string
  /** The newest event of the chain, which the next one follows; `null` for an empty log. */
  readonly tip: string | null
  /** Bytes of all lines. */
  readonly size: number
  /** Resolves once the event is a whole line of the log. */
  append<Type extends string>(event: NewEvent<Type>): Promise<Receipt>
  /** Several events together: all of them become lines, or none is acknowledged. */
  appendAll(events: readonly NewEvent[]): Promise<Receipt[]>
  /** The same without waiting: when it returns, the event is a whole line of the log. */
  appendSync<Type extends string>(event: NewEvent<Type>): Receipt
  /** Writes the appends of this tick now; afterwards `tip` and `size` include them. */
  flush(): void
  /** Resolves once everything appended so far is on the disk, if it is to be there at all. */
  sync(): Promise<void>
  /** Everything so far, oldest first. */
  read(): AsyncGenerator<LogEntry, void, undefined>
  /** Later calls do nothing. */
  close(): Promise<void>
  /** The same without waiting, for the last moments of a process. */
  closeSync(): void
}

/** What became of one event. */
export interface Receipt {
  readonly uuid: string
  readonly byteOffset: number
  /** Physical line, from 1; absent when line numbers were not asked for. */
  readonly lineNumber?: number
  /** The log held this event already; nothing was written. */
  readonly duplicate?: true
}

/** A line of a batch, and its receipt. */
export interface BatchLine extends LineParts {
  readonly receipt: { -readonly [Key in keyof Receipt]: Receipt[Key] }
}
