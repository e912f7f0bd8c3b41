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
import { SessionError } from '../errors.js'
import {
  type ContentInput,
  type Diagnostic,
  isSyncPoint,
  type SessionEvent,
} from '../format/index.js'
import type { LogEntry, NewEvent, Receipt } from '../log/index.js'
import type {
  CheckpointPayload,
  ConversationItem,
  ConversationOptions,
  StoreContext,
} from '../store/index.js'
import type { CheckpointInput, SessionContinuity } from './checkpoints/session-checkpoints.js'
import {
  type ChangingParts,
  compactSession,
  linkTo,
  rewindSession,
  uncompactSession,
} from './compaction/change-view.js'
import type { CompactInternals, CompactOptions } from './compaction/compaction-events.js'
import type { UncompactResult } from './compaction/uncompact.js'
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
import type { RewindOptions, RewindReceipt } from './lifecycle/rewind.js'
import { type TitleSource, titleEvent } from './live-view.js'
import { notifyOfAppend } from './notify-listener.js'
import { PermissionLedger } from './permission-ledger.js'
import { type PromptOptions, type PromptReceipt, recordPrompt } from './prompt-history.js'
import { SpoolTaker } from './record/spool-taker.js'
import { readHistory } from './storage.js'
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
  readonly #spool: Lazy<SpoolTaker>
  readonly #subagents: Lazy<Subagents>
  /** What a subagent may do to the session it works for. */
  readonly #asParent = {
    depth: 0,
    append: (event: NewEvent) => this.append(event),
    appendSync: (event: NewEvent) => this.#notify(event, this.#parts.log.appendSync(event)),
  }
  readonly #appendAll = (events: readonly NewEvent[]) => this.appendAll(events)
  #end: Promise<SessionEnd> | undefined

  /** Use `createSession` or `resumeSession`. */
  constructor(parts: SessionParts) {
    this.#parts = parts
    this.id = parts.id
    this.path = parts.log.path
    this.#spool = new Lazy(() => new SpoolTaker(parts, this.#appendAll))
    this.#subagents = new Lazy(() => new Subagents({ ...parts, sessionId: parts.id }))
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
    const written = isStreamed(event) ? toReply(event, this.#parts) : event
    const receipt = await this.#parts.log.append(written)
    this.#notify(written as NewEvent, receipt)
    if (isSyncPoint(event.type)) await this.#spool.value.take()
    return receipt
  }

  /**
   * Appends a prompt as a `user` event, and then to the history of all sessions. Once the event is
   * written this does not fail any more; `historyOffset` is `null` where the history failed.
   */
  prompt(content: ContentInput, options: PromptOptions = {}): Promise<PromptReceipt> {
    return recordPrompt(this.#parts, (event) => this.append(event), content, options)
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
    if (text.trim() === '') throw new SessionError('ERR_ARG', 'The text to remember is empty')
    return this.append({ type: 'remember', payload: { text, ...about } })
  }

  /** Stores a checkpoint, and resolves when it is on the disk. */
  async checkpoint(input: CheckpointInput): Promise<StoredCheckpoint> {
    if (this.#continuity !== undefined) return this.#continuity.checkpoint(input)
    throw new SessionError('ERR_ARG', 'This session stores no checkpoints (continuity: false)')
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
      throw new SessionError(
        'ERR_ARG',
        'Use append() for a partial reply and for the reply that supersedes it',
      )
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
    const { toolPolicy = this.#parts.view.toolPolicy } = options
    return messagesOf(this.projection, { ...options, toolPolicy })
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
  history(
    options: Pick<ConversationOptions, 'signal'> = {},
  ): AsyncGenerator<ConversationItem, void, undefined> {
    return readHistory(this.#parts, options)
  }

  /**
   * Appends a summary and the boundary that commits it, in one write. Throws `ERR_COMPACTION_RACE`
   * if a rewind or another compaction removed what it covers.
   */
  compact(options: CompactOptions, internals: CompactInternals = {}): Promise<CompactResult> {
    return compactSession(this.#changing, options, internals)
  }

  /**
   * Continues from an older message: the model sees what it saw when that message was the newest,
   * as after a fork or a resume at it. Nothing is deleted, and another rewind undoes it. Throws
   * ERR_ARG for a message of an ancestor before a compaction; `forkSession` reaches it.
   */
  rewind(options: RewindOptions): Promise<RewindReceipt> {
    return rewindSession(this.#changing, options)
  }

  /** Throws what `rewind` would throw. Writes nothing. */
  checkRewind(options: RewindOptions): void {
    linkTo(this.#parts, options)
  }

  /**
   * Undoes the newest compaction: the model sees the covered messages again, and then what was said
   * since, which is appended again with `copied_from`. Throws ERR_NOT_FOUND where nothing is
   * compacted, and ERR_ARG where the compaction is in a session that this one continues.
   */
  uncompact(): Promise<UncompactResult> {
    return uncompactSession(this.#changing)
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
    if (title.trim() === '') throw new SessionError('ERR_ARG', 'A title must not be blank')
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
    return { ...this.#parts, subagents: this.#subagents.made, spool: this.#spool }
  }

  get #changing(): ChangingParts {
    return { ...this.#parts, appendAll: this.#appendAll }
  }

  #notify(event: NewEvent, receipt: Receipt): void {
    // What is appended again was counted before.
    if (event.payload['copied_from'] === undefined) this.#continuity?.observe(event, receipt)
    if (this.#listeners.size === 0) return
    notifyOfAppend(this.#parts.settings, this.#listeners, event, receipt)
  }
}

// Here, because it is asked for every event that is appended.
function isStreamed({ partial, supersedes }: AppendEvent): boolean {
  return partial !== undefined || supersedes !== undefined
}
