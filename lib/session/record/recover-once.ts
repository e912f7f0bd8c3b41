// Recovery for a session that may start several times: a text that was injected is not returned
// again until a compaction has removed it from the context, because it costs thousands of tokens.

import { type RecoverOptions, type Recovery, recover } from '../../continuity/index.js'
import { normalizeSessionKey, type PayloadByType } from '../../format/index.js'
import type { StoreContext } from '../../store/index.js'
import { readInjections } from './injections.js'
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
  const { source = 'startup' } = options
  const { boundaryUuid, ids: known } = readInjections(store, session_id, source === 'compact')
  const checkpoint_id = recovery.checkpoint.id
  const ids = recovery.from.map(({ id }) => id)
  const alreadyInjected = ids.every((id) => known.has(id))
  if (alreadyInjected) {
    return { ...recovery, text: '', alreadyInjected, boundaryUuid, commit: async () => undefined }
  }
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
