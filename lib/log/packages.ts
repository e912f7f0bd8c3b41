// Loads packages at their first use, because loading one takes some 20 ms, and removes the signal
// listeners that proper-lockfile installs. The build replaces this file by bin/packages.ts, so only
// the modules that run one by one (tests, benchmarks) find the packages in node_modules.

import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'

type ProperLockfile = typeof import('proper-lockfile')
type WriteFileAtomic = typeof import('write-file-atomic')

const require = createRequire(import.meta.url)

let properLockfile: ProperLockfile | undefined

export function loadProperLockfile(): ProperLockfile {
  if (properLockfile !== undefined) return properLockfile
  const hadOtherUsers = countExitHandlers() > 0
  properLockfile = require('proper-lockfile') as ProperLockfile
  if (!hadOtherUsers) unloadSignalListeners()
  return properLockfile
}

export function loadWriteFileAtomic(): WriteFileAtomic {
  return require('write-file-atomic') as WriteFileAtomic
}

// signal-exit keeps its handlers on `process`, shared by all its copies.
function countExitHandlers(): number {
  const { __signal_exit_emitter__: emitter } = process as typeof process & {
    __signal_exit_emitter__?: EventEmitter
  }
  if (emitter === undefined) return 0
  return emitter.listenerCount('exit') + emitter.listenerCount('afterexit')
}

// A library installs no signal listeners by itself: they change how the host dies, and SIGXFSZ
// would kill it where Node reports EFBIG. The locks are released by our own exit listener.
function unloadSignalListeners(): void {
  try {
    const requireThere = createRequire(require.resolve('proper-lockfile'))
    const signalExit = requireThere('signal-exit') as { unload?: () => void }
    signalExit.unload?.()
  } catch {
    // Another version of proper-lockfile may do without it.
  }
}
