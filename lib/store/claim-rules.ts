// Who may speak for a session: the rules by which a claim is respected, renewed or taken over.

import { SessionError } from '../errors.js'
import { judgeProcess, type NewEvent, type ProcessIdentity } from '../log/index.js'
import { CLAIM_MS, type Claim, isExpired } from './claim-state.js'
import type { ClaimView } from './decide-claim.js'

// A renewal for every event would write more than the session does. So a claim lasts four hours
// from the last call of its path, or up to a minute less.
const RENEWAL_MS = 60 * 1000

const RUNTIME_PATH = /^[a-z][a-z0-9_.:-]{0,63}$/i

/** The path of hooks that do not name theirs. It says who lives, and stands back for any other. */
export const UNNAMED_PATH = 'hooks'

/** What is added to any answer when another path has the session. */
export interface SkippedCall {
  readonly skipped?: true
  readonly duplicateRuntimePath?: true
  readonly claimedBy?: string
}

export interface Caller {
  readonly runtimePath?: string | undefined
  readonly isAutomatic?: boolean | undefined
}

/**
 * What a caller is told when another path has the session; nothing when none has, or when the
 * caller does not say which path it is.
 */
export function skippedBy(
  { key, now, state: { claim } }: ClaimView,
  { runtimePath, isAutomatic = false }: Caller,
): SkippedCall | undefined {
  if (runtimePath === undefined) return undefined
  checkRuntimePath(runtimePath)
  if (claim === undefined || claim.runtimePath === runtimePath) return undefined
  if (claim.runtimePath === UNNAMED_PATH) return undefined
  // Taken over: nobody is left to speak for it.
  if (isExpired(claim, now) || isOwnerDead(claim)) return undefined
  if (!isAutomatic) throw claimedError(key, claim)
  return { skipped: true, duplicateRuntimePath: true, claimedBy: claim.runtimePath }
}

/** The claim that stands, if it is one of that path. */
export function ownClaim(
  { now, state: { claim } }: ClaimView,
  runtimePath: string,
): Claim | undefined {
  const isOwn = claim?.runtimePath === runtimePath && !isExpired(claim, now)
  return isOwn ? claim : undefined
}

export function isRenewalDue({ renewedAt }: Claim, now: number): boolean {
  return !(Math.abs(now - Date.parse(renewedAt)) < RENEWAL_MS)
}

/** The line of a claim; with an earlier one of the same path, of its renewal. */
export function claimEvent(
  { key, now }: ClaimView,
  { runtimePath, owner }: { runtimePath: string; owner: ProcessIdentity },
  earlier: Claim | undefined,
): NewEvent {
  const { pid, start, boot, ns, host } = owner
  return {
    type: earlier === undefined ? 'claim' : 'claim_renewal',
    payload: {
      session_id: key,
      runtime_path: runtimePath,
      claimed_at: earlier?.claimedAt ?? new Date(now).toISOString(),
      expires_at: new Date(now + CLAIM_MS).toISOString(),
      pid,
      start,
      boot,
      ns,
      host,
    },
  }
}

function isOwnerDead({ owner }: Claim): boolean {
  return owner !== undefined && judgeProcess(owner) === 'dead'
}

function checkRuntimePath(runtimePath: string): void {
  if (typeof runtimePath !== 'string') throw new TypeError('runtimePath must be a string')
  if (RUNTIME_PATH.test(runtimePath)) return
  const what = `A runtime path is a short word such as plugin, not "${runtimePath.slice(0, 64)}"`
  throw new SessionError('ERR_ARG', what, { runtimePath })
}

function claimedError(
  session: string,
  { runtimePath: claimedBy, claimedAt, expiresAt, owner }: Claim,
): SessionError {
  const what = `The path ${claimedBy} speaks for session "${session}" since ${claimedAt}`
  const { pid, host } = owner ?? {}
  return new SessionError('ERR_CLAIMED', what, {
    session,
    claimedBy,
    claimedAt,
    expiresAt,
    pid,
    host,
  })
}
