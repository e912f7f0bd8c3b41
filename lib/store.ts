// A store as a harness uses it. Everything that depends on where the store is, whose sessions it
// holds, the clock, the locks and the diagnostics is resolved once, when it is opened.

import {
  type ContextCheckpoint,
  type ContextCheckpointOptions,
  type Item,
  type ReadItemOptions,
  type RecoverOptions,
  type Recovery,
  readItem,
  recover,
  type SessionStartOptions,
  type StartAnswer,
  sessionStart,
} from './continuity/index.js'
import type { Environment } from './environment/index.js'
import type { Diagnostic } from './format/index.js'
import type { LogEntry } from './log/index.js'
import {
  type AppendReceipt,
  type AppendTranscriptInput,
  type AppendTranscriptOptions,
  appendTranscript,
  type BypassedSession,
  bypassSession,
  type Compactor,
  type CompactorOptions,
  type CreateSessionOptions,
  createSession,
  createStoredCompactor,
  type ExportOptions,
  type ExtractedDelta,
  type ExtractOptions,
  exportSession,
  extractDelta,
  type FileRewindOptions,
  type FileRewindPlan,
  type ForkedSession,
  type ForkOptions,
  forkSession,
  type ImportExportedOptions,
  type ImportedExport,
  type ImportOptions,
  type ImportReport,
  importExported,
  importSession,
  type PendingRecovery,
  type PromptedOnce,
  type PromptInput,
  type PromptOnceOptions,
  planFileRewind,
  promptOnce,
  type RecoverOnceOptions,
  type RenamedSession,
  type ResumedSession,
  type ResumeOptions,
  recoverOnce,
  rememberOnce,
  renameSession,
  resumeSession,
  type Session,
  type SessionOptions,
  type SkippedDelta,
} from './session/index.js'
import {
  type ContextOptions,
  type ExpandedSummary,
  type ExpandSummaryOptions,
  expandSummary,
  type GrepHit,
  type GrepOptions,
  grepStore,
  inferParentSession,
  type Layout,
  type ListOptions,
  type ListSummariesOptions,
  LiveCatalog,
  listSessions,
  listSummaries,
  openContext,
  type ParentHints,
  type ParentSession,
  readTranscriptText,
  type SearchResult,
  type SearchSessionsOptions,
  type SessionList,
  SessionTailing,
  type StoreContext,
  type SummaryList,
  searchSessions,
  type TailEntry,
  type TailSessionsOptions,
  type TranscriptText,
  type TranscriptTextOptions,
  tailSessions,
  transcriptText,
} from './store/index.js'
import {
  CheckpointStore,
  ClaimStore,
  HistoryStore,
  MaintenanceStore,
  SidechainStore,
} from './store-areas.js'

/**
 * Opens a store. This reads and writes nothing: folders are created by the first write.
 *
 * @example
 * const store = openStore({ root: '.jsonl-session' })
 * const session = await store.createSession({ project: process.cwd() })
 */
export function openStore(options: ContextOptions = {}): Store {
  return new Store(options)
}

/** Sessions of one agent, their history, checkpoints, subagents and claims. Made by `openStore`. */
export class Store implements StoreContext {
  readonly layout: Layout
  readonly agent: string
  readonly env: Environment
  readonly logOptions: StoreContext['logOptions']
  /** Passes what was tolerated to `onDiagnostic`. */
  readonly report: (diagnostic: Diagnostic) => void

  readonly #options: ContextOptions
  #history: HistoryStore | undefined
  #checkpoints: CheckpointStore | undefined
  #sidechains: SidechainStore | undefined
  #claims: ClaimStore | undefined
  #maintenance: MaintenanceStore | undefined

  /** Use `openStore`. */
  constructor(options: ContextOptions) {
    const { layout, agent, env, logOptions, report } = openContext(options)
    this.layout = layout
    this.agent = agent
    this.env = env
    this.logOptions = logOptions
    this.report = report
    const { root, home, lockTimeoutMs, useKernelLock, onDiagnostic } = options
    const locks = { lockTimeoutMs, useKernelLock, onDiagnostic }
    this.#options = { root, home, agent: options.agent, ...locks, environment: env }
  }

  /** The prompts of all sessions of this user. */
  get history(): HistoryStore {
    this.#history ??= new HistoryStore(this, this.#options)
    return this.#history
  }

  /** What sessions leave for the next one. */
  get checkpoints(): CheckpointStore {
    this.#checkpoints ??= new CheckpointStore(this, this.#options)
    return this.#checkpoints
  }

  /** The logs of subagents. */
  get sidechains(): SidechainStore {
    this.#sidechains ??= new SidechainStore(this, this.#options)
    return this.#sidechains
  }

  /** Which process or runtime path records a session. */
  get claims(): ClaimStore {
    this.#claims ??= new ClaimStore(this, this.#options)
    return this.#claims
  }

  /** Set-up, health, retention and statistics. */
  get maintenance(): MaintenanceStore {
    this.#maintenance ??= new MaintenanceStore(this, this.#options)
    return this.#maintenance
  }

  /** Creates a session: its transcript, locked, with the header as first line. */
  createSession(options: CreateSessionOptions = {}): Promise<Session> {
    return createSession(this, options)
  }

  /** Resumes a session: the newest one of the project unless `id` names another. */
  resumeSession(options: ResumeOptions = {}): Promise<ResumedSession> {
    return resumeSession(this, options)
  }

  /** Creates a session that begins with the events of another one. The source is only read. */
  forkSession(session: string, options: ForkOptions = {}): ForkedSession {
    return forkSession(this, session, options)
  }

  /** Gives a session a title, also while another process writes to it. */
  renameSession(
    session: string,
    title: string,
    options: AppendTranscriptOptions = {},
  ): Promise<RenamedSession> {
    return renameSession(this, session, title, options)
  }

  /** Turns the recording by hooks off or on for one session. */
  bypassSession(
    session: string,
    enabled: boolean,
    options: AppendTranscriptOptions = {},
  ): Promise<BypassedSession> {
    return bypassSession(this, session, enabled, options)
  }

  /** Appends one event to a session that this process does not keep open. */
  appendTranscript(
    input: AppendTranscriptInput,
    options: AppendTranscriptOptions = {},
  ): Promise<AppendReceipt> {
    return appendTranscript(this, input, options)
  }

  /** Records a prompt in a session that this process does not keep open, and in the history. */
  prompt(input: PromptInput, options: PromptOnceOptions = {}): Promise<PromptedOnce> {
    return promptOnce(this, input, options)
  }

  /** Records something to remember in a session that this process does not keep open. */
  remember(
    session: string,
    text: string,
    options: AppendTranscriptOptions = {},
  ): Promise<AppendReceipt & { readonly sessionId: string }> {
    return rememberOnce(this, session, text, options)
  }

  /** Lists sessions, newest first, from the beginning and the end of each transcript. */
  listSessions(options: ListOptions = {}): SessionList {
    return listSessions(this, options)
  }

  /** Finds sessions by words of their prompts, replies and summaries. */
  searchSessions(options: SearchSessionsOptions): Promise<SearchResult> {
    return searchSessions(this, options)
  }

  /** Yields every line of the store that matches a pattern. */
  grep(options: GrepOptions): AsyncGenerator<GrepHit, void, undefined> {
    return grepStore(this, options)
  }

  /** Yields what is appended to sessions, as other processes append it. */
  tailSessions(options: TailSessionsOptions = {}): AsyncGenerator<TailEntry, void, undefined> {
    return tailSessions(this, options)
  }

  /** As `tailSessions`, but returns an object that also has the current `cursor`. */
  tailing(options: TailSessionsOptions = {}): SessionTailing {
    return new SessionTailing(this, options)
  }

  /** A listing of sessions in memory that follows changes of the store. */
  openCatalog(): LiveCatalog {
    return new LiveCatalog(this)
  }

  /** Renders a session as plain text, for people and for models. */
  transcriptText(session: string, options: TranscriptTextOptions = {}): Promise<TranscriptText> {
    return transcriptText(this, session, options)
  }

  /** Yields a session as plain text, one line per turn. */
  readTranscriptText(
    session: string,
    options: TranscriptTextOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    return readTranscriptText(this, session, options)
  }

  /** Yields a session as Markdown, text, HTML or NDJSON, piece by piece. */
  exportSession(
    session: string | { readonly path: string },
    options: ExportOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    return exportSession(this, session, options)
  }

  /** Imports a session file of another agent program. */
  importSession(path: string, options: ImportOptions = {}): Promise<ImportReport> {
    return importSession(this, path, options)
  }

  /** Imports sessions that `exportSession` wrote as NDJSON. */
  importExport(
    source: string | AsyncIterable<LogEntry>,
    options: ImportExportedOptions = {},
  ): Promise<ImportedExport> {
    return importExported(this, source, options)
  }

  /** Returns the text that was added to a session since the last call with the same cursor. */
  extractDelta(
    session: string,
    options: ExtractOptions = {},
  ): Promise<ExtractedDelta | SkippedDelta> {
    return extractDelta(this, session, options)
  }

  /** Plans how the files of a session become what they were at an event. Changes nothing. */
  planFileRewind(session: string, options: FileRewindOptions): Promise<FileRewindPlan> {
    return planFileRewind(this, session, options)
  }

  /** Makes a compactor for a session that this process does not keep open. */
  createCompactor(session: string, options: CompactorOptions & SessionOptions = {}): Compactor {
    return createStoredCompactor(this, session, options)
  }

  /** Lists the summaries of compactions and what they cover. */
  listSummaries(options: ListSummariesOptions = {}): SummaryList {
    return listSummaries(this, options)
  }

  /** Returns what a summary was made of. */
  expandSummary(id: string, options: ExpandSummaryOptions = {}): Promise<ExpandedSummary> {
    return expandSummary(this, id, options)
  }

  /** Returns the newest checkpoint that a starting session should know, if there is one. */
  recover(options: RecoverOptions = {}): Recovery | undefined {
    return recover(this, options)
  }

  /** As `recover`, but a text that the session was given since its last compaction is empty. */
  recoverOnce(session: string, options: RecoverOnceOptions = {}): PendingRecovery | undefined {
    return recoverOnce(this, session, options)
  }

  /** Gathers what a session should know when it starts: summaries, memories, recovery. */
  sessionStart(options: SessionStartOptions = {}): Promise<StartAnswer> {
    return sessionStart(this, options)
  }

  /** Returns in full a text of which `sessionStart` showed the beginning. */
  readItem(id: string, options: ReadItemOptions = {}): Item {
    return readItem(this, id, options)
  }

  /** Stores a summary of a session and what was learnt in it. */
  contextCheckpoint(options: ContextCheckpointOptions): Promise<ContextCheckpoint> {
    return this.checkpoints.add(options)
  }

  /** Finds the session from which another one was probably started. */
  inferParentSession(hints: ParentHints): ParentSession | undefined {
    return inferParentSession(this, hints)
  }
}
