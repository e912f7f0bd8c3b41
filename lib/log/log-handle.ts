// A log that is kept open for appending, wherever its lines are: on the disk, or in memory only.

import type { NewEvent } from './draft.js'
import type { LogEntry } from './entry.js'
import type { Receipt } from './receipt.js'

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
  /** Writes what this tick has gathered, now: afterwards `tip` and `size` tell all of it. */
  flush(): void
  /** Everything so far, oldest first. */
  read(): AsyncGenerator<LogEntry, void, undefined>
  /** Later calls do nothing. */
  close(): Promise<void>
  /** The same without waiting, for the last moments of a process. */
  closeSync(): void
}
