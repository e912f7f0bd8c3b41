// Entry point of the module that knows the folders of a store.

export {
  type GrepMatch,
  type GrepPage,
  type GrepPageOptions,
  grepPage,
} from './browse/grep-page.js'
export {
  type FullEntry,
  findEndCursor,
  type LogPage,
  type PageOptions,
  readEventPage,
  readOutlinePage,
  toFullEntry,
} from './browse/log-page.js'
export {
  type FullMessage,
  type MessageOutline,
  type MessagePage,
  type MessagePageOptions,
  readMessageOutline,
  readMessagePage,
} from './browse/message-page.js'
export { type OutlineEntry, titleOf, toOutline } from './browse/outline.js'
export { toServedEvent } from './browse/served-event.js'
export {
  readSurroundings,
  readSurroundingsWithCosts,
  type SessionSurroundings,
} from './browse/session-tree.js'
export { type LogChange, StoreWatch } from './browse/store-watch.js'
export { idOfFileName } from './catalog/header-fields.js'
export { inferParentSession, type ParentHints, type ParentSession } from './catalog/infer-parent.js'
export {
  countEvents,
  findNewestSession,
  type ListOptions,
  listHeaders,
  listSessions,
  type SessionList,
} from './catalog/list-sessions.js'
export * from './catalog/live-catalog.js'
export { matchProject } from './catalog/match-project.js'
export {
  META_STRIDE_BYTES,
  readMeta,
  readTags,
  repeatMeta,
  takeLines,
} from './catalog/repeat-meta.js'
export {
  isUnreadable,
  readSessionInfo,
  rejectUnreadable,
  type SessionInfo,
  type SessionKind,
  type SessionStatus,
  type Unreadable,
} from './catalog/session-info.js'
export { changeTags, PINNED, SessionMeta, type TagChanges } from './catalog/session-meta.js'
export { listPromptedSessions, listUnfinishedSessions } from './catalog/unfinished.js'
export {
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
  findNewestOfEach,
  type ListCheckpointsQuery,
  listCheckpoints,
  type NewestCheckpoint,
  type NewestCheckpointQuery,
} from './checkpoints/find-checkpoints.js'
export { memoryText, type PartKey } from './checkpoints/known-parts.js'
export * from './checkpoints/prune.js'
export { readProject, readSessionProject, type StoredCheckpoint } from './checkpoints/read-shard.js'
export type { CheckpointPayload, NewCheckpoint } from './checkpoints/record.js'
export type { RetentionOptions } from './checkpoints/visible.js'
export {
  type ActiveSessions,
  findClaimedSession,
  listActiveSessions,
  readSessionState,
  type SessionState,
} from './claims/active-sessions.js'
export {
  type ClaimSessionOptions,
  checkClaim,
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
export { findShownStatus, type ShownStatus } from './claims/shown-status.js'
export { type ComparedBranches, compareBranches } from './compare/compare-branches.js'
export * from './config.js'
export {
  type ContextOptions,
  DEFAULT_AGENT,
  forAgent,
  type Layout,
  layoutOf,
  openContext,
  type StoreContext,
  type StoreOptions,
  workingFolder,
} from './context.js'
export type { Cost, ModelCost } from './cost/prices.js'
export { sumTokens, type TokenCounts } from './cost/usage.js'
export {
  findFailedCalls,
  readEntries,
  readEntriesAround,
  readLastEntries,
} from './excerpt/read-excerpt.js'
export {
  readSessionFigures,
  type SessionFigures,
  type SessionFiguresList,
  type SessionFiguresOptions,
} from './figures/session-figures.js'
export * from './foreign/hook-settings.js'
export {
  findBesideTranscripts,
  type KnownLocation,
  listForeignFiles,
  listForeignTasks,
  listKnownLocations,
  listSiblingFiles,
} from './foreign/known-locations.js'
export * from './foreign/settings-file.js'
export { ForeignSource } from './foreign/source-file.js'
export { type GrepHit, type GrepOptions, grepStore } from './grep/grep-store.js'
export type { TextSpan } from './grep/pattern.js'
export * from './health/examine-store.js'
export type {
  ChannelName,
  ChannelSize,
  FindingCode,
  HeldLock,
  StoreFinding,
  StoreHealth,
} from './health/findings.js'
export * from './health/fix-store.js'
export * from './health/init-store.js'
export * from './health/repair.js'
export * from './health/verify.js'
export * from './history/aliases.js'
export * from './history/append.js'
export { type HistoryEntry, type HistoryRotation, rotateHistory } from './history/files.js'
export * from './history/read.js'
export type { HistoryRetentionOptions } from './history/retention.js'
export * from './history/sweep.js'
export { type Chapter, listChapters, listContinuations } from './load/chapters.js'
export * from './load/conversation.js'
export { findEndTime, findEvent, findLineStart } from './load/find-event.js'
export { loadLatest } from './load/load-latest.js'
export { findParent, type LoadedSession, loadSession, readLineage } from './load/load-session.js'
export type { LoadOptions } from './load/read-tail.js'
export * from './maintain.js'
export * from './pages/session-pages.js'
export { LinePrefilter } from './prefilter/line-prefilter.js'
export { mayHaveType, readEventsBackward } from './prefilter/type-prefilter.js'
export * from './projects/git-repository.js'
export { normalizeProject } from './projects/normalize-project.js'
export {
  type ProjectScope,
  type RelocateOptions,
  type Relocation,
  relocateProject,
  selectProjects,
} from './projects/select-projects.js'
export { readSmallText } from './read-small-text.js'
export { type AllowedPathOptions, resolveAllowedPath } from './resolve-allowed-path.js'
export type { KeptCode, KeptSession } from './retention/guards.js'
export * from './retention/retire-sessions.js'
export type { RetentionArea, RetentionSelection, SessionUnit } from './retention/units.js'
export * from './search/search-sessions.js'
export { findSearchMatches } from './search/search-transcript.js'
export * from './sidechains/list-sidechains.js'
export * from './sidechains/path.js'
export { hasEnding, type SidechainInfo, type SidechainStatus } from './sidechains/sidechain-info.js'
export * from './spool/spool.js'
export type {
  ModelStats,
  StatsGroup,
  StatsGrouping,
  Tally,
  ToolStats,
} from './stats/counting.js'
export * from './stats/disk-usage.js'
export { type StoreStats, type StoreStatsOptions, storeStats } from './stats/store-stats.js'
export type { SummaryCheckpoint, SummarySourceType } from './summaries/nodes.js'
export * from './summaries/summaries.js'
export type { TailTarget } from './tail/scope.js'
export * from './tail/tail-sessions.js'
export { eventText } from './text/event-text.js'
export type { ServedTextOptions } from './text/output-text.js'
export * from './text/text-source.js'
export {
  readTranscriptText,
  type TranscriptText,
  type TranscriptTextOptions,
  transcriptText,
} from './text/transcript-text.js'
export { findTranscript, isSessionNotFile, listTranscripts } from './transcripts.js'
