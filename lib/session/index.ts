// Entry point of the module for sessions: open ones, and one-shot calls to closed ones.

export type { CheckpointInput } from './checkpoints/session-checkpoints.js'
export type { CompactOptions } from './compaction/compaction-events.js'
export { type Compactor, createCompactor, createStoredCompactor } from './compaction/compactor.js'
export type {
  BeforeModelCallOptions,
  CompactionOutcome,
  CompactNowOptions,
  CompactorOptions,
  PreCompactionContext,
  Trigger as CompactionTrigger,
  TurnContext,
  UsageReport,
} from './compaction/options.js'
export type { RetriedSummary, RetryLoop, RetryReport } from './compaction/retry-summaries.js'
export { planUncompact, type UncompactResult } from './compaction/uncompact.js'
export {
  type ExportFormat,
  type ExportOptions,
  exportRecords,
  exportSession,
} from './export/export.js'
export { type ExportPageOptions, exportPage } from './export/export-page.js'
export {
  type ExtractedDelta,
  type ExtractOptions,
  extractDelta,
  type SkippedDelta,
} from './extract/extract.js'
export {
  type ApplyFileRewindOptions,
  type FileRewindOptions,
  type FileRewindPlan,
  type FileRewindResult,
  type FileSnapshot,
  isRestoreAllowed,
  planFileRewind,
  type SnapshotFilesOptions,
} from './files/file-rewind.js'
export type { SessionFacts } from './header.js'
export {
  type ImportExportedOptions,
  type ImportedExport,
  importExported,
} from './import/import-export.js'
export {
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  importSession,
} from './import/import-session.js'
export type { SkipReason } from './import/previous-import.js'
export { type CreateSessionOptions, createSession } from './lifecycle/create.js'
export { type ForkedSession, type ForkOptions, forkSession } from './lifecycle/fork.js'
export { type OpenSessionOptions, openSession } from './lifecycle/open-session.js'
export type {
  ContinuedSession,
  InspectedSession,
  ResumedSession,
  ResumeSession,
} from './lifecycle/resume.js'
export { type ResumeOptions, resumeSession } from './lifecycle/resume.js'
export type { RewindOptions, RewindReceipt } from './lifecycle/rewind.js'
export type { TitleSource } from './live-view.js'
export { PermissionLedger } from './permission-ledger.js'
export type { PromptOptions, PromptReceipt } from './prompt-history.js'
export {
  type AppendReceipt,
  type AppendTranscriptInput,
  type AppendTranscriptOptions,
  appendTranscript,
  appendTranscriptAll,
  type BypassedSession,
  bypassSession,
  ingestTurnOnce,
  type PromptedOnce,
  type PromptInput,
  type PromptOnceOptions,
  promptOnce,
  type RenamedSession,
  rememberOnce,
  renameSession,
} from './record/one-shot.js'
export {
  type RecallOnceOptions,
  type RecallOnceResult,
  recallOnce,
} from './record/recall-once.js'
export {
  type PendingRecovery,
  type RecoverOnceOptions,
  recoverOnce,
} from './record/recover-once.js'
export { type TaggedSession, type TagSessionOptions, tagSession } from './record/tags.js'
export type { Session } from './session.js'
export type { SessionOptions } from './settings.js'
export type { AppendEvent } from './streamed-reply.js'
export type {
  MergedResult,
  SubagentEnding,
  SubagentReport,
  SubagentReportInput,
  SubagentStatus,
} from './subagents/result.js'
export type { Sidechain } from './subagents/sidechain.js'
export { openSidechain, type SubagentParent } from './subagents/subagents.js'
export type { SpawnOptions, SubagentTask } from './subagents/task.js'
export type { Descendant, SessionTree, TreeOptions } from './tree.js'
export type {
  AppendListener,
  CompactResult,
  RememberOptions,
  SessionEnd,
  Turn,
} from './types.js'
