// Times in payloads of any shape.

import { expect, test } from 'vitest'
import { knownTimeOf, parseGivenTime, timeOf } from '../../lib/format/fields.js'
import { UNKNOWN_TIME } from '../../lib/format/limits.js'

const TIME = '2026-01-31T12:00:00.000Z'

test('a time is returned in UTC with milliseconds, and null for what is none', () => {
  expect([TIME, '2026-01-31T13:00:00+01:00'].map(timeOf)).toEqual([TIME, TIME])
  expect([undefined, 5, 'soon'].map(timeOf)).toEqual([null, null, null])
})

test('the placeholder for an unknown time is no known time', () => {
  expect([TIME, UNKNOWN_TIME].map(knownTimeOf)).toEqual([TIME, null])
})

test('a day that its month does not have is refused where a person gives it', () => {
  expect(['2026-01-31', TIME].map(parseGivenTime)).toEqual(['2026-01-31T00:00:00.000Z', TIME])
  expect(['2026-02-30', '2026-02-30T00:00:00.000Z'].map(parseGivenTime)).toEqual([null, null])
  expect(parseGivenTime('31 Jan 2026 12:00 UTC')).toBe(TIME)
})
