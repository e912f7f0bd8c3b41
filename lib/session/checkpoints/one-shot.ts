// Checkpoints of a session that this process does not keep open: the state that an open session has
// in memory is derived from its transcript.

import {
  Checkpointer,
  type CheckpointerOptions,
  type CheckpointFacts,
  type CheckpointRecord,
  type ContinuityOptions,
  createContinuity,
  deriveContinuity,
  refOf,
  type SessionRef,
} from '../../continuity/index.js'
import type { OpenLog } from '../../log/index.js'
import { redactValue } from '../../redaction/index.js'
import {
  appendCheckpoint,
  appendCheckpointSync,
  findNewestCheckpoint,
  type NewCheckpoint,
  type StoreContext,
} from '../../store/index.js'

export interface OneShotCheckpointer {
  readonly checkpointer: Checkpointer
  /** The session as the checkpointer knows it. */
  readonly session: SessionRef
}

interface Transcript {
  /** The session, normalised. */
  readonly id: string
  readonly log: string | OpenLog
  /** Its project, where the caller knows it. */
  readonly project?: string | null | undefined
}

export interface OneShotOptions {
  continuity?: ContinuityOptions | false | undefined
  harness?: string | undefined
  unlessRepeatedWithinMs?: number | undefined
  lockTimeoutMs?: number | undefined
  onStored?: ((id: string) => void) | undefined
}

/** Ready to be asked which checkpoint is due; `undefined` where the session leaves none. */
export function openCheckpointer(
  store: StoreContext,
  { id, log, project }: Transcript,
  options: OneShotOptions = {},
): OneShotCheckpointer | undefined {
  if (options.continuity === false) return undefined
  const query = { session: id, sessionProject: project, hasTranscriptOffset: true }
  const { newest } = findNewestCheckpoint(store, query)
  const continuity = createContinuity({
    continuity: options.continuity,
    environment: store.env,
    onDiagnostic: store.report,
  })
  const facts = { sessionKey: id, agentId: store.agent, harness: options.harness }
  const state = deriveContinuity(log, {
    latest: newest?.checkpoint,
    facts,
    environment: store.env,
  })
  const session = refOf(continuity.initContinuity(state))
  const { unlessRepeatedWithinMs, lockTimeoutMs, onStored } = options
  const checkpointer = createCheckpointer(store, {
    continuity,
    unlessRepeatedWithinMs,
    lockTimeoutMs,
    onStored: (_, stored) => onStored?.(stored.id),
  })
  return { checkpointer, session }
}

/** Stores a checkpoint before a compaction. A failed write is reported, and stops nothing. */
export async function checkpointBeforeCompaction(
  store: StoreContext,
  { id, path, facts }: { id: string; path: string; facts: CheckpointFacts },
  options: OneShotOptions = {},
): Promise<void> {
  const once = openCheckpointer(store, { id, log: path }, options)
  await once?.checkpointer.preCompaction(once.session, { facts })
}

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
