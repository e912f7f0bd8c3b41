// One living session: a transcript that is being written, what the model sees of it, and the trust
// that lives and ends with this process.

import {
  findInterruptions,
  type Interruptions,
  type Messages,
  type MessagesOptions,
  messagesOf,
  type Projection,
  type ProjectionEntry,
} from '../chain/index.js'
import type { RollingSummarizer, StoredCheckpoint } from '../continuity/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { type Diagnostic, diagnostic, isSyncPoint, type PayloadByType } from '../format/index.js'
import type { LogEntry, LogHandle, NewEvent, Receipt } from '../log/index.js'
import { type CheckpointPayload, readSpool } from '../store/index.js'
import { callListener } from './call-listener.js'
import { type CompactEvents, type CompactOptions, compactionEvents } from './compact.js'
import type {
  ApplyFileRewindOptions,
  FileRewindOptions,
  FileRewindPlan,
  FileRewindResult,
  FileSnapshot,
  SnapshotFilesOptions,
} from './file-rewind.js'
import { PermissionLedger } from './permission-ledger.js'
import {
  type PromptHistory,
  type PromptOptions,
  type PromptReceipt,
  promptText,
} from './prompt-history.js'
import { type RewindLink, rewindLink } from './rewind.js'
import type { CheckpointText, ContextFill, SessionContinuity } from './session-continuity.js'
import { SessionEnding } from './session-ending.js'
import type { SessionFiles } from './session-files.js'
import type {
  AppendListener,
  CompactResult,
  RememberOptions,
  SessionEnd,
  SessionParts,
  Turn,
} from './session-parts.js'
import type { SessionSettings } from './settings.js'
import type { Sidechain } from './sidechain.js'
import type { SessionStorage } from './storage.js'
import type { LooseReport, MergedResult } from './subagent-result.js'
import type { SpawnOptions, SubagentTask } from './subagent-task.js'
import { Subagents } from './subagents.js'
import { type TitleSource, titleEvent } from './title.js'
import type { SessionView } from './view.js'

export class Session implements AsyncDisposable {
  readonly id: string
  readonly path: string
  readonly #log: LogHandle
  readonly #view: SessionView
  readonly #storage: SessionStorage
  readonly #history: PromptHistory | undefined
  readonly #continuity: SessionContinuity | undefined
  readonly #files: SessionFiles
  readonly #settings: SessionSettings
  readonly #permissions = new PermissionLedger()
  readonly #listeners = new Set<AppendListener>()
  readonly #subagents: Subagents
  /** What a subagent may do to the session it works for. */
  readonly #asParent = {
    depth: 0,
    append: (event: NewEvent) => this.append(event),
    appendSync: (event: NewEvent) => this.#tell(event, this.#log.appendSync(event)),
  }
  readonly #ending: SessionEnding
  #end: Promise<SessionEnd> | undefined

  /** Use `createSession` or `resumeSession`. */
  constructor(parts: SessionParts) {
    const { id, log, view, storage, settings } = parts
    this.id = id
    this.path = log.path
    this.#log = log
    this.#view = view
    this.#storage = storage
    this.#history = parts.history
    this.#continuity = parts.continuity
    this.#files = parts.files
    this.#settings = settings
    this.#subagents = new Subagents({ sessionId: id, settings })
    this.#ending = new SessionEnding(parts, this.#subagents, () => this.#takeQueued())
  }

  // Not a field: a session that is logged or stringified must not carry its trust along.
  get permissions(): PermissionLedger {
    return this.#permissions
  }

  /** False: nothing of this session is written anywhere, and that cannot be changed. */
  get persist(): boolean {
    return this.#storage.isPersistent
  }

  /** The newest event of the chain. */
  get tip(): string | null {
    return this.#log.tip
  }

  get size(): number {
    return this.#log.size
  }

  /** Resolves once the event is a whole line of the transcript. Order of calls is order of lines. */
  async append<Type extends string>(event: NewEvent<Type>): Promise<Receipt> {
    const receipt = await this.#log.append(event)
    this.#tell(event as NewEvent, receipt)
    if (isSyncPoint(event.type)) await this.#takeQueued()
    return receipt
  }

  /**
   * What a person said: a `user` event, and then a line of the history of all sessions. Once the
   * event is written this does not fail any more; `history_offset` tells about the rest.
   */
  prompt(
    content: PayloadByType['user']['content'],
    options: PromptOptions = {},
  ): Promise<PromptReceipt> {
    const written = this.#prompt(content, options)
    this.#history?.watch(written)
    return written
  }

  /** A turn as it comes out of a hook or a mirror: what was said, and what was answered. */
  async ingestTurn({ user, assistant }: Turn): Promise<Receipt[]> {
    const receipts: Receipt[] = []
    if (user !== undefined) receipts.push(await this.prompt(user))
    if (assistant !== undefined) {
      receipts.push(await this.append({ type: 'assistant', payload: { content: assistant } }))
    }
    return receipts
  }

  /** Something to know in later sessions, too: it stands in the next checkpoint. */
  async remember(text: string, about: RememberOptions = {}): Promise<Receipt> {
    if (text.trim() === '') throw new SessionError('ERR_ARG', 'There is nothing to remember in it')
    return this.append({ type: 'remember', payload: { text, ...about } })
  }

  /** Stores at once what the next session should know, and resolves when it is on the disk. */
  async checkpoint(text: CheckpointText): Promise<StoredCheckpoint> {
    if (this.#continuity === undefined) {
      throw new SessionError('ERR_ARG', 'This session leaves no checkpoints (continuity: false)')
    }
    return this.#continuity.checkpoint(text)
  }

  /** What is about to be compacted, for later sessions. A disk that fails is reported, not thrown. */
  async checkpointBeforeCompaction(context?: string): Promise<void> {
    await this.#continuity?.preCompaction(context)
  }

  /** The checkpoints it has left so far, newest first. */
  checkpoints(): readonly CheckpointPayload[] {
    return this.#continuity?.list() ?? []
  }

  /** How full the context is: at a quarter, a half and three quarters a checkpoint is due. */
  setContextFill(fill: ContextFill): void {
    this.#continuity?.setFill(fill)
  }

  /**
   * Rolling checkpoints are made by this from now on, not of counters alone. A compactor with
   * summarizers sees to it by itself.
   */
  summarizeCheckpoints(summarize: RollingSummarizer): void {
    this.#continuity?.summarizeWith(summarize)
  }

  /** Several events as one write: all of them become lines, or none is acknowledged. */
  async appendAll(events: readonly NewEvent[]): Promise<Receipt[]> {
    const receipts = await this.#log.appendAll(events)
    for (const [index, event] of events.entries()) this.#tell(event, receipts[index]!)
    return receipts
  }

  /**
   * Is told afterwards of every event that was handed to this session and acknowledged, by any of
   * its calls, by a subagent's result or through its queue: for a second stream, never for the
   * first. A repeated `uuid` is told again, with `duplicate` in its receipt. Not told is what the
   * session notes of itself: `session_header`, `session_resumed`, `checkpoint_ref`, its title once
   * more, and `session_terminator`; `raw()` and `tailSessions` show those, too.
   */
  onAppend(listener: AppendListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What the model sees now, mended by the policy of the session unless another is given. */
  messages(options: MessagesOptions = {}): Messages {
    this.#log.flush()
    const { projection, toolPolicy } = this.#view
    return messagesOf(projection, { ...options, toolPolicy: options.toolPolicy ?? toolPolicy })
  }

  get projection(): Projection {
    this.#log.flush()
    return this.#view.projection
  }

  /** What the model saw when this event was the newest, its summaries as they read today. */
  projectionAt(uuid: string): Projection {
    this.#log.flush()
    return this.#storage.load(uuid).log.projection
  }

  get interruption(): Interruptions {
    return findInterruptions(this.projection)
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#view.diagnostics, ...this.projection.diagnostics]
  }

  /** Everything that was ever written, untouched. */
  raw(): AsyncGenerator<LogEntry, void, undefined> {
    return this.#log.read()
  }

  /**
   * Appends a summary and the boundary that commits it, in one write. Throws `ERR_COMPACTION_RACE`
   * where a rewind or another compaction came first and took away what it was about.
   */
  async compact(options: CompactOptions): Promise<CompactResult> {
    let cut = options
    if (options.isCheckpointed !== true && this.#continuity !== undefined) {
      // Twice: what is refused leaves no trace.
      const { coverTo } = this.#compactionEvents(options)
      const { tip } = this
      await this.#continuity.preCompaction(options.customInstructions)
      this.#log.flush()
      // The summary was made of what was there when it was handed over; what came since stays.
      if (this.tip !== tip) cut = { ...options, coverTo }
    }
    const { events, summaryUuid, boundaryUuid, contextEpoch } =
      cut === options ? this.#compactionEvents(cut) : this.#eventsAfterWait(cut)
    const written = this.appendAll(events)
    // Now, not at the end of the tick: nothing may come between the plan and its commit.
    this.#log.flush()
    await written
    return { boundary_uuid: boundaryUuid, summary_uuid: summaryUuid, contextEpoch }
  }

  /** Continues from an older message. Nothing is deleted; another rewind undoes it. */
  async rewind({ to, reason }: { to: string; reason?: string | undefined }): Promise<Receipt> {
    const link = this.#linkTo(to)
    const written = this.append({
      type: 'rewind',
      prev_uuid: link.prevUuid,
      payload: {
        target_uuid: to,
        from_uuid: this.#log.tip ?? link.prevUuid,
        ...(link.truncateAfter !== undefined && { truncate_after: link.truncateAfter }),
        ...(reason !== undefined && { reason }),
      },
    })
    this.#log.flush()
    return written
  }

  /** Throws what `rewind` would throw, and writes nothing. */
  checkRewind({ to }: { to: string }): void {
    this.#linkTo(to)
  }

  /**
   * Keeps files as they are, before somebody changes them: paths from the project's folder, or
   * absolute ones inside of it. A file that is not there is kept as one that is not there.
   */
  snapshotFiles(paths: readonly string[], options?: SnapshotFilesOptions): Promise<FileSnapshot> {
    return this.#files.snapshot(paths, options)
  }

  /** What would make the saved files what they were at that event. Changes nothing. */
  planFileRewind(options: FileRewindOptions): Promise<FileRewindPlan> {
    return this.#files.plan(options)
  }

  /** Does it, without the conversation. What is replaced is kept: `undo_uuid` brings it back. */
  applyFileRewind(
    plan: FileRewindPlan,
    options?: ApplyFileRewindOptions,
  ): Promise<FileRewindResult> {
    return this.#files.apply(plan, options)
  }

  /** A subagent with a log of its own. What comes back from it is its result, and nothing else. */
  spawn(options: SpawnOptions): Promise<Sidechain> {
    return this.#subagents.spawn(options, this.#asParent)
  }

  /** For a subagent of another process: what `openSidechain` needs there. */
  delegate(options: SpawnOptions): Promise<SubagentTask> {
    return this.#subagents.delegate(options, this.#asParent)
  }

  /** Records the result of a subagent of another process; told twice, it is written once. */
  mergeResult(child: Sidechain | LooseReport): Promise<MergedResult> {
    return this.#subagents.merge(child, this.#asParent)
  }

  async rename(title: string, source: TitleSource = 'user'): Promise<Receipt> {
    if (title.trim() === '') throw new SessionError('ERR_ARG', 'A title must say something')
    return this.append(titleEvent(title.trim(), source))
  }

  /**
   * Gives the file free without ending the session: whoever goes on with it finds it as it is.
   * Later calls of `close` do nothing more.
   */
  release(): Promise<void> {
    this.#end ??= this.#ending.release()
    return this.#end.then(() => {})
  }

  /** Ends the session with a terminator and gives its file free. Later calls give the same answer. */
  close(reason = 'exit'): Promise<SessionEnd> {
    this.#end ??= this.#ending.close(reason)
    return this.#end
  }

  /** The same at once, for signal handlers and the last moments of a process. */
  closeSync(reason = 'signal'): void {
    if (this.#end === undefined) this.#end = Promise.resolve(this.#ending.closeSync(reason))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close().then(() => {})
  }

  async #prompt(
    content: PayloadByType['user']['content'],
    { uuid, ts, prompt_id, source }: PromptOptions,
  ): Promise<PromptReceipt> {
    const payload = { content, prompt_id, source }
    const receipt = await this.append({ type: 'user', uuid, ts, payload })
    // Whoever tries again by the same uuid has said it once.
    if (receipt.duplicate === true) return { ...receipt, history_offset: null }
    const written = this.#settings.asWritten({ type: 'user', payload }).payload as typeof payload
    const recorded = this.#history?.record(promptText(written.content), receipt.uuid, ts)
    return { ...receipt, history_offset: (await recorded) ?? null }
  }

  #linkTo(to: string): RewindLink {
    this.#log.flush()
    return rewindLink(to, {
      projection: this.#view.projection,
      path: this.path,
      headerUuid: this.#view.headerUuid,
      find: (uuid) => this.#storage.find(uuid),
      inherited: () => this.#inherited(),
    })
  }

  // A handle that read only the end of its file does not know it yet: it is what is seen at the
  // header.
  #inherited(): readonly ProjectionEntry[] {
    const { start, headerUuid } = this.#view
    const isUnread = start.entries[0]?.kind === 'opaque' && headerUuid !== null
    return isUnread ? this.projectionAt(headerUuid).entries : start.entries
  }

  #compactionEvents(options: CompactOptions): CompactEvents {
    this.#log.flush()
    return compactionEvents(options, {
      projection: this.#view.projection,
      path: this.path,
      offsetBase: this.#view.offsetBase,
      newUuid: this.#settings.environment.newUuid,
    })
  }

  /** The same was possible before the wait, so whatever it names now in vain was taken away since. */
  #eventsAfterWait(options: CompactOptions): CompactEvents {
    try {
      return this.#compactionEvents(options)
    } catch (cause) {
      if (!isSessionError(cause)) throw cause
      const what =
        'The conversation was compacted or rewound while the checkpoint before this compaction was ' +
        'stored; nothing was compacted by it. Sum up what the model sees now, and compact again'
      throw new SessionError('ERR_COMPACTION_RACE', what, { cause, path: this.path })
    }
  }

  // What others left for this session while it was ours (hooks, a rename from another terminal).
  async #takeQueued(): Promise<void> {
    if (!this.#storage.isPersistent) return
    const { events, remove } = readSpool(this.#settings.layout, this.id)
    if (events.length === 0) return
    try {
      await this.appendAll(events)
      remove()
    } catch (error) {
      // It stays queued. Nobody's event may make an append fail that was not theirs.
      if (!isSessionError(error)) throw error
      this.#settings.report(diagnostic('queued_event_refused', error.message, { file: this.path }))
    }
  }

  #tell(event: NewEvent, receipt: Receipt): void {
    this.#continuity?.observe(event, receipt)
    if (this.#listeners.size === 0) return
    const written = this.#settings.asWritten(placed(event, receipt))
    for (const listener of this.#listeners) callListener(() => listener(written, receipt))
  }
}

/** What it says of its own place is known only now. */
function placed({ payloadAt, ...event }: NewEvent, { byte_offset }: Receipt): NewEvent {
  return payloadAt === undefined ? event : { ...event, payload: payloadAt(byte_offset) }
}
