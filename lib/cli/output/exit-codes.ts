// The exit codes. Scripts rely on these numbers; docs/CLI.md documents them.

import { isSessionError, type SessionErrorCode } from '../../errors.js'

export const EXIT = {
  /** Done, or nothing to do. */
  done: 0,
  /** The answer is no: no match, findings, or something was left undone. */
  no: 1,
  /** Wrong use, or the operation failed. */
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
