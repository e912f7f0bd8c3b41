// A lock as it looks an hour later, when whoever holds it has been stopped all the time.

import { utimesSync } from 'node:fs'
import { lockPathOf, readLockDirectory } from '../../lib/log/lock/lock-directory.js'
import { readOwnerRecord } from '../../lib/log/lock/owner-record.js'

const LONG_AGO = new Date(Date.now() - 3_600_000)

/** Whether the lock that stands there names that process as its holder. */
export function isSignedBy(path: string, pid: number): boolean {
  const record = readOwnerRecord(path)
  return record?.pid === pid && record.dir === readLockDirectory(path)?.identity
}

export function makeLockOld(path: string): void {
  try {
    utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  } catch {
    // Nobody holds it at this moment.
  }
}
