// Checkpoints of a session that no handle of this process holds: what a living session keeps in
// memory is derived from its log.

import {
  type Checkpointer,
  type CheckpointFacts,
  type ContinuityOptions,
  createContinuity,
  deriveContinuity,
  refOf,
  type SessionRef,
  type StoredCheckpoint,
} from '../continuity/index.js'
import { findNewestCheckpoint } from '../store/index.js'
import { type CheckpointStore, checkpointerOf } from './checkpoints-of.js'

export interface OnceStore extends CheckpointStore {
  continuity?: ContinuityOptions | false | undefined
  readonly harness?: string | undefined
}

export interface CheckpointsOnce {
  readonly checkpointer: Checkpointer
  /** The session as the checkpointer knows it. */
  readonly session: SessionRef
}

/** Ready to be asked what is due; `undefined` where the session leaves no checkpoints. */
export function checkpointOnce(
  id: string,
  path: string,
  options: OnceStore,
  onStored?: (id: string) => void,
): CheckpointsOnce | undefined {
  const { root, home, agent, environment, onDiagnostic, lockTimeoutMs, useKernelLock } = options
  if (options.continuity === false) return undefined
  const place = { root, home, agent, environment }
  const { newest } = findNewestCheckpoint({ ...place, session: id, isPlaced: true })
  const facts = { sessionKey: id, agentId: agent, harness: options.harness }
  const continuity = createContinuity({
    continuity: options.continuity,
    environment,
    onDiagnostic,
  })
  const state = deriveContinuity(path, { latest: newest?.checkpoint, facts })
  const session = refOf(continuity.initContinuity(state))
  const { unlessRepeatedWithinMs } = options
  const store = { ...place, onDiagnostic, lockTimeoutMs, useKernelLock, unlessRepeatedWithinMs }
  const parts = { continuity, onStored: (_: unknown, { id }: StoredCheckpoint) => onStored?.(id) }
  return { checkpointer: checkpointerOf(store, parts), session }
}

/** Before somebody compacts it. A disk that fails is reported, and stops nothing. */
export async function checkpointBeforeCompaction(
  { id, path, facts }: { id: string; path: string; facts: CheckpointFacts },
  options: OnceStore,
): Promise<void> {
  const once = checkpointOnce(id, path, options)
  await once?.checkpointer.preCompaction(once.session, { facts })
}
