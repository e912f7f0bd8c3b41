// The lock that every platform has: a directory beside the log, kept fresh by proper-lockfile.
// Always its synchronous side, because a timer of the other one may fire after the release and
// touch the next holder's directory.

import type { Environment, FileSystem } from '../../environment/index.js'
import { toSessionError } from '../../errors.js'
import { loadProperLockfile } from '../packages.js'
import { breakLock } from './break-mutex.js'
import {
  ADVISORY_MODE,
  judgeLock,
  KERNEL_MODE,
  type KernelProof,
  lockPathOf,
  readLockDirectory,
  STALE_MS,
  UPDATE_MS,
} from './inspect.js'
import { obstructedError } from './lock-errors.js'

export interface PortableLock {
  readonly directory: MadeDirectory
  /** A process outside the protocol removed or replaced our directory. */
  isCompromised(): boolean
  /** Looks at the disk, now. */
  isOurs(): boolean
  /** Removes the directory if it is still ours; never throws. */
  release(): void
}

/** Tries once; `undefined` when another process has it. */
export function tryPortableLock(claim: Claim): PortableLock | undefined {
  const { path } = claim
  const guarded = createGuardedFs(claim)
  let isCompromised = false
  const unlock = lockOnce(path, guarded, () => {
    isCompromised = true
  })
  if (unlock === undefined) return undefined
  const directory = guarded.made()!
  return {
    directory,
    isCompromised: () => isCompromised,
    isOurs: () => readLockDirectory(path, claim.env.fs)?.identity === directory.identity,
    release() {
      try {
        unlock()
      } catch {
        // Lost before, or the disk refuses: the next process judges what is left.
      }
    },
  }
}

function lockOnce(
  path: string,
  { fs, made }: GuardedFs,
  onCompromised: () => void,
): (() => void) | undefined {
  try {
    return loadProperLockfile().lockSync(path, {
      realpath: false,
      stale: STALE_MS,
      update: UPDATE_MS,
      retries: 0,
      lockfilePath: lockPathOf(path),
      fs,
      onCompromised,
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The directory was made, and is gone before the lock is ours: we slept for so long that
    // another one took us for dead.
    const isLost = code === 'ENOENT' && made() !== undefined
    if (isLost || code === 'ELOCKED') return undefined
    throw toSessionError(error, 'lock', path)
  }
}

// The `fs` that proper-lockfile is given. It decides by the age of a directory and removes by
// path; through these functions it decides by what is known of the owner, and removes only what
// is ours or what the break mutex hands over.

export interface Claim {
  readonly path: string
  /** Whether the directory is made under the kernel lock. */
  readonly isKernel: boolean
  readonly holdsKernelLock: KernelProof
  readonly env: Environment
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
  const { path, env } = claim
  let made: MadeDirectory | undefined
  let mtime: Date | undefined

  const fs = {
    mkdirSync() {
      made = makeDirectory(claim)
    },
    statSync() {
      if (made === undefined) return { mtime: judgeForWaiter(claim) }
      const directory = readLockDirectory(path, env.fs)
      if (directory?.identity !== made.identity)
        throw fsError('ENOENT', 'The lock belongs to another process')
      // The first look comes right after mkdir and measures the precision of the file system.
      // From then on we answer what was set last: a date that another program touched is no theft.
      mtime ??= new Date(directory.mtimeMs)
      return { mtime }
    },
    utimesSync(_lockPath: string, atime: Date, next: Date) {
      env.fs.utimesSync(lockPathOf(path), atime, next)
      if (mtime !== undefined) mtime = next
    },
    rmdirSync() {
      if (made === undefined) return removeAbandoned(claim)
      if (readLockDirectory(path, env.fs)?.identity === made.identity)
        env.fs.rmdirSync(lockPathOf(path))
    },
    realpathSync: () => path,
  }
  return { fs, made: () => made }
}

function makeDirectory({ path, isKernel, env }: Claim): MadeDirectory {
  const lockPath = lockPathOf(path)
  const wanted = isKernel ? KERNEL_MODE : ADVISORY_MODE
  // 0500 at first, because a umask with 0100 would turn 0700 into the mark of the kernel lock,
  // and no mask can turn 0500 into it.
  env.fs.mkdirSync(lockPath, { mode: isKernel ? KERNEL_MODE : 0o500 })
  let directory = readLockDirectory(path, env.fs)
  if (directory !== undefined && directory.mode !== wanted) {
    chmodQuietly(lockPath, wanted, env.fs)
    directory = readLockDirectory(path, env.fs)
  }
  if (directory === undefined) throw fsError('ELOCKED', 'The lock was removed immediately')
  return { identity: directory.identity, isMarked: directory.mode === wanted }
}

// Our verdict in the only words proper-lockfile understands: the beginning of time, or now.
function judgeForWaiter({ path, holdsKernelLock, env }: Claim): Date {
  const { verdict, obstacle } = judgeLock(path, env, holdsKernelLock)
  if (verdict === 'free') throw fsError('ENOENT', 'The lock is gone')
  if (verdict === 'obstructed') throw obstructedError(path, obstacle!)
  return verdict === 'abandoned' ? new Date(0) : new Date(env.host.clock())
}

function removeAbandoned({ path, holdsKernelLock, env }: Claim): void {
  if (breakLock(path, holdsKernelLock, env) === 'kept') throw fsError('ELOCKED', 'The lock is held')
}

function chmodQuietly(lockPath: string, mode: number, fs: FileSystem): void {
  try {
    fs.chmodSync(lockPath, mode)
  } catch {
    // A file system without modes; the owner record says it then.
  }
}

function fsError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code })
}
