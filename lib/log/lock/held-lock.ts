// A lock that was won, and the promise that it is let go, at the latest when the process ends.

import { closeSync } from 'node:fs'
import { releaseKernelLock } from './kernel-lock.js'
import { removeOwnerRecord } from './owner-record.js'
import type { PortableLock } from './portable-lock.js'

export interface HeldLock {
  /** The log itself, open for append; closed by `release()`. */
  readonly fd: number
  /** This acquire created the file. Others may have written to it before the lock was ours. */
  readonly wasCreated: boolean
  /** Under the kernel lock; false is advisory mode. */
  readonly isKernel: boolean
  /** The portable lock was taken from us by somebody outside the protocol. */
  readonly isCompromised: boolean
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

const held = new Set<HeldLock>()
let isListening = false

/** `onRelease` is called once, after everything is let go. */
export function holdLock(parts: HeldParts, onRelease: () => void): HeldLock {
  const { fd, wasCreated, isKernel, portable } = parts
  const lock: HeldLock = {
    fd,
    wasCreated,
    isKernel,
    get isCompromised() {
      return portable.isCompromised()
    },
    release(later) {
      if (!held.delete(lock)) return
      releaseParts(parts, later)
      onRelease()
    },
  }
  held.add(lock)
  listenForExit()
  return lock
}

/**
 * The kernel lock goes last: its holder may take every marked directory for a dead one's. The
 * record goes first, so that a directory without one is at worst unnamed, never misnamed.
 */
export function releaseParts(
  { path, fd, isKernel, hasRecord, portable }: HeldParts,
  later: CloseLater = (close) => close(),
): void {
  if (hasRecord) quietly(() => removeOwnerRecord(path, portable.directory.identity))
  portable.release()
  if (isKernel) quietly(() => releaseKernelLock(fd))
  later(() => quietly(() => closeSync(fd)))
}

function listenForExit(): void {
  if (isListening) return
  isListening = true
  process.on('exit', releaseAll)
}

function releaseAll(): void {
  for (const lock of held) lock.release()
}

function quietly(step: () => void): void {
  try {
    step()
  } catch {
    // The steps after this one matter more than the reason.
  }
}
