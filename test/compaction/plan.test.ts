// Where a conversation is cut: by count, by name, and never between a call and its result.

import { expect, test } from 'vitest'
import { planCompaction } from '../../lib/compaction/index.js'
import { History } from '../chain/history.js'
import { conversation, longTalk, namesOf, projectionOf } from './conversation.js'

type Options = Parameters<typeof planCompaction>[1]

function plan(text: string, options: Options) {
  const { keeps, covered, kept } = planCompaction(projectionOf(conversation(text)), options)
  return `${namesOf(covered)} | ${namesOf(kept)}${keeps === 'suffix' ? '' : ` (${keeps})`}`
}

const one = { keepPercent: 0, minKeepMessages: 1 }
const keep = (minKeepMessages: number) => ({ keepPercent: 0, minKeepMessages })

// Requirement: 002-15
test('keeps a tenth, at least five messages, from a prompt on', () => {
  const hundred = planCompaction(projectionOf(longTalk(100)))
  expect([hundred.covered.length, hundred.kept.length]).toEqual([90, 10])
  const ten = planCompaction(projectionOf(longTalk(10)))
  // Five would begin with a reply; one more and the prompt it answers stays, too.
  expect([ten.covered.length, ten.kept.length]).toEqual([4, 6])
  expect(ten.kept[0]!.type).toBe('user')
})

// Requirement: T18
test.for([
  ['events', 'u1 a1 u2 c1:t1 r1:t1 a2', one, 'u1 a1 u2 c1 r1 | a2'],
  ['events', 'u1 a1 u2 c1:t1 r1:t1', one, 'u1 a1 | u2 c1 r1'],
  ['events', 'u1 a1 u2 c1:t1 r1:t1 a2', keep(2), 'u1 a1 | u2 c1 r1 a2'],
  ['parallel events', 'u1 c1:t1 c2:t2 r1:t1 r2:t2 a2', keep(2), 'u1 | c1 c2 r1 r2 a2'],
  ['blocks', 'u1 a1 u2 C1:t1,t2 R1:t1,t2 a2', keep(2), 'u1 a1 | u2 C1 R1 a2'],
  ['blocks, results apart', 'u1 C1:t1,t2 R1:t1 R2:t2 a2', keep(2), 'u1 | C1 R1 R2 a2'],
  ['both shapes', 'u1 C1:t1 c1:t2 R1:t1 r1:t2 a2', keep(2), 'u1 | C1 c1 R1 r1 a2'],
  ['a late result', 'u1 a1 u2 c1:t1 u3 r1:t1 a3', keep(2), 'u1 a1 | u2 c1 u3 r1 a3'],
] as const)('a call stays with its result: %s', ([, text, options, expected]) => {
  expect(plan(text, options)).toBe(expected)
})

test('keeps a call that may still be answered, and everything after it', () => {
  expect(plan('u1 a1 u2 c1:t1 c2:t2 r2:t2', one)).toBe('u1 a1 | u2 c1 c2 r2')
  expect(plan('u1 a1 u2 C1:t1', one)).toBe('u1 a1 | u2 C1')
})

test('a call that the conversation has left behind can be covered', () => {
  expect(plan('u1 c1:t1 u2 a2 u3 a3', one)).toBe('u1 c1 u2 a2 | u3 a3')
})

test('keeps the parts of one reply together where possible', () => {
  expect(plan('u1 a1 u2 a2 a3 a4', keep(2))).toBe('u1 a1 | u2 a2 a3 a4')
  expect(plan('a1 a2 a3 a4 a5 a6', keep(2))).toBe('a1 a2 a3 a4 | a5 a6')
})

test('the cut moves forward where it cannot move back, so that something is covered', () => {
  expect(plan('c1:t1 r1:t1 a1 u1', keep(3))).toBe('c1 r1 | a1 u1')
  expect(plan('u1 a1', keep(5))).toBe('u1 | a1')
})

test('a summary alone is not compacted', () => {
  for (const text of ['', 'u1', 'c1:t1 r1:t1', 'C1:t1,t2 R1:t1 R2:t2', 'c1:t1']) {
    expect(() => plan(text, {}), text).toThrow(/ERR_NOTHING|no message to summarize/)
  }
  const history = longTalk(6).compact({ summary: 'S', head: 'm6', tail: 'm6' })
  expect(() => planCompaction(projectionOf(history))).toThrow(/no message to summarize/)
})

test('an older summary is covered with the messages after it, and not counted as a message', () => {
  const history = longTalk(20).compact({ summary: 'S', head: 'm19', tail: 'm20' })
  for (const uuid of ['u21', 'u22', 'u23', 'u24', 'u25', 'u26']) history.m(uuid)
  const { covered, kept } = planCompaction(projectionOf(history))
  expect(namesOf(covered)).toBe('S m19 m20 u21')
  expect(namesOf(kept)).toBe('u22 u23 u24 u25 u26')
})

test.for([
  [{ upTo: 'a1' }, 'u1 a1 | u2 c1 r1 a2'],
  [{ upTo: 'c1' }, 'u1 a1 u2 | c1 r1 a2'],
  [{ upTo: 'a2' }, 'u1 a1 u2 c1 r1 a2 |  (nothing)'],
  [{ from: 'u2' }, 'u2 c1 r1 a2 | u1 a1 (prefix)'],
  [{ from: 'r1' }, 'c1 r1 a2 | u1 a1 u2 (prefix)'],
  [{ from: 'u1' }, 'u1 a1 u2 c1 r1 a2 |  (nothing)'],
] as const)('%j sums up one end and keeps the other', ([options, expected]) => {
  expect(plan('u1 a1 u2 c1:t1 r1:t1 a2', options)).toBe(expected)
})

test('a plan with `from` keeps a call whose result may still come', () => {
  expect(plan('u1 a1 u2 a2 u3 c1:t1', { from: 'u2' })).toBe('u2 a2 u3 | u1 a1 c1 (prefix)')
  expect(() => plan('u1 c1:t1 c2:t1', { from: 'c1' })).not.toThrow()
})

test('rejects a uuid that the model does not see, and `from` together with `upTo`', () => {
  expect(() => plan('u1 a1', { upTo: 'no' })).toThrow(/"no" is not among/)
  expect(() => plan('u1 a1', { upTo: 'u1', from: 'a1' })).toThrow(/cannot be combined/)
  expect(() => plan('u1 a1', { keepPercent: 101 })).toThrow(/keepPercent/)
  expect(() => plan('u1 a1', { keepPercent: '10' as never })).toThrow(TypeError)
})

test('keeps fewer messages while the context would be too large', () => {
  const history = longTalk(10, 40)
  for (const uuid of ['b1', 'b2', 'b3', 'b4']) {
    history.add({ type: 'user', uuid, payload: { content: 'y'.repeat(3600) } })
  }
  const projection = projectionOf(history)
  expect(namesOf(planCompaction(projection).kept)).toBe('m9 m10 b1 b2 b3 b4')
  const small = planCompaction(projection, { maxTokensAfter: 2500, summaryMaxTokens: 400 })
  expect(namesOf(small.kept)).toBe('b3 b4')
  expect(small.tokensAfter).toBeLessThanOrEqual(2500)
  // Where no cut reaches it, what was asked for stays.
  expect(namesOf(planCompaction(projection, { maxTokensAfter: 10 }).kept)).toBe(
    'm9 m10 b1 b2 b3 b4',
  )
})

test('an event whose uuid refers to another event is never the first kept one', () => {
  const history = longTalk(12)
  history.again('m9')
  const { kept } = planCompaction(projectionOf(history), keep(4))
  expect(namesOf(kept)).toBe('m7 m8 m9 m10 m11 m12')
})

test('tokens before, covered and after add up', () => {
  const { tokensBefore, tokensCovered, tokensAfter, usage } = planCompaction(
    projectionOf(longTalk(100, 400)),
  )
  expect(usage).toMatchObject({ tokens: tokensBefore, source: 'estimate', messages: 100 })
  expect(tokensAfter).toBe(tokensBefore - tokensCovered + 2000)
})

test('a plan does not change when the conversation continues', () => {
  const history = new History()
  conversation('u1 a1 u2 a2', history)
  const first = planCompaction(projectionOf(history), keep(2))
  const copy = { covered: namesOf(first.covered), kept: namesOf(first.kept) }
  history.m('u3')
  expect({ covered: namesOf(first.covered), kept: namesOf(first.kept) }).toEqual(copy)
})
