// Two locks, one truth. First the kernel lock on the log itself, which lives and dies with its
// holder; inside it the portable one, for processes that have no kernel lock. Whoever holds the
// first therefore knows that a directory made under it belongs to a dead process.
//
// A holder that renames the log away must let go and acquire again before it writes: the lock
// stays with the old file.

import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalLogPath } from '../open-file.js'
import { Contender } from './contender.js'
import { type HeldLock, type HeldParts, holdLock } from './held-lock.js'
import { inspectLock } from './inspect.js'
import { lockedError, queuedError } from './lock-errors.js'
import { type Turn, takeTurn } from './turns.js'

export type { HeldLock } from './held-lock.js'

export interface AcquireOptions {
  /** A lease is kept for the life of a handle; a once-lock for one append. */
  readonly mode: 'lease' | 'once'
  readonly timeoutMs: number
  /** Tests and odd platforms: go without the kernel lock although the addon is there. */
  readonly useKernelLock?: boolean | undefined
}

// An append under the lock takes less than a millisecond.
const DELAY_MS_MIN = 1
const DELAY_MS_MAX = 50

// Node takes a longer one for no time at all.
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Waits for short locks and for the judgement of dead ones, until `timeoutMs` is over. A lease
 * whose owner lives is refused at once: it may be held for hours.
 */
export async function acquireLock(path: string, options: AcquireOptions): Promise<HeldLock> {
  const deadline = uptimeMs() + options.timeoutMs
  const canonical = canonicalLogPath(path)
  const turn = takeTurn(canonical)
  try {
    if (!(await comesInTime(turn, deadline))) throw queuedError(canonical)
    const parts = await contend(canonical, options, deadline)
    if (options.mode === 'once') return holdLock(parts, turn.end)
    // Those behind a lease learn that it is one, instead of waiting for its end.
    turn.end()
    return holdLock(parts, () => {})
  } catch (error) {
    turn.end()
    throw error
  }
}

/** One synchronous attempt; `undefined` when somebody else has the lock. */
export function tryAcquireLock(path: string, options: AcquireOptions): HeldLock | undefined {
  const contender = new Contender(canonicalLogPath(path), options)
  const parts = contender.attempt()
  if (parts !== undefined) return holdLock(parts, () => {})
  contender.giveUp()
  return undefined
}

async function contend(
  path: string,
  options: AcquireOptions,
  deadline: number,
): Promise<HeldParts> {
  const contender = new Contender(path, options)
  try {
    for (let failures = 0; ; failures++) {
      const parts = contender.attempt()
      if (parts !== undefined) return parts
      const state = inspectLock(path)
      const isLiving = state.ownerState === 'alive' || state.ownerState === 'stopped'
      const leftMs = deadline - uptimeMs()
      if (leftMs <= 0 || (isLiving && state.owner?.mode === 'lease')) throw lockedError(path, state)
      await sleep(Math.min(leftMs, delayMs(failures)))
    }
  } catch (error) {
    contender.giveUp()
    throw error
  }
}

// Short at first, for a holder that is about to finish; apart from each other, so that waiters
// that started together do not stay together.
function delayMs(failures: number): number {
  const most = Math.min(DELAY_MS_MAX, DELAY_MS_MIN * 2 ** failures)
  return DELAY_MS_MIN + Math.random() * (most - DELAY_MS_MIN)
}

async function comesInTime({ ready }: Turn, deadline: number): Promise<boolean> {
  if (ready === undefined) return true
  const alarm = new AbortController()
  const leftMs = Math.min(TIMER_MS_MAX, Math.max(0, deadline - uptimeMs()))
  const ringing = sleep(leftMs, false, { signal: alarm.signal }).catch(() => false)
  const isInTime = await Promise.race([ready.then(() => true), ringing])
  alarm.abort()
  return isInTime
}

/** Never goes back, and unlike `performance` costs a starting process nothing. */
function uptimeMs(): number {
  return process.uptime() * 1000
}
