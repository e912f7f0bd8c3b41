// The door of the room that knows what a session should leave behind for the next one: what was
// gathered, when a checkpoint is due, what it says, and its way to the store.

export type { Change, Changes, RecentAgent } from './agents.js'
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
export { isCheckpointed } from './checkpointed.js'
export {
  type AfterPrompt,
  type AskedFor,
  Checkpointer,
  type CheckpointerOptions,
  type Moment,
  type SessionEndRequest,
} from './checkpointer.js'
export {
  type CheckpointPlace,
  type CheckpointSessionOptions,
  type ContextCheckpoint,
  type ContextCheckpointOptions,
  checkpointSession,
  contextCheckpoint,
  type SessionCheckpoint,
} from './context-checkpoint.js'
export type { Memory } from './context-input.js'
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
export type { Episode } from './episodes.js'
export { type Item, type ReadItemOptions, readItem } from './items.js'
export {
  type CheckpointFacts,
  type CheckpointRequest,
  checkpointRecord,
  type Redact,
} from './make-record.js'
export type { MemoryItem } from './memories.js'
export { checkpointNudge, type NudgeOptions } from './nudge.js'
export { PROFILES, type Profile, type StartMode } from './profiles.js'
export {
  type RecoverOptions,
  type Recovery,
  recover,
  START_SOURCES,
  type StartSource,
} from './recover.js'
export type {
  RollingRequest,
  RollingSummarizer,
  SummarizerAnswer,
} from './rolling-generation.js'
export { type RedactText, redactWords } from './served.js'
export { refOf, type SessionRef } from './session-ref.js'
export { type SessionStartOptions, sessionStart } from './session-start.js'
export { type ContinuityOptions, type ContinuitySettings, continuitySettings } from './settings.js'
export type { ContextUse, Due, PassiveCause, RollingCause } from './triggers.js'
export type { StartAnswer, StartRecovery, Trimmed } from './trim-start.js'
