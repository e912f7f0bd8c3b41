// Reads single fields of a payload that may have any shape.

import { UNKNOWN_TIME } from './limits.js'

/** An ISO 8601 time in UTC with milliseconds, which sorts as text; `null` for an invalid time. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return value
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Like `timeOf`, for a time that a person gives: `null` also for a day that its month does not have. */
export function parseGivenTime(value: string): string | null {
  // `Date` takes 2026-02-30 for March 2.
  const [date] = /^\d{4}-\d\d-\d\d/.exec(value) ?? []
  const isReal = date === undefined || timeOf(date)?.startsWith(date) === true
  return isReal ? timeOf(value) : null
}

/** Like `timeOf`, and `null` for the placeholder that an import writes where its source has no time. */
export function knownTimeOf(value: unknown): string | null {
  const time = timeOf(value)
  return time === UNKNOWN_TIME ? null : time
}

/** The fields of a payload; no fields if it is not an object. */
export function fieldsOf(payload: unknown): Readonly<Record<string, unknown>> {
  return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
}

/** A string that is not empty, else `null`. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The event that this one repeats, because a compaction was undone; else `null`. */
export function copiedFromOf(payload: unknown): string | null {
  return textOf(fieldsOf(payload)['copied_from'])
}
