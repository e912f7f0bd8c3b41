// A log for a caller that reads it and then appends a line, or renames the file,
// all within one lock. For lines without an envelope, which follow nothing and name nothing.
//
// A caller that renames the file must return afterwards and begin again: the lock belongs to the
// renamed file.

import type { FileSystem } from '../../environment/index.js'
import { type Diagnostic, stringifyPayload } from '../../format/index.js'
import { acquireLock, type HeldLock, tryAcquireLock } from '../lock/acquire.js'
import { judgeLock } from '../lock/inspect.js'
import { lockedError } from '../lock/lock-errors.js'
import { type LogOptions, type LogSettings, toLogSettings } from '../options.js'
import { type OpenLog, readFullySync } from '../read/open-for-reading.js'
import { readLogSync } from '../read/read-log.js'
import { lineStartBefore } from '../read/scan.js'
import { contestedError, foreignWriter, LogFile, REPEATS_MAX } from './log-file.js'
import { SyncGroup } from './sync-group.js'
import { WriteBatch } from './write-batch.js'

export type LockedLogOptions = Omit<LogOptions, 'channel' | 'lineNumbers' | 'observer'>

/** Calls a synchronous `step` with the log under its lock; creates the file when it is missing. */
export async function withLockedLog<Result>(
  path: string,
  options: LockedLogOptions,
  step: (log: LockedLog) => Result,
): Promise<Result> {
  const settings = toLogSettings(options)
  return withLock(path, settings, (lock, report) =>
    step(new LockedLog(path, lock, settings, report)),
  )
}

export class LockedLog implements OpenLog {
  readonly path: string
  /** Reports a diagnostic when the lock is free again. */
  readonly report: (diagnostic: Diagnostic) => void
  readonly #lock: HeldLock
  readonly #file: LogFile
  readonly #settings: LogSettings
  readonly #batch = new WriteBatch()

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
    this.#file = new LogFile(path, lock.fd, settings.environment.fs)
  }

  get fd(): number {
    return this.#lock.fd
  }

  get fs(): FileSystem {
    return this.#file.fs
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
    if (this.#settings.durability !== 'none') {
      new SyncGroup(this.path, this.#lock, this.#settings.environment).syncNow()
    }
    return byteOffset
  }

  #writeUntilReadable(): number {
    for (let repeats = 0; repeats <= REPEATS_MAX; repeats++) {
      const { size, isTailTorn } = this.#file
      this.#batch.writeTo(this.#file, isTailTorn)
      if (!this.#takeOver()) return isTailTorn ? size + 1 : size
      const from = isTailTorn ? lineStartBefore(this.fd, size, this.#settings.environment) : size
      const found = this.#findOwnLine(from)
      if (found !== undefined) return found
    }
    throw contestedError(this.path)
  }

  /** Whether a process that ignores the lock has written; its bytes precede ours from now on. */
  #takeOver(): boolean {
    const expected = this.#file.size
    const size = this.#file.sizeOnDisk()
    if (size === expected) return false
    this.report(foreignWriter(this.path, { expected, size }))
    this.#file.accept(size)
    return true
  }

  // After the partial line of another process no reader would find it.
  #findOwnLine(from: number): number | undefined {
    const own = this.#batch.copy().subarray(0, -1)
    for (const { kind, byte_offset, length } of readLogSync(this, { from, bare: true })) {
      if (kind !== 'event' || length !== own.length) continue
      const bytes = Buffer.allocUnsafe(length)
      readFullySync(this, bytes, { at: 0, length, position: byte_offset })
      if (bytes.equals(own)) return byte_offset
    }
    return undefined
  }
}

// One step under the lock of a log that no handle keeps open: lock, step, unlock.

/**
 * The step is synchronous; its diagnostics are reported when the lock is free again. `afterwards` is
 * called then, too, with the descriptor still open.
 */
export async function withLock<Result>(
  path: string,
  settings: LogSettings,
  step: (lock: HeldLock, report: (diagnostic: Diagnostic) => void) => Result,
  afterwards?: (result: Result) => void,
): Promise<Result> {
  const diagnostics: Diagnostic[] = []
  const lock = await acquireLock(path, { mode: 'once', ...settings.lock })
  try {
    const result = step(lock, (diagnostic) => diagnostics.push(diagnostic))
    if (afterwards !== undefined) {
      let close = () => {}
      lock.release((closeFile) => {
        close = closeFile
      })
      try {
        afterwards(result)
      } finally {
        close()
      }
    }
    return result
  } finally {
    lock.release()
    // Not in this step: the write is done, whatever the caller's code throws.
    if (diagnostics.length > 0) {
      queueMicrotask(() => {
        for (const diagnostic of diagnostics) settings.onDiagnostic(diagnostic)
      })
    }
  }
}

// Others hold the lock for less than a millisecond each.
const TRIES_MAX = 100
const TRY_MS = 2

/** The same for the last moments of a process, when nothing can be waited for but a short lock. */
export function withLockSync<Result>(
  path: string,
  settings: LogSettings,
  step: (lock: HeldLock, report: (diagnostic: Diagnostic) => void) => Result,
): Result {
  const { onDiagnostic, environment: env } = settings
  for (let tries = 1; ; tries++) {
    const lock = tryAcquireLock(path, { mode: 'once', ...settings.lock })
    if (lock === undefined) {
      if (tries === TRIES_MAX) throw lockedError(path, judgeLock(path, env), env)
      env.timers.sleepSync(TRY_MS)
      continue
    }
    try {
      return step(lock, onDiagnostic)
    } finally {
      lock.release()
    }
  }
}
