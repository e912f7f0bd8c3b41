// The door of the room that knows the folders.

export {
  type ActiveSessions,
  findSessionOf,
  isSessionLive,
  listActiveSessions,
  readSessionState,
  type SessionState,
} from './active-sessions.js'
export { type AllowedPathOptions, resolveAllowed } from './allowed-path.js'
export { type BypassAnswer, isBypassed, setBypass } from './bypass.js'
export {
  type FindNewestOptions,
  findNewestSession,
  type ListSessionsOptions,
  listSessions,
} from './catalog.js'
export { listHeaders } from './catalog-headers.js'
export type { ListOptions, SessionList } from './catalog-select.js'
export {
  type AppendCheckpointOptions,
  type AppendedCheckpoint,
  appendCheckpoint,
  appendCheckpointSync,
  type ShardWriteOptions,
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
export { memoryText, type PartKey } from './checkpoint-keys.js'
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
export { type SkippedCall, UNNAMED_PATH } from './claim-rules.js'
export {
  type ClaimSessionOptions,
  claimSession,
  type ReleasedClaim,
  type RuntimePathOptions,
  readClaim,
  releaseClaim,
  renewClaim,
  type SessionClaim,
} from './claims.js'
export type { ClaimOptions } from './decide-claim.js'
export {
  type DiskFile,
  type DiskKind,
  type DiskUsage,
  type DiskUsageOptions,
  diskUsage,
} from './disk-usage.js'
export { type ExamineOptions, type ExamineProgress, examineStore } from './examine.js'
export {
  type ExpandedNode,
  type ExpandedSummary,
  type ExpandSummaryOptions,
  expandSummary,
} from './expand-summary.js'
export { findEvent } from './find-event.js'
export { type Fixed, fixStore } from './fix-store.js'
export {
  type ForeignPlace,
  type ForeignTask,
  listForeignFiles,
  listForeignPlaces,
  listForeignTasks,
} from './foreign-places.js'
export { ForeignSource } from './foreign-source.js'
export { type GrepHit, type GrepOptions, grepStore } from './grep-store.js'
export type {
  ChannelName,
  ChannelSize,
  FindingCode,
  HeldLock,
  StoreFinding,
  StoreHealth,
} from './health.js'
export {
  type AppendHistoryOptions,
  append_history,
  HISTORY_LIMITS,
  type HistoryReceipt,
} from './history-append.js'
export type { HistoryEntry } from './history-entry.js'
export { lastHistoryOffset } from './history-last.js'
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
export type {
  CallForm,
  CallOptions,
  EventStatus,
  HooksStatus,
  SettingsChange,
} from './hook-settings.js'
export {
  type IgnoredLines,
  type InitializedStore,
  type InitStoreOptions,
  initStore,
} from './init-store.js'
export { findInstalledProgram, type InstalledProgram } from './installed-program.js'
export { findKnownSession } from './known-session.js'
export { type Layout, layoutOf, type StoreOptions } from './layout.js'
export { lineageOf, type SessionLineage } from './lineage.js'
export { LiveCatalog, type Refreshed, type WatchOptions } from './live-catalog.js'
export { findParent, type LoadedSession, type LoadOptions, loadSession } from './load-session.js'
export { type MaintainOptions, type Maintenance, maintain } from './maintain.js'
export { inferParentSession, type ParentHints, type ParentSession } from './parent-session.js'
export { normalizeProject } from './project.js'
export {
  type ProjectScope,
  type ProjectSelection,
  type SelectProjectsOptions,
  selectProjects,
} from './project-scope.js'
export { refuseSkipped } from './refuse-unreadable.js'
export { type RelocateOptions, type Relocation, relocateProject } from './relocations.js'
export { type RepairNote, type RepairOptions, type RepairReport, repairLog } from './repair.js'
export { mayBeTitle, repeatTitle, TITLE_STRIDE_BYTES, titleIn } from './repeat-title.js'
export { repositoryOf } from './repository.js'
export {
  listRetired,
  type MovedSession,
  type PruneSessionsOptions,
  pruneSessions,
  type RestoreSessionsOptions,
  type RetentionReport,
  type RetireOptions,
  restoreSessions,
  retireSessions,
} from './retention.js'
export type { KeptCode, KeptSession } from './retention-guards.js'
export type { RetentionSelection } from './retention-select.js'
export type { RetentionPlace, SessionUnit } from './retention-units.js'
export type { SearchHit, SearchResult } from './search-hits.js'
export { type SearchSessionsOptions, searchSessions } from './search-sessions.js'
export type { ServedTextOptions } from './served-text.js'
export {
  digestTranscript,
  isLeased,
  isSkipped,
  type SessionDigest,
  type SessionKind,
  type SessionStatus,
  type Skipped,
} from './session-digest.js'
export { idOfFileName } from './session-digest-header.js'
export {
  readSettingsFile,
  removeSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from './settings-file.js'
export { hasEnding, type SidechainDigest, type SidechainStatus } from './sidechain-digest.js'
export { findChild, placeSidechain, type SidechainPlace } from './sidechain-place.js'
export { SidechainSizes } from './sidechain-sizes.js'
export {
  findSidechain,
  type ListSidechainsOptions,
  listSidechains,
  type SidechainList,
} from './sidechains.js'
export { listSpooled, readSpool, type Spooled, spoolEvent, spoolEvents } from './spool.js'
export type { StatsGroup, StatsGrouping, ToolStats } from './stats-counting.js'
export { type StoreStats, type StoreStatsOptions, storeStats } from './store-stats.js'
export {
  type ListSummariesOptions,
  listSummaries,
  type SummariesOptions,
  type SummaryList,
  type SummaryNode,
} from './summaries.js'
export type { SummaryCheckpoint, SummarySourceType } from './summary-nodes.js'
export type { TailTarget } from './tail-scope.js'
export {
  SessionTailing,
  type TailEntry,
  type TailSessionsOptions,
  tailSessions,
} from './tail-sessions.js'
export type { Tally, TokenCounts } from './tally.js'
export {
  LogText,
  PlainText,
  readSmallText,
  type TextCursor,
  type TextPiece,
  type TextSource,
} from './text-source.js'
export {
  appendTold,
  type LogEnd,
  REPEAT_MS,
  readLogEnd,
  saidIn,
  type ToldEvents,
} from './told-once.js'
export {
  readTranscriptText,
  type TranscriptText,
  type TranscriptTextOptions,
  transcriptText,
} from './transcript-text.js'
export { findTranscript, isSessionAndNoFile, listTranscripts } from './transcripts.js'
export { type VerifyReport, verifyLog } from './verify.js'
export { readEventsBackward } from './wanted-lines.js'
export { workingFolder } from './working-folder.js'
