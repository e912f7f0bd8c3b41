// Who names one file must hear why it cannot be read; who looks at many passes over it.

import { isSessionError, SessionError } from '../../errors.js'
import { endOfLines } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import type { Unreadable } from './session-info.js'

/** Throws what reading it would: not there, not for this user, or no file at all. */
export function assertReadable({ env }: StoreContext, path: string): void {
  endOfLines(path, env)
}

/** Throws why a file that was named as a transcript is not one. */
export function rejectUnreadable(store: StoreContext, { path, reason }: Unreadable): never {
  try {
    assertReadable(store, path)
  } catch (error) {
    // A path that leads through a file leads nowhere.
    if (!isSessionError(error) || error.details['errno'] !== 'ENOTDIR') throw error
  }
  throw new SessionError('ERR_NOT_FOUND', `${path} is no transcript (${reason})`, { path })
}
