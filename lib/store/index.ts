// The door of the room that knows the folders.

export {
  type FindNewestOptions,
  findNewestSession,
  type ListSessionsOptions,
  listSessions,
} from './catalog.js'
export type { ListOptions, SessionList } from './catalog-select.js'
export {
  type AppendCheckpointOptions,
  type AppendedCheckpoint,
  appendCheckpoint,
} from './checkpoint-append.js'
export {
  CheckpointIndex,
  type CheckpointIndexOptions,
  type CheckpointList,
  type FoundCheckpoint,
  type ListCheckpointsQuery,
  type NewestCheckpoint,
  type NewestCheckpointQuery,
} from './checkpoint-index.js'
export type { PartKey } from './checkpoint-keys.js'
export type { StoredCheckpoint } from './checkpoint-load.js'
export {
  type PruneCheckpointsOptions,
  type PrunedShard,
  type PruneReport,
  pruneCheckpoints,
} from './checkpoint-prune.js'
export type { CheckpointPayload, NewCheckpoint } from './checkpoint-record.js'
export { projectOfSession } from './checkpoint-shard.js'
export type { RetentionOptions } from './checkpoint-visible.js'
export {
  type DeleteCheckpointOptions,
  deleteCheckpoint,
  findCheckpoint,
  findNewestCheckpoint,
  listCheckpoints,
} from './checkpoints.js'
export { findEvent } from './find-event.js'
export {
  type AppendHistoryOptions,
  append_history,
  HISTORY_LIMITS,
  type HistoryReceipt,
} from './history-append.js'
export type { HistoryEntry } from './history-entry.js'
export {
  type HistoryScope,
  type ReadHistoryOptions,
  type RecallHistoryOptions,
  read_history,
  recallHistory,
} from './history-read.js'
export {
  type HistoryRotation,
  type RotateHistoryOptions,
  rotateHistory,
} from './history-rotation.js'
export {
  type HistorySweep,
  type SweepHistoryOptions,
  type SweptFile,
  sweepHistory,
} from './history-sweep.js'
export { type Layout, layoutOf, type StoreOptions } from './layout.js'
export { LiveCatalog, type Refreshed, type WatchOptions } from './live-catalog.js'
export { type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
export { type MaintainOptions, type Maintenance, maintain } from './maintain.js'
export { normalizeProject } from './project.js'
export {
  type ProjectScope,
  type ProjectSelection,
  type SelectProjectsOptions,
  selectProjects,
} from './project-scope.js'
export { type RelocateOptions, type Relocation, relocateProject } from './relocations.js'
export { repositoryOf } from './repository.js'
export {
  digestTranscript,
  isSkipped,
  type SessionDigest,
  type SessionKind,
  type SessionStatus,
  type Skipped,
} from './session-digest.js'
export { hasEnding, type SidechainDigest, type SidechainStatus } from './sidechain-digest.js'
export { placeSidechain, type SidechainPlace } from './sidechain-place.js'
export { SidechainSizes } from './sidechain-sizes.js'
export {
  findSidechain,
  type ListSidechainsOptions,
  listSidechains,
  type SidechainList,
} from './sidechains.js'
export { readSpool, type Spooled, spoolEvent } from './spool.js'
export { findTranscript, listTranscripts } from './transcripts.js'
export { type VerifyReport, verifyLog } from './verify.js'
