// A title from outside: it stands beside the chain, so it may be given to a session that somebody
// else is writing. Then it waits for them.

import { SessionError } from '../errors.js'
import { type AppendTranscriptOptions, append_transcript } from './append-transcript.js'
import { storedIdOf } from './storage.js'
import { titleEvent } from './title.js'

export interface RenamedSession {
  readonly session_id: string
  readonly title: string
  /** Another process is writing the session, and will take the title over. */
  readonly queued: boolean
}

export async function renameSession(
  session: string,
  title: string,
  options: AppendTranscriptOptions = {},
): Promise<RenamedSession> {
  const text = title.trim()
  if (text === '') throw new SessionError('ERR_ARG', 'A title must say something')
  const session_id = storedIdOf(session, options)
  const event = titleEvent(text, 'user')
  const { queued = false } = await append_transcript({ session_id, event }, options)
  return { session_id, title: text, queued }
}
