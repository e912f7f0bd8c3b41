// Where the checkpoints of a session go: into the shard of its project, redacted.

import {
  Checkpointer,
  type CheckpointerOptions,
  type CheckpointRecord,
} from '../continuity/index.js'
import { redactValue } from '../redaction/index.js'
import {
  type AppendCheckpointOptions,
  appendCheckpoint,
  appendCheckpointSync,
  type NewCheckpoint,
  type ShardWriteOptions,
} from '../store/index.js'

export type CheckpointStore = ShardWriteOptions &
  Pick<AppendCheckpointOptions, 'unlessRepeatedWithinMs'>

export function checkpointerOf(
  store: CheckpointStore,
  { continuity, onStored }: Pick<CheckpointerOptions, 'continuity' | 'onStored'>,
): Checkpointer {
  return new Checkpointer({
    continuity,
    sink: {
      write: (record) => appendCheckpoint(asStored(record), store),
      writeSync: (record) => appendCheckpointSync(asStored(record), store),
    },
    redact: (value) => redactValue(value) as typeof value,
    onStored,
    onDiagnostic: store.onDiagnostic,
    environment: store.environment,
  })
}

/** Keys of parts are for those who send a checkpoint again; a session's own are never sent twice. */
function asStored({ idempotency_keys: _, ...record }: CheckpointRecord): NewCheckpoint {
  // The types differ in what may be changed, and nothing changes it.
  return record as NewCheckpoint
}
