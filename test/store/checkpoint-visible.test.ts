// Caps and retention are rules for reading, and the time is an argument.

import { expect, test } from 'vitest'
import type { CheckpointEntry, ShardItem } from '../../lib/store/checkpoint-items.js'
import { retentionRules, visibleEntries } from '../../lib/store/checkpoint-visible.js'
import { DAY_MS, NOW } from './checkpoint-lines.js'

/** From newest to oldest, as a shard is read. */
function entries(...told: { session?: string; ageMs?: number; id?: string }[]): CheckpointEntry[] {
  return told.map(({ session = 's', ageMs = 0, id }, index) => ({
    id: id ?? String(index),
    session_key: session,
    createdAtMs: NOW - ageMs,
    project_normalized: '/work/app',
    trigger: 'periodic',
    byte_offset: 10_000 - index,
    length: 1,
  }))
}

const tombstone = (target_id: string): ShardItem => ({ target_id, byte_offset: 0, length: 1 })

function visible(items: readonly ShardItem[], options: Parameters<typeof retentionRules>[0] = {}) {
  const found = visibleEntries(items, { rules: retentionRules(options), now: NOW })
  return Array.from(found, ({ id }) => id)
}

test('of one session the newest 50 are visible; the 51st hides the first (000-32, 000-63)', () => {
  const items = entries(...Array.from({ length: 51 }, () => ({})))
  expect(visible(items)).toHaveLength(50)
  expect(visible(items)).not.toContain('50')
  expect(visible(items.slice(1))).toContain('50')
  const two = [...items, ...entries(...Array.from({ length: 50 }, () => ({ session: 't' })))]
  const other = two.map((entry, index) => ({ ...entry, id: String(index) }))
  expect(visible(other)).toHaveLength(100)
})

test('seven days hide all but the newest of a session, and strict retention that too (000-36, 000-37, 000-64, 000-82)', () => {
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

test('limits outside their range are the nearest inside, and no numbers are the default (000-63, 000-64)', () => {
  const rules = (max: unknown, days: unknown) =>
    retentionRules({ maxCheckpointsPerSession: max as number, retentionDays: days as number })
  expect(rules(0, 0)).toMatchObject({ maxPerSession: 1, maxAgeMs: DAY_MS })
  expect(rules(501, 91)).toMatchObject({ maxPerSession: 500, maxAgeMs: 90 * DAY_MS })
  expect(rules(2.9, 3.9)).toMatchObject({ maxPerSession: 2, maxAgeMs: 3 * DAY_MS })
  expect(rules(Number.NaN, 'x')).toMatchObject({ maxPerSession: 50, maxAgeMs: 7 * DAY_MS })
  expect(rules(undefined, undefined)).toMatchObject({ maxPerSession: 50, maxAgeMs: 7 * DAY_MS })
})

test('a tombstone hides what stands before it, and what stands after it is another story', () => {
  const [newer, older] = entries({ id: 'x' }, { id: 'x' })
  expect(visible([tombstone('x'), newer!, older!])).toEqual([])
  expect(visible([newer!, tombstone('x'), older!])).toEqual(['x'])
})

test('what is deleted counts for no cap, and gives its place as the newest to the one before it', () => {
  const many = entries(...Array.from({ length: 51 }, () => ({})))
  expect(visible([tombstone('3'), ...many])).toHaveLength(50)
  const old = entries({ ageMs: 8 * DAY_MS }, { ageMs: 9 * DAY_MS })
  expect(visible([tombstone('0'), ...old])).toEqual(['1'])
})

test('of a repeated id the newest counts', () => {
  const [newer, older] = entries({ id: 'x', session: 'a' }, { id: 'x', session: 'b' })
  const found = visibleEntries([newer!, older!], { rules: retentionRules(), now: NOW })
  expect([...found]).toEqual([newer])
})

test('what is lost counts for nothing', () => {
  const items = entries({ ageMs: 8 * DAY_MS }, { ageMs: 9 * DAY_MS })
  const isLost = ({ id }: CheckpointEntry) => id === '0'
  const found = visibleEntries(items, { rules: retentionRules(), now: NOW, isLost })
  expect([...found]).toEqual([items[1]])
})

test('nobody reads further than somebody asks', () => {
  let read = 0
  function* counted(): Generator<ShardItem> {
    for (const item of entries({}, {}, {})) {
      read++
      yield item
    }
  }
  visibleEntries(counted(), { rules: retentionRules(), now: NOW }).next()
  expect(read).toBe(1)
})
