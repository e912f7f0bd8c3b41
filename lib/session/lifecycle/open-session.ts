// A session by its id, for hosts that keep their ids: it is continued in its file, or created.

import { isSessionError, SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import type { StoreContext } from '../../store/index.js'
import type { Session } from '../session.js'
import { type CreateSessionOptions, createSession } from './create.js'
import { type ResumeOptions, resumeSession } from './resume.js'

export interface OpenSessionOptions
  extends Omit<CreateSessionOptions, 'id'>,
    Pick<ResumeOptions, 'quiet' | 'strict' | 'toolPolicy' | 'isRetryable'> {
  /**
   * Create the session if there is none of that id, instead of throwing ERR_NOT_FOUND.
   *
   * @default false
   */
  create?: boolean | undefined
}

/** Opens a session to append to it. Another process that holds it makes this throw ERR_LOCKED. */
export async function openSession(
  store: StoreContext,
  id: string,
  options: OpenSessionOptions = {},
): Promise<Session> {
  const { create = false, quiet, strict, toolPolicy, isRetryable, ...shared } = options
  const key = normalizeSessionKey(id)
  const path = store.layout.transcriptPath(key)
  // Bytes, not the file: one whose writer died before its first line is no session yet.
  const hasLines = () => (store.env.fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (!hasLines()) {
    if (!create) {
      const what = `No session "${key}" in ${store.layout.transcripts}; pass create: true to begin it`
      throw new SessionError('ERR_NOT_FOUND', what, { id: key, path })
    }
    try {
      return await createSession(store, { ...shared, id: key })
    } catch (error) {
      // Another process created it in the meantime.
      if (!isSessionError(error, 'ERR_EXISTS')) throw error
    }
  }
  const continued = { quiet, strict, toolPolicy, isRetryable, mode: 'append', id: key } as const
  const { session } = await resumeSession(store, { ...shared, ...continued })
  return session!
}
