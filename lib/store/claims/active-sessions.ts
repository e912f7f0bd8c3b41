// The active sessions: claimed, open in a process, or with recent events and without an end.

import { join } from 'node:path'
import { inspectLock, type ProcessIdentity } from '../../log/index.js'
import { findLease } from '../../log/internal.js'
import { listSessions } from '../catalog/list-sessions.js'
import { isUnreadable, readSessionInfo, type SessionInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { findEndTime } from '../load/find-event.js'
import {
  findKnownSession,
  isSameProcess,
  type SessionClaim,
  toSessionClaim,
  UNCLAIMED,
} from './claims.js'
import { type Claim, type ClaimView, isExpired, readClaimState, readClaims } from './read-state.js'

/** Older events do not make a session active. */
const RECENT_MS = 4 * 60 * 60 * 1000

/** The runtime path of a process that has the transcript open. */
const LEASED = 'library'

export interface ActiveSessions {
  /** Latest activity first. */
  readonly sessions: readonly SessionClaim[]
  readonly count: number
}

export interface SessionState extends SessionClaim {
  readonly active: boolean
}

/** The active sessions of one agent. Reads only the two ends of each transcript. */
export function listActiveSessions(store: StoreContext): ActiveSessions {
  const digests = listSessions(store, { all: true }).sessions
  const byId = new Map(digests.map((digest) => [digest.sessionId, digest]))
  const claimed = [...claimsIn(store)].map(({ sessionId }) => sessionId)
  const ids = new Set([...byId.keys(), ...claimed])
  const sessions = [...ids]
    .map((id) => presenceOf(readClaims(store, id), byId.get(id)))
    .filter(({ isActive }) => isActive)
    .sort(byLastSeen)
    .map(({ claim }) => claim)
  return { sessions, count: sessions.length }
}

/** One session, active or not; ERR_NOT_FOUND when there is no session of that id. */
export function readSessionState(store: StoreContext, session: string): SessionState {
  const view = readClaims(store, findKnownSession(store, session))
  const digest = readSessionInfo(store, store.layout.transcriptPath(view.sessionId))
  const { claim, isActive } = presenceOf(view, isUnreadable(digest) ? undefined : digest)
  return { ...claim, active: isActive }
}

/** The session that a process claims; of several, the one whose claim is newest. */
export function findClaimedSession(
  store: StoreContext,
  process: ProcessIdentity,
): string | undefined {
  const own = [...claimsIn(store)].filter(({ owner }) => isSameProcess(owner, process))
  return own.sort((one, other) => (one.renewedAt < other.renewedAt ? 1 : -1))[0]?.sessionId
}

/** Whether the session is claimed, open in a process, or recent and without an end. */
export function isActiveNow(store: StoreContext, info: SessionInfo): boolean {
  const now = store.env.now()
  // Most sessions have no claim, and a look at the folder is cheaper than reading one.
  const isClaimFile = store.env.fs.existsSync(store.layout.claimPath(info.sessionId))
  if (!isClaimFile && info.status !== 'open') return isRecent(store, info, now)
  return presenceOf(readClaims(store, info.sessionId), info).isActive
}

interface Presence {
  readonly claim: SessionClaim
  readonly isActive: boolean
  readonly lastSeen: string
}

function presenceOf(view: ClaimView, digest: SessionInfo | undefined): Presence {
  const claim = toSessionClaim(view)
  const { state } = view
  const isClaimed = claim.runtimePath !== UNCLAIMED
  const lastSeen = newest(isClaimed ? state.claim?.renewedAt : null, digest?.lastActivity)
  if (isClaimed) return { claim, isActive: true, lastSeen }
  const lease = digest?.status === 'open' ? findLease(digest.path, view.store.env) : undefined
  const isActive =
    lease !== undefined || (digest !== undefined && isRecent(view.store, digest, view.now))
  const runtimePath = lease === undefined ? UNCLAIMED : LEASED
  const claimedAt = lease?.since ?? digest?.startedAt ?? null
  return { claim: { ...claim, runtimePath, claimedAt }, isActive, lastSeen }
}

function isRecent(
  store: StoreContext,
  { status, lastActivity, path }: SessionInfo,
  now: number,
): boolean {
  if (status === 'clean' || lastActivity === null) return false
  if (now - Date.parse(lastActivity) >= RECENT_MS) return false
  // The process that had it open died, which is known without waiting.
  if (isLeaseAbandoned(store, path)) return false
  // The status of an empty session does not say whether it ended.
  return status !== 'empty' || findEndTime(store, path) === undefined
}

/** Whether the process that had the log open died. */
export function isLeaseAbandoned({ env }: StoreContext, path: string): boolean {
  if (!env.fs.existsSync(`${path}.lock`)) return false
  const { verdict, owner } = inspectLock(path, { environment: env })
  return verdict === 'abandoned' && owner?.mode === 'lease'
}

/** Those that have not expired. */
function* claimsIn(store: StoreContext): Generator<Claim> {
  const { claims } = store.layout
  const now = store.env.now()
  for (const name of listLogNames(store, claims)) {
    const { claim } = readClaimState(store, join(claims, name), now)
    if (claim !== undefined && !isExpired(claim, now)) yield claim
  }
}

function newest(...times: (string | null | undefined)[]): string {
  return times.reduce<string>((last, time) => (time && time > last ? time : last), '')
}

function byLastSeen(one: Presence, other: Presence): number {
  if (one.lastSeen !== other.lastSeen) return one.lastSeen < other.lastSeen ? 1 : -1
  return one.claim.sessionId < other.claim.sessionId ? -1 : 1
}
