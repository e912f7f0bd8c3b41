// A session ends. Its claim ends in any case; its log gets an ending unless it is none of ours.

import { isSessionError } from '../../errors.js'
import { endTold } from '../../session/told.js'
import { isBypassed, type ReleasedClaim, releaseClaim } from '../../store/index.js'
import { type HookContext, type HookHandler, NOTHING } from '../hook-context.js'
import { textIn } from '../hook-input.js'

export const onSessionEnd: HookHandler = async (context) => {
  const { fields, session_id, options } = context
  const isSilent = isBypassed(session_id, options)
  const released = await release(context)
  const { skipped, duplicateRuntimePath, claimedBy, duplicateSessionEnd } = released ?? {}
  if (skipped === true) {
    const why = { duplicateRuntimePath: duplicateRuntimePath!, claimedBy: claimedBy! }
    return { ...NOTHING, skipped, ...why }
  }
  if (isSilent) return { ...NOTHING, bypassed: true }
  if (duplicateSessionEnd === true) return { ...NOTHING, duplicateSessionEnd }
  const reason = textIn(fields, 'reason') ?? 'other'
  const told = await endTold({ session_id, reason }, options)
  return { ...NOTHING, status: told?.status }
}

/** Before the terminator, so that the claims can tell whether one stands there already. */
async function release({
  session_id,
  runtimePath,
  options,
}: HookContext): Promise<ReleasedClaim | undefined> {
  const { root, home, agent, environment, lockTimeoutAfterMs: lockTimeoutMs } = options
  const store = { root, home, agent, environment, lockTimeoutMs }
  try {
    return await releaseClaim(session_id, { ...store, runtimePath, isAutomatic: true })
  } catch (error) {
    // It ends by itself in a few hours, or with its harness.
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return undefined
  }
}
