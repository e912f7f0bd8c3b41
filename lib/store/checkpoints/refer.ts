// Where a session has checkpoints outside of the shard of its own project: its transcript names each
// of them in a `checkpoint_ref` with the shard.

import { basename, join } from 'node:path'
import { isSessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import { readType } from '../../format/index.js'
import { appendOnce, type Line, type NewEvent, readLogSync } from '../../log/index.js'
import { repeatMeta } from '../catalog/repeat-meta.js'
import { isLeased } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { isLogName } from '../list-logs.js'
import { readSpool, spoolEvent } from '../spool/spool.js'
import type { AppendedCheckpoint } from './append.js'
import type { CheckpointPayload } from './record.js'

const TYPE = 'checkpoint_ref'

/** Names a stored checkpoint in the transcript of its session, once per shard if it is repeated. */
export async function referToCheckpoint(
  store: StoreContext,
  { session_key, trigger }: Pick<CheckpointPayload, 'session_key' | 'trigger'>,
  { id, path: shardPath, sha256, duplicate }: AppendedCheckpoint,
): Promise<void> {
  if (duplicate === true && findReferredShards(store, session_key).includes(shardPath)) return
  const payload = { checkpoint_id: id, trigger, sha256, shard: basename(shardPath) }
  const event: NewEvent = { type: TYPE, payload }
  const path = store.layout.transcriptPath(session_key)
  if (isLeased(store, path)) {
    await spoolEvent(store, session_key, event)
    return
  }
  try {
    await appendOnce(path, [event], {
      ...store.logOptions,
      channel: 'transcript',
      lineNumbers: false,
      trailingEvent: repeatMeta(store, path),
    })
  } catch (error) {
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    await spoolEvent(store, session_key, event)
  }
}

/** The paths of the shards that a session names besides the one of its project. */
export function findReferredShards(store: StoreContext, sessionKey: string): string[] {
  const { checkpoints, transcriptPath } = store.layout
  const shards = new Set<string>()
  const add = ({ type, payload }: { readonly type: string; readonly payload?: unknown }) => {
    const { shard } = fieldsOf(payload)
    // An imported line may name anything.
    const isName = typeof shard === 'string' && basename(shard) === shard && isLogName(shard)
    if (type === TYPE && isName) shards.add(join(checkpoints, shard))
  }
  const isWanted = ({ bytes, start, end }: Line) => (readType(bytes, start, end) ?? TYPE) === TYPE
  const options = { isWanted, environment: store.env }
  for (const entry of readLogSync(transcriptPath(sessionKey), options))
    if (entry.kind === 'event') add(entry.event)
  for (const event of readSpool(store, sessionKey)) add(event)
  return [...shards]
}
