// Makes a log that hooks record show what its client would send. Hooks report some messages at once,
// others late or never: texts between tool calls, prompts typed while the model works, what a
// compaction kept, where a rewind led. All of them are in the client's own transcript, which is
// written a moment later than the hooks are called.
//
// Mostly the transcript has grown by a few lines that continue the conversation. They are matched with
// the events that hooks recorded since; what is missing is appended. In every other case the whole
// transcript is read and compared with what the log shows.

import { isSessionError } from '../../errors.js'
import type { SessionEvent } from '../../format/index.js'
import {
  type ClaudeConversation,
  type ClaudeMessage,
  isClaudeTranscript,
  readClaudeContinuation,
  readClaudeConversation,
} from '../../interchange/follow.js'
import type { NewEvent, OpenLog } from '../../log/index.js'
import { loadSession, type StoreContext } from '../../store/index.js'
import { asWritten, type RedactionOptions } from '../settings.js'
import { isMessage, type Message, messageKey } from './message-key.js'
import { readTranscript, TRANSCRIPT_BYTES_MAX } from './read-transcript.js'
import { readRecentEvents, type SourceLine, sourceLineOf } from './recent-events.js'
import { reconcile, type Wanted } from './reconcile.js'

/** The transcript that a client writes of the same session. */
export interface FollowedTranscript {
  readonly path: string
  /**
   * The client writes nothing more about what was reported so far: a message that is in the log only
   * was never sent.
   */
  readonly isSettled?: boolean | undefined
}

type FollowOptions = FollowedTranscript & RedactionOptions

export interface Followed {
  /** There is a transcript, and the log shows what it holds once the events are appended. */
  readonly isFollowed: boolean
  /** To be appended, in this order; empty if the log is up to date. */
  readonly events: readonly NewEvent[]
  /** The newest events of the chain, newest first, with those to be appended. */
  recent(): Iterable<Message>
}

const NOTHING_NEW: readonly NewEvent[] = []

/** Without a transcript that can be followed, there is nothing to append. */
export function followTranscript(
  store: StoreContext,
  log: OpenLog,
  { transcript, ...options }: RedactionOptions & { transcript: FollowedTranscript | undefined },
): Followed {
  const given = transcript && { ...transcript, ...options }
  const followed =
    given && (followPart(store, given, readSinceLine(log)) ?? followWhole(store, log, given))
  const events = followed ?? NOTHING_NEW
  return { isFollowed: followed !== undefined, events, recent: () => recentIn(log, events) }
}

export interface SinceLine {
  readonly line: SourceLine
  /** What hooks recorded after that line, oldest first. */
  readonly pending: readonly SessionEvent[]
}

export function readSinceLine(log: OpenLog): SinceLine | undefined {
  const pending: SessionEvent[] = []
  for (const event of readRecentEvents(log)) {
    const line = sourceLineOf(event)
    if (line !== undefined) return { line, pending: pending.reverse() }
    // What these keep must be compared as a whole.
    if (event.type === 'rewind' || event.type === 'compaction_boundary') return undefined
    pending.push(event)
  }
  return undefined
}

function followPart(
  store: StoreContext,
  { path, redactOnWrite, isSettled = false }: FollowOptions,
  since: SinceLine | undefined,
): readonly NewEvent[] | undefined {
  if (since === undefined) return undefined
  const { line, pending } = since
  // What was given up is seen in the whole transcript only.
  if (isSettled) return undefined
  const part = readTranscript(store, path, { from: line.end })
  const found = part && readClaudeContinuation(part.records, line.uuid)
  if (found === undefined) return undefined
  const written = asWritten({ redactOnWrite })
  const lines = found.messages.map((message) => written(toEvent(store, message)))
  const events = mergePending(store, lines, pending)
  if (events.length === 0) return events
  const source = { uuid: found.lastLine ?? line.uuid, end: part!.end }
  return markLast(events, lines, source)
}

/**
 * Lines that are among the pending events are recorded already. From the first one that is missing
 * in between, everything is recorded again in the order of the lines, as a branch of its own.
 */
export function mergePending(
  store: StoreContext,
  lines: readonly NewEvent[],
  pending: readonly SessionEvent[],
): NewEvent[] {
  const keys = lines.map(messageKey)
  const messages = pending.filter(isMessage)
  let matched = 0
  let at = 0
  while (at < lines.length && matched < messages.length) {
    if (messageKey(messages[matched]!) !== keys[at]) break
    matched++
    at++
  }
  const missing = lines.slice(at)
  if (missing.length === 0) return []
  const rest = messages.slice(matched)
  if (rest.length === 0) return missing
  const later = new Set(keys.slice(at))
  // The client wrote something that follows it, so it will not write this one any more.
  const lastWritten = rest.findLastIndex((event) => later.has(messageKey(event)))
  const waiting = rest.slice(lastWritten + 1).filter((event) => !isReplaced(event, missing))
  const copies = waiting.map(({ type, payload, ts }): NewEvent => {
    return { type, payload, ts, uuid: store.env.newUuid() } as NewEvent
  })
  const [first, ...others] = missing
  return [{ ...first!, prev_uuid: rest[0]!.prev_uuid }, ...others, ...copies]
}

/** A prompt that the client wrote in other words: a command that it expanded. */
function isReplaced({ type, payload }: Message, lines: readonly Message[]): boolean {
  const { prompt_id } = payload as { prompt_id?: unknown }
  if (type !== 'user' || prompt_id === undefined) return false
  return lines.some((line) => {
    const other = line.payload as { prompt_id?: unknown }
    return line.type === 'user' && other.prompt_id === prompt_id
  })
}

function followWhole(
  store: StoreContext,
  log: OpenLog,
  { path, redactOnWrite, isSettled = false }: FollowOptions,
): readonly NewEvent[] | undefined {
  const part = readTranscript(store, path, { from: 0, bytesMax: TRANSCRIPT_BYTES_MAX })
  if (part === undefined || part.records.length === 0) return undefined
  if (!isClaudeTranscript(part.records)) return undefined
  const conversation = readClaudeConversation(part.records, { isLive: !isSettled })
  const loaded = load(store, log)
  const written = asWritten({ redactOnWrite })
  const wanted = toWanted(store, conversation, written)
  const events = reconcile(store, { wanted, loaded, isSettled })
  if (events.length === 0) return events
  const source = { uuid: conversation.lastLine ?? '', end: part.end }
  return markLast(events, [...wanted.kept, ...wanted.messages], source)
}

function toWanted(
  store: StoreContext,
  conversation: ClaudeConversation,
  written: (event: NewEvent) => NewEvent,
): Wanted {
  const convert = (message: ClaudeMessage) => written(toEvent(store, message))
  return {
    compaction: conversation.compaction,
    kept: conversation.compaction?.kept.map(convert) ?? [],
    messages: conversation.messages.map(convert),
    all: conversation.all.map(convert),
  }
}

function load(store: StoreContext, log: OpenLog) {
  if (log.size === 0) return undefined
  try {
    return loadSession(store, log.path)
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return undefined
  }
}

export function toEvent(store: StoreContext, { type, ts, payload }: ClaudeMessage): NewEvent {
  return { type, ts, payload, uuid: store.env.newUuid() } as NewEvent
}

/** The next hook continues to read after this line. */
export function markLast(
  events: readonly NewEvent[],
  lines: readonly NewEvent[],
  source_line: SourceLine,
): NewEvent[] {
  const uuids = new Set(lines.map(({ uuid }) => uuid))
  const isOfLine = ({ uuid, type }: NewEvent) =>
    uuids.has(uuid) || type === 'rewind' || type === 'compaction_boundary'
  const last = events.findLastIndex(isOfLine)
  return events.map((event, index) => (index === last ? withSource(event, source_line) : event))
}

function withSource(event: NewEvent, source_line: SourceLine): NewEvent {
  const { payload, payloadAt } = event
  const marked = { ...event, payload: { ...(payload as object), source_line } } as NewEvent
  if (payloadAt === undefined) return marked
  return {
    ...marked,
    payloadAt: (offset: number) => ({ ...(payloadAt(offset) as object), source_line }),
  } as NewEvent
}

export function* recentIn(log: OpenLog, events: readonly NewEvent[]): Generator<Message> {
  const prev = events.find(({ prev_uuid }) => prev_uuid !== undefined)?.prev_uuid
  yield* events.toReversed()
  let isReached = prev === undefined
  for (const event of readRecentEvents(log)) {
    isReached ||= event.uuid === prev
    if (isReached) yield event
  }
}
