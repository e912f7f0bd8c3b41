// Group commit: all who ask while a sync is under way share the next one.
//
// A sync that failed is never tried again, and reading the bytes back proves nothing: the kernel
// marks the pages clean and forgets. So after the first failure every answer is the same error.

import type { Environment } from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import { syncFolder } from '../files/open-file.js'
import type { HeldLock } from '../lock/acquire.js'
import type { Durability } from '../options.js'
import { openForReading } from '../read/open-for-reading.js'
import type { PreparedEvent } from './prepared-event.js'

interface Waiter {
  resolve(): void
  reject(error: SessionError): void
}

export class SyncGroup {
  readonly #path: string
  readonly #fd: number
  readonly #env: Environment
  /** A new file is safe only once its folder knows it. */
  #isFolderDue: boolean
  #waiters: Waiter[] = []
  #isRunning = false
  #afterwards: (() => void)[] = []
  #failure: SessionError | undefined

  constructor(
    path: string,
    { fd, wasCreated }: Pick<HeldLock, 'fd' | 'wasCreated'>,
    env: Environment,
  ) {
    this.#path = path
    this.#fd = fd
    this.#env = env
    this.#isFolderDue = wasCreated
  }

  /** Why nothing more may be acknowledged, once a sync has failed. */
  get failure(): SessionError | undefined {
    return this.#failure
  }

  /** A sync is under way. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Calls back once no sync is under way: only then may the descriptor be closed. */
  whenIdle(callback: () => void): void {
    if (this.#isRunning) this.#afterwards.push(callback)
    else callback()
  }

  /** Calls back once everything written before this call is on the disk. */
  wait(waiter: Waiter): void {
    if (this.#failure !== undefined) {
      waiter.reject(this.#failure)
      return
    }
    this.#waiters.push(waiter)
    if (!this.#isRunning) this.#start()
  }

  /** The same, synchronously; for the last moments of a process and for one-shots. */
  syncNow(): void {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#env.fs.fdatasyncSync(this.#fd)
      this.#syncFolder()
    } catch (cause) {
      throw this.#fail(cause)
    }
  }

  #start(): void {
    const waiters = this.#waiters
    this.#waiters = []
    this.#isRunning = true
    this.#env.fs.fdatasync(this.#fd, (cause) => {
      this.#isRunning = false
      const error = cause ? this.#fail(cause) : this.#trySyncFolder()
      for (const waiter of waiters) {
        if (error === undefined) waiter.resolve()
        else waiter.reject(error)
      }
      if (error === undefined && this.#waiters.length > 0) {
        this.#start()
        return
      }
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error!)
      for (const callback of this.#afterwards.splice(0)) callback()
    })
  }

  #trySyncFolder(): SessionError | undefined {
    try {
      this.#syncFolder()
      return undefined
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  #syncFolder(): void {
    if (!this.#isFolderDue) return
    syncFolder(this.#path, this.#env)
    this.#isFolderDue = false
  }

  #fail(cause: unknown): SessionError {
    this.#failure ??= new SessionError(
      'ERR_DURABILITY_UNKNOWN',
      `The disk did not confirm what was written to ${this.#path}`,
      { cause, path: this.#path },
    )
    return this.#failure
  }
}

/** Syncs a log that another process may be writing. Throws if the disk does not confirm it. */
export function syncLog(path: string, env: Environment): void {
  const { fd } = openForReading(path, env)
  try {
    new SyncGroup(path, { fd, wasCreated: false }, env).syncNow()
  } finally {
    env.fs.closeSync(fd)
  }
}

/** Whether these events are acknowledged only after a sync. */
export function isSyncDue(
  durability: Durability,
  preparedEvents: readonly PreparedEvent[],
): boolean {
  if (durability === 'none') return false
  return durability === 'always' || preparedEvents.some(({ isSyncPoint }) => isSyncPoint)
}
