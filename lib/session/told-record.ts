// What a harness tells through its hooks. It tells it once or twice, never again later, and waits
// for nobody: so nothing is refused because somebody else is writing, and nothing is kept twice.

import { isSessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import { appendOnce, type NewEvent, type Receipt, systemEnvironment } from '../log/index.js'
import {
  appendTold,
  type LogEnd,
  layoutOf,
  REPEAT_MS,
  readLogEnd,
  readSpool,
  repeatTitle,
  spoolEvents,
  type ToldEvents,
} from '../store/index.js'
import { type AppendTranscriptOptions, headerOf, takeQueued } from './append-transcript.js'
import { asWritten, redactionOf } from './redaction.js'
import { contentHash, uuidOf } from './told-uuid.js'

export interface Told {
  readonly session_id: string
  /** What the harness calls it: the name of the hook. */
  readonly source: string
  /** The harness's own name for the occasion: of a prompt, a tool call, a subagent. */
  readonly nativeId?: string | undefined
  /** What else tells it from another of the same name and content. Never stored. */
  readonly mark?: string | undefined
  readonly events: ToldEvents
}

export interface ToldReceipt {
  /** `queued`: somebody holds the session, and will write it. */
  readonly status: 'written' | 'duplicate' | 'queued'
  /** Of the first event; absent for one that was told before. */
  readonly uuid?: string | undefined
  /** Of the first event, where it has a place. */
  readonly byte_offset?: number | undefined
}

const DUPLICATE: ToldReceipt = { status: 'duplicate' }

/** A session that is new gets its header in the same write. */
export function recordTold(
  told: Told,
  options: AppendTranscriptOptions = {},
): Promise<ToldReceipt> {
  const sessionId = normalizeSessionKey(told.session_id)
  return tellOrQueue(told, options, {
    path: layoutOf(options).transcriptPath(sessionId),
    channel: 'transcript',
    header: () => headerOf(sessionId, nowOf(options), options),
    queueName: sessionId,
  })
}

export interface ToldPlace {
  readonly path: string
  readonly channel: 'transcript' | 'sidechain'
  /** Of a log that is new. */
  readonly header: () => NewEvent
  /** Where events wait while somebody else has the log. */
  readonly queueName: string
}

/** Into the log, behind what waits for it; or among that, while somebody else has the log. */
export async function tellOrQueue(
  told: Told,
  options: AppendTranscriptOptions,
  { path, channel, header, queueName }: ToldPlace,
): Promise<ToldReceipt> {
  const { events, nativeId } = told
  const redact = redactionOf(options)
  // A subagent is called what its task is called.
  const trailer = channel === 'transcript' ? repeatTitle(path) : undefined
  const log = { ...options, lineNumbers: false, redact, channel, trailer } as const
  try {
    await takeQueued(readSpool(layoutOf(options), queueName), (waiting) =>
      appendOnce(path, waiting, { ...log, header: header() }),
    )
    const named: ToldEvents =
      typeof events === 'function'
        ? (end) => namedEvents(told, events(end), nativeId)
        : namedEvents(told, events, nativeId)
    const isNamed = nativeId !== undefined
    return receiptOf(await appendTold(path, { header, events: named, isNamed }, log))
  } catch (error) {
    // Of a name that is made of the content the rest is a matter of time and place.
    if (isSessionError(error, 'ERR_UUID_CONFLICT')) return DUPLICATE
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    const end = readLogEnd(path, nowOf(options))
    return queue(told, eventsAt(events, end), { now: end.now, queueName }, options)
  }
}

function receiptOf(receipts: readonly Receipt[]): ToldReceipt {
  const [first] = receipts
  const isNew = receipts.some(({ duplicate }) => duplicate !== true)
  return first !== undefined && isNew ? { status: 'written', ...first } : DUPLICATE
}

function eventsAt(events: ToldEvents, end: LogEnd): readonly NewEvent[] {
  return typeof events === 'function' ? events(end) : events
}

function nowOf({ environment }: AppendTranscriptOptions): number {
  return (environment?.now ?? systemEnvironment.now)()
}

async function queue(
  told: Told,
  events: readonly NewEvent[],
  { now, queueName }: { now: number; queueName: string },
  options: AppendTranscriptOptions,
): Promise<ToldReceipt> {
  if (events.length === 0) return DUPLICATE
  // Without the lock nobody sees a twin, so the two get one name by their time.
  const { nativeId = `at ${Math.floor(now / REPEAT_MS)}` } = told
  const ts = new Date(now).toISOString()
  const written = namedEvents(told, events, nativeId)
    .map(asWritten(options))
    .map((event) => ({ ...event, ts }))
  const [uuid] = await spoolEvents(layoutOf(options), queueName, written)
  return { status: 'queued', uuid }
}

function namedEvents(
  { session_id, source, mark }: Told,
  events: readonly NewEvent[],
  nativeId: string | undefined,
): readonly NewEvent[] {
  if (nativeId === undefined) return events
  return events.map((event) => ({
    ...event,
    uuid: event.uuid ?? uuidOf([session_id, source, nativeId, contentHash(event, mark)]),
  }))
}
