// Who names one file must hear why it cannot be read; who looks at many passes over it.

import { isSessionError, SessionError } from '../errors.js'
import { endOfLines } from '../log/inside.js'
import type { Skipped } from './session-digest.js'

/** Throws what reading it would: not there, not for this user, or no file at all. */
export function refuseUnreadable(path: string): void {
  endOfLines(path)
}

/** A file that was named as a transcript, and is none. */
export function refuseSkipped({ path, reason }: Skipped): never {
  try {
    refuseUnreadable(path)
  } catch (error) {
    // A path that leads through a file leads nowhere.
    if (!isSessionError(error) || error.details['errno'] !== 'ENOTDIR') throw error
  }
  throw new SessionError('ERR_NOT_FOUND', `${path} is no transcript (${reason})`, { path })
}
