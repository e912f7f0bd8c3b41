// The functions of the package that open a store for one call.

import type {
  CheckpointSessionOptions,
  ContextCheckpointOptions,
  ReadItemOptions,
  RecoverOptions,
  SessionStartOptions,
} from './continuity/index.js'
import type { LogEntry } from './log/index.js'
import type {
  AppendReceipt,
  AppendTranscriptInput,
  AppendTranscriptOptions,
  CompactorOptions,
  CreateSessionOptions,
  ExportOptions,
  ExtractOptions,
  FileRewindOptions,
  ForkOptions,
  ImportExportedOptions,
  ImportOptions,
  PromptInput,
  PromptOnceOptions,
  RecoverOnceOptions,
  ResumeOptions,
  SessionOptions,
  SubagentTask,
} from './session/index.js'
import type {
  AppendHistoryOptions,
  ClaimSessionOptions,
  ContextOptions,
  DiskUsageOptions,
  ExamineOptions,
  ExpandSummaryOptions,
  FixStoreOptions,
  GrepOptions,
  HistoryRetentionOptions,
  InitStoreOptions,
  ListCheckpointsQuery,
  ListOptions,
  ListSidechainsOptions,
  ListSummariesOptions,
  ParentHints,
  PruneSessionsOptions,
  ReadHistoryOptions,
  RecallHistoryOptions,
  RepairOptions,
  RestoreSessionsOptions,
  RetireOptions,
  SearchSessionsOptions,
  StoreHealth,
  StoreStatsOptions,
  SweepHistoryOptions,
  TailSessionsOptions,
  TranscriptTextOptions,
} from './store/index.js'
import { openStore } from './store.js'

/** As `store.createSession`. */
export const createSession = async (options: ContextOptions & CreateSessionOptions = {}) =>
  openStore(options).createSession(options)

/** As `store.resumeSession`. */
export const resumeSession = async (options: ContextOptions & ResumeOptions = {}) =>
  openStore(options).resumeSession(options)

/** As `store.forkSession`. */
export const forkSession = (session: string, options: ContextOptions & ForkOptions = {}) =>
  openStore(options).forkSession(session, options)

/** As `store.renameSession`. */
export const renameSession = async (
  session: string,
  title: string,
  options: ContextOptions & AppendTranscriptOptions = {},
) => openStore(options).renameSession(session, title, options)

/** As `store.bypassSession`. */
export const bypassSession = async (
  session: string,
  enabled: boolean,
  options: ContextOptions & AppendTranscriptOptions = {},
) => openStore(options).bypassSession(session, enabled, options)

/** As `store.appendTranscript`. */
export const appendTranscript = async (
  input: AppendTranscriptInput,
  options: ContextOptions & AppendTranscriptOptions = {},
) => openStore(options).appendTranscript(input, options)

/** The receipt of `append_transcript`: its fields have the names of the original specification. */
export type TranscriptReceiptAlias = Omit<AppendReceipt, 'byteOffset' | 'lineNumber'> & {
  readonly byte_offset?: number
  readonly line_number?: number
}

/** Same as `appendTranscript`, with snake_case fields. */
export const append_transcript = async (
  input: AppendTranscriptInput,
  options: ContextOptions & AppendTranscriptOptions = {},
): Promise<TranscriptReceiptAlias> => {
  const { byteOffset, lineNumber, ...others } = await appendTranscript(input, options)
  return {
    ...others,
    ...(byteOffset !== undefined && { byte_offset: byteOffset }),
    ...(lineNumber !== undefined && { line_number: lineNumber }),
  }
}

/** As `store.prompt`. */
export const promptOnce = async (
  input: PromptInput,
  options: ContextOptions & PromptOnceOptions = {},
) => openStore(options).prompt(input, options)

/** As `store.remember`. */
export const rememberOnce = async (
  session: string,
  text: string,
  options: ContextOptions & AppendTranscriptOptions = {},
) => openStore(options).remember(session, text, options)

/** As `store.recoverOnce`. */
export const recoverOnce = (session: string, options: ContextOptions & RecoverOnceOptions = {}) =>
  openStore(options).recoverOnce(session, options)

/** As `store.history.append`. */
export const appendHistory = (
  prompt: string,
  sessionId: string,
  options: ContextOptions & AppendHistoryOptions = {},
) => openStore(options).history.append(prompt, sessionId, options)

/** As `store.history.read`. */
export const readHistory = (options: ContextOptions & ReadHistoryOptions = {}) =>
  openStore(options).history.read(options)

/** As `store.history.recall`. */
export const recallHistory = (options: ContextOptions & RecallHistoryOptions = {}) =>
  openStore(options).history.recall(options)

/** As `store.history.rotate`. */
export const rotateHistory = (options: ContextOptions = {}) => openStore(options).history.rotate()

/** As `store.history.sweep`. */
export const sweepHistory = (options: ContextOptions & SweepHistoryOptions = {}) =>
  openStore(options).history.sweep(options)

/** As `store.maintenance.maintain`. */
export const maintain = (options: ContextOptions & HistoryRetentionOptions = {}) =>
  openStore(options).maintenance.maintain(options)

/** As `store.maintenance.archive` and `store.maintenance.trash`. */
export const retireSessions = ({ to, ...options }: ContextOptions & RetireOptions) =>
  openStore(options).maintenance[to](options)

/** As `store.maintenance.restore`. */
export const restoreSessions = (options: ContextOptions & RestoreSessionsOptions) =>
  openStore(options).maintenance.restore(options)

/** As `store.maintenance.prune`. */
export const pruneSessions = (options: ContextOptions & PruneSessionsOptions = {}) =>
  openStore(options).maintenance.prune(options)

/** As `store.maintenance.listRetired`. */
export const listRetired = (from: 'archive' | 'trash', options: ContextOptions = {}) =>
  openStore(options).maintenance.listRetired(from)

/** As `store.recover`. */
export const recover = (options: ContextOptions & RecoverOptions = {}) =>
  openStore(options).recover(options)

/** As `store.sessionStart`. */
export const sessionStart = (options: ContextOptions & SessionStartOptions = {}) =>
  openStore(options).sessionStart(options)

/** As `store.readItem`. */
export const readItem = (id: string, options: ContextOptions & ReadItemOptions = {}) =>
  openStore(options).readItem(id, options)

/** As `store.checkpoints.add`. */
export const contextCheckpoint = (options: ContextOptions & ContextCheckpointOptions) =>
  openStore(options).checkpoints.add(options)

/** As `store.checkpoints.addDigest`. */
export const checkpointSession = (options: ContextOptions & CheckpointSessionOptions) =>
  openStore(options).checkpoints.addDigest(options)

/** As `store.listSessions`. */
export const listSessions = (options: ContextOptions & ListOptions = {}) =>
  openStore(options).listSessions(options)

/** As `store.inferParentSession`. */
export const inferParentSession = (hints: ContextOptions & ParentHints) =>
  openStore(hints).inferParentSession(hints)

/** As `store.sidechains.list`. */
export const listSidechains = (options: ContextOptions & ListSidechainsOptions = {}) =>
  openStore(options).sidechains.list(options)

/** As `store.sidechains.find`. */
export const findSidechain = (task: string, options: ContextOptions & ListSidechainsOptions = {}) =>
  openStore(options).sidechains.find(task, options)

/** As `store.checkpoints.list`. */
export const listCheckpoints = (options: ContextOptions & ListCheckpointsQuery = {}) =>
  openStore(options).checkpoints.list(options)

/** As `store.claims.claim`. */
export const claimSession = (session: string, options: ContextOptions & ClaimSessionOptions = {}) =>
  openStore(options).claims.claim(session, options)

/** As `store.claims.listActive`. */
export const listActiveSessions = (options: ContextOptions = {}) =>
  openStore(options).claims.listActive()

/** As `store.maintenance.init`. */
export const initStore = (options: ContextOptions & InitStoreOptions = {}) =>
  openStore(options).maintenance.init(options)

/** As `store.maintenance.verify`. */
export const verifyLog = (
  path: string,
  options: ContextOptions & { signal?: AbortSignal | undefined } = {},
) => openStore(options).maintenance.verify(path, options)

/** As `store.maintenance.repair`. */
export const repairLog = (path: string, options: ContextOptions & RepairOptions) =>
  openStore(options).maintenance.repair(path, options)

/** As `store.maintenance.examine`. */
export const examineStore = (options: ContextOptions & ExamineOptions = {}) =>
  openStore(options).maintenance.examine(options)

/** As `store.maintenance.fix`. */
export const fixStore = (
  health: Pick<StoreHealth, 'findings'>,
  options: ContextOptions & FixStoreOptions = {},
) => openStore(options).maintenance.fix(health, options)

/** As `store.exportSession`. */
export const exportSession = (
  session: string | { readonly path: string },
  options: ContextOptions & ExportOptions = {},
) => openStore(options).exportSession(session, options)

/** As `store.importSession`. */
export const importSession = (path: string, options: ContextOptions & ImportOptions = {}) =>
  openStore(options).importSession(path, options)

/** As `store.importExport`. */
export const importExported = (
  source: string | AsyncIterable<LogEntry>,
  options: ContextOptions & ImportExportedOptions = {},
) => openStore(options).importExport(source, options)

/** As `store.extractDelta`. */
export const extractDelta = (session: string, options: ContextOptions & ExtractOptions = {}) =>
  openStore(options).extractDelta(session, options)

/** As `store.planFileRewind`. */
export const planFileRewind = (session: string, options: ContextOptions & FileRewindOptions) =>
  openStore(options).planFileRewind(session, options)

/** As `store.searchSessions`. */
export const searchSessions = (options: ContextOptions & SearchSessionsOptions) =>
  openStore(options).searchSessions(options)

/** As `store.grep`. */
export const grepStore = (options: ContextOptions & GrepOptions) => openStore(options).grep(options)

/** As `store.transcriptText`. */
export const transcriptText = (
  session: string,
  options: ContextOptions & TranscriptTextOptions = {},
) => openStore(options).transcriptText(session, options)

/** As `store.readTranscriptText`. */
export const readTranscriptText = (
  session: string,
  options: ContextOptions & TranscriptTextOptions = {},
) => openStore(options).readTranscriptText(session, options)

/** As `store.maintenance.stats`. */
export const storeStats = (options: ContextOptions & StoreStatsOptions = {}) =>
  openStore(options).maintenance.stats(options)

/** As `store.maintenance.diskUsage`. */
export const diskUsage = (options: ContextOptions & DiskUsageOptions = {}) =>
  openStore(options).maintenance.diskUsage(options)

/** As `store.listSummaries`. */
export const listSummaries = (options: ContextOptions & ListSummariesOptions = {}) =>
  openStore(options).listSummaries(options)

/** As `store.expandSummary`. */
export const expandSummary = (id: string, options: ContextOptions & ExpandSummaryOptions = {}) =>
  openStore(options).expandSummary(id, options)

/** As `store.tailSessions`. */
export const tailSessions = (options: ContextOptions & TailSessionsOptions = {}) =>
  openStore(options).tailSessions(options)

/** As `store.createCompactor`, for the session `id`. */
export const createStoredCompactor = (
  { id, ...store }: ContextOptions & SessionOptions & { readonly id: string },
  options: CompactorOptions = {},
) => openStore(store).createCompactor(id, { ...store, ...options })

/** As `store.sidechains.open`. */
export const openSidechain = async (
  task: SubagentTask,
  options: ContextOptions & SessionOptions = {},
) => openStore(options).sidechains.open(task, options)
