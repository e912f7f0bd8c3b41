// The `fs` that proper-lockfile is given. It decides by the age of a directory and removes by
// path; through these functions it decides by what is known of the owner, and removes only what
// is ours or what the break mutex hands over.

import { chmodSync, mkdirSync, rmdirSync, utimesSync } from 'node:fs'
import { breakLock } from './break-mutex.js'
import { inspectLock, type KernelProof } from './inspect.js'
import { ADVISORY_MODE, KERNEL_MODE, lockPathOf, readLockDirectory } from './lock-directory.js'
import { obstructedError } from './lock-errors.js'

export interface Claim {
  readonly path: string
  /** Whether the directory is made under the kernel lock. */
  readonly isKernel: boolean
  readonly holdsKernelLock: KernelProof
}

/** What was made through it; `undefined` until the lock is ours. */
export interface MadeDirectory {
  readonly identity: string
  /** False on platforms without modes: then only an owner record can say how it was made. */
  readonly isMarked: boolean
}

export interface GuardedFs {
  /** Own properties only: proper-lockfile copies the object. */
  readonly fs: Readonly<Record<string, (...args: never[]) => unknown>>
  made(): MadeDirectory | undefined
}

export function createGuardedFs(claim: Claim): GuardedFs {
  const { path } = claim
  let made: MadeDirectory | undefined
  let mtime: Date | undefined

  const fs = {
    mkdirSync() {
      made = makeDirectory(claim)
    },
    statSync() {
      if (made === undefined) return { mtime: judgeForWaiter(claim) }
      const directory = readLockDirectory(path)
      if (directory?.identity !== made.identity) throw fsError('ENOENT', 'The lock is another’s')
      // The first look comes right after mkdir and measures the precision of the file system.
      // From then on we answer what was set last: a date that somebody touched is no theft.
      mtime ??= new Date(directory.mtimeMs)
      return { mtime }
    },
    utimesSync(_lockPath: string, atime: Date, next: Date) {
      utimesSync(lockPathOf(path), atime, next)
      if (mtime !== undefined) mtime = next
    },
    rmdirSync() {
      if (made === undefined) return removeAbandoned(claim)
      if (readLockDirectory(path)?.identity === made.identity) rmdirSync(lockPathOf(path))
    },
    realpathSync: () => path,
  }
  return { fs, made: () => made }
}

function makeDirectory({ path, isKernel }: Claim): MadeDirectory {
  const lockPath = lockPathOf(path)
  const wanted = isKernel ? KERNEL_MODE : ADVISORY_MODE
  // 0500 at first, because a umask with 0100 would turn 0700 into the mark of the kernel lock,
  // and no mask can turn 0500 into it.
  mkdirSync(lockPath, { mode: isKernel ? KERNEL_MODE : 0o500 })
  let directory = readLockDirectory(path)
  if (directory !== undefined && directory.mode !== wanted) {
    chmodQuietly(lockPath, wanted)
    directory = readLockDirectory(path)
  }
  if (directory === undefined) throw fsError('ELOCKED', 'The lock was removed at once')
  return { identity: directory.identity, isMarked: directory.mode === wanted }
}

// Our verdict in the only words proper-lockfile understands: the beginning of time, or now.
function judgeForWaiter({ path, holdsKernelLock }: Claim): Date {
  const { verdict, obstacle } = inspectLock(path, holdsKernelLock)
  if (verdict === 'free') throw fsError('ENOENT', 'The lock is gone')
  if (verdict === 'obstructed') throw obstructedError(path, obstacle!)
  return verdict === 'abandoned' ? new Date(0) : new Date()
}

function removeAbandoned({ path, holdsKernelLock }: Claim): void {
  if (breakLock(path, holdsKernelLock) === 'kept') throw fsError('ELOCKED', 'The lock is held')
}

function chmodQuietly(lockPath: string, mode: number): void {
  try {
    chmodSync(lockPath, mode)
  } catch {
    // A file system without modes; the owner record says it then.
  }
}

function fsError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code })
}
