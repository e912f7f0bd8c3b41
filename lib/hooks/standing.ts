// Whether this hook is to record at all: not while the session is bypassed, and not while another
// runtime path speaks for it. On the way it says that the harness lives.

import { isSessionError } from '../errors.js'
import { parentIdentity } from '../log/index.js'
import { claimSession, renewClaim, UNNAMED_PATH } from '../store/index.js'
import { type HookAnswer, type HookContext, NOTHING } from './hook-context.js'

// A person starts these, so they are few: reason enough to look who the harness is.
const CLAIMING = ['SessionStart', 'UserPromptSubmit']

/** Why nothing is to be done; `undefined` when this hook speaks for the session. */
export async function silencedBy(context: HookContext): Promise<HookAnswer | undefined> {
  try {
    return await silencedByOthers(context)
  } catch (error) {
    // Nobody can be told whose session it is, so the event is kept.
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return undefined
  }
}

async function silencedByOthers({
  name,
  session_id,
  runtimePath,
  options,
}: HookContext): Promise<HookAnswer | undefined> {
  const { root, home, agent, environment, lockTimeoutAfterMs: lockTimeoutMs } = options
  const store = { root, home, agent, environment, lockTimeoutMs }
  const path = { runtimePath: runtimePath ?? UNNAMED_PATH, isAutomatic: true }
  const { bypassed, skipped, duplicateRuntimePath, claimedBy } = CLAIMING.includes(name)
    ? await claimSession(session_id, { ...store, ...path, owner: parentIdentity() })
    : await renewClaim(session_id, { ...store, ...path })
  if (bypassed) return { ...NOTHING, bypassed }
  // Who does not name its path is not asked to stand back.
  if (skipped !== true || runtimePath === undefined) return undefined
  return { ...NOTHING, skipped, duplicateRuntimePath: duplicateRuntimePath!, claimedBy: claimedBy! }
}
