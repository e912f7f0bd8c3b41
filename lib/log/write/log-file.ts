// The bytes of one open log: how many there are, whether the last line is finished, and that the
// file is still the one that was opened. It adds bytes and never takes any away.

import type { Environment, FileSystem } from '../../environment/index.js'
import { SessionError, toSessionError } from '../../errors.js'
import {
  type Diagnostic,
  diagnostic,
  findOwnLine,
  linkOf,
  NEWLINE,
  TipRule,
} from '../../format/index.js'
import { type OpenLog, readFullySync } from '../read/open-for-reading.js'
import { readLogSync } from '../read/read-log.js'
import { countNewlines, lineStartBefore } from '../read/scan.js'
import type { KnownUuids } from './uuid-lookup.js'

export class LogFile {
  readonly path: string
  readonly fd: number
  readonly fs: FileSystem
  readonly #ino: number
  #size: number
  #isTailTorn: boolean

  constructor(path: string, fd: number, fs: FileSystem) {
    this.path = path
    this.fd = fd
    this.fs = fs
    const { ino, size } = this.#ask(() => fs.fstatSync(fd))
    this.#ino = ino
    this.#size = size
    this.#isTailTorn = this.#endsInsideLine()
  }

  /** Bytes this writer knows of. */
  get size(): number {
    return this.#size
  }

  /** The last byte is no newline, so the next line must begin with one. */
  get isTailTorn(): boolean {
    return this.#isTailTorn
  }

  /** Bytes on the disk now, which is more than `size` if another process wrote. */
  sizeOnDisk(): number {
    const found = this.#ask(() => this.fs.statSync(this.path, { throwIfNoEntry: false }))
    if (found === undefined || found.nlink === 0) throw this.#replacedError('was removed')
    if (found.ino !== this.#ino) throw this.#replacedError('was replaced by another file')
    if (found.size < this.#size) {
      throw this.#replacedError(`shrank from ${this.#size} to ${found.size} bytes`)
    }
    return found.size
  }

  /** Takes over what others added. */
  accept(size: number): void {
    this.#size = size
    this.#isTailTorn = this.#endsInsideLine()
  }

  /**
   * One write of whole lines. Afterwards they are all there, or it throws; then a fragment may
   * stay behind, which `sizeOnDisk` shows. It is not cut off: that would need a working disk,
   * and the next line isolates it.
   */
  write(bytes: Buffer, start = 0, end = bytes.length): void {
    const wanted = end - start
    let written = 0
    try {
      written = this.fs.writeSync(this.fd, bytes, start, wanted)
      // A short count is no error yet (full disk, quota); writing the rest shows which one it is.
      if (written < wanted) {
        written += this.fs.writeSync(this.fd, bytes, start + written, wanted - written)
      }
    } catch (cause) {
      throw toSessionError(cause, 'append to', this.path)
    }
    if (written < wanted) {
      throw new SessionError(
        'ERR_APPEND_PARTIAL',
        `Only ${written} of ${wanted} bytes could be appended to ${this.path}`,
        { path: this.path, written, wanted },
      )
    }
    this.#size += written
    this.#isTailTorn = false
  }

  #endsInsideLine(): boolean {
    if (this.#size === 0) return false
    const last = Buffer.allocUnsafe(1)
    this.#ask(() => this.fs.readSync(this.fd, last, 0, 1, this.#size - 1))
    return last[0] !== NEWLINE
  }

  #ask<Result>(look: () => Result): Result {
    try {
      return look()
    } catch (cause) {
      throw toSessionError(cause, 'look at', this.path)
    }
  }

  #replacedError(what: string): SessionError {
    return new SessionError('ERR_FILE_REPLACED', `${this.path} ${what}`, { path: this.path })
  }
}

// Is the file as this writer left it? The detector keeps the names of what was written since the last
// look, and finds out whether those lines can be read.
//
// A write in append mode lands in one piece, so our bytes are there even when another process wrote right
// before them without a lock. What can go wrong is that their half line and ours share a line.

const LOOK_MS = 50
const UNCHECKED_BYTES_MAX = 4 * 1024 * 1024

/** What a writer must know of the lines before its own. */
export interface LogState {
  readonly tip: string | null
  /** Newlines in the file; `undefined` until line numbers are needed. */
  readonly newlineCount: number | undefined
}

/** What a look brought to light: others wrote, and perhaps onto our lines. */
export interface Finding {
  readonly state: LogState
  /** The offset of each event written since the last check. */
  readonly offsets: ReadonlyMap<string, number>
  /** Lines of ours that no reader would find, to be written once more. */
  readonly unreadable: readonly Buffer[]
  readonly diagnostic: Diagnostic
}

export class ForeignWriteDetector {
  readonly #file: LogFile
  readonly #known: KnownUuids
  readonly #environment: Environment
  #unchecked: string[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  #base: { readonly size: number; readonly isTailTorn: boolean; readonly state: LogState }

  constructor(file: LogFile, known: KnownUuids, state: LogState, environment: Environment) {
    this.#environment = environment
    this.#file = file
    this.#known = known
    this.#base = { size: file.size, isTailTorn: file.isTailTorn, state }
  }

  /** Whether a check is due although no other process should be able to write. */
  isDue(now: number): boolean {
    const age = now - this.#lookedAt
    return age >= LOOK_MS || age < 0 || this.#file.size - this.#base.size > UNCHECKED_BYTES_MAX
  }

  /** Makes the next look due: something went wrong. */
  invalidate(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  remember(uuid: string): void {
    this.#unchecked.push(uuid)
  }

  /** Takes the file as it is now for the base of the next check. */
  rebase(now: number, state: LogState): void {
    this.#lookedAt = now
    this.#base = { size: this.#file.size, isTailTorn: this.#file.isTailTorn, state }
    if (this.#unchecked.length > 0) this.#unchecked = []
  }

  /**
   * `undefined` when the file is as expected. Throws when it is not the same file any more. With
   * `isForced` the lines since the last settlement are read in any case.
   */
  check({ isForced = false }: { isForced?: boolean } = {}): Finding | undefined {
    const size = this.#file.sizeOnDisk()
    const expected = this.#file.size
    if (size === expected && !isForced) return undefined
    this.#file.accept(size)
    const found = this.#readSinceBase(size)
    return {
      state: found.state,
      offsets: found.offsets,
      unreadable: this.#unreadableLines(found.offsets, size),
      diagnostic: foreignWriter(this.#file.path, { expected, size }),
    }
  }

  // From the first unreadable one to the end, or those behind it would hang from nothing.
  #unreadableLines(offsets: ReadonlyMap<string, number>, size: number): readonly Buffer[] {
    const first = this.#unchecked.findIndex((uuid) => !offsets.has(uuid))
    if (first === -1) return []
    const wanted = this.#unchecked.slice(first)
    const lines = recoverLines(this.#file, wanted, { from: this.#base.size, to: size })
    if (lines.length < wanted.length) {
      const { path } = this.#file
      throw new SessionError('ERR_FILE_REPLACED', `${path} lost lines that were written`, { path })
    }
    return lines
  }

  #readSinceBase(size: number): { state: LogState; offsets: Map<string, number> } {
    const { path, fd } = this.#file
    const { state } = this.#base
    const environment = this.#environment
    const { size: base } = this.#base
    const from = this.#base.isTailTorn ? lineStartBefore(fd, base, environment) : base
    const offsets = new Map<string, number>()
    const isKnownBefore = (uuid: string) => {
      const known = this.#known.find(uuid, this.#base.size)
      return known !== undefined && known.byte_offset < from
    }
    const rule = new TipRule(isKnownBefore, state.tip)
    for (const entry of readLogSync(path, { from, to: size, environment })) {
      if (entry.kind !== 'event') continue
      rule.take(linkOf(entry.event, entry.byte_offset))
      offsets.set(entry.event.uuid, entry.byte_offset)
    }
    const newlineCount =
      state.newlineCount === undefined
        ? undefined
        : state.newlineCount + countNewlines(fd, environment, base, size)
    return { state: { tip: rule.tip, newlineCount }, offsets }
  }
}

// Lines by their uuid, where no reader would find them: after the partial line of another process. They were
// written in one piece, so from their own first byte to their newline they are whole.

/** The bytes of those lines, newline included, in the order given; what is gone is left out. */
export function recoverLines(
  log: OpenLog,
  uuids: readonly string[],
  { from, to }: { from: number; to: number },
): Buffer[] {
  const bytes = Buffer.allocUnsafe(to - from)
  readFullySync(log, bytes, { at: 0, length: to - from, position: from })
  const lines: Buffer[] = []
  for (const uuid of uuids) {
    const line = findOwnLine(bytes, uuid)
    if (line !== undefined) lines.push(line)
  }
  return lines
}

// Another process wrote without the lock: what is reported, and when the writer gives up.

/** How often unreadable lines are written again. */
export const REPEATS_MAX = 3

/** The file has other bytes behind those that this writer knows of. */
export function foreignWriter(
  path: string,
  { expected, size }: { expected: number; size: number },
): Diagnostic {
  return diagnostic(
    'foreign_writer',
    `The log grew by ${size - expected} bytes that this writer did not write; it continues after them`,
    { file: path, byte_offset: expected, length: size - expected },
  )
}

export function contestedError(path: string): SessionError {
  return new SessionError(
    'ERR_IO',
    `Another process that ignores the lock keeps writing into the lines of ${path}`,
    { path },
  )
}
