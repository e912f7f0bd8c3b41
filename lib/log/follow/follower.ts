// Reads what was added to a log since the last look. The place moves to the end of the last
// finished line and no further, so a line that is written in two parts is never lost.

import type { Stats } from 'node:fs'
import type { Environment } from '../../environment/index.js'
import { isSessionError } from '../../errors.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import { type Cursor, checkBefore, checkOfBytes, formatCursor } from '../cursor.js'
import type { DamageEntry, EventEntry } from '../entry.js'
import { ChecksumPolicy, EntryDecoder } from '../read/decode-entry.js'
import { ForwardLines, type Line } from '../read/forward-lines.js'
import { fill, type OpenLog, type OpenLogWithStats, openIfThere } from '../read/open-for-reading.js'

/** The file was replaced or truncated; it is read from its start. */
export interface ReplacedEntry {
  readonly kind: 'replaced'
  readonly byte_offset: 0
  readonly length: 0
  readonly diagnostics: readonly Diagnostic[]
  readonly cursor: string
}

/** An entry of a followed log, or that the file was replaced. */
export type FollowEntry = ((EventEntry | DamageEntry) & { readonly cursor: string }) | ReplacedEntry

interface FollowerOptions {
  /** A cursor, or an offset, where there is nothing to compare with yet. */
  readonly start: Cursor | { readonly byte_offset: number }
  readonly bare: boolean
  readonly env: Environment
}

const BEGINNING: Cursor = { byte_offset: 0, entriesRead: 0, check: 0 }

export class Follower {
  readonly #path: string
  readonly #bare: boolean
  readonly #env: Environment
  #checksums: ChecksumPolicy
  #place: { readonly byte_offset: number; readonly entriesRead?: number; readonly check?: number }
  /** How many lines precede the position; `undefined` when they were not counted. */
  #linesBefore: number | undefined
  #seen: Stats | undefined
  #isGone = false

  constructor(path: string, { start, bare, env }: FollowerOptions) {
    this.#env = env
    this.#path = path
    this.#bare = bare
    this.#checksums = new ChecksumPolicy(bare)
    this.#place = start
    if (start.byte_offset === 0) this.#linesBefore = 0
  }

  async *readNew(): AsyncGenerator<FollowEntry, void, undefined> {
    const log = openIfThere(this.#path, this.#env)
    if (log === undefined) {
      this.#isGone = this.#seen !== undefined
      return
    }
    try {
      if (!this.#isGone && isUnchanged(this.#seen, log.stats)) return
      if (this.#isReplaced(log)) {
        yield* this.#readRotated()
        yield this.#startAgain()
      }
      this.#seen = log.stats
      this.#isGone = false
      yield* this.#readLines(log)
    } catch (error) {
      // It was cut while we read: the next check finds it shorter than our position.
      if (!isSessionError(error, 'ERR_FILE_REPLACED')) throw error
      this.#seen = undefined
    } finally {
      log.fs.closeSync(log.fd)
    }
  }

  async *#readLines(log: OpenLog): AsyncGenerator<FollowEntry, void, undefined> {
    const { byte_offset: from } = this.#place
    const lines = new ForwardLines({ from, to: log.size, linesBefore: this.#linesBefore })
    const decoder = new EntryDecoder(log, this.#bare, this.#checksums)
    while (await fill(log, lines)) {
      while (lines.next() && lines.isEnded) {
        for (const entry of this.#pass(log, lines, decoder)) yield entry
      }
    }
  }

  /** What was added before the log was rotated away: its name says where it went. */
  async *#readRotated(): AsyncGenerator<FollowEntry, void, undefined> {
    const { byte_offset, check } = this.#place
    const log = openIfThere(`${this.#path}.1`, this.#env)
    if (log === undefined) return
    try {
      const isOurs = log.size > byte_offset && checkBefore(log.fd, byte_offset, log.fs) === check
      if (isOurs) yield* this.#readLines(log)
    } finally {
      log.fs.closeSync(log.fd)
    }
  }

  #isReplaced({ fd, fs, stats }: OpenLogWithStats): boolean {
    const { byte_offset, check } = this.#place
    if (byte_offset === 0) return false
    if (this.#isGone || stats.size < byte_offset) return true
    const seen = this.#seen
    if (seen !== undefined && (seen.ino !== stats.ino || seen.dev !== stats.dev)) return true
    const found = checkBefore(fd, byte_offset, fs)
    if (check === undefined) this.#place = { ...this.#place, check: found }
    return check !== undefined && check !== found
  }

  #startAgain(): ReplacedEntry {
    this.#place = BEGINNING
    this.#linesBefore = 0
    this.#checksums = new ChecksumPolicy(this.#bare)
    const message = 'The file was replaced or truncated; it is read from its start'
    const diagnostics = [diagnostic('file_replaced', message, { file: this.#path, byte_offset: 0 })]
    const cursor = formatCursor(BEGINNING)
    return { kind: 'replaced', byte_offset: 0, length: 0, diagnostics, cursor }
  }

  /** The entries of one finished line that were not handed out yet; the place moves behind it. */
  #pass(log: OpenLog, line: Line, decoder: EntryDecoder): FollowEntry[] {
    const { byte_offset, entriesRead = 0 } = this.#place
    const first = byte_offset === line.byte_offset ? entriesRead : 0
    // Only what follows the last newline is torn, and that never comes here.
    const entries = decoder.decode(line) as readonly (EventEntry | DamageEntry)[]
    const after = placeAfter(log, line)
    this.#place = after
    this.#linesBefore = line.line_number
    return entries.slice(first).map((entry, index, { length }) => {
      const isLast = index === length - 1
      const place = isLast ? after : placeInside(log, line, first + index + 1)
      return { ...entry, cursor: formatCursor(place) }
    })
  }
}

function placeAfter({ fd, fs }: OpenLog, { bytes, start, end, ...line }: Line): Cursor {
  const byte_offset = line.byte_offset + line.length + 1
  const inMemory = line.isOversize ? undefined : checkOfBytes(bytes, start, end + 1)
  return { byte_offset, entriesRead: 0, check: inMemory ?? checkBefore(fd, byte_offset, fs) }
}

/** Between two records on one line. */
function placeInside({ fd, fs }: OpenLog, { byte_offset }: Line, entriesRead: number): Cursor {
  return { byte_offset, entriesRead, check: checkBefore(fd, byte_offset, fs) }
}

function isUnchanged(seen: Stats | undefined, { ino, dev, size, mtimeMs }: Stats): boolean {
  if (seen === undefined) return false
  return seen.ino === ino && seen.dev === dev && seen.size === size && seen.mtimeMs === mtimeMs
}
