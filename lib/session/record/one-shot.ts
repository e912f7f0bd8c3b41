// Calls that record one thing in a session that this process does not keep open: for scripts, the
// command line and harnesses without a handle.

import type { ContinuityOptions } from '../../continuity/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { type ContentInput, normalizeSessionKey } from '../../format/index.js'
import type { LogOptions, NewEvent, Receipt } from '../../log/index.js'
import { type StoreContext, setBypass } from '../../store/index.js'
import type { SessionFacts } from '../header.js'
import { titleEvent } from '../live-view.js'
import type { RedactionOptions } from '../settings.js'
import { storedIdOf } from '../storage.js'
import { type RecordResult, record } from './record.js'

/** An event, and the session it belongs to. */
export interface AppendTranscriptInput {
  readonly session_id: string
  readonly event: NewEvent
}

export interface AppendTranscriptOptions extends RedactionOptions {
  /**
   * What the header of a new session says.
   *
   * @default none
   */
  facts?: SessionFacts | undefined
  /**
   * When the line is synced to the disk.
   *
   * @default 'turn'
   */
  durability?: LogOptions['durability']
  /**
   * Return the physical line number, for which a process must count the lines once.
   *
   * @default true
   */
  lineNumbers?: boolean | undefined
  /**
   * How long an event of the chain waits for a process that holds the session. Then ERR_LOCKED.
   *
   * @default 0
   */
  waitMs?: number | undefined
}

/** Where the event is: in the transcript, or in the spool of the process that holds the session. */
export type AppendReceipt = Partial<Receipt> & {
  readonly uuid: string
  /** Another process holds the session and will write the event, which has no offset yet. */
  readonly queued?: true
}

/**
 * Appends one event to a transcript and returns its position. A new session gets its header in the
 * same write. The caller owns the uuids: a `prev_uuid` that is not found is written and reported,
 * and an event whose uuid is in the transcript already is not written again.
 *
 * While another process holds the session, an off-chain event is spooled for it; an event of the
 * chain throws ERR_LOCKED, because only the holder knows what it would follow.
 */
export async function appendTranscript(
  store: StoreContext,
  input: AppendTranscriptInput,
  options: AppendTranscriptOptions = {},
): Promise<AppendReceipt> {
  const { session_id, event } = input
  const [receipt] = await appendTranscriptAll(store, session_id, [event], options)
  return receipt!
}

/**
 * Appends several events to a transcript in one write: all of them become lines, or none does. As
 * `appendTranscript` otherwise.
 */
export async function appendTranscriptAll(
  store: StoreContext,
  session: string,
  events: readonly NewEvent[],
  options: AppendTranscriptOptions = {},
): Promise<AppendReceipt[]> {
  if (events.length === 0) return []
  const { waitMs = 0, ...given } = { lineNumbers: true, ...options }
  const input = { sessionId: normalizeSessionKey(session), events }
  const result = await waitForHolder(store, waitMs, () => record(store, input, given))
  const { receipts, queuedUuids = [] } = result
  return receipts?.slice() ?? queuedUuids.map((uuid) => ({ uuid, queued: true }))
}

const HOLDER_POLL_MS = 50

/** Tries again while another process holds the session, whose lease may last for hours. */
async function waitForHolder<Result>(
  { env }: StoreContext,
  waitMs: number,
  write: () => Promise<Result>,
): Promise<Result> {
  const deadline = env.monotonicNow() + waitMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      const leftMs = deadline - env.monotonicNow()
      if (!isSessionError(error, 'ERR_LOCKED') || leftMs <= 0) throw error
      await env.timers.sleep(Math.min(leftMs, HOLDER_POLL_MS))
    }
  }
}

function toReceipt({ receipt, uuid }: RecordResult): AppendReceipt {
  return receipt ?? { uuid: uuid!, queued: true }
}

export interface PromptOnceOptions extends AppendTranscriptOptions {
  /**
   * When a checkpoint is due; `false`: never.
   *
   * @default as for a session that is kept open
   */
  continuity?: ContinuityOptions | false | undefined
}

/** A prompt, and the session it belongs to. */
export interface PromptInput {
  readonly session_id: string
  readonly content: ContentInput
  /** Tried again with the same uuid, the prompt is recorded once. */
  readonly uuid?: string | undefined
}

/** The receipt of a prompt that was recorded without an open session. */
export type PromptedOnce = AppendReceipt & {
  /** `null` where it is not in the history: blank, a repetition, or a failure that was reported. */
  readonly historyOffset: number | null
  /** The checkpoint that was due after this prompt. */
  readonly checkpointId: string | null
}

/** Appends a `user` event, the line of the history, and the checkpoint if one is due. */
export async function promptOnce(
  store: StoreContext,
  prompt: PromptInput,
  options: PromptOnceOptions = {},
): Promise<PromptedOnce> {
  const { session_id, content, uuid } = prompt
  const { continuity = {}, ...others } = options
  const sessionId = normalizeSessionKey(session_id)
  const event = { type: 'user', uuid, payload: { content } }
  const { waitMs = 0, ...lane } = { lineNumbers: true, ...others }
  const followUp = { history: true, checkpoint: continuity }
  const input = { sessionId, events: [event] }
  const write = () => record(store, input, { ...lane, ...followUp })
  const result = await waitForHolder(store, waitMs, write)
  const { historyOffset, checkpointId } = result
  return { ...toReceipt(result), historyOffset, checkpointId }
}

/** Appends a turn: the prompt, if any, and then the reply, if any. */
export async function ingestTurnOnce(
  store: StoreContext,
  session: string,
  {
    user,
    assistant,
  }: {
    readonly user?: ContentInput | undefined
    readonly assistant?: ContentInput | undefined
  },
  options: PromptOnceOptions = {},
): Promise<AppendReceipt[]> {
  if (user === undefined && assistant === undefined) {
    throw new SessionError('ERR_ARG', 'A turn needs a prompt (user), a reply (assistant) or both')
  }
  const { continuity: _, ...lane } = options
  const receipts: AppendReceipt[] = []
  if (user !== undefined) {
    receipts.push(await promptOnce(store, { session_id: session, content: user }, options))
  }
  if (assistant !== undefined) {
    const event = { type: 'assistant', payload: { content: assistant } }
    receipts.push(await appendTranscript(store, { session_id: session, event }, lane))
  }
  return receipts
}

/** Appends something to remember, which is part of the session's next checkpoint. */
export async function rememberOnce(
  store: StoreContext,
  session: string,
  text: string,
  options: AppendTranscriptOptions = {},
): Promise<AppendReceipt & { readonly sessionId: string }> {
  if (text.trim() === '') throw new SessionError('ERR_ARG', 'The text to remember is empty')
  const event = { type: 'remember', payload: { text } }
  return appendStored(store, session, event, options)
}

/** The result of a rename. */
export interface RenamedSession {
  readonly sessionId: string
  readonly title: string
  /** Another process holds the session and will write the title. */
  readonly queued: boolean
}

/** Gives a session a title, also while another process holds it. */
export async function renameSession(
  store: StoreContext,
  session: string,
  title: string,
  options: AppendTranscriptOptions = {},
): Promise<RenamedSession> {
  const text = title.trim()
  if (text === '') throw new SessionError('ERR_ARG', 'A title must not be blank')
  const event = titleEvent(text, 'user')
  const { sessionId, queued = false } = await appendStored(store, session, event, options)
  return { sessionId, title: text, queued }
}

async function appendStored(
  store: StoreContext,
  session: string,
  event: NewEvent,
  options: AppendTranscriptOptions,
): Promise<AppendReceipt & { readonly sessionId: string }> {
  const sessionId = storedIdOf(store, session)
  const receipt = await appendTranscript(store, { session_id: sessionId, event }, options)
  return { sessionId, ...receipt }
}

/** A session whose recording was paused or resumed. */
export interface BypassedSession {
  readonly sessionId: string
  readonly bypassed: boolean
  /** Another process holds the session and will write the mark. */
  readonly queued: boolean
}

/**
 * Turns recording by hooks off or on, with a mark in the transcript that shows where it paused.
 * Handles and library calls are not affected. Throws ERR_NOT_FOUND for an unknown session.
 */
export async function bypassSession(
  store: StoreContext,
  session: string,
  enabled: boolean,
  options: AppendTranscriptOptions = {},
): Promise<BypassedSession> {
  const { sessionId, changed, hasTranscript } = await setBypass(store, session, enabled)
  // A session that is only claimed yet has no recording that could have a gap.
  if (!changed || !hasTranscript) return { sessionId, bypassed: enabled, queued: false }
  const event = { type: 'session_meta', payload: { bypassed: enabled } }
  const input = { session_id: sessionId, event }
  const { queued = false } = await appendTranscript(store, input, options)
  return { sessionId, bypassed: enabled, queued }
}
