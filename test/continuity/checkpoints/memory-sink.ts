// A store of checkpoints in memory that fails and answers when the test says so.

import type {
  CheckpointRecord,
  CheckpointSink,
  StoredCheckpoint,
} from '../../../lib/continuity/index.js'

export class MemorySink implements CheckpointSink {
  readonly records: CheckpointRecord[] = []
  error: Error | undefined
  /** While there is one, writes wait for it. */
  gate: Promise<void> | undefined

  readonly write = async (record: CheckpointRecord): Promise<StoredCheckpoint> => {
    await this.gate
    return this.writeSync(record)
  }

  readonly writeSync = (record: CheckpointRecord): StoredCheckpoint => {
    if (this.error !== undefined) throw this.error
    this.records.push(record)
    return { id: record.id, byteOffset: this.records.length - 1, sha256: '0'.repeat(64) }
  }
}
