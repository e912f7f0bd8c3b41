// A store as a harness uses it. Everything that depends on where the store is, whose sessions it
// holds, the clock, the locks and the diagnostics is resolved once, when it is opened.

import { readItem, recall, recover, sessionStart } from './continuity/index.js'
import type { Environment } from './environment/index.js'
import { type Diagnostic, normalizeSessionKey } from './format/index.js'
import {
  appendTranscript,
  appendTranscriptAll,
  bypassSession,
  createSession,
  createStoredCompactor,
  exportSession,
  extractDelta,
  forkSession,
  importExported,
  importSession,
  openSession,
  planFileRewind,
  promptOnce,
  type ResumeSession,
  recallOnce,
  recoverOnce,
  rememberOnce,
  renameSession,
  resumeSession,
  tagSession,
} from './session/index.js'
import {
  type ContextOptions,
  expandSummary,
  grepStore,
  inferParentSession,
  type Layout,
  LiveCatalog,
  listSessions,
  listSummaries,
  openContext,
  readSessionFigures,
  readTranscriptText,
  SessionTailing,
  type StoreContext,
  searchSessions,
  type TailSessionsOptions,
  tailSessions,
  transcriptText,
} from './store/index.js'
import {
  bind,
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
  /** The settings of `config.json`; none unless `readConfig` is set. */
  readonly config: StoreContext['config']

  /** The prompts of all sessions of this user. */
  readonly history = new HistoryStore(this)
  /** What sessions leave for the next one. */
  readonly checkpoints = new CheckpointStore(this)
  /** The logs of subagents. */
  readonly sidechains = new SidechainStore(this)
  /** Which process or runtime path records a session. */
  readonly claims = new ClaimStore(this)
  /** Set-up, health, retention and statistics. */
  readonly maintenance = new MaintenanceStore(this)

  /** Use `openStore`. */
  constructor(options: ContextOptions) {
    const { layout, agent, env, logOptions, report, config } = openContext(options)
    this.layout = layout
    this.agent = agent
    this.env = env
    this.logOptions = logOptions
    this.report = report
    this.config = config
  }

  /** Creates a session: its transcript, locked, with the header as first line. */
  readonly createSession = bind(this, createSession)

  /** Resumes a session: the newest one of the project unless `id` names another. */
  readonly resumeSession = bind(this, resumeSession) as ResumeSession

  /** Opens a session to append to it in its own file; with `create: true` also a new one. */
  readonly openSession = bind(this, openSession)

  /** The path of a session's transcript, whether or not it exists. */
  transcriptPath(id: string): string {
    return this.layout.transcriptPath(normalizeSessionKey(id))
  }

  /** Creates a session that begins with the events of another one. The source is only read. */
  readonly forkSession = bind(this, forkSession)

  /** Gives a session a title, also while another process writes to it. */
  readonly renameSession = bind(this, renameSession)

  /** Adds tags to a session and removes tags, also while another process writes to it. */
  readonly tagSession = bind(this, tagSession)

  /** Turns the recording by hooks off or on for one session. */
  readonly bypassSession = bind(this, bypassSession)

  /** Appends one event to a session that this process does not keep open. */
  readonly appendTranscript = bind(this, appendTranscript)

  /** Appends several events, in one write, to a session that this process does not keep open. */
  readonly appendTranscriptAll = bind(this, appendTranscriptAll)

  /** Records a prompt in a session that this process does not keep open, and in the history. */
  readonly prompt = bind(this, promptOnce)

  /** Records something to remember in a session that this process does not keep open. */
  readonly remember = bind(this, rememberOnce)

  /** Lists sessions, newest first, from the beginning and the end of each transcript. */
  readonly listSessions = bind(this, listSessions)

  /** Reads what sessions add up to: turns, tokens, cost, model and duration, with subagents. */
  readonly sessionFigures = bind(this, readSessionFigures)

  /** Finds sessions by words of their prompts, replies and summaries. */
  readonly searchSessions = bind(this, searchSessions)

  /** Yields every line of the store that matches a pattern. */
  readonly grep = bind(this, grepStore)

  /** Yields what is appended to sessions, as other processes append it. */
  readonly tailSessions = bind(this, tailSessions)

  /** As `tailSessions`, but returns an object that also has the current `cursor`. */
  tailing(options: TailSessionsOptions = {}): SessionTailing {
    return new SessionTailing(this, options)
  }

  /** A listing of sessions in memory that follows changes of the store. */
  openCatalog(): LiveCatalog {
    return new LiveCatalog(this)
  }

  /** Renders a session as plain text, for people and for models. */
  readonly transcriptText = bind(this, transcriptText)

  /** Yields a session as plain text, one line per turn. */
  readonly readTranscriptText = bind(this, readTranscriptText)

  /** Yields a session as Markdown, text, HTML or NDJSON, piece by piece. */
  readonly exportSession = bind(this, exportSession)

  /** Imports a session file of another agent program. */
  readonly importSession = bind(this, importSession)

  /** Imports sessions that `exportSession` wrote as NDJSON. */
  readonly importExport = bind(this, importExported)

  /** Returns the text that was added to a session since the last call with the same cursor. */
  readonly extractDelta = bind(this, extractDelta)

  /** Plans how the files of a session become what they were at an event. Changes nothing. */
  readonly planFileRewind = bind(this, planFileRewind)

  /** Makes a compactor for a session that this process does not keep open. */
  readonly createCompactor = bind(this, createStoredCompactor)

  /** Lists the summaries of compactions and what they cover. */
  readonly listSummaries = bind(this, listSummaries)

  /** Returns what a summary was made of. */
  readonly expandSummary = bind(this, expandSummary)

  /** Returns the newest checkpoint that a starting session should know, if there is one. */
  readonly recover = bind(this, recover)

  /** As `recover`, but a text that the session was given since its last compaction is empty. */
  readonly recoverOnce = bind(this, recoverOnce)

  /** Finds what agents have learnt and what sessions remembered, by words. */
  readonly recall = bind(this, recall)

  /** As `recall`, for a session: without what it recalled since its last compaction. */
  readonly recallOnce = bind(this, recallOnce)

  /** Gathers what a session should know when it starts: summaries, memories, recovery. */
  readonly sessionStart = bind(this, sessionStart)

  /** Returns in full a text of which `sessionStart` showed the beginning. */
  readonly readItem = bind(this, readItem)

  /** Stores a summary of a session and what was learnt in it. */
  readonly contextCheckpoint = this.checkpoints.add

  /** Finds the session from which another one was probably started. */
  readonly inferParentSession = bind(this, inferParentSession)
}
