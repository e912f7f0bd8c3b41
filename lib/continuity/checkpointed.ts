// Whether an agent has said all it has to say, so that it may leave.

import { normalizeSessionKey } from '../format/index.js'
import { type CheckpointIndexOptions, listCheckpoints } from '../store/index.js'
import { readTip } from './context-checkpoint.js'

/** An agent's checkpoint was stored since the newest message of the session. */
export function isCheckpointed(sessionKey: string, options: CheckpointIndexOptions = {}): boolean {
  const session = normalizeSessionKey(sessionKey)
  const tip = readTip(session, options)
  if (tip === null) return false
  const { checkpoints } = listCheckpoints({ ...options, session, limit: undefined })
  const asked = checkpoints.find(({ checkpoint }) => checkpoint.trigger === 'agent')
  return asked?.checkpoint.last_uuid === tip
}
