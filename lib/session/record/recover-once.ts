// Recovery for a session that may start several times: a text that was injected is not returned
// again until a compaction has removed it from the context, because it costs thousands of tokens.

import { fieldsOf } from '../../chain/index.js'
import { type RecoverOptions, type Recovery, recover } from '../../continuity/index.js'
import { isSessionError } from '../../errors.js'
import { normalizeSessionKey, type PayloadByType } from '../../format/index.js'
import { loadSession, readSpool, type StoreContext } from '../../store/index.js'
import { type AppendReceipt, type AppendTranscriptOptions, appendTranscript } from './one-shot.js'

type Injected = PayloadByType['recovery_injected']

export interface RecoverOnceOptions
  extends Omit<RecoverOptions, 'sessionKey'>,
    AppendTranscriptOptions {}

export interface PendingRecovery extends Recovery {
  /** The session was given all of it since its last compaction; the text is empty then. */
  readonly alreadyInjected: boolean
  /** The last compaction of the session. */
  readonly boundaryUuid: string | null
  /** Call it once the model has the text. Resolves with `undefined` if it was injected before. */
  commit(): Promise<AppendReceipt | undefined>
}

/** Returns what the session should be given now; `undefined` where there is nothing to recover. */
export function recoverOnce(
  store: StoreContext,
  sessionKey: string,
  options: RecoverOnceOptions = {},
): PendingRecovery | undefined {
  const session_id = normalizeSessionKey(sessionKey)
  const recovery = recover(store, { ...options, sessionKey: session_id })
  if (recovery === undefined) return undefined
  const { boundaryUuid, injected } = readInjected(store, session_id)
  const checkpoint_id = recovery.checkpoint.id
  const known = new Set(injected.flatMap((it) => [it.checkpoint_id, ...(it.sources ?? [])]))
  const ids = recovery.from.map(({ id }) => id)
  const alreadyInjected = ids.every((id) => known.has(id))
  if (alreadyInjected) {
    return { ...recovery, text: '', alreadyInjected, boundaryUuid, commit: async () => undefined }
  }
  const { source = 'startup' } = options
  const chars = recovery.text.length
  const sources = ids.filter((id) => id !== checkpoint_id)
  const payload: Injected = {
    checkpoint_id,
    boundary_uuid: boundaryUuid,
    source,
    chars,
    ...(sources.length > 0 && { sources }),
  }
  const event = { type: 'recovery_injected', payload } as const
  let committed: Promise<AppendReceipt> | undefined
  const commit = () => {
    committed ??= appendTranscript(store, { session_id, event }, options).catch(
      (error: unknown) => {
        // It is not written; the caller may try again.
        committed = undefined
        throw error
      },
    )
    return committed
  }
  return { ...recovery, alreadyInjected, boundaryUuid, commit }
}

/**
 * Reads what was injected since the last boundary, so only the end of the file is read. Events that
 * wait in the spool count, too.
 */
function readInjected(store: StoreContext, sessionId: string) {
  const { boundaryUuid, events } = readTail(store, store.layout.transcriptPath(sessionId))
  const injected = [...events, ...readSpool(store, sessionId)]
    .filter(({ type }) => type === 'recovery_injected')
    .map(({ payload }) => ({ ...(payload as Partial<Injected> | null) }))
    .filter(({ boundary_uuid }) => boundary_uuid === boundaryUuid)
  return { boundaryUuid, injected }
}

function readTail(store: StoreContext, path: string) {
  try {
    const { events, log, header } = loadSession(store, path, { lazyPayloads: true })
    const boundaryUuid = log.projection.lastBoundary?.uuid ?? null
    // What a fork copied was injected into its source.
    const { at_uuid } = fieldsOf(fieldsOf(header?.payload)['forked_from'])
    const own = events.findLastIndex(({ event }) => event.uuid === at_uuid) + 1
    return { boundaryUuid, events: events.slice(own).map(({ event }) => event) }
  } catch (error) {
    // A session that is about to begin.
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return { boundaryUuid: null, events: [] }
  }
}
