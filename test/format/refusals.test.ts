// What is refused is refused for what it is, and told by its place.

import { expect, it } from 'vitest'
import {
  assertNoPermissionState,
  assertTime,
  assertUuid,
  isOnChainType,
  stringifyPayload,
} from '../../lib/format/index.js'

it('a time that a lenient reader would take is refused all the same', () => {
  for (const text of ['+002026-01-31T12:34:56.789Z', '-002026-01-31T12:34:56.789Z']) {
    expect(Number.isNaN(Date.parse(text))).toBe(false)
    expect(() => assertTime(text)).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
  }
})

it('the error of a refused uuid has its beginning', () => {
  expect(() => assertUuid(`"${'x'.repeat(1000)}`, 'prev_uuid')).toThrow(
    expect.objectContaining({ details: { prev_uuid: `"${'x'.repeat(127)}` } }),
  )
})

it('an object that is refused is named by its own place, not by one inside it', () => {
  class Something {}
  for (const wrong of [new Date(Number.NaN), new Something()]) {
    expect(() => stringifyPayload({ a: [wrong] })).toThrow(
      expect.objectContaining({ details: { jsonPath: 'payload.a[0]' } }),
    )
  }
})

it('the error for permission state names the type of the event', () => {
  const details = { type: 'of_somebody' }
  const code = 'ERR_PERMISSION_STATE'
  expect(() => assertNoPermissionState('of_somebody', { permissions: 1 })).toThrow(
    expect.objectContaining({ code, details }),
  )
  expect(() => assertNoPermissionState('permission_given', {})).toThrow(
    expect.objectContaining({ code, details: { type: 'permission_given' } }),
  )
})

it('a known type decides whether it is on the chain, an unknown one does not', () => {
  expect(['user', 'turn_end', 'of_somebody'].map(isOnChainType)).toEqual([true, false, undefined])
})
