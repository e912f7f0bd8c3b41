// A log kept open for appending. The writer holds the file's lock for its life (a lease), so an
// append is one synchronous write on a descriptor that stays open.
//
// Order of calls = order of lines = order of the chain. Appends of one tick are stamped and
// written together; what a tick still holds when the process exits is written then.

import { isSessionError, SessionError } from '../../errors.js'
import { type Diagnostic, diagnostic } from '../../format/index.js'
import type { LogEntry } from '../entry.js'
import { acquireLock, type HeldLock, tryAcquireLock } from '../lock/acquire.js'
import type { LogHandle, Receipt } from '../log-handle.js'
import { type LogOptions, type LogSettings, toLogSettings } from '../options.js'
import { readLog } from '../read/read-log.js'
import { Appender, type Call, diskTarget } from './appender.js'
import { flushOnExit } from './flush-on-exit.js'
import { type NewEvent, prepareAll, prepareEvent } from './prepared-event.js'
import { isSyncDue, SyncGroup } from './sync-group.js'

// How much a tick may gather before it is written immediately.
const HELD_CHARS_MAX = 1024 * 1024
// How much may wait for the disk before an append waits with it.
const UNSYNCED_BYTES_MAX = 16 * 1024 * 1024

interface HeldCall extends Call {
  /** Wants the receipt of its only event, not a list. */
  readonly isSingle: boolean
  resolve(receipts: Receipt | Receipt[]): void
  reject(error: unknown): void
}

const REACH = { reachBytes: Number.POSITIVE_INFINITY, tipWindowBytes: 256 * 1024 }

// A promise that is there already: the cheapest way to run something at the end of the tick.
const tick = Promise.resolve()

/** Opens a log for appending, and creates it and its folder when they are missing. */
export async function openLog(path: string, options: LogOptions = {}): Promise<LogWriter> {
  const settings = toLogSettings(options)
  const lock = await acquireLock(path, { mode: 'lease', ...settings.lock })
  try {
    return new LogWriter(path, lock, settings)
  } catch (error) {
    lock.release()
    throw error
  }
}

export class LogWriter implements LogHandle {
  readonly path: string
  readonly #settings: LogSettings
  readonly #stopWritingOnExit: () => void
  // Made once: a closure for every tick would cost more than the tick.
  readonly #endTick = () => this.#writeHeld()
  #lock: HeldLock
  #appender: Appender
  #syncs: SyncGroup
  #held: HeldCall[] = []
  #heldChars = 0
  #unsyncedBytes = 0
  #diagnostics: Diagnostic[] = []
  #closing: Promise<void> | undefined

  /** Use `openLog`; a lock must be held already. */
  constructor(path: string, lock: HeldLock, settings: LogSettings) {
    this.path = path
    this.#settings = settings
    this.#lock = lock
    this.#appender = this.#newAppender(lock)
    this.#syncs = this.#newSyncs()
    this.#stopWritingOnExit = flushOnExit(() => this.#writeHeldAtExit(), settings.environment)
  }

  /** The newest event of the chain, which the next one follows; `null` for an empty log. */
  get tip(): string | null {
    return this.#appender.tip
  }

  get size(): number {
    return this.#appender.size
  }

  /** `kernel`: no other process can write. `advisory`: no process that respects the lock can. */
  get lockKind(): 'kernel' | 'advisory' {
    return this.#lock.isKernel ? 'kernel' : 'advisory'
  }

  /** Resolves once the event is a whole line of the file, and synced if its durability asks for it. */
  append<Type extends string>(event: NewEvent<Type>): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      // A refusal rejects the promise.
      const preparedEvents = [prepareEvent(event as NewEvent, this.#settings)]
      this.#hold({ preparedEvents, answer: undefined, isSingle: true, resolve, reject } as HeldCall)
    })
  }

  /** Several events as one write: all of them become lines, or none is acknowledged. */
  async appendAll(events: readonly NewEvent[]): Promise<Receipt[]> {
    const preparedEvents = prepareAll(events, this.#settings)
    return new Promise((resolve, reject) => {
      this.#hold({
        preparedEvents,
        answer: undefined,
        isSingle: false,
        resolve,
        reject,
      } as HeldCall)
    })
  }

  /** The same without waiting: when it returns, the event is a whole line of the file. */
  appendSync<Type extends string>(event: NewEvent<Type>): Receipt {
    const prepared = prepareEvent(event as NewEvent, this.#settings)
    if (this.#closing !== undefined) throw this.#closedError()
    this.#writeHeld()
    const call: Call = { preparedEvents: [prepared], answer: undefined }
    this.#write([call])
    if (!Array.isArray(call.answer)) throw call.answer
    if (this.#isSyncDue(call)) this.#syncNow()
    return call.answer[0]!
  }

  /** Writes the appends of this tick now; afterwards `tip` and `size` include them. */
  flush(): void {
    this.#writeHeld()
  }

  /** Everything so far, oldest first. */
  read(): AsyncGenerator<LogEntry, void, undefined> {
    this.#writeHeld()
    return readLog(this.path, { environment: this.#settings.environment })
  }

  /** Resolves once everything appended so far is on the disk. */
  async sync(): Promise<void> {
    this.#writeHeld()
    await new Promise<void>((resolve, reject) => this.#syncs.wait({ resolve, reject }))
    this.#unsyncedBytes = 0
  }

  /** Writes and syncs what is left, and gives the file free. Later calls do nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** The same without waiting, for the last moments of a process. */
  closeSync(): void {
    if (this.#closing !== undefined) return
    this.#closing = Promise.resolve()
    try {
      this.#writeHeld()
      if (this.#settings.durability !== 'none') this.#syncNow()
    } finally {
      this.#stopWritingOnExit()
      this.#release()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    try {
      this.#writeHeld()
      this.#finalCheck()
      const isLastSyncDue = this.#isSyncing || this.#syncs.isRunning
      if (isLastSyncDue && this.#syncs.failure === undefined) await this.sync()
    } finally {
      this.#stopWritingOnExit()
      this.#release()
    }
  }

  // The last lines, too, may share a line with a stranger's. Where the file is gone there is
  // nothing to repair, and close() does not report it.
  #finalCheck(): void {
    try {
      this.#appender.checkForeignWrites()
    } catch (error) {
      if (!isSessionError(error, 'ERR_FILE_REPLACED')) throw error
    }
  }

  #hold(call: HeldCall): void {
    if (this.#closing !== undefined) {
      call.reject(this.#closedError())
      return
    }
    if (this.#held.push(call) === 1) void tick.then(this.#endTick)
    for (const prepared of call.preparedEvents) this.#heldChars += prepared.payloadJson.length
    if (this.#heldChars > HELD_CHARS_MAX) this.#writeHeld()
  }

  #closedError(): SessionError {
    return new SessionError('ERR_CLOSED', `${this.path} was closed`, { path: this.path })
  }

  #writeHeld(): void {
    if (this.#held.length === 0) return
    const calls = this.#held
    this.#held = []
    this.#heldChars = 0
    try {
      this.#write(calls)
    } catch (error) {
      for (const call of calls) call.reject(error)
      return
    }
    for (const call of calls) this.#settle(call)
  }

  #settle(call: HeldCall): void {
    const { answer } = call
    if (!Array.isArray(answer)) {
      call.reject(answer)
      return
    }
    const receipts = call.isSingle ? answer[0]! : answer
    if (this.#isSyncDue(call)) {
      this.#syncs.wait({ resolve: () => call.resolve(receipts), reject: call.reject })
    } else {
      call.resolve(receipts)
    }
  }

  #write(calls: readonly Call[]): void {
    if (this.#syncs.failure !== undefined) throw this.#syncs.failure
    // Asked first, since it spares most logs the look at every call.
    const isWatchful = this.#isSyncing && calls.some((call) => this.#isSyncDue(call))
    try {
      if (this.#lock.isCompromised() && !this.#lock.isKernel) this.#acquireAgain()
      const before = this.#appender.size
      this.#appender.append(calls, isWatchful)
      this.#unsyncedBytes += this.#appender.size - before
      if (this.#isSyncing && this.#unsyncedBytes > UNSYNCED_BYTES_MAX) this.#syncNow()
    } finally {
      if (this.#diagnostics.length > 0) this.#reportDiagnostics()
    }
  }

  get #isSyncing(): boolean {
    return this.#settings.durability !== 'none'
  }

  #isSyncDue({ preparedEvents }: Call): boolean {
    return isSyncDue(this.#settings.durability, preparedEvents)
  }

  #syncNow(): void {
    this.#syncs.syncNow()
    this.#unsyncedBytes = 0
  }

  #writeHeldAtExit(): void {
    const isLastSyncDue = this.#held.some((call) => this.#isSyncDue(call))
    this.#writeHeld()
    if (isLastSyncDue) this.#syncNow()
  }

  // Without the kernel lock a process outside the protocol may have taken the lease (another
  // host, a plain proper-lockfile). One try to have it back; then the file is read again.
  #acquireAgain(): void {
    const lock = tryAcquireLock(this.path, { mode: 'lease', ...this.#settings.lock })
    const what = `The lease of ${this.path} was taken by another process`
    this.#diagnostics.push(diagnostic('lock_compromised', what, { file: this.path }))
    if (lock === undefined) throw new SessionError('ERR_LOCKED', what, { path: this.path })
    this.#release()
    this.#lock = lock
    this.#appender = this.#newAppender(lock)
    this.#syncs = this.#newSyncs()
  }

  // A sync under way would fail on a descriptor that is closed, or sync another file that has its number next.
  #release(): void {
    const syncs = this.#syncs
    this.#lock.release((close) => syncs.whenIdle(close))
  }

  #newSyncs(): SyncGroup {
    return new SyncGroup(this.path, this.#lock, this.#settings.environment)
  }

  #newAppender(lock: HeldLock): Appender {
    const settings = this.#settings
    const target = diskTarget(this.path, lock, settings, REACH)
    const report = (diagnostic: Diagnostic) => this.#diagnostics.push(diagnostic)
    return new Appender(target, { settings, report, danglingPrev: 'refuse' })
  }

  // The caller's code runs only after the step is done.
  #reportDiagnostics(): void {
    const diagnostics = this.#diagnostics
    this.#diagnostics = []
    const { onDiagnostic } = this.#settings
    queueMicrotask(() => {
      for (const diagnostic of diagnostics) onDiagnostic(diagnostic)
    })
  }
}
