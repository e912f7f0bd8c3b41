// What harness authors import.

export type {
  Interruption,
  Interruptions,
  Message,
  Messages,
  MessagesOptions,
  Projection,
  ToolCall,
  ToolPolicy,
} from './chain/index.js'
export { ERROR_REMEDIES, isSessionError, SessionError, type SessionErrorCode } from './errors.js'
export type {
  Channel,
  Diagnostic,
  DiagnosticCode,
  EventOf,
  EventType,
  PayloadByType,
  SessionEvent,
} from './format/index.js'
export * from './log/index.js'
export {
  type CustomRule,
  createRedactor,
  type RedactionProblem,
  type Redactor,
  type RedactorOptions,
  type RedactTextOptions,
  type RedactValueOptions,
  redactText,
  redactValue,
} from './redaction/index.js'
export * from './session/index.js'
export {
  type AppendHistoryOptions,
  append_history,
  digestTranscript,
  findSidechain,
  HISTORY_LIMITS,
  type HistoryEntry,
  type HistoryReceipt,
  type HistoryRotation,
  type HistoryScope,
  type HistorySweep,
  type ListSessionsOptions,
  type ListSidechainsOptions,
  LiveCatalog,
  listSessions,
  listSidechains,
  type MaintainOptions,
  type Maintenance,
  maintain,
  type ReadHistoryOptions,
  type RecallHistoryOptions,
  type RotateHistoryOptions,
  read_history,
  recallHistory,
  rotateHistory,
  type SessionDigest,
  type SidechainDigest,
  type SidechainList,
  type SidechainStatus,
  type Skipped,
  type StoreOptions,
  type SweepHistoryOptions,
  type SweptFile,
  sweepHistory,
  type VerifyReport,
  verifyLog,
} from './store/index.js'
export { PACKAGE_VERSION } from './version.js'
