// The door of the room that knows what a session should leave behind for the next one: what was
// gathered, when a checkpoint is due, what it says, and its way to the store.

export {
  CheckpointQueue,
  type CheckpointQueueOptions,
  type CheckpointSink,
  type StoredCheckpoint,
} from './checkpoint-queue.js'
export type {
  CheckpointRecord,
  CheckpointTrigger,
  StoredMemory,
  StoredSummary,
} from './checkpoint-record.js'
export {
  type AfterPrompt,
  type AskedFor,
  Checkpointer,
  type CheckpointerOptions,
  type Moment,
  type SessionEndRequest,
} from './checkpointer.js'
export {
  Continuity,
  type ContinuityStart,
  type CreateContinuityOptions,
  createContinuity,
} from './continuity.js'
export type {
  ConsumedState,
  ContinuityState,
  RecordedEvent,
  RollingState,
} from './continuity-state.js'
export { type CheckpointLike, type DeriveOptions, deriveContinuity } from './derive-state.js'
export type { StructuredSummary } from './digest.js'
export {
  type CheckpointFacts,
  type CheckpointRequest,
  checkpointRecord,
  type Redact,
} from './make-record.js'
export type {
  RollingRequest,
  RollingSummarizer,
  SummarizerAnswer,
} from './rolling-generation.js'
export type { SessionRef } from './session-ref.js'
export { type ContinuityOptions, type ContinuitySettings, continuitySettings } from './settings.js'
export type { ContextUse, Due, PassiveCause, RollingCause } from './triggers.js'
