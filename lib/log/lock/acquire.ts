// Two locks, one truth. First the kernel lock on the log itself, which lives and dies with its
// holder; inside it the portable one, for processes that have no kernel lock. The holder of the
// first therefore knows that a directory made under it belongs to a dead process.
//
// A holder that renames the log away must let go and acquire again before it writes: the lock
// stays with the old file.

import type { Environment } from '../../environment/index.js'
import { SessionError, toSessionError } from '../../errors.js'
import { canonicalLogPath, type OpenedLog, openLogFile } from '../files/open-file.js'
import { type HeldLock, type HeldParts, holdLock, releaseParts } from './held-lock.js'
import { clearOwnerRecord, judgeLock, type LockMode, writeOwnerRecord } from './inspect.js'
import { tryKernelLock } from './kernel-lock.js'
import { lockedError, queuedError } from './lock-errors.js'
import { type PortableLock, tryPortableLock } from './portable-lock.js'

export type { HeldLock } from './held-lock.js'

export interface AcquireOptions {
  /** A lease is kept for the life of a handle; a once-lock for one append. */
  readonly mode: LockMode
  readonly timeoutMs: number
  /** Tests and odd platforms: go without the kernel lock although the addon is there. */
  readonly useKernelLock?: boolean | undefined
  readonly env: Environment
}

// An append under the lock takes less than a millisecond.
const DELAY_MS_MIN = 1
const DELAY_MS_MAX = 50

// Node takes a longer one for no time at all.
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Waits for short locks and for the judgement of dead ones, until `timeoutMs` is over. A lease
 * whose owner is alive fails immediately: it may be held for hours.
 */
export async function acquireLock(path: string, options: AcquireOptions): Promise<HeldLock> {
  const { env } = options
  const deadline = env.monotonicNow() + options.timeoutMs
  const canonical = canonicalLogPath(path, env)
  const turn = takeTurn(canonical)
  try {
    if (!(await comesInTime(turn, deadline, env))) throw queuedError(canonical, env)
    const parts = await contend(canonical, options, deadline)
    if (options.mode === 'once') return holdLock(parts, turn.end, env)
    // Those behind a lease learn that it is one, instead of waiting for its end.
    turn.end()
    return holdLock(parts, () => {}, env)
  } catch (error) {
    turn.end()
    throw error
  }
}

/** One synchronous attempt; `undefined` when another process has the lock. */
export function tryAcquireLock(path: string, options: AcquireOptions): HeldLock | undefined {
  const { env } = options
  const contender = new Contender(canonicalLogPath(path, env), options)
  const parts = contender.attempt()
  if (parts !== undefined) return holdLock(parts, () => {}, env)
  contender.giveUp()
  return undefined
}

async function contend(
  path: string,
  options: AcquireOptions,
  deadline: number,
): Promise<HeldParts> {
  const { env } = options
  const contender = new Contender(path, options)
  try {
    for (let failures = 0; ; failures++) {
      const parts = contender.attempt()
      if (parts !== undefined) return parts
      const state = judgeLock(path, env)
      const isLiving = state.ownerState === 'alive' || state.ownerState === 'stopped'
      const leftMs = deadline - env.monotonicNow()
      if (leftMs <= 0 || (isLiving && state.owner?.mode === 'lease'))
        throw lockedError(path, state, env)
      await env.timers.sleep(Math.min(leftMs, delayMs(failures, env)))
    }
  } catch (error) {
    contender.giveUp()
    throw error
  }
}

// Short at first, for a holder that is about to finish; apart from each other, so that waiters
// that started together do not stay together.
function delayMs(failures: number, { random }: Environment): number {
  const most = Math.min(DELAY_MS_MAX, DELAY_MS_MIN * 2 ** failures)
  return DELAY_MS_MIN + random() * (most - DELAY_MS_MIN)
}

async function comesInTime(
  { ready }: Turn,
  deadline: number,
  { timers, monotonicNow }: Environment,
): Promise<boolean> {
  if (ready === undefined) return true
  const leftMs = Math.min(TIMER_MS_MAX, Math.max(0, deadline - monotonicNow()))
  return new Promise((resolve) => {
    const timer = timers.setTimeout(() => resolve(false), leftMs)
    void ready.then(() => {
      timers.clearTimeout(timer)
      resolve(true)
    })
  })
}

// Callers of one process queue here before they try the lock, first come, first served. Against
// each other on the disk they would only poll, and the unlucky ones would time out.

export interface Turn {
  /** Resolves when those before have ended theirs; absent when the queue is empty. */
  readonly ready: Promise<void> | undefined
  /** Idempotent. May be called before the turn has come: the next one still waits for the others. */
  end(): void
}

const lastByPath = new Map<string, Promise<void>>()

export function takeTurn(path: string): Turn {
  const ready = lastByPath.get(path)
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const last = ready === undefined ? ended : ready.then(() => ended)
  lastByPath.set(path, last)
  return {
    ready,
    end() {
      end()
      if (lastByPath.get(path) !== last) return
      // Dropped now if the queue before us is empty, else when it is.
      if (ready === undefined) lastByPath.delete(path)
      else void last.then(() => lastByPath.get(path) === last && lastByPath.delete(path))
    },
  }
}

// One caller on its way to the lock. Between attempts it keeps the descriptor and, once it has
// it, the kernel lock: it is then first in the queue, and only advisory holders are before it.

// A file may be rotated away while we lock it; more often than this in one attempt is no rotation.
const REOPENINGS_MAX = 8

class Contender {
  readonly #path: string
  readonly #options: AcquireOptions
  #log: OpenedLog | undefined
  #isKernel = false

  /** The path is canonical. */
  constructor(path: string, options: AcquireOptions) {
    this.#path = path
    this.#options = options
  }

  /** One synchronous attempt at all locks; `undefined` when another process has one of them. */
  attempt(): HeldParts | undefined {
    try {
      return this.#attempt()
    } catch (error) {
      this.giveUp()
      throw toSessionError(error, 'lock', this.#path)
    }
  }

  /** Closes what is kept between attempts; the kernel lock goes with its descriptor. */
  giveUp(): void {
    const fd = this.#log?.fd
    this.#log = undefined
    this.#isKernel = false
    if (fd !== undefined) this.#options.env.fs.closeSync(fd)
  }

  #attempt(): HeldParts | undefined {
    const path = this.#path
    const { env } = this.#options
    for (let opened = 0; opened < REOPENINGS_MAX; opened++) {
      this.#log ??= openLogFile(path, env)
      const { fd, wasCreated } = this.#log
      if (!this.#lockKernel(fd)) return undefined
      if (this.#isCurrent(fd)) {
        const isKernel = this.#isKernel
        const holdsKernelLock = () => isKernel && this.#isCurrent(fd)
        const portable = tryPortableLock({ path, isKernel, holdsKernelLock, env })
        if (portable === undefined) return undefined
        const hasRecord = this.#needsRecord(portable)
        const parts = { path, fd, wasCreated, isKernel, hasRecord, portable }
        const outcome = this.#confirm(parts)
        if (outcome === 'ours') return this.#handOver(parts)
        if (outcome === 'lost') return undefined
      }
      this.giveUp()
    }
    throw new SessionError('ERR_FILE_REPLACED', `Another process keeps replacing ${path}`, { path })
  }

  #lockKernel(fd: number): boolean {
    if (this.#isKernel || this.#options.useKernelLock === false) return true
    const result = tryKernelLock(fd)
    this.#isKernel = result === 'locked'
    return result !== 'busy'
  }

  // A lock on a file that the path no longer names guards nothing.
  #isCurrent(fd: number): boolean {
    const { fs } = this.#options.env
    const there = fs.lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const ours = fs.fstatSync(fd, { bigint: true })
    return there?.ino === ours.ino && there.dev === ours.dev
  }

  // A short lock under the kernel lock needs none: the mode of its directory says enough.
  #needsRecord({ directory }: PortableLock): boolean {
    return this.#options.mode === 'lease' || !this.#isKernel || !directory.isMarked
  }

  // `lost`: without the kernel lock we may have slept so long before the record was written that
  // our directory was taken for a dead one's. `moved`: the file was rotated away under us.
  #confirm(parts: HeldParts): 'ours' | 'lost' | 'moved' {
    const { path, fd, isKernel, hasRecord, portable } = parts
    try {
      const dir = portable.directory.identity
      const { env, mode } = this.#options
      if (hasRecord) writeOwnerRecord(path, { kernel: isKernel, mode, dir }, env)
      else clearOwnerRecord(path, env)
      const isLost = !isKernel && !portable.isOurs()
      if (!isLost && this.#isCurrent(fd)) return 'ours'
      this.#withdraw(parts)
      return isLost ? 'lost' : 'moved'
    } catch (error) {
      this.#withdraw(parts)
      throw error
    }
  }

  #handOver(parts: HeldParts): HeldParts {
    this.#log = undefined
    this.#isKernel = false
    return parts
  }

  #withdraw(parts: HeldParts): void {
    this.#handOver(parts)
    releaseParts(parts, this.#options.env)
  }
}
