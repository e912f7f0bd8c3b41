// Bypass: for this session the hooks are to be silent. It speaks of recording and of nothing
// else; no permission follows from it, and none is stored.

import { existsSync } from 'node:fs'
import { CLAIM_MS, isExpired } from './claim-state.js'
import { type ClaimOptions, type ClaimView, decideClaim, viewClaims } from './decide-claim.js'
import { findKnownSession } from './known-session.js'
import { findEndTime } from './terminator.js'

export interface BypassAnswer {
  readonly key: string
  readonly bypassed: boolean
  /** It was otherwise before. */
  readonly isChanged: boolean
  /** The session has a transcript; else it is only claimed yet. */
  readonly hasTranscript: boolean
}

/**
 * Switches the bypass of a session that is known by a claim or by a transcript; ERR_NOT_FOUND for
 * any other. It ends by itself with the session, or after four hours.
 */
export async function setBypass(
  session: string,
  enabled: boolean,
  options: ClaimOptions = {},
): Promise<BypassAnswer> {
  if (typeof enabled !== 'boolean') throw new TypeError('enabled must be true or false')
  const key = findKnownSession(session, options)
  const { answer: isChanged, layout } = await decideClaim(key, options, (view) => {
    const isOn = isBypassOn(view)
    if (!isOn && !enabled) return { answer: false }
    const expires_at = new Date(view.now + CLAIM_MS).toISOString()
    const payload = { session_id: key, enabled, expires_at }
    return { answer: isOn !== enabled, event: { type: 'claim_bypass', payload } }
  })
  const hasTranscript = existsSync(layout.transcriptPath(key))
  return { key, bypassed: enabled, isChanged, hasTranscript }
}

/** Whether hooks are to be silent for this session. A session nobody knows is not bypassed. */
export function isBypassed(session: string, options: ClaimOptions = {}): boolean {
  return isBypassOn(viewClaims(session, options))
}

export function isBypassOn({ key, now, layout, state: { bypass } }: ClaimView): boolean {
  if (bypass === undefined || !bypass.isEnabled || isExpired(bypass, now)) return false
  const path = layout.transcriptPath(key)
  const endedAt = existsSync(path) ? findEndTime(path) : undefined
  return endedAt === undefined || Date.parse(endedAt) < Date.parse(bypass.setAt)
}
