// Claims: which runtime path of a harness speaks for a session. They are advice for those who
// ask. What keeps two writers apart is the lock of the transcript, and no claim replaces it.

import { existsSync } from 'node:fs'
import { ownIdentity, type ProcessIdentity } from '../log/index.js'
import { isBypassOn } from './bypass.js'
import { claimEvent, isRenewalDue, ownClaim, type SkippedCall, skippedBy } from './claim-rules.js'
import { isExpired } from './claim-state.js'
import { type ClaimOptions, type ClaimView, decideClaim, viewClaims } from './decide-claim.js'
import { findEndTime } from './terminator.js'

/** A second end so shortly after the first is the same end, told twice. */
const SAME_END_MS = 30 * 60 * 1000

/** The runtime path of a session that nobody claims. */
export const UNCLAIMED = 'unknown'

export interface RuntimePathOptions extends ClaimOptions {
  /**
   * Which way of the harness into the library this call takes, say `plugin` or `legacy`.
   *
   * @default undefined: nothing is checked and nothing is claimed
   */
  runtimePath?: string | undefined

  /**
   * For events that fire by themselves: that another path has the session is told in the answer
   * and not thrown.
   *
   * @default false
   */
  isAutomatic?: boolean | undefined
}

export interface ClaimSessionOptions extends RuntimePathOptions {
  /**
   * Who stands behind the claim. A hook names the harness (`parentIdentity()`), because it is gone
   * itself a moment later.
   *
   * @default this process
   */
  owner?: ProcessIdentity | undefined
}

/** A session as its claims tell it; the field names are the seed's. */
export interface SessionClaim {
  readonly key: string
  /** `unknown` when nobody claims it. */
  readonly runtimePath: string
  readonly claimedAt: string | null
  readonly expiresAt: string | null
  readonly bypassed: boolean
}

/**
 * Claims a session for a runtime path, or keeps that path's claim alive. ERR_CLAIMED while
 * another path has it; a claim that expired, or whose process is gone, is taken over.
 */
export async function claimSession(
  session: string,
  { runtimePath, isAutomatic, owner = ownIdentity(), ...options }: ClaimSessionOptions = {},
): Promise<SessionClaim & SkippedCall> {
  const decided = await decideClaim(session, options, (view) => {
    const skipped = skippedBy(view, { runtimePath, isAutomatic })
    if (skipped !== undefined || runtimePath === undefined) return { answer: skipped }
    if (isSilent(view, isAutomatic)) return { answer: undefined }
    const claim = ownClaim(view, runtimePath)
    const isSettled = claim !== undefined && isSameProcess(claim.owner, owner)
    if (isSettled && !isRenewalDue(claim, view.now)) return { answer: undefined }
    return { answer: undefined, event: claimEvent(view, { runtimePath, owner }, claim) }
  })
  return { ...sessionClaim(decided), ...decided.answer }
}

/** Keeps the claim of a path alive, whoever stands behind it. Claims nothing. */
export async function renewClaim(
  session: string,
  { runtimePath, isAutomatic, ...options }: RuntimePathOptions = {},
): Promise<SessionClaim & SkippedCall> {
  const decided = await decideClaim(session, options, (view) => {
    const skipped = skippedBy(view, { runtimePath, isAutomatic })
    if (skipped !== undefined || runtimePath === undefined) return { answer: skipped }
    if (isSilent(view, isAutomatic)) return { answer: undefined }
    const claim = ownClaim(view, runtimePath)
    if (claim === undefined || !isRenewalDue(claim, view.now)) return { answer: undefined }
    const { owner = ownIdentity() } = claim
    return { answer: undefined, event: claimEvent(view, { runtimePath, owner }, claim) }
  })
  return { ...sessionClaim(decided), ...decided.answer }
}

export interface ReleasedClaim extends SessionClaim, SkippedCall {
  readonly released: boolean
  /** The session was ended less than half an hour ago: there is nothing left to do for it. */
  readonly duplicateSessionEnd?: true
}

/**
 * Ends the claim of a session, and its bypass. Call it before the terminator is written: then the
 * answer tells whether one stands there already.
 */
export async function releaseClaim(
  session: string,
  { runtimePath, isAutomatic, ...options }: RuntimePathOptions = {},
): Promise<ReleasedClaim> {
  const decided = await decideClaim(session, options, (view) => {
    const { key, state } = view
    const repeated = isEndRepeated(view) ? { duplicateSessionEnd: true as const } : {}
    const skipped = skippedBy(view, { runtimePath, isAutomatic })
    const isNothing = state.claim === undefined && state.bypass === undefined
    if (skipped !== undefined || isNothing) {
      return { answer: { released: false, ...repeated, ...skipped } }
    }
    const event = { type: 'claim_release', payload: { session_id: key } }
    return { answer: { released: true, ...repeated }, event }
  })
  return { ...sessionClaim(decided), ...decided.answer }
}

/** The claim as it is now. Nothing is written. */
export function readClaim(session: string, options: ClaimOptions = {}): SessionClaim {
  return sessionClaim(viewClaims(session, options))
}

export function sessionClaim(view: ClaimView): SessionClaim {
  const { key, now, state } = view
  const claim = state.claim !== undefined && !isExpired(state.claim, now) ? state.claim : undefined
  return {
    key,
    runtimePath: claim?.runtimePath ?? UNCLAIMED,
    claimedAt: claim?.claimedAt ?? null,
    expiresAt: claim?.expiresAt ?? null,
    bypassed: isBypassOn(view),
  }
}

/** What fires by itself leaves nothing at all behind while its session is bypassed. */
function isSilent(view: ClaimView, isAutomatic = false): boolean {
  return isAutomatic && isBypassOn(view)
}

function isSameProcess(one: ProcessIdentity | undefined, other: ProcessIdentity): boolean {
  return one?.pid === other.pid && one.start === other.start && one.host === other.host
}

function isEndRepeated({ key, now, layout }: ClaimView): boolean {
  const path = layout.transcriptPath(key)
  const endedAt = existsSync(path) ? findEndTime(path) : undefined
  return endedAt !== undefined && now - Date.parse(endedAt) < SAME_END_MS
}
