// One event into a session that nobody keeps open: the seed's contract, for hooks, scripts and
// the command line.

import { isSessionError } from '../errors.js'
import { isOnChainType, normalizeSessionKey } from '../format/index.js'
import { appendOnce, type LogOptions, type NewEvent, type Receipt } from '../log/index.js'
import {
  layoutOf,
  normalizeProject,
  readSpool,
  repeatTitle,
  type Spooled,
  type StoreOptions,
  spoolEvent,
} from '../store/index.js'
import { headerPayload, type SessionFacts } from './header.js'
import { asWritten, type RedactionOptions, redactionOf } from './redaction.js'

export interface AppendTranscriptInput {
  readonly session_id: string
  readonly event: NewEvent
}

export type AppendTranscriptOptions = StoreOptions &
  Omit<LogOptions, 'channel' | 'redact'> &
  RedactionOptions & {
    /** What the header says of a session that is new. */
    facts?: SessionFacts | undefined
  }

/** What became of it: a place in the transcript, or in the queue of whoever is writing there. */
export type AppendReceipt = Partial<Receipt> & {
  readonly uuid: string
  /** Somebody holds the session: it will be written by them, and has no place yet. */
  readonly queued?: true
}

/**
 * Appends one event to a transcript and tells where it stands. A session that is new gets its
 * header in the same write. The caller owns the uuids: a prev_uuid that is not found is written
 * and reported, and an event whose uuid is in the log already is not written again.
 *
 * While a handle holds the session, an event beside the chain is queued for it; one on the chain
 * is refused, because only the holder knows what it would follow.
 */
export async function append_transcript(
  { session_id, event }: AppendTranscriptInput,
  options: AppendTranscriptOptions = {},
): Promise<AppendReceipt> {
  const sessionId = normalizeSessionKey(session_id)
  const layout = layoutOf(options)
  const now = options.environment?.now?.() ?? Date.now()
  const redact = redactionOf(options)
  const path = layout.transcriptPath(sessionId)
  const append = (events: readonly NewEvent[]) =>
    appendOnce(path, events, {
      ...options,
      redact,
      channel: 'transcript',
      trailer: repeatTitle(path),
      header: event.type === 'session_header' ? undefined : headerOf(sessionId, now, options),
    })
  try {
    await takeQueued(readSpool(layout, sessionId), append)
    const [receipt] = await append([event])
    return receipt!
  } catch (error) {
    if (!isSessionError(error, 'ERR_LOCKED') || !isBesideTheChain(event)) throw error
    return { uuid: await spoolEvent(layout, sessionId, asWritten(options)(event)), queued: true }
  }
}

/** What others left for this session comes first. What is refused stays where it is. */
export async function takeQueued(
  { events, remove }: Spooled,
  append: (events: readonly NewEvent[]) => Promise<unknown>,
): Promise<void> {
  if (events.length === 0) return
  try {
    await append(events)
    remove()
  } catch (error) {
    // Nobody's event may keep the next one from being written.
    if (!isSessionError(error, 'ERR_UUID_CONFLICT') && !isSessionError(error, 'ERR_ARG'))
      throw error
  }
}

function isBesideTheChain({ type, prev_uuid }: NewEvent): boolean {
  const isOnChain = isOnChainType(type)
  return isOnChain === false || (isOnChain === undefined && prev_uuid === null)
}

export function headerOf(
  sessionId: string,
  now: number,
  { facts = {}, agent }: AppendTranscriptOptions,
): NewEvent {
  const { project } = facts
  const projectNormalized = project === undefined ? undefined : normalizeProject(project)
  const told = { ...facts, projectNormalized, agentId: agent }
  const payload = headerPayload(sessionId, new Date(now).toISOString(), told)
  return { type: 'session_header', payload }
}
