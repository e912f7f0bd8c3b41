// Checkpoints for those who ask once: each call looks at the shards anew.

import { SessionError } from '../errors.js'
import { appendOnce } from '../log/index.js'
import { type ShardWriteOptions, shardLogOptions } from './checkpoint-append.js'
import {
  CheckpointIndex,
  type CheckpointIndexOptions,
  type CheckpointList,
  type FoundCheckpoint,
  type ListCheckpointsQuery,
  type NewestCheckpoint,
  type NewestCheckpointQuery,
} from './checkpoint-index.js'

/** Newest first: 10 of a project, all of a session, unless `limit` says otherwise. */
export function listCheckpoints(
  options: CheckpointIndexOptions & ListCheckpointsQuery = {},
): CheckpointList {
  return new CheckpointIndex(options).list(options)
}

/** The newest that is visible, found from the end of its shard. */
export function findNewestCheckpoint(
  options: CheckpointIndexOptions & NewestCheckpointQuery = {},
): NewestCheckpoint {
  return new CheckpointIndex(options).findNewest(options)
}

/** One by its id, shown or not; looks through all shards. */
export function findCheckpoint(
  id: string,
  options: CheckpointIndexOptions = {},
): FoundCheckpoint | undefined {
  return new CheckpointIndex(options).find(id)
}

export interface DeleteCheckpointOptions extends ShardWriteOptions {
  /** Why; it stands in the tombstone. */
  reason: string
}

/** Hides a checkpoint for good by a tombstone; its bytes stay until a prune. */
export async function deleteCheckpoint(
  id: string,
  options: DeleteCheckpointOptions,
): Promise<FoundCheckpoint> {
  const found = findCheckpoint(id, options)
  if (found === undefined) throw new SessionError('ERR_NOT_FOUND', `No checkpoint "${id}"`, { id })
  const payload = { target_id: id, reason: options.reason }
  const event = { type: 'checkpoint_tombstone', payload }
  await appendOnce(found.path, [event], shardLogOptions(options))
  return { ...found, isVisible: false }
}
