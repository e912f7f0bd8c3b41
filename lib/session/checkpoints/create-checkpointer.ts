// Writes the checkpoints of a session into the file of its project, redacted.

import {
  Checkpointer,
  type CheckpointerOptions,
  type CheckpointRecord,
} from '../../continuity/index.js'
import { redactValue } from '../../redaction/index.js'
import {
  appendCheckpoint,
  appendCheckpointSync,
  type NewCheckpoint,
  type StoreContext,
} from '../../store/index.js'

export interface CheckpointerParts extends Pick<CheckpointerOptions, 'continuity' | 'onStored'> {
  /** A checkpoint that equals one stored within this time is not written again. */
  readonly unlessRepeatedWithinMs?: number | undefined
  readonly lockTimeoutMs?: number | undefined
}

export function createCheckpointer(
  store: StoreContext,
  { continuity, onStored, unlessRepeatedWithinMs, lockTimeoutMs }: CheckpointerParts,
): Checkpointer {
  const target =
    lockTimeoutMs === undefined
      ? store
      : { ...store, logOptions: { ...store.logOptions, lockTimeoutMs } }
  return new Checkpointer({
    continuity,
    sink: {
      write: (record) => appendCheckpoint(target, toStored(record), { unlessRepeatedWithinMs }),
      writeSync: (record) => appendCheckpointSync(target, toStored(record)),
    },
    redact: (value) => redactValue(value) as typeof value,
    onStored,
    onDiagnostic: store.report,
    environment: store.env,
  })
}

function toStored(record: CheckpointRecord): NewCheckpoint {
  // The types differ in readonly modifiers only.
  return record as NewCheckpoint
}
