// Loads proper-lockfile at the first lock, because loading takes some 20 ms, and removes the signal
// listeners that it installs. A file of its own, because bin/bundle.mjs replaces it.

import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'

type ProperLockfile = typeof import('proper-lockfile')

const require = createRequire(import.meta.url)

let loaded: ProperLockfile | undefined

export function loadProperLockfile(): ProperLockfile {
  if (loaded !== undefined) return loaded
  const hadOtherUsers = countExitHandlers() > 0
  loaded = require('proper-lockfile') as ProperLockfile
  if (!hadOtherUsers) unloadSignalListeners()
  return loaded
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
