// A session that this process writes: its transcript, what the model sees of it, and permissions
// that end with this process.

import {
  findInterruptions,
  type Interruptions,
  type Messages,
  type MessagesOptions,
  messagesOf,
  type Projection,
} from '../chain/index.js'
import type { ContextUse, RollingSummarizer, StoredCheckpoint } from '../continuity/index.js'
import { isSessionError, SessionError } from '../errors.js'
import {
  type ContentInput,
  type Diagnostic,
  diagnostic,
  isSyncPoint,
  type SessionEvent,
} from '../format/index.js'
import { type LogEntry, MemoryLog, type NewEvent, type Receipt } from '../log/index.js'
import {
  type CheckpointPayload,
  type ConversationItem,
  type ConversationOptions,
  readConversation,
  type StoreContext,
} from '../store/index.js'
import type { CheckpointInput, SessionContinuity } from './checkpoints/session-checkpoints.js'
import {
  type CompactEvents,
  type CompactInternals,
  type CompactOptions,
  compactionEvents,
} from './compaction/compaction-events.js'
import { type UncompactResult, uncompactEvents } from './compaction/uncompact.js'
import type {
  ApplyFileRewindOptions,
  FileRewindOptions,
  FileRewindPlan,
  FileRewindResult,
  FileSnapshot,
  SnapshotFilesOptions,
} from './files/file-rewind.js'
import { Lazy } from './lazy.js'
import {
  type ClosingParts,
  closeSession,
  closeSessionSync,
  releaseSession,
} from './lifecycle/close.js'
import {
  type Inherited,
  type RewindLink,
  type RewindOptions,
  type RewindReceipt,
  rewindEvent,
  rewindLink,
} from './lifecycle/rewind.js'
import { type TitleSource, titleEvent } from './live-view.js'
import { notifyListener } from './notify-listener.js'
import { PermissionLedger } from './permission-ledger.js'
import { type PromptOptions, type PromptReceipt, promptText } from './prompt-history.js'
import { takeSpooled } from './record/take-spool.js'
import { type AppendEvent, toReply } from './streamed-reply.js'
import type { MergedResult, SubagentReportInput } from './subagents/result.js'
import type { Sidechain } from './subagents/sidechain.js'
import { Subagents } from './subagents/subagents.js'
import type { SpawnOptions, SubagentTask } from './subagents/task.js'
import { readTree, type SessionTree, type TreeOptions } from './tree.js'
import type {
  AppendListener,
  CompactResult,
  RememberOptions,
  SessionEnd,
  SessionParts,
  Turn,
} from './types.js'

export class Session implements AsyncDisposable {
  readonly id: string
  readonly path: string
  readonly #parts: SessionParts
  readonly #permissions = new PermissionLedger()
  readonly #listeners = new Set<AppendListener>()
  #spoolTaken = Promise.resolve()
  readonly #subagents: Lazy<Subagents>
  /** What a subagent may do to the session it works for. */
  readonly #asParent = {
    depth: 0,
    append: (event: NewEvent) => this.append(event),
    appendSync: (event: NewEvent) => this.#notify(event, this.#parts.log.appendSync(event)),
  }
  #end: Promise<SessionEnd> | undefined

  /** Use `createSession` or `resumeSession`. */
  constructor(parts: SessionParts) {
    const { id, log, settings } = parts
    this.id = id
    this.path = log.path
    this.#parts = parts
    this.#subagents = new Lazy(() => new Subagents({ sessionId: id, settings }))
  }

  /** The store of this session. */
  get store(): StoreContext {
    return this.#parts.settings.store
  }

  // Not a field: a session that is logged or stringified must not include its permissions.
  /** What the user has allowed in this process. Starts empty, also after a resume. */
  get permissions(): PermissionLedger {
    return this.#permissions
  }

  /** False: nothing of this session is written to the disk. */
  get persist(): boolean {
    return this.#parts.storage.isPersistent
  }

  /** The uuid of the newest event of the chain. */
  get tip(): string | null {
    return this.#parts.log.tip
  }

  /** Bytes of the transcript. */
  get size(): number {
    return this.#parts.log.size
  }

  /**
   * Appends an event. Resolves once it is a line of the transcript; lines have the order of calls.
   * A reply can be recorded while it is streamed: append it with `partial: true`, and the next part
   * or the whole reply with `supersedes: uuid`.
   */
  async append<Type extends string>(event: AppendEvent<Type>): Promise<Receipt> {
    const written = isStreamed(event) ? this.#toReply(event) : event
    const receipt = await this.#parts.log.append(written)
    this.#notify(written as NewEvent, receipt)
    if (isSyncPoint(event.type)) await this.#appendSpooled()
    return receipt
  }

  /**
   * Appends a prompt as a `user` event, and then to the history of all sessions. Once the event is
   * written this does not fail any more; `historyOffset` is `null` where the history failed.
   */
  prompt(content: ContentInput, options: PromptOptions = {}): Promise<PromptReceipt> {
    const written = this.#prompt(content, options)
    this.#parts.history?.value.watch(written)
    return written
  }

  /** Appends a turn: the prompt, if any, and then the reply, if any. */
  async ingestTurn({ user, assistant }: Turn): Promise<Receipt[]> {
    const receipts: Receipt[] = []
    if (user !== undefined) receipts.push(await this.prompt(user))
    if (assistant !== undefined) {
      receipts.push(await this.append({ type: 'assistant', payload: { content: assistant } }))
    }
    return receipts
  }

  /** Appends something that later sessions should know. It is part of the next checkpoint. */
  async remember(text: string, about: RememberOptions = {}): Promise<Receipt> {
    if (text.trim() === '') throw new SessionError('ERR_ARG', 'There is nothing to remember in it')
    return this.append({ type: 'remember', payload: { text, ...about } })
  }

  /** Stores a checkpoint, and resolves when it is on the disk. */
  async checkpoint(input: CheckpointInput): Promise<StoredCheckpoint> {
    const continuity = this.#continuity
    if (continuity === undefined) {
      throw new SessionError('ERR_ARG', 'This session leaves no checkpoints (continuity: false)')
    }
    return continuity.checkpoint(input)
  }

  /** Stores a checkpoint of what is about to be compacted. A failure is reported, not thrown. */
  async checkpointBeforeCompaction(context?: string): Promise<void> {
    await this.#continuity?.preCompaction(context)
  }

  /** Lists the checkpoints of this session, newest first. */
  checkpoints(): readonly CheckpointPayload[] {
    return this.#continuity?.list() ?? []
  }

  /** Sets how full the context is. At 25, 50 and 75 % a checkpoint is due with the next prompt. */
  setContextUse(use: ContextUse): void {
    this.#continuity?.setContextUse(use)
  }

  /**
   * Sets the function that writes the text of rolling checkpoints. Without it they hold counters
   * and prompts only. A compactor with summarizers sets it by itself.
   */
  summarizeCheckpoints(summarize: RollingSummarizer): void {
    this.#continuity?.summarizeWith(summarize)
  }

  /** Appends several events in one write: all of them become lines, or none is acknowledged. */
  async appendAll(events: readonly NewEvent[]): Promise<Receipt[]> {
    if (events.some(isStreamed)) {
      throw new SessionError('ERR_ARG', 'Append a partial reply, or what supersedes it, by append')
    }
    const receipts = await this.#parts.log.appendAll(events)
    for (const [index, event] of events.entries()) this.#notify(event, receipts[index]!)
    return receipts
  }

  /**
   * Calls the listener after each event that was appended by a method of this session, by a
   * subagent's result or from the spool. A repeated `uuid` is reported again, with `duplicate` in
   * its receipt. Events that the session writes itself are not reported (`session_header`,
   * `session_resumed`, `checkpoint_ref`, the repeated title, `session_terminator`); `raw()` and
   * `tailSessions` show them. Returns a function that removes the listener.
   */
  onAppend(listener: AppendListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What the model sees now. Open tool calls are repaired by the session's policy by default. */
  messages(options: MessagesOptions = {}): Messages {
    this.#parts.log.flush()
    const { projection, toolPolicy } = this.#parts.view
    return messagesOf(projection, { ...options, toolPolicy: options.toolPolicy ?? toolPolicy })
  }

  /** What the model sees now, with gaps and positions. */
  get projection(): Projection {
    this.#parts.log.flush()
    return this.#parts.view.projection
  }

  /** What the model saw when this event was the newest, with summaries in their latest revision. */
  projectionAt(uuid: string): Projection {
    this.#parts.log.flush()
    return this.#parts.storage.load(uuid).log.projection
  }

  /** Tool calls without a result, and a turn without a reply. */
  get interruption(): Interruptions {
    return findInterruptions(this.projection)
  }

  /** Everything that was tolerated while reading. */
  get diagnostics(): readonly Diagnostic[] {
    return [...this.#parts.view.diagnostics, ...this.projection.diagnostics]
  }

  /**
   * Yields every line of this session's own file, with branches that were left, off-chain events and
   * damage. A resumed session begins in the file of its parent, which this does not read; `history`
   * does.
   */
  raw(): AsyncGenerator<LogEntry, void, undefined> {
    return this.#parts.log.read()
  }

  /** Whether an event of that uuid is a line of this transcript. */
  has(uuid: string): boolean {
    return this.find(uuid) !== undefined
  }

  /** Finds an event of this transcript by its uuid, on the chain or off it. */
  find(uuid: string): SessionEvent | undefined {
    this.#parts.log.flush()
    return this.#parts.storage.find(uuid)
  }

  /** Lists the branches, rewinds and boundaries of this transcript, and what was forked from it. */
  tree(options: TreeOptions = {}): Promise<SessionTree> {
    this.#parts.log.flush()
    return readTree(this.store, this.#parts, options)
  }

  /**
   * Yields the conversation as it happened: the on-chain events of the active branch, oldest first,
   * from the first session of the lineage to this one. What a compaction covered is included, what a
   * rewind left is not. Memory does not depend on the length of the conversation.
   */
  history({
    signal,
  }: Pick<ConversationOptions, 'signal'> = {}): AsyncGenerator<ConversationItem, void, undefined> {
    const { log, settings } = this.#parts
    log.flush()
    const at = log.tip ?? undefined
    return readConversation(settings.store, log instanceof MemoryLog ? log : log.path, {
      at,
      signal,
    })
  }

  /**
   * Appends a summary and the boundary that commits it, in one write. Throws `ERR_COMPACTION_RACE`
   * if a rewind or another compaction removed what it covers.
   */
  async compact(
    options: CompactOptions,
    { coverTo, checkpointed = false }: CompactInternals = {},
  ): Promise<CompactResult> {
    // Before the checkpoint, so that an invalid request leaves none.
    let planned = this.#compactionEvents({ ...options, coverTo })
    if (!checkpointed && this.#continuity !== undefined) {
      const { tip } = this
      await this.#continuity.preCompaction(options.customInstructions)
      this.#parts.log.flush()
      // The summary covers what was there when it was passed in; later events stay.
      if (this.tip !== tip) {
        planned = this.#eventsAfterWait({ ...options, coverTo: planned.coverTo })
      }
    }
    const { events, summaryUuid, boundaryUuid, contextEpoch, tokensBefore } = planned
    const written = this.appendAll(events)
    // Written now: no other event may come between the plan and its commit.
    this.#parts.log.flush()
    await written
    return { boundaryUuid, summaryUuid, contextEpoch, tokensBefore }
  }

  /**
   * Continues from an older message: the model sees what it saw when that message was the newest,
   * as after a fork or a resume at it. Nothing is deleted, and another rewind undoes it. Throws
   * ERR_ARG for a message of an ancestor before a compaction; `forkSession` reaches it.
   */
  async rewind(options: RewindOptions): Promise<RewindReceipt> {
    const event = rewindEvent(options, this.#linkTo(options), this.#parts.log.tip)
    const written = this.appendAll([event, ...(options.append ?? [])])
    // Written now: no other event may come between the link and its line.
    this.#parts.log.flush()
    const [receipt, ...appended] = await written
    return { ...receipt!, appended }
  }

  /** Throws what `rewind` would throw. Writes nothing. */
  checkRewind(options: RewindOptions): void {
    this.#linkTo(options)
  }

  /**
   * Undoes the newest compaction: the model sees the covered messages again, and then what was said
   * since, which is appended again with `copied_from`. Throws ERR_NOT_FOUND where nothing is
   * compacted, and ERR_ARG where the compaction is in a session that this one continues.
   */
  async uncompact(): Promise<UncompactResult> {
    const { log, storage, settings } = this.#parts
    log.flush()
    const { newUuid } = settings.store.env
    const inherited = () => this.#inherited()
    const { events, ...result } = uncompactEvents(storage.load(), { newUuid, inherited })
    const written = this.appendAll(events)
    // Written now: no other event may come between the plan and its lines.
    log.flush()
    await written
    return result
  }

  /**
   * Saves files before they are changed. Paths are relative to the project's folder, or absolute
   * and inside of it. A missing file is recorded as missing.
   */
  snapshotFiles(paths: readonly string[], options?: SnapshotFilesOptions): Promise<FileSnapshot> {
    return this.#parts.files.value.snapshot(paths, options)
  }

  /** Plans how the saved files become what they were at an event. Changes nothing. */
  planFileRewind(options: FileRewindOptions): Promise<FileRewindPlan> {
    return this.#parts.files.value.plan(options)
  }

  /** Applies such a plan. The conversation is not rewound. `undoUuid` restores what was replaced. */
  applyFileRewind(
    plan: FileRewindPlan,
    options?: ApplyFileRewindOptions,
  ): Promise<FileRewindResult> {
    return this.#parts.files.value.apply(plan, options)
  }

  /** Starts a subagent with a log of its own. Only its result is appended to this session. */
  spawn(options: SpawnOptions): Promise<Sidechain> {
    return this.#subagents.value.spawn(options, this.#asParent)
  }

  /** Makes a task for a subagent of another process, which passes it to `openSidechain`. */
  delegate(options: SpawnOptions): Promise<SubagentTask> {
    return this.#subagents.value.delegate(options, this.#asParent)
  }

  /** Records the result of a subagent of another process. The same result is written only once. */
  mergeResult(child: Sidechain | SubagentReportInput): Promise<MergedResult> {
    return this.#subagents.value.merge(child, this.#asParent)
  }

  /** Sets the title. An automatic title never replaces one of the user. */
  async rename(title: string, source: TitleSource = 'user'): Promise<Receipt> {
    if (title.trim() === '') throw new SessionError('ERR_ARG', 'A title must say something')
    return this.append(titleEvent(title.trim(), source))
  }

  /**
   * Unlocks the file without ending the session, so that another process can resume it. Later
   * calls of `close` do nothing.
   */
  release(): Promise<void> {
    this.#end ??= releaseSession(this.#closing)
    return this.#end.then(() => {})
  }

  /** Ends the session with a terminator and unlocks its file. Later calls return the same. */
  close(reason = 'exit'): Promise<SessionEnd> {
    this.#end ??= closeSession(this.#closing, reason)
    return this.#end
  }

  /** Closes synchronously, for signal handlers and exit handlers. */
  closeSync(reason = 'signal'): void {
    this.#end ??= Promise.resolve(closeSessionSync(this.#closing, reason))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close().then(() => {})
  }

  get #continuity(): SessionContinuity | undefined {
    return this.#parts.continuity?.value
  }

  get #closing(): ClosingParts {
    const appendSpooled = () => this.#appendSpooled()
    return { ...this.#parts, subagents: this.#subagents.made, appendSpooled }
  }

  async #prompt(
    content: ContentInput,
    { uuid, ts, prompt_id, source }: PromptOptions,
  ): Promise<PromptReceipt> {
    const payload = { content, prompt_id, source }
    const receipt = await this.append({ type: 'user', uuid, ts, payload })
    // The same uuid again is the same prompt.
    if (receipt.duplicate === true) return { ...receipt, historyOffset: null }
    const written = this.#parts.settings.asWritten({ type: 'user', payload })
      .payload as typeof payload
    const recorded = this.#parts.history?.value.record(
      promptText(written.content),
      receipt.uuid,
      ts,
    )
    return { ...receipt, historyOffset: (await recorded) ?? null }
  }

  #toReply<Type extends string>(event: AppendEvent<Type>): NewEvent<Type> {
    return toReply(event, {
      projection: () => this.projection,
      find: (uuid) => this.#parts.storage.find(uuid),
    })
  }

  #linkTo(options: RewindOptions): RewindLink {
    this.#parts.log.flush()
    return rewindLink(options, {
      projection: this.#parts.view.projection,
      path: this.path,
      headerUuid: this.#parts.view.header?.uuid ?? null,
      find: (uuid) => this.#parts.storage.find(uuid),
      inherited: () => this.#inherited(),
    })
  }

  // A handle that read only the end of its file loads this from the header.
  #inherited(): Inherited {
    const { start, header } = this.#parts.view
    const isUnread = start.entries[0]?.kind === 'opaque' && header !== undefined
    return isUnread ? this.projectionAt(header.uuid) : start
  }

  #compactionEvents(options: CompactOptions & CompactInternals): CompactEvents {
    this.#parts.log.flush()
    return compactionEvents(options, {
      projection: this.#parts.view.projection,
      path: this.path,
      offsetBase: this.#parts.view.offsetBase,
      newUuid: this.#parts.settings.store.env.newUuid,
    })
  }

  /** This was valid before the wait, so an event that is missing now was removed since. */
  #eventsAfterWait(options: CompactOptions & CompactInternals): CompactEvents {
    try {
      return this.#compactionEvents(options)
    } catch (cause) {
      if (!isSessionError(cause)) throw cause
      const what =
        'The conversation was compacted or rewound while the checkpoint before this compaction was ' +
        'stored, and nothing was compacted. Summarize what the model sees now, and compact again'
      throw new SessionError('ERR_COMPACTION_RACE', what, { cause, path: this.path })
    }
  }

  // Events that other processes spooled while this one held the lock (hooks, a rename). One call
  // after the other, and none fails: what the caller appended is written already.
  #appendSpooled(): Promise<void> {
    const taken = this.#spoolTaken.then(() => this.#takeSpooled())
    this.#spoolTaken = taken.catch(() => {})
    return taken
  }

  async #takeSpooled(): Promise<void> {
    const { log, settings, storage } = this.#parts
    if (!storage.isPersistent) return
    const append = async (events: readonly NewEvent[]) => {
      await this.appendAll(events)
      // A waiting event was on the disk when it was acknowledged, and must not leave it.
      await log.sync()
    }
    try {
      await takeSpooled(settings.store, { path: this.path, spoolName: this.id, append })
    } catch (error) {
      const message = `Events that wait for this session stay queued: ${(error as Error).message}`
      settings.store.report(diagnostic('spool_unreadable', message, { file: this.path }))
    }
  }

  #notify(event: NewEvent, receipt: Receipt): void {
    // What is appended again was counted before.
    if (event.payload['copied_from'] === undefined) {
      this.#continuity?.observe(event, receipt)
    }
    if (this.#listeners.size === 0) return
    const written = this.#parts.settings.asWritten(placed(event, receipt))
    const { store } = this.#parts.settings
    for (const listener of this.#listeners) notifyListener(store, () => listener(written, receipt))
  }
}

// Here, because it is asked for every event that is appended.
function isStreamed({ partial, supersedes }: AppendEvent): boolean {
  return partial !== undefined || supersedes !== undefined
}

/** A payload that contains its own offset is complete only after the write. */
function placed({ payloadAt, recorded: _, ...event }: NewEvent, { byteOffset }: Receipt): NewEvent {
  return payloadAt === undefined ? event : { ...event, payload: payloadAt(byteOffset) }
}
