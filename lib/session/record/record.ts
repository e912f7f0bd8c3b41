// The lane for events from outside of an open session: hooks, one-shot commands, MCP tools. The
// transcript is opened once. Everything that must be known of it is read from that descriptor.
//
// A prompt takes two locks, one after the other: that of the transcript and that of the history.

import {
  type ContinuityOptions,
  continuitySettings,
  mayCheckpointBeDue,
} from '../../continuity/index.js'
import { toIso } from '../../environment/index.js'
import { isSessionError } from '../../errors.js'
import { diagnostic, isOnChainType } from '../../format/index.js'
import type { LogOptions, NewEvent, OpenLog, Receipt } from '../../log/index.js'
import { appendGuarded } from '../../log/internal.js'
import {
  appendHistory,
  readProject,
  repeatMeta,
  type StoreContext,
  spoolEvents,
  withConfig,
} from '../../store/index.js'
import { type OneShotCheckpointer, openCheckpointer } from '../checkpoints/one-shot.js'
import type { Followed } from '../follow/follow-transcript.js'
import { newHeader, type SessionFacts } from '../header.js'
import { promptText } from '../prompt-history.js'
import { asWritten, type RedactionOptions, redactionOf, withLockTimeout } from '../settings.js'
import {
  contentHash,
  findLogEnd,
  isRepeated,
  type LogEnd,
  REPEAT_MS,
  readLogEnd,
  toUuid,
} from './log-end.js'
import { isQueuedPrompt, recordQueuedPrompts } from './queued-prompts.js'
import { takeSpooled } from './take-spool.js'

/** The events, or a function that makes them once it is known what they follow. */
export type EventsOrFactory =
  | readonly NewEvent[]
  | ((end: LogEnd, followed?: Followed) => readonly NewEvent[])

export interface RecordInput {
  /** The session, normalised. */
  readonly sessionId: string
  readonly events: EventsOrFactory
  /**
   * The log to append to.
   *
   * @default the transcript of the session
   */
  readonly target?: RecordTarget | undefined
}

export interface RecordTarget {
  readonly path: string
  readonly channel: 'transcript' | 'sidechain'
  /** Makes the first event of a log that is new. */
  readonly header: (() => NewEvent) | undefined
  /** The name under which events wait while another process holds the log. */
  readonly spoolName: string
}

/** Where a reported event comes from; equal reports are recorded once. */
export interface EventSource {
  /** The name of the hook. */
  readonly source: string
  /** The harness's own id of the prompt, the tool call or the subagent. */
  readonly nativeId?: string | undefined
  /** Distinguishes two events of the same id and content. Never stored. */
  readonly mark?: string | undefined
  /** The caller decides under the lock whether its events repeat others. */
  readonly mayRepeat?: boolean | undefined
}

export interface RecordOptions extends RedactionOptions {
  /** Record events that are reported twice only once. */
  dedupe?: EventSource | undefined
  /**
   * Which events wait in the spool while another process holds the log; others throw ERR_LOCKED.
   *
   * @default 'off-chain'
   */
  spool?: 'off-chain' | 'always' | undefined
  /**
   * Append the prompt to the history, too. A failure is reported, not thrown.
   *
   * @default false
   */
  history?: boolean | undefined
  /**
   * Store the checkpoint that is due after this prompt. A failure is reported, not thrown.
   *
   * @default false
   */
  checkpoint?: ContinuityOptions | false | undefined
  /** Finds what another program recorded of the session and the log lacks; it is appended first. */
  follow?: ((log: OpenLog) => Followed) | undefined
  /** What the header of a new session says. */
  facts?: SessionFacts | undefined
  /**
   * How long to wait for the locks of the history and of the checkpoints.
   *
   * @default as for the transcript
   */
  followUpLockTimeoutMs?: number | undefined
  /** @default 'turn' */
  durability?: LogOptions['durability']
  /** @default false */
  lineNumbers?: boolean | undefined
}

export interface RecordResult {
  /** `queued`: another process holds the session and will write the event. */
  readonly status: 'written' | 'duplicate' | 'queued'
  /** Of the first event; absent for an event that was queued or recognised by its content. */
  readonly receipt?: Receipt | undefined
  /** The log shows what the transcript of the client holds; absent where that was not asked. */
  readonly isFollowed?: boolean | undefined
  /** Of all events; absent where they were queued or recognised by their content. */
  readonly receipts?: readonly Receipt[] | undefined
  /** Of events that were queued. */
  readonly queuedUuids?: readonly string[] | undefined
  /** Of the first event; absent for an event that was recognised by its content. */
  readonly uuid?: string | undefined
  readonly historyOffset: number | null
  readonly checkpointId: string | null
}

const NOTHING_MORE = { historyOffset: null, checkpointId: null }
const DUPLICATE: RecordResult = { status: 'duplicate', ...NOTHING_MORE }

/** Appends events, and whatever waits for the same log before them. A new log gets its header. */
export async function record(
  store: StoreContext,
  input: RecordInput,
  options: RecordOptions = {},
): Promise<RecordResult> {
  const target = input.target ?? transcriptTarget(store, input, options)
  const log = logOptionsFor(store, target, options)
  const { dedupe } = options
  const { events } = input
  const decision = new Decision(store, input, options)
  const followUp = new FollowUp(store, input.sessionId, options)
  try {
    await appendSpooled(store, target, log)
    const written = await appendGuarded(
      target.path,
      {
        header: target.header,
        events: decision.isOpen ? (open) => decision.make(open) : decision.events,
        afterwards: followUp.isWanted
          ? (open, written) => followUp.read(open, written.slice(decision.followedCount))
          : undefined,
      },
      log,
    )
    await recordQueuedPrompts(followUp.store, decision.queued, {
      sessionId: input.sessionId,
      path: target.path,
      project: options.facts?.project,
    })
    const receipts = written.slice(decision.followedCount)
    const [receipt] = receipts
    if (receipt === undefined) {
      const { isFollowed, followedCount } = decision
      return { ...DUPLICATE, isFollowed, ...(followedCount > 0 && { status: 'written' }) }
    }
    const { uuid } = receipt
    if (receipts.every(({ duplicate }) => duplicate === true)) {
      return { ...DUPLICATE, receipt, receipts, uuid }
    }
    const followed = await followUp.run(input.events, receipt)
    return { status: 'written', receipt, receipts, uuid, ...followed }
  } catch (error) {
    // The uuid is made from id and content, so the rest differs in time and place only.
    if (dedupe !== undefined && isSessionError(error, 'ERR_UUID_CONFLICT')) return DUPLICATE
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    const end = readLogEnd(store, target.path)
    const list = typeof events === 'function' ? events({ ...end, isHeld: true }) : events
    if (options.spool !== 'always' && !list.every(isOffChain)) throw error
    if (list.length === 0) return DUPLICATE
    const place = { now: end.now, target, options }
    const queuedUuids = await spool(store, { ...input, events: list }, place)
    const uuid = queuedUuids[0]!
    followUp.readProject(target.path)
    return { status: 'queued', uuid, queuedUuids, ...(await followUp.run(events, { uuid })) }
  }
}

/** What is appended, as far as it depends on what the log holds. */
class Decision {
  /** How many of the events are of the client's transcript; they come first. */
  followedCount = 0
  /** Prompts among those that no hook reports. */
  queued: readonly NewEvent[] = []
  isFollowed = false
  readonly #store: StoreContext
  readonly #input: RecordInput
  readonly #options: RecordOptions

  constructor(store: StoreContext, input: RecordInput, options: RecordOptions) {
    this.#store = store
    this.#input = input
    this.#options = options
  }

  /** The log must be read first. */
  get isOpen(): boolean {
    const { follow } = this.#options
    return typeof this.#input.events === 'function' || follow !== undefined || !this.#isNamed
  }

  get events(): readonly NewEvent[] {
    return this.#name(this.#input.events as readonly NewEvent[])
  }

  make(open: OpenLog): readonly NewEvent[] {
    const { events } = this.#input
    const followed = this.#options.follow?.(open)
    const first = followed?.events ?? []
    this.isFollowed = followed?.isFollowed ?? false
    this.followedCount = first.length
    this.queued = first.filter(isQueuedPrompt)
    const isAsked = typeof events === 'function' || !this.#isNamed
    const end = isAsked ? findLogEnd(open, this.#store.env.now()) : undefined
    const list = typeof events === 'function' ? events(end!, followed) : events
    // Uuids made from an id are compared by the log itself.
    const isRepeat = !this.#isNamed && isRepeated(list, end!)
    return [...first, ...(isRepeat ? [] : this.#name(list))]
  }

  // Without a source every event is new.
  get #isNamed(): boolean {
    const { dedupe } = this.#options
    return dedupe === undefined || dedupe.nativeId !== undefined || dedupe.mayRepeat === true
  }

  #name(list: readonly NewEvent[]): readonly NewEvent[] {
    return nameEvents(this.#input, list, this.#options.dedupe)
  }
}

function transcriptTarget(
  store: StoreContext,
  { sessionId, events }: RecordInput,
  { facts = {} }: RecordOptions,
): RecordTarget {
  const hasHeader = Array.isArray(events) && events[0]?.type === 'session_header'
  return {
    path: store.layout.transcriptPath(sessionId),
    channel: 'transcript',
    header: hasHeader ? undefined : () => newHeader(store, sessionId, facts),
    spoolName: sessionId,
  }
}

function logOptionsFor(
  store: StoreContext,
  { path, channel }: Pick<RecordTarget, 'path' | 'channel'>,
  options: RecordOptions,
): LogOptions {
  return {
    ...store.logOptions,
    durability: options.durability,
    lineNumbers: options.lineNumbers ?? false,
    redact: redactionOf(store, options),
    channel,
    // A subagent is named by its task and has no title.
    trailingEvent: channel === 'transcript' ? repeatMeta(store, path) : undefined,
  }
}

async function appendSpooled(
  store: StoreContext,
  { path, header, spoolName }: RecordTarget,
  options: LogOptions,
): Promise<void> {
  // A waiting event was on the disk when it was acknowledged, and must not leave it.
  const durable: LogOptions = { ...options, durability: 'always' }
  const append = (events: readonly NewEvent[]) => appendGuarded(path, { events, header }, durable)
  await takeSpooled(store, { path, spoolName, append })
}

/** Appends what waits for a session that exists and that no process holds. */
export async function appendSpooledEvents(store: StoreContext, sessionId: string): Promise<void> {
  const path = store.layout.transcriptPath(sessionId)
  // Without a header its own next hook must begin it.
  if ((store.env.fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const target = { path, channel: 'transcript', header: undefined, spoolName: sessionId } as const
  await appendSpooled(store, target, logOptionsFor(store, target, {}))
}

async function spool(
  store: StoreContext,
  input: RecordInput & { readonly events: readonly NewEvent[] },
  {
    now,
    target,
    options,
  }: { readonly now: number; readonly target: RecordTarget; readonly options: RecordOptions },
): Promise<readonly string[]> {
  const { dedupe } = options
  // Without the lock a repetition cannot be seen, so two reports get one uuid by their time.
  const nativeId = dedupe?.nativeId ?? `at ${Math.floor(now / REPEAT_MS)}`
  const events = nameEvents(input, input.events, dedupe && { ...dedupe, nativeId })
    .map(asWritten(options))
    .map((event) => ({ ...event, ts: event.ts ?? toIso(now) }))
  return spoolEvents(store, target.spoolName, events)
}

/** Gives events without a uuid one that is made from their source and content. */
function nameEvents(
  { sessionId }: RecordInput,
  events: readonly NewEvent[],
  dedupe: EventSource | undefined,
): readonly NewEvent[] {
  if (dedupe?.nativeId === undefined) return events
  const { source, nativeId, mark } = dedupe
  return events.map((event) => ({
    ...event,
    uuid: event.uuid ?? toUuid([sessionId, source, nativeId, contentHash(event, mark)]),
  }))
}

function isOffChain({ type, prev_uuid }: NewEvent): boolean {
  const isOnChain = isOnChainType(type)
  return isOnChain === false || (isOnChain === undefined && prev_uuid === null)
}

/** What follows a prompt that was written: its line in the history, and the checkpoint that is due. */
class FollowUp {
  /** With the lock timeout of everything but the event itself. */
  readonly store: StoreContext
  readonly #sessionId: string
  readonly #options: RecordOptions
  #project: string | null | undefined
  #checkpointer: OneShotCheckpointer | undefined
  #checkpointId: string | null = null

  constructor(store: StoreContext, sessionId: string, options: RecordOptions) {
    this.store = withLockTimeout(store, options.followUpLockTimeoutMs)
    this.#sessionId = sessionId
    this.#options = options
  }

  get isWanted(): boolean {
    const { history = false, checkpoint = false } = this.#options
    return history || checkpoint !== false
  }

  /** Reads what is needed from the transcript while it is still open, after its lock is free. */
  read(log: OpenLog, receipts: readonly Receipt[]): void {
    if (receipts.every(({ duplicate }) => duplicate === true)) return
    this.readProject(log)
    const { checkpoint = false, facts } = this.#options
    if (checkpoint === false) return
    try {
      const given = withConfig(this.store, 'continuity', checkpoint)
      const continuity = continuitySettings(given, this.store.report)
      if (!mayCheckpointBeDue(log, continuity, this.store.env)) return
      const transcript = { id: this.#sessionId, log, project: this.#project }
      const onStored = (id: string) => {
        this.#checkpointId = id
      }
      const options = { continuity, harness: facts?.harness, onStored }
      this.#checkpointer = openCheckpointer(this.store, transcript, options)
    } catch (error) {
      this.#report('checkpoint_lost', error)
    }
  }

  readProject(log: string | OpenLog): void {
    if (this.isWanted) this.#project = readProject(this.store, log)
  }

  async run(events: EventsOrFactory, { uuid, byteOffset }: WrittenEvent) {
    const { facts, durability, history = false } = this.#options
    let historyOffset: number | null = null
    const prompt = typeof events === 'function' ? undefined : events.find(isPrompt)
    if (history && prompt !== undefined) {
      const { content } = asWritten(this.#options)(prompt).payload as { content?: unknown }
      const recorded = await appendHistory(this.store, promptText(content), this.#sessionId, {
        project: this.#project ?? facts?.project,
        eventUuid: uuid,
        lineNumbers: false,
        // The transcript was synced a moment ago, and has the prompt.
        durability: durability === 'always' ? 'always' : 'none',
      }).catch((error: unknown) => this.#report('history_not_written', error))
      historyOffset = recorded?.offset ?? null
    }
    const { checkpointer, session } = this.#checkpointer ?? {}
    if (checkpointer !== undefined && byteOffset !== undefined) {
      try {
        const facts = () => ({ transcript_offset: byteOffset + 1, last_uuid: uuid })
        checkpointer.afterPrompt(session!, { facts })
        await checkpointer.queue.flush()
      } catch (error) {
        this.#report('checkpoint_lost', error)
      }
    }
    return { historyOffset, checkpointId: this.#checkpointId }
  }

  #report(code: 'history_not_written' | 'checkpoint_lost', error: unknown): undefined {
    if (!isSessionError(error)) throw error
    const message = `The prompt is in the transcript, but: ${error.message}`
    this.store.report(diagnostic(code, message))
  }
}

type WrittenEvent = Pick<Receipt, 'uuid'> & Partial<Pick<Receipt, 'byteOffset'>>

function isPrompt({ type }: NewEvent): boolean {
  return type === 'user'
}
