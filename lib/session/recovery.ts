// Recovery as a session lives through it: what was shown once is not shown again until a
// compaction has taken it away. A harness may start one session many times, and repeating the same
// text would cost its model thousands of tokens.

import { fieldsOf } from '../chain/index.js'
import { type RecoverOptions, type Recovery, recover } from '../continuity/index.js'
import { isSessionError } from '../errors.js'
import { normalizeSessionKey, type PayloadByType } from '../format/index.js'
import { layoutOf, loadSession, readSpool } from '../store/index.js'
import {
  type AppendReceipt,
  type AppendTranscriptOptions,
  append_transcript,
} from './append-transcript.js'

type Injected = PayloadByType['recovery_injected']

export type RecoverOnceOptions = Omit<RecoverOptions, 'sessionKey' | 'environment'> &
  AppendTranscriptOptions

export interface OneRecovery extends Recovery {
  /** This session was given it since its last compaction; the text is empty then. */
  readonly alreadyInjected: boolean
  /** The last compaction of the session that starts. */
  readonly boundary_uuid: string | null
  /** Call it once the text is part of what the model reads. `undefined` if it was before. */
  commit(): Promise<AppendReceipt | undefined>
}

export function recoverOnce(
  sessionKey: string,
  options: RecoverOnceOptions = {},
): OneRecovery | undefined {
  const session_id = normalizeSessionKey(sessionKey)
  const recovery = recover({ ...options, sessionKey: session_id })
  if (recovery === undefined) return undefined
  const { boundary_uuid, injected } = readInjected(session_id, options)
  const checkpoint_id = recovery.checkpoint.id
  const alreadyInjected = injected.some(
    (it) => it.checkpoint_id === checkpoint_id && it.boundary_uuid === boundary_uuid,
  )
  if (alreadyInjected) {
    return { ...recovery, text: '', alreadyInjected, boundary_uuid, commit: async () => undefined }
  }
  const { source = 'startup' } = options
  const payload: Injected = { checkpoint_id, boundary_uuid, source, chars: recovery.text.length }
  const event = { type: 'recovery_injected', payload } as const
  let committed: Promise<AppendReceipt> | undefined
  const commit = () => {
    committed ??= append_transcript({ session_id, event }, options).catch((error: unknown) => {
      // It is not written; the caller may try again.
      committed = undefined
      throw error
    })
    return committed
  }
  return { ...recovery, alreadyInjected, boundary_uuid, commit }
}

/**
 * What was injected before, as far as it can matter: it stands behind the last boundary, and so
 * only the end of the file is read. What still waits for the session's writer counts too.
 */
function readInjected(sessionId: string, options: RecoverOnceOptions) {
  const layout = layoutOf(options)
  const { boundary_uuid, events } = readTail(layout.transcriptPath(sessionId), layout)
  const injected = [...events, ...readSpool(layout, sessionId).events]
    .filter(({ type }) => type === 'recovery_injected')
    .map(({ payload }) => ({ ...(payload as Partial<Injected> | null) }))
  return { boundary_uuid, injected }
}

function readTail(path: string, layout: ReturnType<typeof layoutOf>) {
  try {
    const { events, log, header } = loadSession(path, { layout, lazyPayloads: true })
    const boundary_uuid = log.projection.lastBoundary?.uuid ?? null
    // What a fork copied was shown to its source.
    const { at_uuid } = fieldsOf(fieldsOf(header?.payload)['forked_from'])
    const own = events.findLastIndex(({ event }) => event.uuid === at_uuid) + 1
    return { boundary_uuid, events: events.slice(own).map(({ event }) => event) }
  } catch (error) {
    // A session that is about to begin.
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    return { boundary_uuid: null, events: [] }
  }
}
