// Checkpoints of a session that no handle of this process holds: what a living session keeps in
// memory is derived from its log.

import {
  type Checkpointer,
  type CheckpointFacts,
  type ContinuityOptions,
  createContinuity,
  deriveContinuity,
} from '../continuity/index.js'
import { findNewestCheckpoint } from '../store/index.js'
import { type CheckpointStore, checkpointerOf } from './checkpoints-of.js'

export interface OnceStore extends CheckpointStore {
  continuity?: ContinuityOptions | false | undefined
  readonly harness?: string | undefined
}

/** Ready to be asked what is due; `undefined` where the session leaves no checkpoints. */
export function checkpointOnce(
  id: string,
  path: string,
  options: OnceStore,
  onStored?: (id: string) => void,
): Checkpointer | undefined {
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
  continuity.initContinuity(deriveContinuity(path, { latest: newest?.checkpoint, facts }))
  const { unlessRepeatedWithinMs } = options
  const store = { ...place, onDiagnostic, lockTimeoutMs, useKernelLock, unlessRepeatedWithinMs }
  return checkpointerOf(store, { continuity, onStored: (_, stored) => onStored?.(stored.id) })
}

/** Before somebody compacts it. A disk that fails is reported, and stops nothing. */
export async function checkpointBeforeCompaction(
  { id, path, facts }: { id: string; path: string; facts: CheckpointFacts },
  options: OnceStore,
): Promise<void> {
  await checkpointOnce(id, path, options)?.preCompaction(id, { facts })
}
