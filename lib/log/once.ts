// One step under the lock of a log that nobody keeps open: lock, step, unlock.

import type { Diagnostic } from '../format/index.js'
import { acquireLock, type HeldLock, tryAcquireLock } from './lock/acquire.js'
import { inspectLock } from './lock/inspect.js'
import { lockedError } from './lock/lock-errors.js'
import type { LogSettings } from './options.js'

/** The step is synchronous; what it reports is told when the lock is free again. */
export async function once<Result>(
  path: string,
  settings: LogSettings,
  step: (lock: HeldLock, report: (diagnostic: Diagnostic) => void) => Result,
): Promise<Result> {
  const { lockTimeoutMs: timeoutMs, useKernelLock, onDiagnostic } = settings
  const diagnostics: Diagnostic[] = []
  const lock = await acquireLock(path, { mode: 'once', timeoutMs, useKernelLock })
  try {
    return step(lock, (diagnostic) => diagnostics.push(diagnostic))
  } finally {
    lock.release()
    // Not in this step: what is written is written, whatever becomes of somebody else's code.
    if (diagnostics.length > 0) {
      queueMicrotask(() => {
        for (const diagnostic of diagnostics) onDiagnostic(diagnostic)
      })
    }
  }
}

// Others hold the lock for less than a millisecond each.
const TRIES_MAX = 100
const TRY_MS = 2

/** The same for the last moments of a process, when nothing can be waited for but a short lock. */
export function onceSync<Result>(
  path: string,
  settings: LogSettings,
  step: (lock: HeldLock, report: (diagnostic: Diagnostic) => void) => Result,
): Result {
  const { useKernelLock, onDiagnostic } = settings
  for (let tries = 1; ; tries++) {
    const lock = tryAcquireLock(path, { mode: 'once', timeoutMs: 0, useKernelLock })
    if (lock === undefined) {
      if (tries === TRIES_MAX) throw lockedError(path, inspectLock(path))
      sleepSync(TRY_MS)
      continue
    }
    try {
      return step(lock, onDiagnostic)
    } finally {
      lock.release()
    }
  }
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
