// How many of something are wanted.

import { SessionError } from '../errors.js'

/** A whole number from 0, or no limit at all. */
export function checkLimit(limit: number): void {
  if (typeof limit !== 'number') throw new TypeError('limit must be a number')
  if ((Number.isSafeInteger(limit) && limit >= 0) || limit === Number.POSITIVE_INFINITY) return
  throw new SessionError('ERR_ARG', 'limit must be a whole number from 0', { limit })
}
