// A log from its beginning or from its end, with or without blocking the process.

import { type EnvironmentOverrides, environmentFrom } from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import type { LogEntry } from '../entry.js'
import { BackwardLines } from './backward-lines.js'
import { EntryDecoder } from './decode-entry.js'
import { ForwardLines, type Line, type LineSource, type ReadSizes } from './forward-lines.js'
import { fill, fillSync, type OpenLog, openForReading } from './open-for-reading.js'

/** Oldest first. Leaving the loop early closes the file. */
export function readLog(
  log: string | OpenLog,
  options: ReadLogOptions = {},
): AsyncGenerator<LogEntry, void, undefined> {
  return entriesOf(log, options, false)
}

/** Oldest first, for callers that want it now. Leaving the loop early closes the file. */
export function readLogSync(
  log: string | OpenLog,
  options: ReadLogOptions = {},
): Generator<LogEntry, void, undefined> {
  return entriesOfSync(log, options, false)
}

export interface ReadBackwardOptions extends ReadLogOptions {
  /**
   * Payloads are parsed when they are looked at: for readers who want few of them. What other
   * writers put beside the payload of a line is not read then.
   *
   * @default false
   */
  lazyPayloads?: boolean | undefined
}

/**
 * Newest first: what the forward readers yield, in reverse, except for line numbers, which need a
 * count from the beginning. Leaving the loop early closes the file.
 */
export function readLogBackward(
  log: string | OpenLog,
  options: ReadBackwardOptions = {},
): AsyncGenerator<LogEntry, void, undefined> {
  return entriesOf(log, options, true)
}

/** Newest first, for callers that want it now. Leaving the loop early closes the file. */
export function readLogBackwardSync(
  log: string | OpenLog,
  options: ReadBackwardOptions = {},
): Generator<LogEntry, void, undefined> {
  return entriesOfSync(log, options, true)
}

async function* entriesOf(
  log: string | OpenLog,
  options: ReadBackwardOptions,
  isBackward: boolean,
): AsyncGenerator<LogEntry, void, undefined> {
  const reading = new Reading(log, options, isBackward)
  try {
    while (await reading.fill()) {
      for (let entries = reading.next(); entries !== undefined; entries = reading.next()) {
        for (const entry of entries) yield entry
      }
    }
  } finally {
    reading.close()
  }
}

function* entriesOfSync(
  log: string | OpenLog,
  options: ReadBackwardOptions,
  isBackward: boolean,
): Generator<LogEntry, void, undefined> {
  const reading = new Reading(log, options, isBackward)
  try {
    while (reading.fillSync()) {
      for (let entries = reading.next(); entries !== undefined; entries = reading.next()) {
        for (const entry of entries) yield entry
      }
    }
  } finally {
    reading.close()
  }
}

// One pass over one log: an open file, a source of lines and a decoder. Reading never writes,
// never locks, and closes what it opened.

/** Options of reading a log. */
export interface ReadLogOptions {
  /**
   * The byte to start at. Inside a line, the next line is the first.
   *
   * @default 0
   */
  from?: number | undefined

  /**
   * The byte to stop before. What is appended after opening is never read.
   *
   * @default the size of the file when it is opened
   */
  to?: number | undefined

  /**
   * Throws ERR_DAMAGED at the first thing a reader would otherwise put up with.
   *
   * @default false
   */
  strict?: boolean | undefined

  /**
   * Any JSON object counts as an event: the lines of a history have no envelope.
   *
   * @default false
   */
  bare?: boolean | undefined

  /**
   * Is shown the bytes of every line before they are decoded, and passes those over that it says
   * no to, damaged or not. Of a line that is oversize it sees the beginning only.
   *
   * @default every line is decoded
   */
  isWanted?: ((line: Line) => boolean) | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined

  /**
   * Replaces the file system, for tests and simulators. A log that is given open has its own.
   *
   * @default the system's
   */
  environment?: EnvironmentOverrides | undefined

  /**
   * Only for tests.
   *
   * @default the usual sizes
   */
  sizes?: ReadSizes | undefined
}

const NO_ENTRIES: readonly LogEntry[] = []

class Reading {
  readonly #log: OpenLog
  readonly #isOwn: boolean
  readonly #lines: LineSource
  readonly #decoder: EntryDecoder
  readonly #isStrict: boolean
  readonly #isBackward: boolean
  readonly #isWanted: ((line: Line) => boolean) | undefined
  readonly #signal: AbortSignal | undefined

  /** A log that is given open stays so. */
  constructor(log: string | OpenLog, options: ReadBackwardOptions, isBackward: boolean) {
    const { from = 0, to, strict = false, bare = false, isWanted, signal, sizes } = options
    signal?.throwIfAborted()
    assertOffset('from', from)
    if (to !== undefined) assertOffset('to', to)
    this.#isOwn = typeof log !== 'object'
    this.#log =
      typeof log === 'object' ? log : openForReading(log, environmentFrom(options.environment))
    this.#decoder = new EntryDecoder(this.#log, bare)
    const range = { ...sizes, from, to: Math.min(to ?? this.#log.size, this.#log.size) }
    this.#lines = isBackward
      ? new BackwardLines(range, { isKept: options.lazyPayloads })
      : new ForwardLines(range)
    this.#isStrict = strict
    this.#isBackward = isBackward
    this.#isWanted = isWanted
    this.#signal = signal
  }

  /** Reads on; false at the end. */
  fill(): Promise<boolean> {
    return fill(this.#log, this.#lines)
  }

  fillSync(): boolean {
    return fillSync(this.#log, this.#lines)
  }

  /** What the next line in memory yields, in reading order; `undefined` when it takes more bytes. */
  next(): readonly LogEntry[] | undefined {
    this.#signal?.throwIfAborted()
    if (!this.#lines.next()) return undefined
    if (this.#isWanted?.(this.#lines) === false) return NO_ENTRIES
    const entries = this.#decoder.decode(this.#lines)
    if (this.#isStrict) for (const entry of entries) refuseDamage(this.#log.path, entry)
    return this.#isBackward && entries.length > 1 ? entries.toReversed() : entries
  }

  close(): void {
    if (this.#isOwn) this.#log.fs.closeSync(this.#log.fd)
  }
}

export function assertOffset(name: string, offset: number): void {
  if (typeof offset !== 'number') throw new TypeError(`${name} must be a number`)
  if (Number.isSafeInteger(offset) && offset >= 0) return
  throw new SessionError('ERR_ARG', `${name} must be a non-negative integer`, { [name]: offset })
}

/** Whatever was tolerated, but for what costs nothing and proves nothing (`info`). */
function refuseDamage(file: string, { byte_offset, diagnostics }: LogEntry): void {
  const reason = diagnostics?.find(({ severity }) => severity !== 'info')?.code
  if (reason === undefined) return
  const what = `${file} is damaged at byte ${byte_offset} (${reason})`
  throw new SessionError('ERR_DAMAGED', what, { file, byte_offset, reason })
}

// Lines of a log before they are decoded, from either end: for those who find what they want by
// the bytes of most lines and ask for the meaning of few.

export interface UndecodedLinesOptions {
  /** @default 0 */
  readonly from?: number | undefined
  /** @default the size of the log */
  readonly to?: number | undefined
  /** @default false */
  readonly isBackward?: boolean | undefined
  /** How many lines precede `from`, if known. */
  readonly linesBefore?: number | undefined
  /** To read into, forward, for those who walk many short logs. */
  readonly buffer?: Buffer | undefined
}

/** One for all lines of a walk: valid until the next line. */
export interface UndecodedLine {
  readonly line: Line
  /** What the readers would yield for this line, oldest first. */
  decode(): readonly LogEntry[]
}

export function* undecodedLines(
  log: OpenLog,
  { from = 0, to = log.size, isBackward = false, ...rest }: UndecodedLinesOptions = {},
): Generator<UndecodedLine, void, undefined> {
  const range = { from, to: Math.min(to, log.size), ...rest }
  const line = isBackward ? new BackwardLines(range) : new ForwardLines(range)
  const decoder = new EntryDecoder(log, false)
  const walked: UndecodedLine = { line, decode: () => decoder.decode(line) }
  while (fillSync(log, line)) while (line.next()) yield walked
}
