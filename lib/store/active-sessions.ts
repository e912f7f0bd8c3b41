// Which sessions go on at this time: those that somebody claims, those that a process has open,
// and those in which something was said lately and that were not ended.

import { join } from 'node:path'
import { judgeProcess, type ProcessIdentity } from '../log/index.js'
import { listSessions } from './catalog.js'
import { type Claim, isExpired, readClaimState } from './claim-state.js'
import { type SessionClaim, sessionClaim, UNCLAIMED } from './claims.js'
import { type ClaimOptions, type ClaimView, nowOf, viewClaims } from './decide-claim.js'
import { findKnownSession } from './known-session.js'
import { layoutOf } from './layout.js'
import { logNamesIn } from './log-names.js'
import { digestTranscript, isSkipped, leaseOf, type SessionDigest } from './session-digest.js'
import { findEndTime } from './terminator.js'

/** Something that was said longer ago than this does not make a session an active one. */
const LATELY_MS = 4 * 60 * 60 * 1000

/** A process that holds the transcript itself speaks for the session as if it had claimed it. */
const LEASED = 'library'

export interface ActiveSessions {
  /** The one in which something happened last comes first. */
  readonly sessions: readonly SessionClaim[]
  readonly count: number
}

export interface SessionState extends SessionClaim {
  readonly isActive: boolean
}

/** The active sessions of one agent. Of a transcript only its two ends are read. */
export function listActiveSessions(options: ClaimOptions = {}): ActiveSessions {
  const { root, home, agent } = options
  const digests = listSessions({ root, home, agent, all: true }).sessions
  const byId = new Map(digests.map((digest) => [digest.session_id, digest]))
  const claimed = [...claimsIn(options)].map(({ sessionId }) => sessionId)
  const ids = new Set([...byId.keys(), ...claimed])
  const sessions = [...ids]
    .map((id) => presenceOf(viewClaims(id, options), byId.get(id)))
    .filter(({ isActive }) => isActive)
    .sort(byLastSeen)
    .map(({ claim }) => claim)
  return { sessions, count: sessions.length }
}

/** One session, active or not; ERR_NOT_FOUND when there is none of that key. */
export function readSessionState(session: string, options: ClaimOptions = {}): SessionState {
  const view = viewClaims(findKnownSession(session, options), options)
  const digest = digestTranscript(view.layout.transcriptPath(view.key))
  const { claim, isActive } = presenceOf(view, isSkipped(digest) ? undefined : digest)
  return { ...claim, isActive }
}

/** Whether a living process of this host claims the session, or has its transcript open. */
export function isSessionLive(session: string, options: ClaimOptions = {}): boolean {
  const { key, now, layout, state } = viewClaims(session, options)
  const owner = state.claim !== undefined && !isExpired(state.claim, now) && state.claim.owner
  const process = owner ? judgeProcess(owner) : 'unknown'
  if (process === 'alive' || process === 'stopped') return true
  return leaseOf(layout.transcriptPath(key)) !== undefined
}

/** The session that a process claims: of several the one it spoke for last. */
export function findSessionOf(
  { pid, start, host }: ProcessIdentity,
  options: ClaimOptions = {},
): string | undefined {
  const own = [...claimsIn(options)].filter(
    ({ owner }) => owner?.pid === pid && owner.start === start && owner.host === host,
  )
  return own.sort((one, other) => (one.renewedAt < other.renewedAt ? 1 : -1))[0]?.sessionId
}

interface Presence {
  readonly claim: SessionClaim
  readonly isActive: boolean
  readonly lastSeen: string
}

function presenceOf(view: ClaimView, digest: SessionDigest | undefined): Presence {
  const claim = sessionClaim(view)
  const { state } = view
  const isClaimed = claim.runtimePath !== UNCLAIMED
  const lastSeen = newest(isClaimed ? state.claim?.renewedAt : null, digest?.lastActivity)
  if (isClaimed) return { claim, isActive: true, lastSeen }
  const lease = digest?.status === 'open' ? leaseOf(digest.path) : undefined
  const isActive = lease !== undefined || (digest !== undefined && goesOn(digest, view.now))
  const runtimePath = lease === undefined ? UNCLAIMED : LEASED
  const claimedAt = lease?.since ?? digest?.startedAt ?? null
  return { claim: { ...claim, runtimePath, claimedAt }, isActive, lastSeen }
}

function goesOn({ status, lastActivity, path }: SessionDigest, now: number): boolean {
  if (status === 'clean' || lastActivity === null) return false
  if (now - Date.parse(lastActivity) >= LATELY_MS) return false
  // Of an empty one the status does not tell whether it was ended.
  return status !== 'empty' || findEndTime(path) === undefined
}

/** Those that have not expired. */
function* claimsIn(options: ClaimOptions): Generator<Claim> {
  const { claims } = layoutOf(options)
  const now = nowOf(options)
  for (const name of logNamesIn(claims)) {
    const { claim } = readClaimState(join(claims, name), now)
    if (claim !== undefined && !isExpired(claim, now)) yield claim
  }
}

function newest(...times: (string | null | undefined)[]): string {
  return times.reduce<string>((last, time) => (time && time > last ? time : last), '')
}

function byLastSeen(one: Presence, other: Presence): number {
  if (one.lastSeen !== other.lastSeen) return one.lastSeen < other.lastSeen ? 1 : -1
  return one.claim.key < other.claim.key ? -1 : 1
}
