// The portable lock is a directory beside the log. This file knows its name, which directory it
// is, and what its mode says.

import { type BigIntStats, lstatSync } from 'node:fs'
import { toReadError } from '../../errors.js'
import { kindOf } from '../open-file.js'

/** Without news for this long a lock of unknown owner is abandoned. Fixed: mixed values make two owners. */
export const STALE_MS = 10_000
export const UPDATE_MS = 2_000

/** Made by somebody who held the kernel lock. Set by mkdir itself, so it can never be outdated. */
export const KERNEL_MODE = 0o600
export const ADVISORY_MODE = 0o700

export function lockPathOf(path: string): string {
  return `${path}.lock`
}

export interface LockDirectory {
  /** Inode and birth time: the same path made anew is another directory. */
  readonly identity: string
  readonly mode: number
  readonly mtimeMs: number
  /** What stands at the lock path, when it is no directory at all. */
  readonly obstacle?: string | undefined
}

export function readLockDirectory(path: string): LockDirectory | undefined {
  const stats = statsOf(lockPathOf(path))
  if (stats === undefined) return undefined
  return {
    identity: `${stats.ino}:${stats.birthtimeNs}`,
    mode: Number(stats.mode & 0o777n),
    mtimeMs: Number(stats.mtimeMs),
    obstacle: obstacleOf(stats),
  }
}

function statsOf(lockPath: string): BigIntStats | undefined {
  try {
    return lstatSync(lockPath, { bigint: true, throwIfNoEntry: false })
  } catch (cause) {
    throw toReadError(cause, 'look at', lockPath)
  }
}

function obstacleOf(stats: BigIntStats): string | undefined {
  return stats.isDirectory() ? undefined : kindOf(stats)
}
