// Checkpoints of a session that this process does not keep open: the state that an open session has
// in memory is derived from its transcript.

import {
  Checkpointer,
  type CheckpointerOptions,
  type CheckpointFacts,
  type ContinuityOptions,
  type ContinuityState,
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
  readSessionProject,
  type StoreContext,
  withConfig,
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
  /** A checkpoint that equals one stored within this time is not written again. */
  unlessRepeatedWithinMs?: number | undefined
  onStored?: ((id: string) => void) | undefined
}

/** Ready to be asked which checkpoint is due; `undefined` where the session leaves none. */
export function openCheckpointer(
  store: StoreContext,
  { id, log, project }: Transcript,
  options: OneShotOptions = {},
): OneShotCheckpointer | undefined {
  if (options.continuity === false) return undefined
  const { continuity: settings, harness, unlessRepeatedWithinMs, onStored } = options
  const { continuity, checkpointer } = createCheckpointer(store, settings, {
    unlessRepeatedWithinMs,
    onStored: (_, stored) => onStored?.(stored.id),
  })
  const state = deriveState(store, { id, log, project }, { harness })
  return { checkpointer, session: refOf(continuity.initContinuity(state)) }
}

/** The state of a session, from its newest checkpoint and what its transcript holds since then. */
export function deriveState(
  store: StoreContext,
  { id, log, project }: Transcript,
  { harness, to, isNew = false }: { harness?: string | undefined; to?: number; isNew?: boolean },
): ContinuityState {
  const latest = isNew ? undefined : findOwnNewest(store, { id, project })
  const facts = { sessionKey: id, agentId: store.agent, harness }
  return deriveContinuity(log, { to, latest, facts, environment: store.env })
}

/** Of those that the session stored itself: they are in the shard of its own project. */
function findOwnNewest(store: StoreContext, { id: session, project }: Omit<Transcript, 'log'>) {
  const sessionProject = project === undefined ? readSessionProject(store, session) : project
  const query = { session, sessionProject, hasTranscriptOffset: true }
  return findNewestCheckpoint(store, query).newest?.checkpoint
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

/** Writes the checkpoints of a session into the file of its project, redacted. */
export function createCheckpointer(
  store: StoreContext,
  settings: ContinuityOptions | undefined,
  {
    onStored,
    unlessRepeatedWithinMs,
  }: Pick<CheckpointerOptions, 'onStored'> & Pick<OneShotOptions, 'unlessRepeatedWithinMs'>,
) {
  const shared = { onDiagnostic: store.report, environment: store.env }
  const given = withConfig(store, 'continuity', settings)
  const continuity = createContinuity({ continuity: given, ...shared })
  // The types of the records differ in readonly modifiers only.
  const checkpointer = new Checkpointer({
    continuity,
    sink: {
      write: (record) =>
        appendCheckpoint(store, record as NewCheckpoint, { unlessRepeatedWithinMs }),
      writeSync: (record) => appendCheckpointSync(store, record as NewCheckpoint),
    },
    redact: (value) => redactValue(value) as typeof value,
    onStored,
    ...shared,
  })
  return { continuity, checkpointer }
}
