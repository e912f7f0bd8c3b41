// What stands in a session's claims: who speaks for it, and whether its hooks are to be silent.
//
// Every line tells its whole state, and nothing lasts longer than four hours, so the last few
// lines are all that is ever read.

import type { SessionEvent } from '../format/index.js'
import { type ProcessIdentity, parseIdentity, readLogBackwardSync } from '../log/index.js'
import { statIfThere } from '../log/inside.js'
import { fieldsOf, textOf, timeOf } from './session-digest-events.js'

/** How long a claim and a bypass last. A setting of its own, whatever else takes four hours. */
export const CLAIM_MS = 4 * 60 * 60 * 1000

export interface Claim {
  readonly sessionId: string
  readonly runtimePath: string
  readonly claimedAt: string
  readonly renewedAt: string
  readonly expiresAt: string
  /** Who stands behind it; `undefined` when the line does not say it in a way we know. */
  readonly owner: ProcessIdentity | undefined
}

export interface Bypass {
  readonly sessionId: string
  readonly isEnabled: boolean
  readonly setAt: string
  readonly expiresAt: string
}

export interface ClaimState {
  /** The last one that was not released, expired or not. */
  readonly claim: Claim | undefined
  /** The last one since the last release. */
  readonly bypass: Bypass | undefined
  /** How much of the file this rests on. */
  readonly size: number
}

/** A session without claims is an empty state. */
export function readClaimState(path: string, now: number): ClaimState {
  const size = statIfThere(path)?.size ?? 0
  let claim: Claim | undefined
  let bypass: Bypass | undefined
  if (size === 0) return { claim, bypass, size }
  for (const entry of readLogBackwardSync(path, { to: size })) {
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

function bypassOf({ ts, payload }: SessionEvent): Bypass | undefined {
  const fields = fieldsOf(payload)
  const sessionId = textOf(fields['session_id'])
  const expiresAt = timeOf(fields['expires_at'])
  const { enabled } = fields
  if (sessionId === null || expiresAt === null || typeof enabled !== 'boolean') return undefined
  return { sessionId, isEnabled: enabled, setAt: ts, expiresAt }
}
