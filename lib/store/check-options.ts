// Checks of options that callers pass as numbers.

import { SessionError } from '../errors.js'

/** A whole number from 0, or no limit at all. */
export function checkLimit(limit: number): void {
  if (typeof limit !== 'number') throw new TypeError('limit must be a number')
  if ((Number.isSafeInteger(limit) && limit >= 0) || limit === Number.POSITIVE_INFINITY) return
  throw new SessionError('ERR_ARG', 'limit must be a non-negative integer', { limit })
}

export interface Range {
  readonly least: number
  readonly most: number
  /** For one that is not given, or not finite. */
  readonly otherwise: number
}

/** The whole number inside the range that is nearest. */
export function clamp(name: string, value: number | undefined, range: Range): number {
  const { least, most, otherwise } = range
  if (value === undefined) return otherwise
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`)
  if (!Number.isFinite(value)) return otherwise
  return Math.min(most, Math.max(least, Math.trunc(value)))
}
