// A session ends: the claim is released, what the harness hands over is stored, and the log gets its
// last checkpoint and its terminator.

import { isSessionError } from '../../errors.js'
import {
  isBypassed,
  type ReleasedClaim,
  releaseClaim,
  type StoreContext,
} from '../../store/index.js'
import { type HookRecordOptions, recordEvent, recordSessionEnd } from '../record/hook-events.js'
import { withLockTimeout } from '../settings.js'
import { type HarnessAnswer, type HarnessRequest, openCall } from './requests.js'
import { adoptTranscript, type HandedTranscript } from './transcript.js'

export interface SessionEndRequest extends HarnessRequest, HandedTranscript {
  /** Another name of `sessionKey`. */
  readonly sessionId?: string | undefined
  /** @default 'other' */
  readonly reason?: string | undefined
}

export interface SessionEndResponse extends HarnessAnswer {
  readonly bypassed?: true
  /** The session ended less than half an hour ago. */
  readonly duplicateSessionEnd?: true
  /** How many messages of the transcript that was handed over were not recorded yet. */
  readonly transcriptMessages?: number | undefined
}

/** The claim ends in any case; the log gets a terminator unless the call must not record. */
export async function endHarnessSession(
  given: StoreContext,
  request: SessionEndRequest,
  recordOptions: HookRecordOptions = {},
): Promise<SessionEndResponse> {
  const { sessionKey = request.sessionId, runtimePath, reason = 'other' } = request
  const { store, sessionId, options } = openCall(given, { ...request, sessionKey }, recordOptions)
  if (sessionId === undefined) return { sessionId: null }
  const isOff = isBypassed(store, sessionId)
  const followUp = withLockTimeout(store, options.followUpLockTimeoutMs)
  const released = await release(followUp, sessionId, runtimePath)
  const { skipped, duplicateRuntimePath, claimedBy, duplicateSessionEnd } = released ?? {}
  if (skipped === true) {
    const why = { duplicateRuntimePath: duplicateRuntimePath!, claimedBy: claimedBy! }
    return { sessionId, skipped, ...why }
  }
  if (isOff) return { sessionId, bypassed: true }
  if (duplicateSessionEnd === true) return { sessionId, duplicateSessionEnd }
  const transcriptMessages = await adoptTranscript(store, sessionId, request, options)
  // Of a client that keeps a transcript of its own: what it holds beyond our log.
  if (options.transcript !== undefined && hasLog(store, sessionId)) {
    await recordEvent(store, { sessionId, source: 'SessionEnd', events: [] }, options)
  }
  const ended = await recordSessionEnd(store, { sessionId, reason }, options)
  return {
    sessionId,
    status: ended?.status,
    ...(transcriptMessages !== undefined && { transcriptMessages }),
  }
}

function hasLog({ env, layout }: StoreContext, sessionId: string): boolean {
  return env.fs.existsSync(layout.transcriptPath(sessionId))
}

/** Before the terminator is written, so that a repeated end can be recognised. */
async function release(
  store: StoreContext,
  sessionId: string,
  runtimePath: string | undefined,
): Promise<ReleasedClaim | undefined> {
  try {
    return await releaseClaim(store, sessionId, { runtimePath, automatic: true })
  } catch (error) {
    // The claim expires by itself in a few hours, or with its harness.
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return undefined
  }
}
