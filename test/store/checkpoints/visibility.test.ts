// Caps and retention are rules for reading, and the time is an argument.

import { expect, test } from 'vitest'
import type { CheckpointItem, ShardItem } from '../../../lib/store/checkpoints/read-shard.js'
import { retentionRules, visibleItems } from '../../../lib/store/checkpoints/visible.js'
import { DAY_MS, NOW } from './checkpoint-lines.js'

const MINUTE_MS = 60_000

/** From newest to oldest. */
function entries(
  ...given: { session?: string; ageMs?: number; id?: string; hasMemories?: boolean }[]
): CheckpointItem[] {
  return given.map(({ session: sessionKey = 's', ageMs = 0, id, hasMemories = false }, number) => ({
    id: id ?? String(number),
    sessionKey,
    createdAtMs: NOW - ageMs,
    projectNormalized: '/work/app',
    hasMemories,
    byteOffset: 10_000 - number,
    length: 1,
  }))
}

const tombstone = (targetId: string): ShardItem => ({ targetId })

/** Takes them newest first; a shard has them the other way round. */
function visible(items: readonly ShardItem[], options: Parameters<typeof retentionRules>[0] = {}) {
  const found = visibleItems(items.toReversed(), { rules: retentionRules(options), now: NOW })
  return found.map(({ id }) => id)
}

// Requirements: 000-32, 000-63
test('shows the newest 50 of a session', () => {
  const items = entries(...Array.from({ length: 51 }, () => ({})))
  expect(visible(items)).toHaveLength(50)
  expect(visible(items)).not.toContain('50')
  expect(visible(items.slice(1))).toContain('50')
  const two = [...items, ...entries(...Array.from({ length: 50 }, () => ({ session: 't' })))]
  const other = two.map((entry, index) => ({ ...entry, id: String(index) }))
  expect(visible(other)).toHaveLength(100)
})

// Requirements: 000-36, 000-37, 000-64, 000-82
test('hides what is older than seven days except the newest of a session, unless retention is strict', () => {
  const week = 7 * DAY_MS
  const items = entries(
    { session: 'a', ageMs: 0 },
    { session: 'a', ageMs: week },
    { session: 'a', ageMs: week + 1 },
    { session: 'b', ageMs: 8 * DAY_MS },
    { session: 'b', ageMs: 9 * DAY_MS },
  )
  expect(visible(items)).toEqual(['0', '1', '3'])
  expect(visible(items, { strictRetention: true })).toEqual(['0', '1'])
})

// Requirement: 004-07
test('keeps what has memories however old it is and however many came after it, unless retention is strict', () => {
  const items = entries(
    { ageMs: 0 },
    { ageMs: 8 * DAY_MS },
    { ageMs: 90 * DAY_MS, hasMemories: true },
  )
  expect(visible(items)).toEqual(['0', '2'])
  expect(visible(items, { maxCheckpointsPerSession: 1 })).toEqual(['0', '2'])
  expect(visible(items, { strictRetention: true })).toEqual(['0'])
})

// Requirements: 000-63, 000-64
test('clamps limits to their range and replaces other values by the default', () => {
  const rules = (max: unknown, days: unknown) =>
    retentionRules({ maxCheckpointsPerSession: max as number, retentionDays: days as number })
  expect(rules(0, 0)).toMatchObject({ maxPerSession: 1, maxAgeMs: DAY_MS })
  expect(rules(501, 91)).toMatchObject({ maxPerSession: 500, maxAgeMs: 90 * DAY_MS })
  expect(rules(2.9, 3.9)).toMatchObject({ maxPerSession: 2, maxAgeMs: 3 * DAY_MS })
  expect(rules(Number.NaN, 'x')).toMatchObject({ maxPerSession: 50, maxAgeMs: 7 * DAY_MS })
  expect(rules(undefined, undefined)).toMatchObject({ maxPerSession: 50, maxAgeMs: 7 * DAY_MS })
})

test('a tombstone hides what is before it in the file, not what is after it', () => {
  const [newer, older] = entries({ id: 'x' }, { id: 'x' })
  expect(visible([tombstone('x'), newer!, older!])).toEqual([])
  expect(visible([newer!, tombstone('x'), older!])).toEqual(['x'])
})

test('a deleted checkpoint counts for no cap and is not the newest of its session', () => {
  const many = entries(...Array.from({ length: 51 }, () => ({})))
  expect(visible([tombstone('3'), ...many])).toHaveLength(50)
  const old = entries({ ageMs: 8 * DAY_MS }, { ageMs: 9 * DAY_MS })
  expect(visible([tombstone('0'), ...old])).toEqual(['1'])
})

test('of a repeated id the last counts', () => {
  const [newer, older] = entries({ id: 'x', session: 'a' }, { id: 'x', session: 'b' })
  const found = visibleItems([older!, newer!], { rules: retentionRules(), now: NOW })
  expect(found).toMatchObject([{ id: 'x', sessionKey: 'a' }])
})

// Requirement: 000-12
test('the cap counts by time, then by place in the file', () => {
  const [late, early, between] = entries({ ageMs: 5 }, { ageMs: 9 }, { ageMs: 7 })
  expect(visible([early!, late!, between!])).toEqual(['0', '2', '1'])
  expect(visible([early!, late!, between!], { maxCheckpointsPerSession: 2 })).toEqual(['0', '2'])
  expect(visible(entries({ ageMs: 5 }, { ageMs: 5 }))).toEqual(['0', '1'])
})

test('a time more than five minutes ahead counts by its place, so a wrong clock hides nothing', () => {
  const wrong = { ageMs: -6 * MINUTE_MS }
  const order = visible(entries({ ageMs: 1 }, wrong, { ageMs: 3 }, { ageMs: 9 }))
  expect(order).toEqual(['0', '1', '2', '3'])
  // It is as new as the newest before it, not as the line just before it.
  expect(visible(entries({ ageMs: 2 }, wrong, { ageMs: 9 }, { ageMs: 3 }))).toEqual([
    '0',
    '1',
    '3',
    '2',
  ])
  expect(visible(entries({ ageMs: 1 }, { ageMs: -5 * MINUTE_MS }))).toEqual(['1', '0'])
  // A reader whose clock is behind goes by the places alone.
  expect(visible(entries(wrong, { ageMs: -9 * DAY_MS }, wrong))).toEqual(['0', '1', '2'])
})
