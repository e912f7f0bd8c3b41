// A compaction by the harness itself: before it a checkpoint is stored, and its summary becomes a
// compaction of this log.

import { BranchBackward, EMPTY_START, fieldsOf, projectLog, wordsOf } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import type { PayloadByType } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import {
  findNewestCheckpoint,
  type LoadedSession,
  loadSession,
  type StoreContext,
} from '../../store/index.js'
import {
  type HookEvent,
  type HookRecordOptions,
  openHookCheckpointer,
  recordEvent,
} from '../record/hook-events.js'
import { contentHash, REPEAT_MS, readLogEnd, toUuid } from '../record/log-end.js'
import type { RecordResult } from '../record/record.js'
import { type CompactContext, compactionEvents } from './compaction-events.js'

type Boundary = PayloadByType['compaction_boundary']

/** How much of the conversation a checkpoint holds where the user gave no instructions. */
const TAIL_CHARS = 2000

/** Stores the checkpoint before a compaction. A new session begins with it. */
export async function recordBeforeCompaction(
  store: StoreContext,
  {
    sessionId,
    instructions,
    sessionContext: given,
  }: {
    sessionId: string
    instructions?: string | undefined
    /** What the harness knows of the work. */
    sessionContext?: string | undefined
  },
  options: HookRecordOptions = {},
): Promise<void> {
  const path = store.layout.transcriptPath(sessionId)
  const end = readLogEnd(store, path)
  if (end.size === 0) {
    await recordEvent(store, { sessionId, source: 'PreCompact', events: [] }, options)
  }
  const once = openHookCheckpointer(store, { id: sessionId, log: path }, options)
  const facts = { transcript_offset: end.size, last_uuid: end.last?.uuid ?? null }
  const said = given ?? readTail(store, path)
  const asked = instructions === undefined ? [] : [`Instructions for the summary: ${instructions}`]
  const sessionContext = [...asked, ...(said === '' ? [] : [said])].join('\n')
  await once?.checkpointer.preCompaction(once.session, { facts, sessionContext })
}

export interface HookCompaction extends Omit<HookEvent, 'events'> {
  readonly summary: string
  readonly trigger: Boundary['trigger']
}

/**
 * Records the summary and its boundary. What was said since the checkpoint before it stays. A
 * summary that was reported a moment ago is a duplicate.
 */
export async function recordCompaction(
  store: StoreContext,
  { summary, trigger, ...event }: HookCompaction,
  options: HookRecordOptions = {},
): Promise<Pick<RecordResult, 'status'>> {
  const { sessionId, source, nativeId } = event
  const { context, lastText } = readContext(store, sessionId)
  if (lastText === summary) return { status: 'duplicate' }
  const coverTo = findCovered(store, sessionId, context)
  // Two compactions with the same text differ in what they follow.
  const occasion = nativeId ?? coverTo ?? context.projection.lastBoundary?.uuid ?? ''
  const hash = contentHash({ type: 'summary', payload: { text: summary } }, trigger)
  let made = 0
  const newUuid = () => toUuid([sessionId, source, occasion, hash, String(made++)])
  // The harness knows how many tokens there were; its hooks report only some of the messages.
  const given = { summary, trigger, strategy: 'external', coverTo, tokensBefore: 0 } as const
  const { events } = compactionEvents(given, { ...context, newUuid, mayCoverNothing: true })
  // Both events have their uuids already.
  return recordEvent(store, { ...event, nativeId: hash, events }, options)
}

/** What the model saw before the compaction, as far as this log shows. */
function readContext(store: StoreContext, sessionId: string) {
  const path = store.layout.transcriptPath(sessionId)
  try {
    const { log, events, offsetBase } = loadSession(store, path, { lazyPayloads: true })
    const { lastBoundary } = log.projection
    const context = { projection: log.projection, path, offsetBase }
    return { context, lastText: recentSummary(events, lastBoundary?.uuid, store.env.now()) }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    const { projection } = projectLog([], { file: path, start: EMPTY_START })
    return { context: { projection, path, offsetBase: 0 }, lastText: undefined }
  }
}

/** The text of the last compaction, if it was recorded a moment ago. */
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

/** The last event when the harness began to compact; `undefined` where no hook reported that. */
function findCovered(
  store: StoreContext,
  session: string,
  { projection }: Pick<CompactContext, 'projection'>,
): string | undefined {
  const { newest } = findNewestCheckpoint(store, { session })
  const { trigger, cycle = null, last_uuid } = newest?.checkpoint ?? {}
  const isOfThisCycle = cycle === (projection.lastBoundary?.uuid ?? null)
  if (trigger !== 'pre_compaction' || !isOfThisCycle) return undefined
  const isSeen = projection.entries.some(
    (entry) => 'event' in entry && entry.event.uuid === last_uuid,
  )
  return isSeen ? (last_uuid ?? undefined) : undefined
}

/** The last turns of the branch, oldest first, without what the client added. */
function readTail({ env: environment }: StoreContext, path: string): string {
  const turns: string[] = []
  let chars = 0
  const branch = new BranchBackward()
  for (const entry of readLogBackwardSync(path, { lazyPayloads: true, environment })) {
    if (entry.kind !== 'event') branch.forget()
    if (entry.kind !== 'event' || !branch.takes(entry.event)) continue
    const { type, payload } = entry.event
    if (type !== 'user' && type !== 'assistant') continue
    if (fieldsOf(payload)['is_meta'] === true) continue
    const turn = `${type === 'user' ? 'User' : 'Assistant'}: ${wordsOf(payload).trim()}`
    chars += turn.length
    if (chars > TAIL_CHARS && turns.length > 0) break
    turns.unshift(turn.slice(0, TAIL_CHARS))
  }
  return turns.join('\n')
}
