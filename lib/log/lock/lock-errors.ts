// The two ways in which a lock says no, with all that is known about whoever stands in the way.

import { SessionError } from '../../errors.js'
import type { LockState } from './inspect.js'
import { lockPathOf } from './lock-directory.js'
import type { OwnerRecord } from './owner-record.js'
import { isOwnProcess, ownIdentity, type ProcessState } from './process-identity.js'

/** Somebody holds the lock; without a record it is only known that somebody does. */
export function lockedError(path: string, { owner, ownerState }: LockState): SessionError {
  const who = owner === undefined ? 'another process' : describeOwner(owner)
  const remark = owner === undefined ? '' : REMARKS[ownerState ?? 'unknown']
  return new SessionError('ERR_LOCKED', `${path} is locked by ${who}${remark}`, {
    path,
    pid: owner?.pid,
    host: owner?.host,
    since: owner?.since,
    kernel: owner?.kernel,
    mode: owner?.mode,
    state: ownerState ?? 'unknown',
  })
}

/** Other appends of this process kept the lock busy until the caller's time was up. */
export function queuedError(path: string): SessionError {
  const { pid, host } = ownIdentity()
  return new SessionError('ERR_LOCKED', `${path} is locked by this process`, {
    path,
    pid,
    host,
    mode: 'once',
    state: 'alive',
  })
}

export function obstructedError(path: string, obstacle: string, cause?: unknown): SessionError {
  const lockPath = lockPathOf(path)
  const what = `Could not lock ${path}: at ${lockPath} stands ${obstacle}`
  return new SessionError('ERR_LOCK_OBSTRUCTED', what, { path, lockPath, obstacle, cause })
}

const REMARKS: Readonly<Record<ProcessState, string>> = {
  alive: '',
  stopped: ' (that process is stopped)',
  dead: ' (that process is gone)',
  unknown: ' (out of sight: another machine or container)',
}

function describeOwner(owner: OwnerRecord): string {
  const who = isOwnProcess(owner) ? 'this process' : `pid ${owner.pid} on ${owner.host}`
  return `${who} since ${owner.since}`
}
