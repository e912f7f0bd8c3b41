// A compaction that a harness does by itself: what it is about to take away is kept as a
// checkpoint, and what it made of it becomes the summary of this log too.

import { EMPTY_START, fieldsOf, projectLog, wordsOf } from '../chain/index.js'
import { isSessionError } from '../errors.js'
import { normalizeSessionKey, type PayloadByType } from '../format/index.js'
import { readLogBackwardSync, systemEnvironment } from '../log/index.js'
import {
  findNewestCheckpoint,
  type LoadedSession,
  layoutOf,
  loadSession,
  REPEAT_MS,
  readLogEnd,
} from '../store/index.js'
import { checkpointOnce } from './checkpoint-once.js'
import { type CompactPlace, compactionEvents } from './compact.js'
import type { OnceOptions } from './prompt-once.js'
import { recordTold, type Told, type ToldReceipt } from './told-record.js'
import { contentHash, uuidOf } from './told-uuid.js'

type Boundary = PayloadByType['compaction_boundary']

/** How much of the conversation a checkpoint takes along when nobody says what matters. */
const TAIL_CHARS = 2000

/** The checkpoint before it. A session that is new begins with it. */
export async function beforeCompactionTold(
  { session_id, instructions }: { session_id: string; instructions?: string | undefined },
  options: OnceOptions = {},
): Promise<void> {
  const id = normalizeSessionKey(session_id)
  const path = layoutOf(options).transcriptPath(id)
  const end = readLogEnd(path, nowOf(options))
  if (end.size === 0) await recordTold({ session_id, source: 'PreCompact', events: [] }, options)
  const { harness } = options.facts ?? {}
  const store = { ...options, harness, unlessRepeatedWithinMs: REPEAT_MS }
  const facts = { transcript_offset: end.size, last_uuid: end.last?.uuid ?? null }
  const sessionContext = instructions ?? tailOf(path)
  const once = checkpointOnce(id, path, store)
  await once?.checkpointer.preCompaction(once.session, { facts, sessionContext })
}

export interface ToldCompaction extends Omit<Told, 'events'> {
  readonly summary: string
  readonly trigger: Boundary['trigger']
}

/**
 * The summary and its boundary; what was said since the checkpoint before it stays. A summary that
 * was told a moment ago is a duplicate.
 */
export async function compactTold(
  { summary, trigger, ...told }: ToldCompaction,
  options: OnceOptions = {},
): Promise<ToldReceipt> {
  const { place, lastText } = placeOf(told.session_id, options)
  if (lastText === summary) return { status: 'duplicate' }
  const coverTo = coveredBy(told.session_id, place, options)
  // Of two that say the same, the later one stands behind the earlier.
  const occasion = told.nativeId ?? coverTo ?? place.projection.lastBoundary?.uuid ?? ''
  const name = [told.session_id, told.source, occasion]
  const hash = contentHash({ type: 'summary', payload: { text: summary } }, trigger)
  let made = 0
  const newUuid = () => uuidOf([...name, hash, String(made++)])
  const given = { summary, trigger, strategy: 'external', coverTo } as const
  const { events } = compactionEvents(given, { ...place, newUuid, mayCoverNothing: true })
  // Both have their names already.
  return recordTold({ ...told, nativeId: hash, events }, options)
}

/** What the model saw of it before, as far as this log knows. */
function placeOf(sessionId: string, options: OnceOptions) {
  const layout = layoutOf(options)
  const path = layout.transcriptPath(normalizeSessionKey(sessionId))
  try {
    const { log, events, offsetBase } = loadSession(path, { layout, lazyPayloads: true })
    const { lastBoundary } = log.projection
    const place = { projection: log.projection, path, offsetBase }
    return { place, lastText: recentSummary(events, lastBoundary?.uuid, nowOf(options)) }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    const { projection } = projectLog([], { file: path, start: EMPTY_START })
    return { place: { projection, path, offsetBase: 0 }, lastText: undefined }
  }
}

/** The text of the last compaction, if that was a moment ago. */
function recentSummary(
  events: LoadedSession['events'],
  boundaryUuid: string | undefined,
  now: number,
): unknown {
  const of = (uuid: unknown) => events.findLast(({ event }) => event.uuid === uuid)?.event
  const boundary = of(boundaryUuid)
  if (boundary === undefined || now - Date.parse(boundary.ts) >= REPEAT_MS) return undefined
  return fieldsOf(of(fieldsOf(boundary.payload)['summary_event_uuid'])?.payload)['text']
}

/** Where the conversation stood when the harness began; `undefined` when nobody told. */
function coveredBy(
  session: string,
  { projection }: Pick<CompactPlace, 'projection'>,
  options: OnceOptions,
): string | undefined {
  const { newest } = findNewestCheckpoint({ ...options, session })
  const { trigger, cycle = null, last_uuid } = newest?.checkpoint ?? {}
  const isOfThisCycle = cycle === (projection.lastBoundary?.uuid ?? null)
  if (trigger !== 'pre_compaction' || !isOfThisCycle) return undefined
  const isSeen = projection.entries.some(
    (entry) => 'event' in entry && entry.event.uuid === last_uuid,
  )
  return isSeen ? (last_uuid ?? undefined) : undefined
}

/** The last that was said, oldest first. */
function tailOf(path: string): string {
  const turns: string[] = []
  let chars = 0
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true })) {
    if (entry.kind !== 'event') continue
    const { type, payload } = entry.event
    if (type !== 'user' && type !== 'assistant') continue
    const turn = `${type === 'user' ? 'User' : 'Assistant'}: ${wordsOf(payload).trim()}`
    chars += turn.length
    if (chars > TAIL_CHARS && turns.length > 0) break
    turns.unshift(turn.slice(0, TAIL_CHARS))
  }
  return turns.join('\n')
}

function nowOf({ environment }: OnceOptions): number {
  return (environment?.now ?? systemEnvironment.now)()
}
