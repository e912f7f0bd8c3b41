// Recall for a session: a memory that it was given is in its context until a compaction removes it,
// and is not returned again before that. What was returned is a line of the log, the `memory_query`,
// so that every process that asks for the session knows it.

import {
  findMemories,
  type RecallOptions,
  type RecallResult,
  toRecallResult,
} from '../../continuity/index.js'
import { fieldsOf } from '../../format/fields.js'
import { normalizeSessionKey, type PayloadByType } from '../../format/index.js'
import { type Line, readLogBackwardSync } from '../../log/index.js'
import {
  listChapters,
  loadSession,
  mayHaveType,
  readSpool,
  type StoreContext,
} from '../../store/index.js'
import type { SessionFacts } from '../header.js'
import type { RedactionOptions } from '../settings.js'
import { record } from './record.js'

export interface RecallOnceOptions extends RecallOptions, RedactionOptions {
  /**
   * Return memories again that the session was given since its last compaction.
   *
   * @default false
   */
  includeRecalled?: boolean | undefined
  /**
   * Record nothing, so that the next call returns the same.
   *
   * @default false
   */
  dryRun?: boolean | undefined
  /**
   * What the header of a new session says.
   *
   * @default none
   */
  facts?: SessionFacts | undefined
}

/** What a session recalled. */
export interface RecallOnceResult extends RecallResult {
  readonly sessionId: string
  /** Counts the compactions of the session; a memory is returned once in each. */
  readonly contextEpoch: number
}

/**
 * As `recall`, without what the session was given since its last compaction, and records what it is
 * given now. A session that is not known begins with it.
 */
export async function recallOnce(
  store: StoreContext,
  sessionKey: string,
  options: RecallOnceOptions,
): Promise<RecallOnceResult> {
  const { includeRecalled = false, dryRun = false, facts, redactOnWrite, query } = options
  const sessionId = normalizeSessionKey(sessionKey)
  // Before the lock of the log is taken: it reads every checkpoint.
  const matching = findMemories(store, options)
  let answer: RecallOnceResult | undefined
  const decide = () => {
    const { recalled, boundaryUuid, contextEpoch } = readRecalled(store, sessionId)
    const result = toRecallResult(options, matching, includeRecalled ? undefined : recalled)
    answer = { ...result, sessionId, contextEpoch }
    const keys = result.results.map(({ key }) => key)
    const payload: PayloadByType['memory_query'] = {
      text: query,
      recalled: keys,
      boundary_uuid: boundaryUuid,
    }
    return [{ type: 'memory_query', payload }]
  }
  if (dryRun) decide()
  else await record(store, { sessionId, events: decide }, { facts, redactOnWrite })
  return answer!
}

interface RecallLedger {
  /** The keys of what the session was given in its present context. */
  readonly recalled: ReadonlySet<string>
  readonly boundaryUuid: string | null
  readonly contextEpoch: number
}

const TYPES: ReadonlySet<string> = new Set(['memory_query', 'compaction_boundary'])

/** Also of the sessions that it continues, and what waits while another process holds the log. */
function readRecalled(store: StoreContext, sessionId: string): RecallLedger {
  const path = store.layout.transcriptPath(sessionId)
  const queries: { readonly type: string; readonly payload: unknown }[] = []
  queries.push(...readSpool(store, sessionId))
  if (!store.env.fs.existsSync(path)) return toLedger(queries, { boundaryUuid: null, epoch: 0 })
  const { lastBoundary, contextEpoch: epoch } = loadSession(store, path, {
    lazyPayloads: true,
  }).log.projection
  const boundaryUuid = lastBoundary?.uuid ?? null
  const isWanted = (line: Line) => mayHaveType(TYPES, line)
  const reading = { isWanted, lazyPayloads: true, environment: store.env }
  chapters: for (const chapter of listChapters(store, path).toReversed()) {
    for (const entry of readLogBackwardSync(chapter.path, reading)) {
      if (entry.kind !== 'event' || entry.byte_offset >= chapter.end) continue
      if (entry.event.uuid === boundaryUuid) break chapters
      queries.push(entry.event)
    }
  }
  return toLedger(queries, { boundaryUuid, epoch })
}

function toLedger(
  events: readonly { readonly type: string; readonly payload: unknown }[],
  { boundaryUuid, epoch }: { readonly boundaryUuid: string | null; readonly epoch: number },
): RecallLedger {
  const keys = events.flatMap(({ type, payload }) => {
    const { recalled, boundary_uuid } = fieldsOf(payload)
    const isOfContext = type === 'memory_query' && boundary_uuid === boundaryUuid
    return isOfContext && Array.isArray(recalled) ? (recalled as unknown[]) : []
  })
  const recalled = new Set(keys.filter((key) => typeof key === 'string'))
  return { recalled, boundaryUuid, contextEpoch: epoch }
}
