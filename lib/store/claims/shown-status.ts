// The status of a session for people. A file alone cannot say whether a session without an end is
// still in use; claims, locks and the time of its last event can.

import type { SessionInfo } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { isActiveNow, isLeaseAbandoned } from './active-sessions.js'

/**
 * - `open`: a living process has it open
 * - `active`: a harness claims it, or it has recent events and no end
 * - `clean`: it was closed
 * - `crashed`: the process that had it open died
 * - `unclosed`: it has no end, and nothing more is known
 * - `empty`: nothing was said in it
 */
export type ShownStatus = 'open' | 'active' | 'clean' | 'crashed' | 'unclosed' | 'empty'

/** Agrees with `listActiveSessions` on which sessions are open or active. */
export function findShownStatus(store: StoreContext, info: SessionInfo): ShownStatus {
  const { status, path } = info
  if (status === 'open') return status
  if (isActiveNow(store, info)) return 'active'
  if (status === 'clean') return status
  if (isLeaseAbandoned(store, path)) return 'crashed'
  return status === 'empty' ? status : 'unclosed'
}
