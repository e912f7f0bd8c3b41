// What the exit code says. Scripts rely on these numbers; see CLI in the README.

import { isSessionError, type SessionErrorCode } from '../errors.js'

export const EXIT = {
  done: 0,
  /** The answer is no: no match, findings, nothing to do. */
  no: 1,
  /** Wrong use, or the disk failed. */
  failed: 2,
  notFound: 3,
  degraded: 4,
  locked: 5,
} as const

const BY_CODE: Partial<Record<SessionErrorCode, number>> = {
  ERR_NOT_FOUND: EXIT.notFound,
  ERR_DAMAGED: EXIT.degraded,
  ERR_LOCKED: EXIT.locked,
  ERR_LOCK_OBSTRUCTED: EXIT.locked,
  ERR_CLAIMED: EXIT.locked,
}

export function exitCodeOf(error: unknown): number {
  return isSessionError(error) ? (BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed
}
