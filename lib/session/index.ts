// The door of the room that knows one living session.

export {
  type AppendReceipt,
  type AppendTranscriptInput,
  type AppendTranscriptOptions,
  append_transcript,
} from './append-transcript.js'
export { type BypassedSession, bypassSession } from './bypass.js'
export type { CompactOptions } from './compact.js'
export type { StoredSession } from './compaction-place.js'
export { type Compactor, createCompactor, createStoredCompactor } from './compactor.js'
export type {
  BeforeModelCallOptions,
  CompactionOutcome,
  CompactNowOptions,
  CompactorOptions,
  PreCompactionContext,
  Trigger as CompactionTrigger,
  TurnContext,
  UsageReport,
} from './compactor-options.js'
export { type CreateSessionOptions, createSession } from './create.js'
export { type ExportFormat, type ExportOptions, exportSession } from './export.js'
export {
  type ExtractedDelta,
  type ExtractOptions,
  extractDelta,
  type SkippedDelta,
} from './extract.js'
export {
  type ApplyFileRewindOptions,
  type FileRewindOptions,
  type FileRewindPlan,
  type FileRewindResult,
  type FileSnapshot,
  isRestoreAllowed,
  planFileRewind,
  type SnapshotFilesOptions,
} from './file-rewind.js'
export { type ForkedSession, type ForkOptions, forkSession } from './fork.js'
export type { SessionFacts } from './header.js'
export {
  type ImportExportedOptions,
  type ImportedExport,
  importExported,
} from './import-exported.js'
export type { SkipReason } from './import-ledger.js'
export type { ImportOptions, ImportProgress } from './import-options.js'
export { type ImportReport, importSession } from './import-session.js'
export { openSidechain } from './open-sidechain.js'
export { PermissionLedger } from './permission-ledger.js'
export type { PromptOptions, PromptReceipt } from './prompt-history.js'
export {
  type OnceOptions,
  type PromptedOnce,
  type PromptInput,
  promptOnce,
  rememberOnce,
} from './prompt-once.js'
export { type OneRecovery, type RecoverOnceOptions, recoverOnce } from './recovery.js'
export { type RenamedSession, renameSession } from './rename.js'
export { type ResumeOptions, resumeSession } from './resume.js'
export type { ResumedSession } from './resumed-session.js'
export type { RetriedSummary, RetryLoop, RetryReport } from './retry-revisions.js'
export type { Session } from './session.js'
export type { CheckpointText, ContextFill } from './session-continuity.js'
export type {
  AppendListener,
  CompactResult,
  RememberOptions,
  SessionEnd,
  Turn,
} from './session-parts.js'
export type { SessionOptions } from './settings.js'
export type { Sidechain } from './sidechain.js'
export type {
  LooseReport,
  MergedResult,
  SubagentEnding,
  SubagentReport,
  SubagentStatus,
} from './subagent-result.js'
export type { SpawnOptions, SubagentTask } from './subagent-task.js'
export type { SubagentParent } from './subagents.js'
export type { TitleSource } from './title.js'
