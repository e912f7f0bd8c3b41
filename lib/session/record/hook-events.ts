// Events that a harness reports through hooks. It reports them once or twice and does not wait, so
// an event is spooled while another process holds the session, and repetitions are dropped.

import type { ContinuityOptions } from '../../continuity/index.js'
import { isSessionError } from '../../errors.js'
import { withoutUndefined } from '../../format/index.js'
import { type OpenLog, openIfThere } from '../../log/index.js'
import { listSpooled, readOrReport, type StoreContext } from '../../store/index.js'
import { type OneShotCheckpointer, openCheckpointer } from '../checkpoints/one-shot.js'
import { type FollowedTranscript, followTranscript } from '../follow/follow-transcript.js'
import type { Message } from '../follow/message-key.js'
import { type SessionFacts, terminatorEvent } from '../header.js'
import { type RedactionOptions, withLockTimeout } from '../settings.js'
import { hasEnded, type LogEnd, REPEAT_MS, readLogEnd } from './log-end.js'
import {
  appendSpooledEvents,
  type EventSource,
  type EventsOrFactory,
  type RecordResult,
  record,
} from './record.js'

export interface HookEvent extends EventSource {
  /** Normalised. */
  readonly sessionId: string
  readonly events: EventsOrFactory
}

export interface HookRecordOptions extends RedactionOptions {
  /** What the header of a new session says. */
  facts?: SessionFacts | undefined
  /** @default a checkpoint when it is due; `false`: never */
  continuity?: ContinuityOptions | false | undefined
  /** How long to wait for the locks after that of the transcript. */
  followUpLockTimeoutMs?: number | undefined
  /** The transcript that the harness writes itself: what it holds beyond the log is taken first. */
  transcript?: FollowedTranscript | undefined
}

export function recordEvent(
  store: StoreContext,
  { sessionId, events, ...dedupe }: HookEvent,
  options: HookRecordOptions = {},
): Promise<RecordResult> {
  const follow = followBy(store, options)
  return record(store, { sessionId, events }, { ...options, follow, dedupe, spool: 'always' })
}

function followBy(store: StoreContext, { transcript, redactOnWrite }: HookRecordOptions) {
  return (log: OpenLog) => followTranscript(store, log, { transcript, redactOnWrite })
}

/**
 * Whether the log shows all that the transcript holds, and `isRecorded` finds the rest in it: then
 * nothing is to be written, and no lock is needed.
 */
export function isUpToDate(
  store: StoreContext,
  sessionId: string,
  options: HookRecordOptions,
  isRecorded: (recent: Iterable<Message>) => boolean,
): boolean {
  if (options.transcript === undefined) return false
  const log = openIfThere(store.layout.transcriptPath(sessionId), store.env)
  if (log === undefined) return false
  try {
    const { isFollowed, events, recent } = followBy(store, options)(log)
    return isFollowed && events.length === 0 && isRecorded(recent())
  } finally {
    store.env.fs.closeSync(log.fd)
  }
}

export interface HookPrompt extends Omit<HookEvent, 'events'> {
  readonly content: string
  /** `false`: it belongs neither into the history of prompts nor into a digest. */
  readonly isTyped?: boolean | undefined
}

/** Records a prompt, its line of the history and the checkpoint that is due. */
export function recordPrompt(
  store: StoreContext,
  { sessionId, content, isTyped = true, ...dedupe }: HookPrompt,
  { continuity = {}, ...options }: HookRecordOptions = {},
): Promise<RecordResult> {
  const is_meta = isTyped ? undefined : true
  const payload = withoutUndefined({ content, prompt_id: dedupe.nativeId, is_meta })
  const lane = { spool: 'always', history: isTyped, checkpoint: continuity } as const
  const events = [{ type: 'user', payload }]
  const follow = followBy(store, options)
  return record(store, { sessionId, events }, { ...options, ...lane, follow, dedupe })
}

/** Harnesses report some events twice; the checkpoint of such an event is stored once. */
export function openHookCheckpointer(
  store: StoreContext,
  transcript: { readonly id: string; readonly log: string },
  { continuity, facts }: HookRecordOptions,
): OneShotCheckpointer | undefined {
  const unlessRepeatedWithinMs = REPEAT_MS
  const options = { continuity, harness: facts?.harness, unlessRepeatedWithinMs }
  return openCheckpointer(store, transcript, options)
}

/** Records the last checkpoint and the terminator. `undefined` for a session without a log. */
export async function recordSessionEnd(
  store: StoreContext,
  { sessionId, reason }: { readonly sessionId: string; readonly reason: string },
  options: HookRecordOptions = {},
): Promise<RecordResult | undefined> {
  const path = store.layout.transcriptPath(sessionId)
  const end = readLogEnd(store, path)
  if (end.size === 0) return undefined
  if (!hasEnded(end)) {
    const followUp = withLockTimeout(store, options.followUpLockTimeoutMs)
    const once = openHookCheckpointer(followUp, { id: sessionId, log: path }, options)
    const facts = { transcript_offset: end.size, last_uuid: end.last?.uuid ?? null }
    // The queue reports a failed write; the session has ended all the same.
    await once?.checkpointer.end(once.session, { reason, facts }).catch(() => undefined)
  }
  const events = (found: LogEnd) => {
    if (hasEnded(found)) return []
    const { now, last, size } = found
    return [
      terminatorEvent({ reason, last_uuid: last?.uuid ?? null, events: null, bytes: size }, now),
    ]
  }
  return recordEvent(store, { sessionId, source: 'SessionEnd', events }, options)
}

// The caller has its own event to record.
const SESSIONS_MAX = 8

/**
 * Appends what waits for sessions whose writer was busy when they ended: no hook of theirs comes
 * any more, so a hook of another session does it. Sessions that a process holds are left out.
 */
export async function drainSpool(store: StoreContext): Promise<void> {
  const waiting = readOrReport(store, store.layout.spool, () => listSpooled(store)) ?? []
  const sessions = waiting.slice(0, SESSIONS_MAX)
  if (sessions.length === 0) return
  const impatient = withLockTimeout(store, 0)
  for (const session of sessions) {
    try {
      await appendSpooledEvents(impatient, session)
    } catch (error) {
      if (!isSessionError(error)) throw error
    }
  }
}
