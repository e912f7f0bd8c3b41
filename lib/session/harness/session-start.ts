// A session starts: its log begins or continues, and what it should know is injected, once for each
// context. A harness whose hooks are registered twice runs this in two processes at the same time; the
// one that records the injection injects.

import {
  isStartSource,
  type Recovery,
  recover,
  type StartSource,
  startMemory,
} from '../../continuity/index.js'
import { isSessionError } from '../../errors.js'
import { diagnostic, type PayloadByType } from '../../format/index.js'
import type { NewEvent } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { resumedEvent } from '../header.js'
import { type HookRecordOptions, recordEvent } from '../record/hook-events.js'
import { type ContextInjections, readInjections, withoutWithdrawn } from '../record/injections.js'
import { hasEnded, isSameReport, type LogEnd, REPEAT_MS, readLogEnd } from '../record/log-end.js'
import { withLockTimeout } from '../settings.js'
import { type HarnessAnswer, type HarnessCall, type HarnessRequest, openCall } from './requests.js'

export interface SessionStartRequest extends HarnessRequest {
  /** @default 'startup', also for an unknown one */
  readonly source?: string | undefined
  /** The session that this one follows. */
  readonly previousSessionKey?: string | undefined
  /** The session that started this one. */
  readonly parentSessionKey?: string | undefined
  /** The harness's own id of the agent. */
  readonly harnessAgentId?: string | undefined
}

export interface SessionStartResponse extends HarnessAnswer {
  /** For the model to read; empty where there is nothing new. */
  readonly inject: string
  /** What the text is made of: ids of checkpoints and memories, uuids of transcripts. */
  readonly sources: readonly string[]
  /** Call it if the text did not reach the harness: the next start gets it then. */
  readonly withdraw?: (() => Promise<void>) | undefined
}

type Injected = PayloadByType['recovery_injected']

/** Records the start of a session, and returns what it should know. */
export async function startHarnessSession(
  store: StoreContext,
  request: SessionStartRequest,
  options: HookRecordOptions = {},
): Promise<SessionStartResponse> {
  const { previousSessionKey, parentSessionKey, harnessAgentId } = request
  const facts = { previousSessionKey, parentSessionKey, harnessAgentId, ...options.facts }
  const call = openCall(store, request, { ...options, facts })
  const { source: given = 'startup' } = request
  const source = isStartSource(given) ? given : 'startup'
  // Before the log gets an event of this start: the newest event decides what is news.
  const context = findContext(call, source)
  const { sessionId } = call
  if (sessionId === undefined) return { sessionId: null, inject: context.text, ...context }
  return record(call, sessionId, source, context)
}

interface StartContext {
  readonly text: string
  readonly sources: readonly string[]
  /** Of a session that has a log. */
  readonly boundaryUuid: string | null
}

/** A session must begin whatever state an earlier one is in. */
function findContext(call: HarnessCall, source: StartSource): StartContext {
  try {
    return readContext(call, source)
  } catch (error) {
    if (!isSessionError(error)) throw error
    call.store.report(diagnostic('recovery_failed', `${error.code}: ${error.message}`))
    return { text: '', sources: [], boundaryUuid: null }
  }
}

function readContext(call: HarnessCall, source: StartSource): StartContext {
  const { sessionId, options } = call
  const store = withLockTimeout(call.store, options.followUpLockTimeoutMs)
  const isCompacted = source === 'compact'
  const known: ContextInjections =
    sessionId === undefined
      ? { hasLog: false, boundaryUuid: null, ids: new Set(), lastMs: undefined }
      : readInjections(store, sessionId, isCompacted)
  const { facts } = options
  const place = { sessionKey: sessionId, project: facts?.project, source }
  const recovery = recover(store, { ...place, previousSessionKey: facts?.previousSessionKey })
  const isWanted = recovery !== undefined && isNews(store, recovery, { ...place, known })
  const after = memoriesAfter(store, { ...place, known })
  const memory =
    after === undefined ? { text: '', ids: [] } : startMemory(store, { ...place, after })
  const texts = [isWanted ? recovery.text : '', memory.text].filter((text) => text !== '')
  return {
    text: texts.join('\n\n'),
    sources: [...(isWanted ? recovery.from.map(({ id }) => id) : []), ...memory.ids],
    boundaryUuid: known.boundaryUuid,
  }
}

interface StartPlace {
  readonly sessionKey: string | undefined
  readonly source: StartSource
  readonly known: ContextInjections
}

const OWN_WORDS = ['agent', 'explicit']

function isNews(
  store: StoreContext,
  { matchedBy, checkpoint, from, text }: Recovery,
  { sessionKey, source, known }: StartPlace,
): boolean {
  if (text === '' || from.every(({ id }) => known.ids.has(id))) return false
  if (source === 'startup') return true
  if (matchedBy !== 'session') return false
  if (source === 'compact') return true
  // A harness that resumes gives the model the whole conversation. News is what a compaction removed
  // and no start brought back, and what was noted after the session ended.
  const hasCheckpoint = from.some(({ kind }) => kind === 'checkpoint')
  if (hasCheckpoint && (checkpoint.cycle ?? null) !== known.boundaryUuid) return true
  const endedMs = readEndMs(store, sessionKey)
  return from.some(
    ({ trigger, ts }) => OWN_WORDS.includes(trigger ?? '') && Date.parse(ts) > endedMs,
  )
}

/** From which time on memories are news; `undefined`: none is. */
function memoriesAfter(
  store: StoreContext,
  { sessionKey, source, known }: StartPlace,
): number | undefined {
  if (source !== 'resume' && source !== 'fork') return known.lastMs ?? Number.NEGATIVE_INFINITY
  return known.hasLog ? readEndMs(store, sessionKey) : undefined
}

/** When the newest event of a log was written. */
function readEndMs(store: StoreContext, sessionKey: string | undefined): number {
  const { last, offChain } = readLogEnd(store, store.layout.transcriptPath(sessionKey!))
  const times = [last, ...offChain].map((event) => Date.parse(event?.ts ?? ''))
  return Math.max(...times.filter((ms) => !Number.isNaN(ms)), Number.NEGATIVE_INFINITY)
}

/** The start and the injection in one write. */
async function record(
  { store, options }: HarnessCall,
  sessionId: string,
  source: StartSource,
  { text, sources, boundaryUuid }: StartContext,
): Promise<SessionStartResponse> {
  const [checkpoint_id, ...others] = sources
  const injected = checkpoint_id !== undefined && {
    type: 'recovery_injected',
    payload: {
      checkpoint_id,
      boundary_uuid: boundaryUuid,
      source,
      chars: text.length,
      ...(others.length > 0 && { sources: others }),
    } satisfies Injected,
  }
  let isInjected = false
  const events = (end: LogEnd): readonly NewEvent[] => {
    // While another process holds the log it cannot be known whether the text was injected.
    isInjected = injected !== false && end.isHeld !== true && !wasJustInjected(end)
    return [...startEvents(end, source), ...(isInjected ? [injected as NewEvent] : [])]
  }
  // Equal starts are recognised in `events`, under the lock.
  const dedupe = { source: 'SessionStart', nativeId: undefined }
  const start = { sessionId, ...dedupe, events, mayRepeat: true }
  const { status } = await recordEvent(store, start, options)
  if (!isInjected) return { sessionId, inject: '', sources: [], status }
  const withdraw = async () => {
    const payload = { ...(injected as { payload: Injected }).payload, withdrawn: true }
    const event = { type: 'recovery_injected', payload }
    const withdrawal = { sessionId, ...dedupe, events: [event], mayRepeat: true }
    await recordEvent(store, withdrawal, options)
  }
  return { sessionId, inject: text, sources, status, withdraw }
}

/** A start of a session that has not ended is the same start, reported late or twice. */
function startEvents(end: LogEnd, source: StartSource): readonly NewEvent[] {
  const isResumed = source === 'resume' || source === 'compact'
  if (!isResumed && !hasEnded(end)) return []
  const { now, last } = end
  const event = resumedEvent(isResumed ? source : 'startup', { now, lastTs: last?.ts })
  const isRepeated = last !== undefined && isRecent(last, now) && isSameReport(last, event)
  return isRepeated ? [] : [event]
}

/** Another process of this start has injected its text. */
function wasJustInjected({ offChain, now }: LogEnd): boolean {
  const injections = offChain.filter(({ type }) => type === 'recovery_injected')
  return withoutWithdrawn(injections).some((event) => isRecent(event, now))
}

function isRecent({ ts }: { readonly ts: string }, now: number): boolean {
  return Math.abs(now - Date.parse(ts)) < REPEAT_MS
}
