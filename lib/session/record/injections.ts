// What was injected into the context that a session has now. A text costs thousands of tokens, so each
// is injected once per context: until a compaction has removed it.

import { fieldsOf } from '../../chain/index.js'
import { isSessionError } from '../../errors.js'
import { readLogBackwardSync } from '../../log/index.js'
import { loadSession, readSpool, type StoreContext } from '../../store/index.js'

/** What the context of a session holds of earlier injections. */
export interface ContextInjections {
  /** False for a session that is about to begin. */
  readonly hasLog: boolean
  /** The last compaction of the session. */
  readonly boundaryUuid: string | null
  /** The ids of everything that was injected. */
  readonly ids: ReadonlySet<string>
  /** When the newest text was injected, in milliseconds since the epoch. */
  readonly lastMs: number | undefined
}

const MESSAGES = ['user', 'assistant', 'tool_call', 'tool_result']

/**
 * Reads backward from the end. Claude Code starts a session again before it reports the compaction,
 * so what was injected for a compaction, between the last message before it and its boundary, belongs
 * to the new context. With `isCompacted`, the session is about to start after a compaction that the log need
 * not show yet.
 */
export function readInjections(
  store: StoreContext,
  sessionId: string,
  isCompacted = false,
): ContextInjections {
  const { hasLog, boundaryUuid, atUuid } = readContext(store, sessionId)
  const found: InjectedEvent[] = readSpool(store, sessionId).filter(isInjected).reverse()
  if (hasLog) {
    let isBehindCompaction = isCompacted
    let isRewound = false
    const path = store.layout.transcriptPath(sessionId)
    for (const entry of readLogBackwardSync(path, { lazyPayloads: true, environment: store.env })) {
      if (entry.kind !== 'event') continue
      const { event } = entry
      // What a fork copied was injected into its source.
      if (event.uuid === atUuid) break
      if (isBehindCompaction && MESSAGES.includes(event.type)) break
      // A compaction on a branch that was left.
      if (event.type === 'compaction_boundary' && !isBehindCompaction) {
        isRewound ||= event.uuid !== boundaryUuid
      }
      if (!isRewound && isCompactionMark(event)) isBehindCompaction = true
      if (!isInjected(event) || (isRewound && !isOf(event, boundaryUuid))) continue
      if (!isBehindCompaction || sourceOf(event) === 'compact') found.push(event)
    }
  }
  const injected = withoutWithdrawn(found)
  const ids = injected.flatMap(({ payload }) => {
    const { checkpoint_id, sources } = fieldsOf(payload)
    const others: readonly unknown[] = Array.isArray(sources) ? sources : []
    return [checkpoint_id, ...others].filter((id) => typeof id === 'string')
  })
  const times = injected.map(({ ts }) => Date.parse(ts ?? '')).filter((ms) => !Number.isNaN(ms))
  const lastMs = times.length === 0 ? undefined : Math.max(...times)
  return { hasLog, boundaryUuid, ids: new Set(ids), lastMs }
}

interface InjectedEvent {
  readonly type: string
  readonly ts?: string | undefined
  readonly payload: unknown
}

function isInjected({ type }: Pick<InjectedEvent, 'type'>): boolean {
  return type === 'recovery_injected'
}

function isOf({ payload }: InjectedEvent, boundaryUuid: string | null): boolean {
  return fieldsOf(payload)['boundary_uuid'] === boundaryUuid
}

function isCompactionMark({ type, payload }: InjectedEvent): boolean {
  if (type === 'compaction_boundary') return true
  return type === 'session_resumed' && sourceOf({ payload }) === 'compact'
}

function sourceOf({ payload }: Pick<InjectedEvent, 'payload'>): unknown {
  return fieldsOf(payload)['source']
}

/** Takes them newest first. One that the harness did not read is followed by its withdrawal. */
export function withoutWithdrawn<Found extends InjectedEvent>(
  newestFirst: readonly Found[],
): Found[] {
  const withdrawn = new Set<unknown>()
  return newestFirst.filter(({ payload }) => {
    const { checkpoint_id, withdrawn: isWithdrawn } = fieldsOf(payload)
    if (isWithdrawn === true) withdrawn.add(checkpoint_id)
    else if (withdrawn.delete(checkpoint_id)) return false
    return isWithdrawn !== true
  })
}

function readContext(store: StoreContext, sessionId: string) {
  try {
    const path = store.layout.transcriptPath(sessionId)
    const { log, header } = loadSession(store, path, { lazyPayloads: true })
    const boundaryUuid = log.projection.lastBoundary?.uuid ?? null
    const { at_uuid: atUuid } = fieldsOf(fieldsOf(header?.payload)['forked_from'])
    return { hasLog: true, boundaryUuid, atUuid }
  } catch (error) {
    // A session that is about to begin.
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return { hasLog: false, boundaryUuid: null, atUuid: undefined }
  }
}
