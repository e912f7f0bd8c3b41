// One step under the lock of a log that nobody keeps open: lock, step, unlock.

import type { Diagnostic } from '../format/index.js'
import { acquireLock, type HeldLock } from './lock/acquire.js'
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
