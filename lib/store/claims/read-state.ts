// The claims of a session: which path records it, and whether its hooks are bypassed. Every line has
// the whole state and expires, so only the last few lines are ever read.

import { fieldsOf, textOf, timeOf } from '../../format/fields.js'
import { normalizeSessionKey, type SessionEvent } from '../../format/index.js'
import {
  appendOnce,
  judgeProcess,
  type NewEvent,
  type ProcessIdentity,
  parseIdentity,
  readLogBackwardSync,
} from '../../log/index.js'
import { findLease, statIfThere } from '../../log/internal.js'
import type { StoreContext } from '../context.js'

export const BYPASS_MS = 4 * 60 * 60 * 1000

/** A younger claim is not renewed: that would write more than the session does, and take a lock. */
export const RENEWAL_MS = 20 * 60 * 1000

/** A claim lasts four hours from the last call of its path, also when that call did not renew it. */
export const CLAIM_MS = BYPASS_MS + RENEWAL_MS

export interface Claim {
  readonly sessionId: string
  readonly runtimePath: string
  readonly claimedAt: string
  readonly renewedAt: string
  readonly expiresAt: string
  /** The process that holds it; `undefined` when the line has no identity that we can read. */
  readonly owner: ProcessIdentity | undefined
}

export interface Bypass {
  readonly isEnabled: boolean
  readonly setAt: string
  readonly expiresAt: string
}

export interface ClaimState {
  /** The last one since the last release, expired or not. */
  readonly claim: Claim | undefined
  /** The last one since the last release. */
  readonly bypass: Bypass | undefined
  /** The size of the file that was read. */
  readonly size: number
}

/** A session without claims is an empty state. */
export function readClaimState({ env }: StoreContext, path: string, now: number): ClaimState {
  const size = statIfThere(path, env)?.size ?? 0
  let claim: Claim | undefined
  let bypass: Bypass | undefined
  if (size === 0) return { claim, bypass, size }
  for (const entry of readLogBackwardSync(path, { to: size, environment: env })) {
    if (entry.kind !== 'event') continue
    const { event } = entry
    if (event.type === 'claim_release') break
    if (event.type === 'claim_bypass') bypass ??= bypassOf(event)
    else claim ??= claimOf(event)
    const isTooOld = Date.parse(event.ts) + CLAIM_MS < now
    if ((claim !== undefined && bypass !== undefined) || isTooOld) break
  }
  return { claim, bypass, size }
}

export function isExpired({ expiresAt }: { readonly expiresAt: string }, now: number): boolean {
  return Date.parse(expiresAt) <= now
}

function claimOf(event: SessionEvent): Claim | undefined {
  if (event.type !== 'claim' && event.type !== 'claim_renewal') return undefined
  const fields = fieldsOf(event.payload)
  const sessionId = textOf(fields['session_id'])
  const runtimePath = textOf(fields['runtime_path'])
  const claimedAt = timeOf(fields['claimed_at'])
  const expiresAt = timeOf(fields['expires_at'])
  if (sessionId === null || runtimePath === null || claimedAt === null || expiresAt === null) {
    return undefined
  }
  const owner = parseIdentity(event.payload)
  return { sessionId, runtimePath, claimedAt, renewedAt: event.ts, expiresAt, owner }
}

function bypassOf({ ts: setAt, payload }: SessionEvent): Bypass | undefined {
  const { enabled: isEnabled, expires_at } = fieldsOf(payload)
  const expiresAt = timeOf(expires_at)
  const isValid = expiresAt !== null && typeof isEnabled === 'boolean'
  return isValid ? { isEnabled, setAt, expiresAt } : undefined
}

// Appends a line to the claims of a session on condition that no other process wrote there since
// they were read, so two processes that claim at the same moment cannot both succeed. Reading takes
// no lock; only the append does.

/** The claims of a session as they were at one moment. */
export interface ClaimView {
  readonly store: StoreContext
  readonly sessionId: string
  readonly now: number
  readonly state: ClaimState
}

export interface Decision<Answer> {
  readonly answer: Answer
  /** What must be appended for the answer to be true. */
  readonly event?: NewEvent | undefined
}

export function readClaims(store: StoreContext, session: string): ClaimView {
  const sessionId = normalizeSessionKey(session)
  const now = store.env.now()
  const state = readClaimState(store, store.layout.claimPath(sessionId), now)
  return { store, sessionId, now, state }
}

/** Whether a running process of this host claims the session or has its transcript open. */
export function isSessionLive(store: StoreContext, session: string): boolean {
  const { sessionId, now, state } = readClaims(store, session)
  const owner = state.claim !== undefined && !isExpired(state.claim, now) && state.claim.owner
  const process = owner ? judgeProcess(owner, store.env) : 'unknown'
  if (process === 'alive' || process === 'stopped') return true
  return findLease(store.layout.transcriptPath(sessionId), store.env) !== undefined
}

/** Decides, appends what follows, and decides again when another process appended meanwhile. */
export async function compareAndAppend<Answer>(
  store: StoreContext,
  session: string,
  decide: (view: ClaimView) => Decision<Answer>,
): Promise<ClaimView & { readonly answer: Answer }> {
  for (;;) {
    const view = readClaims(store, session)
    const { answer, event } = decide(view)
    if (event === undefined) return { ...view, answer }
    if (await appendUnlessChanged(view, event)) return { ...readClaims(store, session), answer }
  }
}

class Conflict extends Error {}

async function appendUnlessChanged(
  { store, sessionId, state }: ClaimView,
  event: NewEvent,
): Promise<boolean> {
  const payloadAt = (byteOffset: number) => {
    // One byte more is the newline that isolates a torn line.
    if (byteOffset > state.size + 1) throw new Conflict()
    return event.payload
  }
  try {
    await appendOnce(store.layout.claimPath(sessionId), [{ ...event, payloadAt }], {
      ...store.logOptions,
      channel: 'claim',
      // A claim need not survive a power cut: its process does not.
      durability: 'none',
      lineNumbers: false,
    })
    return true
  } catch (error) {
    if (error instanceof Conflict) return false
    throw error
  }
}
