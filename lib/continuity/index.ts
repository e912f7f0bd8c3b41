// Entry point of the module that decides what a session leaves for the next one: what it gathers,
// when a checkpoint is due, what the checkpoint says, and what a new session recovers.

export type {
  CheckpointRecord,
  CheckpointTrigger,
  StoredSummary,
} from './checkpoint-record.js'
export {
  type AfterPrompt,
  type AskedFor,
  Checkpointer,
  type CheckpointerOptions,
  type Moment,
  type SessionEndRequest,
} from './checkpoints/checkpointer.js'
export {
  type CheckpointPlace,
  type CheckpointSessionOptions,
  type ContextCheckpoint,
  type ContextCheckpointOptions,
  checkpointSession,
  contextCheckpoint,
  isCheckpointed,
  type SessionCheckpoint,
} from './checkpoints/context-checkpoint.js'
export { MEMORY_TYPES, type Memory } from './checkpoints/context-input.js'
export type { StructuredSummary } from './checkpoints/digest.js'
export type { Episode } from './checkpoints/episodes.js'
export { type Item, type ReadItemOptions, readItem } from './checkpoints/items.js'
export {
  type CheckpointFacts,
  type CheckpointRequest,
  checkpointRecord,
  type Redact,
} from './checkpoints/make-record.js'
export type { MemoryItem } from './checkpoints/memories.js'
export {
  CheckpointQueue,
  type CheckpointQueueOptions,
  type CheckpointSink,
  type StoredCheckpoint,
} from './checkpoints/queue.js'
export type {
  RollingRequest,
  RollingSummarizer,
  SummarizerAnswer,
} from './checkpoints/rolling-generation.js'
export type { Change, Changes, RecentAgent } from './recovery/agents.js'
export { checkpointNudge, type NudgeOptions } from './recovery/nudge.js'
export {
  findMemories,
  type RecalledMemory,
  type RecallOptions,
  type RecallResult,
  recall,
  toRecallResult,
} from './recovery/recall.js'
export {
  isStartSource,
  type RecoverOptions,
  type Recovery,
  recover,
  START_SOURCES,
  type StartSource,
} from './recovery/recover.js'
export type { RecoverySource } from './recovery/recovery-text.js'
export {
  PROFILES,
  type Profile,
  type SessionStartOptions,
  type StartMode,
  sessionStart,
} from './recovery/session-start.js'
export type { StartAnswer, StartRecovery, Trimmed } from './recovery/start-answer.js'
export { startMemory } from './recovery/start-context.js'
export { type RedactText, redactWords } from './redact-words.js'
export { refOf, type SessionRef } from './session-ref.js'
export { type ContinuityOptions, type ContinuitySettings, continuitySettings } from './settings.js'
export {
  type ConsumedState,
  Continuity,
  type ContinuityStart,
  type ContinuityState,
  type CreateContinuityOptions,
  createContinuity,
  type RecordedEvent,
  type RollingState,
} from './state/continuity.js'
export {
  type CheckpointLike,
  type DeriveOptions,
  deriveContinuity,
  mayCheckpointBeDue,
} from './state/derive-state.js'
export type { ContextUse, Due, PassiveCause, RollingCause } from './state/triggers.js'
