// Claims: which runtime path of a harness records a session. They are advice for callers that ask.
// What keeps two writers apart is the lock of the transcript, and no claim replaces it.

import { SessionError } from '../../errors.js'
import { judgeProcess, type NewEvent, ownIdentity, type ProcessIdentity } from '../../log/index.js'
import { isUnreadable, readSessionInfo, rejectUnreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { findEndTime } from '../load/find-event.js'
import { findTranscript } from '../transcripts.js'
import {
  BYPASS_MS,
  CLAIM_MS,
  type Claim,
  type ClaimView,
  compareAndAppend,
  isExpired,
  RENEWAL_MS,
  readClaims,
} from './read-state.js'

/** A second end within this time repeats the first. */
const SAME_END_MS = 30 * 60 * 1000

/** The runtime path of a session without a claim. */
export const UNCLAIMED = 'unknown'

export interface RuntimePathOptions {
  /**
   * By which way the harness calls the library, for example `plugin` or `legacy`.
   *
   * @default undefined: nothing is checked and nothing is claimed
   */
  runtimePath?: string | undefined

  /**
   * For events that fire without a person: that another path has the session is reported in the
   * answer instead of thrown.
   *
   * @default false
   */
  automatic?: boolean | undefined
}

export interface ClaimSessionOptions extends RuntimePathOptions {
  /**
   * The process that holds the claim. A hook names the harness (`parentIdentity()`), because it
   * ends itself a moment later.
   *
   * @default this process
   */
  owner?: ProcessIdentity | undefined
}

/** The runtime path that records a session. */
export interface SessionClaim {
  readonly sessionId: string
  /** `unknown` without a claim. */
  readonly runtimePath: string
  readonly claimedAt: string | null
  readonly expiresAt: string | null
  readonly bypassed: boolean
}

/**
 * Claims a session for a path, or renews its claim. A claim of this path and this owner that is
 * younger than 20 minutes is left as it is, which takes no lock.
 */
export async function claimSession(
  store: StoreContext,
  session: string,
  { owner = ownIdentity(store.env), ...caller }: ClaimSessionOptions = {},
): Promise<SessionClaim & SkippedCall> {
  return updateClaim(store, session, caller, (claim) => ({
    owner,
    isDue: claim === undefined || !isSameProcess(claim.owner, owner),
  }))
}

/** Renews the claim of a path, whichever process holds it. Claims nothing. */
export async function renewClaim(
  store: StoreContext,
  session: string,
  caller: RuntimePathOptions = {},
): Promise<SessionClaim & SkippedCall> {
  return updateClaim(
    store,
    session,
    caller,
    (claim) => claim && { owner: claim.owner ?? ownIdentity(store.env), isDue: false },
  )
}

/** `next`: the owner to write, if one is to be written, and whether that may not wait. */
async function updateClaim(
  store: StoreContext,
  session: string,
  { runtimePath, automatic = false }: RuntimePathOptions,
  next: (own: Claim | undefined) => { owner: ProcessIdentity; isDue: boolean } | undefined,
): Promise<SessionClaim & SkippedCall> {
  const decided = await compareAndAppend(store, session, (view) => {
    const answer = skippedBy(view, { runtimePath, automatic })
    if (answer !== undefined || runtimePath === undefined) return { answer }
    // An automatic call writes nothing at all while its session is bypassed.
    if (automatic && isBypassOn(view)) return { answer }
    const { claim } = view.state
    const isOwn = claim?.runtimePath === runtimePath && !isExpired(claim, view.now)
    const own = isOwn ? claim : undefined
    const written = next(own)
    const isWritten = written?.isDue || (own !== undefined && isRenewalDue(own, view.now))
    if (written === undefined || !isWritten) return { answer }
    return { answer, event: claimEvent(view, { runtimePath, owner: written.owner }, own) }
  })
  return { ...toSessionClaim(decided), ...decided.answer }
}

export interface ReleasedClaim extends SessionClaim, SkippedCall {
  readonly released: boolean
  /** The session ended less than half an hour ago: nothing is left to do for it. */
  readonly duplicateSessionEnd?: true
}

/**
 * Ends the claim of a session, and its bypass. Call it before the terminator is written: then the
 * answer says whether there is one already.
 */
export async function releaseClaim(
  store: StoreContext,
  session: string,
  { runtimePath, automatic }: RuntimePathOptions = {},
): Promise<ReleasedClaim> {
  const decided = await compareAndAppend(store, session, (view) => {
    const { sessionId, state } = view
    const repeated = isEndRepeated(view) ? { duplicateSessionEnd: true as const } : {}
    const skipped = skippedBy(view, { runtimePath, automatic })
    const isNothing = state.claim === undefined && state.bypass === undefined
    if (skipped !== undefined || isNothing) {
      return { answer: { released: false, ...repeated, ...skipped } }
    }
    const event = { type: 'claim_release', payload: { session_id: sessionId } }
    return { answer: { released: true, ...repeated }, event }
  })
  return { ...toSessionClaim(decided), ...decided.answer }
}

/**
 * As `renewClaim` without writing: throws ERR_CLAIMED, or with `automatic` returns the flags, when
 * another path has the session.
 */
export function checkClaim(
  store: StoreContext,
  session: string,
  caller: RuntimePathOptions = {},
): SkippedCall | undefined {
  return skippedBy(readClaims(store, session), caller)
}

/** The claim as it is now. Writes nothing. */
export function readClaim(store: StoreContext, session: string): SessionClaim {
  return toSessionClaim(readClaims(store, session))
}

export function toSessionClaim(view: ClaimView): SessionClaim {
  const { sessionId, now, state } = view
  const claim = state.claim !== undefined && !isExpired(state.claim, now) ? state.claim : undefined
  return {
    sessionId,
    runtimePath: claim?.runtimePath ?? UNCLAIMED,
    claimedAt: claim?.claimedAt ?? null,
    expiresAt: claim?.expiresAt ?? null,
    bypassed: isBypassOn(view),
  }
}

export function isSameProcess(one: ProcessIdentity | undefined, other: ProcessIdentity): boolean {
  return one?.pid === other.pid && one.start === other.start && one.host === other.host
}

function isEndRepeated({ sessionId, now, store }: ClaimView): boolean {
  const endedAt = findEndTime(store, store.layout.transcriptPath(sessionId))
  return endedAt !== undefined && now - Date.parse(endedAt) < SAME_END_MS
}

// The rules by which a claim is respected, renewed or taken over.

const RUNTIME_PATH = /^[a-z][a-z0-9_.:-]{0,63}$/i

/**
 * The path of hooks that do not name theirs. Its claim shows which process is alive and gives way
 * to that of any other path.
 */
export const UNNAMED_PATH = 'hooks'

/** Added to any answer when another path has the session. */
export interface SkippedCall {
  readonly skipped?: true
  readonly duplicateRuntimePath?: true
  readonly claimedBy?: string
}

/**
 * The answer for a caller when another path has the session; `undefined` when none has, or when
 * the caller does not name its path.
 */
function skippedBy(
  { store, sessionId, now, state: { claim } }: ClaimView,
  { runtimePath, automatic = false }: RuntimePathOptions,
): SkippedCall | undefined {
  if (runtimePath === undefined) return undefined
  checkRuntimePath(runtimePath)
  if (claim === undefined || claim.runtimePath === runtimePath) return undefined
  if (claim.runtimePath === UNNAMED_PATH) return undefined
  const isOwnerDead = claim.owner !== undefined && judgeProcess(claim.owner, store.env) === 'dead'
  // The caller takes it over.
  if (isExpired(claim, now) || isOwnerDead) return undefined
  if (!automatic) throw claimedError(sessionId, claim)
  return { skipped: true, duplicateRuntimePath: true, claimedBy: claim.runtimePath }
}

function isRenewalDue({ renewedAt }: Claim, now: number): boolean {
  return !(Math.abs(now - Date.parse(renewedAt)) < RENEWAL_MS)
}

/** The line of a claim; with an earlier one of the same path, of its renewal. */
function claimEvent(
  { sessionId, now }: ClaimView,
  { runtimePath, owner }: { runtimePath: string; owner: ProcessIdentity },
  earlier: Claim | undefined,
): NewEvent {
  const { pid, start, boot, ns, host } = owner
  return {
    type: earlier === undefined ? 'claim' : 'claim_renewal',
    payload: {
      session_id: sessionId,
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
  const what = `Runtime path ${claimedBy} has been recording session "${session}" since ${claimedAt}`
  const details = { session, claimedBy, claimedAt, expiresAt, pid: owner?.pid, host: owner?.host }
  return new SessionError('ERR_CLAIMED', what, details)
}

// Bypass: the hooks of a session record nothing. It concerns recording only; no permission follows
// from it, and none is stored.

export interface BypassAnswer {
  readonly sessionId: string
  readonly bypassed: boolean
  readonly changed: boolean
  /** False while the session is only claimed. */
  readonly hasTranscript: boolean
}

/**
 * Switches the bypass of a session that has a claim or a transcript; ERR_NOT_FOUND for any other.
 * It ends with the session, or after four hours.
 */
export async function setBypass(
  store: StoreContext,
  session: string,
  enabled: boolean,
): Promise<BypassAnswer> {
  if (typeof enabled !== 'boolean') throw new TypeError('enabled must be true or false')
  const sessionId = findKnownSession(store, session)
  const { answer: changed } = await compareAndAppend(store, sessionId, (view) => {
    const isOn = isBypassOn(view)
    if (!isOn && !enabled) return { answer: false }
    const expires_at = new Date(view.now + BYPASS_MS).toISOString()
    const payload = { session_id: sessionId, enabled, expires_at }
    return { answer: isOn !== enabled, event: { type: 'claim_bypass', payload } }
  })
  const hasTranscript = store.env.fs.existsSync(store.layout.transcriptPath(sessionId))
  return { sessionId, bypassed: enabled, changed, hasTranscript }
}

/** Whether the hooks of this session record nothing. False for an unknown session. */
export function isBypassed(store: StoreContext, session: string): boolean {
  return isBypassOn(readClaims(store, session))
}

function isBypassOn({ sessionId, now, store, state: { bypass } }: ClaimView): boolean {
  if (bypass === undefined || !bypass.isEnabled || isExpired(bypass, now)) return false
  const endedAt = findEndTime(store, store.layout.transcriptPath(sessionId))
  return endedAt === undefined || Date.parse(endedAt) < Date.parse(bypass.setAt)
}

/** The normalized id of a session that has a claim or a transcript; ERR_NOT_FOUND for any other. */
export function findKnownSession(store: StoreContext, session: string): string {
  const { sessionId, now, state } = readClaims(store, session)
  const isClaimed = state.claim !== undefined && !isExpired(state.claim, now)
  if (isClaimed || store.env.fs.existsSync(store.layout.transcriptPath(sessionId))) return sessionId
  const info = readSessionInfo(store, findTranscript(store, session))
  return isUnreadable(info) ? rejectUnreadable(store, info) : info.sessionId
}
