// The lock that every platform has: a directory beside the log, kept fresh by proper-lockfile.
// Always its synchronous side, because a timer of the other one may fire after the release and
// touch the next holder's directory.

import { toSessionError } from '../../errors.js'
import { type Claim, createGuardedFs, type GuardedFs, type MadeDirectory } from './guarded-fs.js'
import { loadProperLockfile } from './load-proper-lockfile.js'
import { lockPathOf, readLockDirectory, STALE_MS, UPDATE_MS } from './lock-directory.js'

export interface PortableLock {
  readonly directory: MadeDirectory
  /** Somebody outside the protocol removed or replaced our directory. */
  isCompromised(): boolean
  /** Looks at the disk, now. */
  isOurs(): boolean
  /** Removes the directory if it is still ours; never throws. */
  release(): void
}

/** Tries once; `undefined` when somebody else has it. */
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
    isOurs: () => readLockDirectory(path)?.identity === directory.identity,
    release() {
      try {
        unlock()
      } catch {
        // Lost before, or the disk refuses: whoever comes next judges what is left.
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
