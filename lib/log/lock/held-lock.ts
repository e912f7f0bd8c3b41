// A lock that was won, and the promise that it is let go, at the latest when the process ends.

import type { Environment, Host } from '../../environment/index.js'
import { removeOwnerRecord } from './inspect.js'
import { releaseKernelLock } from './kernel-lock.js'
import type { PortableLock } from './portable-lock.js'

export interface HeldLock {
  /** The log itself, open for append; closed by `release()`. */
  readonly fd: number
  /** This acquire created the file. Others may have written to it before the lock was ours. */
  readonly wasCreated: boolean
  /** Under the kernel lock; false is advisory mode. */
  readonly isKernel: boolean
  /** The portable lock was taken by a process outside the protocol. */
  readonly isCompromised: () => boolean
  /**
   * Idempotent, synchronous, and silent about a lock that is already gone. Only the descriptor may
   * be wanted longer, by a sync that is under way: then `later` closes it.
   */
  release(later?: CloseLater): void
}

export type CloseLater = (close: () => void) => void

export interface HeldParts {
  readonly path: string
  readonly fd: number
  readonly wasCreated: boolean
  readonly isKernel: boolean
  readonly hasRecord: boolean
  readonly portable: PortableLock
}

const heldByHost = new WeakMap<Host, Set<HeldLock>>()

/** `onRelease` is called once, after everything is let go. */
export function holdLock(parts: HeldParts, onRelease: () => void, env: Environment): HeldLock {
  const held = heldUntilExit(env.host)
  const { fd, wasCreated, isKernel, portable } = parts
  const lock: HeldLock = {
    fd,
    wasCreated,
    isKernel,
    isCompromised: portable.isCompromised,
    release(later) {
      if (!held.delete(lock)) return
      releaseParts(parts, env, later)
      onRelease()
    },
  }
  held.add(lock)
  return lock
}

/**
 * The kernel lock goes last: its holder may take every marked directory for a dead one's. The
 * record goes first, so that a directory without one is at worst unnamed, never misnamed.
 */
export function releaseParts(
  { path, fd, isKernel, hasRecord, portable }: HeldParts,
  env: Environment,
  later: CloseLater = (close) => close(),
): void {
  if (hasRecord) quietly(() => removeOwnerRecord(path, portable.directory.identity, env))
  portable.release()
  if (isKernel) quietly(() => releaseKernelLock(fd))
  later(() => quietly(() => env.fs.closeSync(fd)))
}

/** The locks of a process that are released at the latest when it exits. */
function heldUntilExit(host: Host): Set<HeldLock> {
  let held = heldByHost.get(host)
  if (held === undefined) {
    const locks = new Set<HeldLock>()
    held = locks
    heldByHost.set(host, locks)
    host.onExit(() => {
      for (const lock of locks) lock.release()
    })
  }
  return held
}

function quietly(step: () => void): void {
  try {
    step()
  } catch {
    // The steps after this one matter more than the reason.
  }
}
