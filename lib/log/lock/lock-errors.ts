// The two ways in which a lock is refused, with all that is known of its holder.

import type { Environment } from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import { type LockState, lockPathOf, type OwnerRecord } from './inspect.js'
import { isOwnProcess, ownIdentity, type ProcessState } from './process-identity.js'

/** Another process holds the lock; without an owner record its identity is unknown. */
export function lockedError(
  path: string,
  { owner, ownerState }: LockState,
  env: Environment,
): SessionError {
  const who = owner === undefined ? 'another process' : describeOwner(owner, env)
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
export function queuedError(path: string, env: Environment): SessionError {
  const { pid, host } = ownIdentity(env)
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
  const what = `Could not lock ${path}: there is ${obstacle} at ${lockPath}`
  return new SessionError('ERR_LOCK_OBSTRUCTED', what, { path, lockPath, obstacle, cause })
}

const REMARKS: Readonly<Record<ProcessState, string>> = {
  alive: '',
  stopped: ' (that process is stopped)',
  dead: ' (that process is gone)',
  unknown: ' (out of sight: another machine or container)',
}

function describeOwner(owner: OwnerRecord, env: Environment): string {
  const who = isOwnProcess(owner, env) ? 'this process' : `pid ${owner.pid} on ${owner.host}`
  return `${who} since ${owner.since}`
}
