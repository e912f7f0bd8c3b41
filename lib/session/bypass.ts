// Switching the hooks of a session off and on, with a mark in its transcript: whoever reads it
// later sees where the recording paused.

import { setBypass } from '../store/index.js'
import { type AppendTranscriptOptions, append_transcript } from './append-transcript.js'

export interface BypassedSession {
  readonly key: string
  readonly bypassed: boolean
  /** Another process is writing the session, and will write the mark. */
  readonly queued: boolean
}

/**
 * While it is on, hooks record nothing; handles and library calls go on as ever. ERR_NOT_FOUND for
 * a session that nobody knows.
 */
export async function bypassSession(
  session: string,
  enabled: boolean,
  options: AppendTranscriptOptions = {},
): Promise<BypassedSession> {
  const { key, isChanged, hasTranscript } = await setBypass(session, enabled, options)
  // What is only claimed yet has nothing recorded that could have a gap.
  if (!isChanged || !hasTranscript) return { key, bypassed: enabled, queued: false }
  const event = { type: 'session_meta', payload: { bypassed: enabled } }
  const { queued = false } = await append_transcript({ session_id: key, event }, options)
  return { key, bypassed: enabled, queued }
}
