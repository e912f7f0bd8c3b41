// Entry point of the module that knows the folders of a store.

export type { ListOptions, SessionList } from './catalog/filter-sessions.js'
export { idOfFileName } from './catalog/header-fields.js'
export { inferParentSession, type ParentHints, type ParentSession } from './catalog/infer-parent.js'
export { listHeaders } from './catalog/list-headers.js'
export {
  type FindNewestOptions,
  findNewestSession,
  listSessions,
} from './catalog/list-sessions.js'
export { LiveCatalog, type Refreshed, type WatchOptions } from './catalog/live-catalog.js'
export { rejectUnreadable } from './catalog/require-readable.js'
export {
  isLeased,
  isUnreadable,
  readSessionInfo,
  type SessionInfo,
  type SessionKind,
  type SessionStatus,
  type Unreadable,
} from './catalog/session-info.js'
export {
  type AppendCheckpointOptions,
  type AppendedCheckpoint,
  appendCheckpoint,
  appendCheckpointSync,
} from './checkpoints/append.js'
export {
  type CheckpointList,
  type DeleteCheckpointOptions,
  deleteCheckpoint,
  type FoundCheckpoint,
  findCheckpoint,
  findNewestCheckpoint,
  type ListCheckpointsQuery,
  listCheckpoints,
  type NewestCheckpoint,
  type NewestCheckpointQuery,
  type RetentionOptions,
} from './checkpoints/find-checkpoints.js'
export { memoryText, type PartKey } from './checkpoints/part-keys.js'
export {
  type PruneCheckpointsOptions,
  type PrunedShard,
  type PruneReport,
  pruneCheckpoints,
} from './checkpoints/prune.js'
export { readProject, readSessionProject, type StoredCheckpoint } from './checkpoints/read-shard.js'
export type { CheckpointPayload, NewCheckpoint } from './checkpoints/record.js'
export {
  type ActiveSessions,
  findClaimedSession,
  listActiveSessions,
  readSessionState,
  type SessionState,
} from './claims/active-sessions.js'
export {
  type BypassAnswer,
  type ClaimSessionOptions,
  claimSession,
  findKnownSession,
  isBypassed,
  type ReleasedClaim,
  type RuntimePathOptions,
  readClaim,
  releaseClaim,
  renewClaim,
  type SessionClaim,
  type SkippedCall,
  setBypass,
  UNNAMED_PATH,
} from './claims/claims.js'
export { isSessionLive } from './claims/read-state.js'
export {
  type ContextOptions,
  DEFAULT_AGENT,
  type Layout,
  layoutOf,
  openContext,
  type StoreContext,
  type StoreOptions,
  workingFolder,
} from './context.js'
export type {
  CallForm,
  CallOptions,
  EventStatus,
  HooksStatus,
  SettingsChange,
} from './foreign/hook-settings.js'
export { findInstalledProgram, type InstalledProgram } from './foreign/hook-settings.js'
export {
  type ForeignTask,
  type KnownLocation,
  listForeignFiles,
  listForeignTasks,
  listKnownLocations,
} from './foreign/known-locations.js'
export {
  readSettingsFile,
  removeSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from './foreign/settings-file.js'
export { ForeignSource } from './foreign/source-file.js'
export { type GrepHit, type GrepOptions, grepStore } from './grep/grep-store.js'
export { type ExamineOptions, type ExamineProgress, examineStore } from './health/examine-store.js'
export type {
  ChannelName,
  ChannelSize,
  FindingCode,
  HeldLock,
  StoreFinding,
  StoreHealth,
} from './health/findings.js'
export { type Fix, type FixStoreOptions, fixStore, type StoreFixes } from './health/fix-store.js'
export {
  type IgnoredLines,
  type InitializedStore,
  type InitStoreOptions,
  initStore,
} from './health/init-store.js'
export {
  type RepairNote,
  type RepairOptions,
  type RepairReport,
  repairLog,
} from './health/repair.js'
export { type VerifyReport, verifyLog } from './health/verify.js'
export {
  type AppendHistoryAliasOptions,
  append_history,
  type HistoryEntryAlias,
  type HistoryReceiptAlias,
  type ReadHistoryAliasOptions,
  read_history,
} from './history/aliases.js'
export {
  type AppendHistoryOptions,
  appendHistory,
  HISTORY_LIMITS,
  type HistoryReceipt,
} from './history/append.js'
export { type HistoryEntry, type HistoryRotation, rotateHistory } from './history/files.js'
export {
  type HistoryScope,
  lastHistoryOffset,
  type ReadHistoryOptions,
  type RecallHistoryOptions,
  readHistory,
  recallHistory,
} from './history/read.js'
export type { HistoryRetentionOptions } from './history/retention.js'
export {
  type HistorySweep,
  type Maintenance,
  maintain,
  type SweepHistoryOptions,
  type SweptFile,
  sweepHistory,
} from './history/sweep.js'
export { findEvent } from './load/find-event.js'
export { readLineage, type SessionLineage } from './load/lineage.js'
export {
  findParent,
  type LoadedSession,
  type LoadOptions,
  loadSession,
} from './load/load-session.js'
export { readEventsBackward } from './prefilter/type-prefilter.js'
export { findRepository } from './projects/git-repository.js'
export { normalizeProject } from './projects/normalize-project.js'
export {
  type ProjectScope,
  type ProjectSelection,
  type RelocateOptions,
  type Relocation,
  relocateProject,
  type SelectProjectsOptions,
  selectProjects,
} from './projects/select-projects.js'
export { type AllowedPathOptions, resolveAllowedPath } from './resolve-allowed-path.js'
export type { KeptCode, KeptSession } from './retention/guards.js'
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
} from './retention/retire-sessions.js'
export type { RetentionArea, RetentionSelection, SessionUnit } from './retention/units.js'
export {
  type SearchHit,
  type SearchResult,
  type SearchSessionsOptions,
  searchSessions,
} from './search/search-sessions.js'
export {
  findSidechain,
  type ListSidechainsOptions,
  listSidechains,
  type SidechainList,
} from './sidechains/list-sidechains.js'
export { findChild, findSidechainTarget, type SidechainTarget } from './sidechains/path.js'
export {
  hasEnding,
  type SidechainInfo,
  type SidechainStatus,
} from './sidechains/sidechain-info.js'
export { SidechainSizes } from './sidechains/total-size.js'
export {
  findTitleEvent,
  listSpooled,
  mayBeTitle,
  readSpool,
  repeatTitle,
  type Spooled,
  spoolEvent,
  spoolEvents,
  TITLE_STRIDE_BYTES,
} from './spool/spool.js'
export type {
  StatsGroup,
  StatsGrouping,
  Tally,
  TokenCounts,
  ToolStats,
} from './stats/counting.js'
export {
  type DiskFile,
  type DiskKind,
  type DiskUsage,
  type DiskUsageOptions,
  diskUsage,
} from './stats/disk-usage.js'
export { type StoreStats, type StoreStatsOptions, storeStats } from './stats/store-stats.js'
export type { SummaryCheckpoint, SummarySourceType } from './summaries/nodes.js'
export {
  type ExpandedNode,
  type ExpandedSummary,
  type ExpandSummaryOptions,
  expandSummary,
  type ListSummariesOptions,
  listSummaries,
  type SummariesOptions,
  type SummaryList,
  type SummaryNode,
} from './summaries/summaries.js'
export type { TailTarget } from './tail/scope.js'
export {
  SessionTailing,
  type TailEntry,
  type TailSessionsOptions,
  tailSessions,
} from './tail/tail-sessions.js'
export type { ServedTextOptions } from './text/output-text.js'
export {
  LogText,
  PlainText,
  readSmallText,
  type TextCursor,
  type TextPiece,
  type TextSource,
} from './text/text-source.js'
export {
  readTranscriptText,
  type TranscriptText,
  type TranscriptTextOptions,
  transcriptText,
} from './text/transcript-text.js'
export { findTranscript, isSessionNotFile, listTranscripts } from './transcripts.js'
