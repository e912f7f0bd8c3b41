// Makes a lock look an hour old, as if its holder had been stopped all the time.

import { utimesSync } from 'node:fs'
import { systemEnvironment } from '../../lib/environment/index.js'
import { lockPathOf, readLockDirectory, readOwnerRecord } from '../../lib/log/lock/inspect.js'

const LONG_AGO = new Date(Date.now() - 3_600_000)

/** Whether the lock names that process as its holder. */
export function isSignedBy(path: string, pid: number): boolean {
  const record = readOwnerRecord(path, systemEnvironment.fs)
  return (
    record?.pid === pid && record.dir === readLockDirectory(path, systemEnvironment.fs)?.identity
  )
}

export function makeLockOld(path: string): void {
  try {
    utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  } catch {
    // No process holds it at this moment.
  }
}
