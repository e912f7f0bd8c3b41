// A log in the hands of somebody who looks at it and then appends a line, or moves the file away,
// all within one lock. For lines without an envelope, which follow nothing and name nothing.
//
// Whoever renames the file must return afterwards and begin again: the lock stays with the old one.

import { type Diagnostic, stringifyPayload } from '../format/index.js'
import { Batch } from './batch.js'
import { readFullySync } from './fill-lines.js'
import { contestedError, foreignWriter, REPEATS_MAX } from './foreign-writer.js'
import type { HeldLock } from './lock/acquire.js'
import { LogFile } from './log-file.js'
import { once } from './once.js'
import type { OpenLog } from './open-for-reading.js'
import { type LogOptions, type LogSettings, settingsOf } from './options.js'
import { readLogSync } from './read-log-sync.js'
import { lineStartBefore } from './scan.js'
import { SyncGroup } from './sync-group.js'

export type LockedLogOptions = Omit<LogOptions, 'channel' | 'lineNumbers' | 'observer'>

/** Calls a synchronous `step` with the log under its lock; creates the file when it is missing. */
export async function withLockedLog<Result>(
  path: string,
  options: LockedLogOptions,
  step: (log: LockedLog) => Result,
): Promise<Result> {
  const settings = settingsOf(options)
  return once(path, settings, (lock, report) => step(new LockedLog(path, lock, settings, report)))
}

export class LockedLog implements OpenLog {
  readonly path: string
  /** Tells something when the lock is free again. */
  readonly report: (diagnostic: Diagnostic) => void
  readonly #lock: HeldLock
  readonly #file: LogFile
  readonly #settings: LogSettings
  readonly #batch = new Batch()

  /** Use `withLockedLog`. */
  constructor(
    path: string,
    lock: HeldLock,
    settings: LogSettings,
    report: (diagnostic: Diagnostic) => void,
  ) {
    this.path = path
    this.report = report
    this.#lock = lock
    this.#settings = settings
    this.#file = new LogFile(path, lock.fd, settings.environment.disk)
  }

  get fd(): number {
    return this.#lock.fd
  }

  get size(): number {
    return this.#file.size
  }

  /**
   * Appends one line and returns its offset. When it returns, the line is whole and readable, and
   * synced unless durability is `none`.
   */
  append(line: object): number {
    this.#batch.reset(null, 'null')
    this.#batch.addBare(stringifyPayload(line))
    this.#takeOver()
    const byteOffset = this.#writeUntilReadable()
    if (this.#settings.durability !== 'none') this.#sync()
    return byteOffset
  }

  #writeUntilReadable(): number {
    for (let repeats = 0; repeats <= REPEATS_MAX; repeats++) {
      const { size, isTailTorn } = this.#file
      this.#batch.writeTo(this.#file, isTailTorn)
      if (!this.#takeOver()) return isTailTorn ? size + 1 : size
      const from = isTailTorn ? lineStartBefore(this.fd, size) : size
      const found = this.#findOwnLine(from)
      if (found !== undefined) return found
    }
    throw contestedError(this.path)
  }

  /** Whether somebody who ignores the lock has written; what they wrote is before us from now on. */
  #takeOver(): boolean {
    const expected = this.#file.size
    const size = this.#file.sizeOnDisk()
    if (size === expected) return false
    this.report(foreignWriter(this.path, { expected, size }))
    this.#file.accept(size)
    return true
  }

  // Behind somebody's half line no reader would find it.
  #findOwnLine(from: number): number | undefined {
    const own = this.#batch.copy().subarray(0, -1)
    for (const { kind, byte_offset, length } of readLogSync(this, { from, isBare: true })) {
      if (kind !== 'event' || length !== own.length) continue
      const bytes = Buffer.allocUnsafe(length)
      readFullySync(this, bytes, { at: 0, length, position: byte_offset })
      if (bytes.equals(own)) return byte_offset
    }
    return undefined
  }

  #sync(): void {
    const { fd, wasCreated: isNew } = this.#lock
    new SyncGroup(this.path, fd, this.#settings.environment.disk, { isNew }).syncNow()
  }
}
