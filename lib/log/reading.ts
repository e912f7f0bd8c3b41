// One pass over one log: an open file, a source of lines and a decoder. Reading never writes,
// never locks, and closes what it opened.

import { closeSync } from 'node:fs'
import { SessionError } from '../errors.js'
import { ChecksumWitness } from './checksum-witness.js'
import { EntryDecoder } from './decode-entry.js'
import type { LogEntry } from './entry.js'
import { fill, fillSync } from './fill-lines.js'
import type { Line, LineRange, LineSource, ReadSizes } from './line-source.js'
import { type OpenLog, openForReading } from './open-for-reading.js'

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
  isBare?: boolean | undefined

  /**
   * Is shown the bytes of every line before they are decoded, and passes those over that it says
   * no to, damaged or not. Of a line that is oversize it sees the beginning only.
   *
   * @default every line is decoded
   */
  isWanted?: ((line: Line) => boolean) | undefined

  signal?: AbortSignal | undefined

  /** Only for tests. */
  sizes?: ReadSizes | undefined
}

const NO_ENTRIES: readonly LogEntry[] = []

export class Reading {
  readonly #log: OpenLog
  readonly #isOwn: boolean
  readonly #lines: LineSource
  readonly #decoder: EntryDecoder
  readonly #isStrict: boolean
  readonly #isWanted: ((line: Line) => boolean) | undefined
  readonly #signal: AbortSignal | undefined

  /** A log that is given open stays so. */
  constructor(
    log: string | OpenLog,
    options: ReadLogOptions,
    linesOf: (range: LineRange) => LineSource,
  ) {
    const { from = 0, to, strict = false, isBare = false, isWanted, signal, sizes } = options
    signal?.throwIfAborted()
    checkOffset('from', from)
    if (to !== undefined) checkOffset('to', to)
    this.#isOwn = typeof log !== 'object'
    this.#log = typeof log === 'object' ? log : openForReading(log)
    const witness = new ChecksumWitness({ isBare })
    this.#decoder = new EntryDecoder(this.#log, { isBare, witness })
    this.#lines = linesOf({ ...sizes, from, to: Math.min(to ?? this.#log.size, this.#log.size) })
    this.#isStrict = strict
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

  /** The entries of the next line that is in memory; `undefined` when it takes more bytes. */
  next(): readonly LogEntry[] | undefined {
    this.#signal?.throwIfAborted()
    if (!this.#lines.next()) return undefined
    if (this.#isWanted?.(this.#lines) === false) return NO_ENTRIES
    const entries = this.#decoder.decode(this.#lines)
    if (this.#isStrict) for (const entry of entries) refuseDamage(this.#log.path, entry)
    return entries
  }

  close(): void {
    if (this.#isOwn) closeSync(this.#log.fd)
  }
}

export function checkOffset(name: string, offset: number): void {
  if (typeof offset !== 'number') throw new TypeError(`${name} must be a number`)
  if (Number.isSafeInteger(offset) && offset >= 0) return
  throw new SessionError('ERR_ARG', `${name} must be a whole number from 0`, { [name]: offset })
}

/** Whatever was tolerated, but for what costs nothing and proves nothing (`info`). */
function refuseDamage(file: string, { byte_offset, diagnostics }: LogEntry): void {
  const reason = diagnostics?.find(({ severity }) => severity !== 'info')?.code
  if (reason === undefined) return
  const what = `${file} is damaged at byte ${byte_offset} (${reason})`
  throw new SessionError('ERR_DAMAGED', what, { file, byte_offset, reason })
}
