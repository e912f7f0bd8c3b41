// Looks at a lock from outside and judges it. Changes nothing; the break mutex asks it a second
// time before anything is removed.

import { readdirSync } from 'node:fs'
import { KERNEL_MODE, lockPathOf, readLockDirectory, STALE_MS } from './lock-directory.js'
import { type OwnerRecord, readOwnerRecord } from './owner-record.js'
import { judgeProcess, type ProcessState } from './process-identity.js'

export interface LockState {
  /**
   * - `held`: by somebody who lives, or may live
   * - `abandoned`: its owner is provably gone, or unknown and silent for longer than `STALE_MS`
   * - `obstructed`: no lock of anybody's; only a person can tell what it is
   */
  readonly verdict: 'free' | 'held' | 'abandoned' | 'obstructed'
  /** Only if the record belongs to the directory that stands there. */
  readonly owner?: OwnerRecord | undefined
  readonly ownerState?: ProcessState | undefined
  readonly obstacle?: string | undefined
}

/**
 * Tells whether the caller holds the kernel lock of the file that the path names at this moment.
 * A function and not a flag, because the path may come to name another file meanwhile.
 */
export type KernelProof = () => boolean

/** Whose lock it is, and whether it still stands. */
export function inspectLock(path: string, holdsKernelLock: KernelProof = () => false): LockState {
  // The order carries the proof. Whoever is found dead first, and whose directory is found after
  // that, can no longer have released it and made room for another.
  const record = readOwnerRecord(path)
  const recordState = record && judgeProcess(record)
  const directory = readLockDirectory(path)
  if (directory === undefined) return { verdict: 'free' }
  const { identity, mode, mtimeMs, obstacle } = directory
  if (obstacle !== undefined) return { verdict: 'obstructed', obstacle }

  const isBound = record?.dir === identity
  const owner = isBound ? record : undefined
  const ownerState = isBound ? recordState : undefined
  const state = (verdict: LockState['verdict']): LockState => ({ verdict, owner, ownerState })

  // Made under the kernel lock and removed before that is dropped: if we have it, the maker died.
  const isKernelMade = mode === KERNEL_MODE || owner?.kernel === true
  if (isKernelMade && holdsKernelLock()) return state('abandoned')
  if (ownerState === 'alive' || ownerState === 'stopped') return state('held')
  if (ownerState === 'dead') return state(isRecordUnchanged(path, owner!) ? 'abandoned' : 'held')
  return judgeByAge(path, mtimeMs, state)
}

// Inodes are given out again and birth times tick in milliseconds, so two directories may look
// the same. A holder that let go took its record with it; if the record stands, so does the lock.
function isRecordUnchanged(path: string, before: OwnerRecord): boolean {
  const now = readOwnerRecord(path)
  return now?.pid === before.pid && now.since === before.since && now.dir === before.dir
}

function judgeByAge(
  path: string,
  mtimeMs: number,
  state: (verdict: LockState['verdict']) => LockState,
): LockState {
  const ageMs = Date.now() - mtimeMs
  if (!isEmpty(path)) return { ...state('obstructed'), obstacle: 'a directory that is not empty' }
  if (ageMs > STALE_MS) return state('abandoned')
  if (ageMs >= -STALE_MS) return state('held')
  const obstacle = `a lock dated ${new Date(mtimeMs).toISOString()}, in the future`
  return { ...state('obstructed'), obstacle }
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(lockPathOf(path)).length === 0
  } catch {
    // Gone meanwhile, or another user's: nothing speaks against it.
    return true
  }
}
