// How full the context is: the host's count, the provider's, or an estimate that says how sure it
// is. What was counted before a compaction never counts again.

import { expect, test } from 'vitest'
import { contextOf, measure, shouldCompact } from '../../lib/compaction/index.js'
import { History } from '../chain/history.js'
import { conversation, longTalk, projectionOf } from './conversation.js'

const usageOf = (history: History, options?: Parameters<typeof measure>[1]) =>
  measure(contextOf(projectionOf(history)), options).usage

/** A reply of 360 bytes with the provider's count of what came before it. */
function reply(history: History, uuid: string, usage: object, content: unknown = 'y'.repeat(360)) {
  return history.add({ type: 'assistant', uuid, payload: { content, usage } })
}

function prompt(history: History, uuid: string, bytes = 360) {
  return history.add({ type: 'user', uuid, payload: { content: 'x'.repeat(bytes) } })
}

// Requirements: 002-13, 002-14, T54
test('compaction is due at 170,000 of 200,000 tokens and not one before', () => {
  const policy = { maxTokens: 200_000 }
  expect(shouldCompact({ tokens: 169_999, messages: 1 }, policy)).toBeUndefined()
  expect(shouldCompact({ tokens: 170_000, messages: 1 }, policy)).toBe('tokens')
})

test('the reserve is at most half of a small window', () => {
  const policy = { maxTokens: 8000 }
  expect(shouldCompact({ tokens: 3999, messages: 1 }, policy)).toBeUndefined()
  expect(shouldCompact({ tokens: 4000, messages: 1 }, policy)).toBe('tokens')
})

test('compaction is due by the number of messages where that is limited', () => {
  const policy = { maxMessages: 50 }
  expect(shouldCompact({ tokens: 9e9, messages: 50 }, policy)).toBeUndefined()
  expect(shouldCompact({ tokens: 0, messages: 51 }, policy)).toBe('messages')
  expect(shouldCompact({ tokens: 9e9, messages: 9e9 }, {})).toBeUndefined()
})

test.for([
  [{ maxTokens: -1 }, /maxTokens must be from 0/],
  [{ maxTokens: Number.NaN }, /maxTokens/],
  [{ keepPercent: 120 }, /keepPercent must be from 0 to 100/],
  [{ maxTokens: '200000' as never }, /maxTokens must be a number/],
  [{ preferCheckpoint: 1 as never }, /preferCheckpoint must be a boolean/],
] as const)('a policy of %j is refused', ([policy, message]) => {
  expect(() => shouldCompact({ tokens: 1, messages: 1 }, policy)).toThrow(message)
})

// Requirement: 002-01
test('the count of the host is used as it is', () => {
  const history = reply(prompt(new History(), 'u1'), 'a1', {
    input_tokens: 900,
    output_tokens: 100,
  })
  expect(usageOf(history, { tokens: 1234 })).toMatchObject({
    tokens: 1234,
    source: 'host',
    margin: 0,
  })
  expect(() => usageOf(history, { tokens: Number.NaN })).toThrow(/ERR_ARG|0 or more/)
})

// Requirement: 002-01
test('the last count of the provider covers its reply; only later messages are estimated', () => {
  const history = prompt(new History(), 'u1')
  reply(history, 'a1', {
    input_tokens: 100,
    output_tokens: 50,
    cache_read_tokens: 800,
    cache_write_tokens: 50,
  })
  expect(usageOf(history)).toMatchObject({ tokens: 1000, source: 'usage', margin: 0 })
  prompt(history, 'u2')
  // 360 bytes at 3.6 bytes each, and 4 for the message itself.
  expect(usageOf(history)).toMatchObject({ tokens: 1104, source: 'usage', margin: 26 })
})

test('reads the names that Anthropic uses for cached tokens', () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 900,
    cache_creation_input_tokens: 85,
  }
  expect(usageOf(reply(new History(), 'a1', usage)).tokens).toBe(1000)
})

test('the tool calls of a reply are part of its count', () => {
  const history = reply(prompt(new History(), 'u1'), 'a1', {
    input_tokens: 900,
    output_tokens: 100,
  })
  conversation('c1:t1 c2:t2', history)
  expect(usageOf(history).tokens).toBe(1000)
  conversation('r1:t1', history)
  expect(usageOf(history).tokens).toBeGreaterThan(1000)
})

// Requirement: 002-01
test('without any count the bytes are used, plus the overhead that the host states', () => {
  const history = prompt(new History(), 'u1')
  expect(usageOf(history)).toEqual({
    tokens: 104,
    source: 'estimate',
    margin: 26,
    messages: 1,
    bytesPerToken: 3.6,
    samples: 0,
  })
  expect(usageOf(history, { overheadTokens: 9000 }).tokens).toBe(9104)
})

test('bytes per token are learnt from what the provider counted between two replies', () => {
  const history = new History()
  // Every turn adds 720 bytes, which this model takes for 360 tokens; the system prompt is unknown.
  for (let turn = 0; turn < 5; turn++) {
    prompt(history, `u${turn}`)
    reply(history, `a${turn}`, { input_tokens: 7000 + turn * 360 + 180, output_tokens: 180 })
  }
  prompt(history, 'u9', 1000)
  const usage = usageOf(history)
  expect(usage).toMatchObject({ bytesPerToken: 2, samples: 4, source: 'usage' })
  expect(usage.tokens).toBe(7000 + 5 * 360 + 500)
  // A quarter, divided by the number of samples.
  expect(usage.margin).toBe(Math.ceil(500 * (0.25 / 4)))
})

test('replies with different ratios make the margin larger', () => {
  const margins = [0, 150].map((swing) => {
    const history = new History()
    let tokens = 1000
    for (let turn = 0; turn < 8; turn++) {
      prompt(history, `u${turn}`)
      tokens += 250 + (turn % 2 === 0 ? swing : -swing)
      reply(history, `a${turn}`, { input_tokens: tokens, output_tokens: 1 })
    }
    return usageOf(prompt(history, 'u9', 3600)).margin
  })
  expect(margins[1]).toBeGreaterThan(margins[0]! * 5)
})

test('implausible counts and pictures do not change the ratio', () => {
  const history = new History()
  const picture = [{ type: 'image', source: { type: 'base64', data: 'A'.repeat(100_000) } }]
  reply(history, 'a1', { input_tokens: 1000, output_tokens: 1 })
  history.add({ type: 'user', uuid: 'u1', payload: { content: picture } })
  reply(history, 'a2', { input_tokens: 2600, output_tokens: 1 })
  reply(history, 'a3', { input_tokens: 5, output_tokens: 1 })
  reply(history, 'a4', { input_tokens: 'many', output_tokens: null })
  expect(usageOf(history)).toMatchObject({ samples: 0, bytesPerToken: 3.6 })
})

test('a picture counts as a picture, not by its bytes', () => {
  const content = [{ type: 'image', source: { type: 'base64', data: 'A'.repeat(4_000_000) } }]
  const history = new History().add({ type: 'user', uuid: 'u1', payload: { content } })
  expect(usageOf(history).tokens).toBeLessThan(2000)
  const inside = [{ type: 'tool_result', tool_use_id: 't', content }]
  history.add({ type: 'user', uuid: 'u2', payload: { content: inside } })
  expect(usageOf(history).tokens).toBeLessThan(4000)
})

test('the counter of the host replaces the estimate', () => {
  const history = longTalk(10)
  const countTokens = () => 7
  expect(usageOf(history, { countTokens })).toMatchObject({ tokens: 70, margin: 0 })
  expect(() => usageOf(history, { countTokens: () => 'x' as never })).toThrow(TypeError)
})

// Requirement: T19
test('counts from before a compaction are ignored', () => {
  const history = longTalk(10)
  reply(history, 'a11', { input_tokens: 180_000, output_tokens: 500 })
  expect(shouldCompact(usageOf(history), { maxTokens: 200_000 })).toBe('tokens')
  history.compact({ summary: 'S', head: 'm10', tail: 'a11' })
  const after = usageOf(history)
  expect(after.source).toBe('estimate')
  expect(after.tokens).toBeLessThan(500)
  // The next reply counts the present context.
  reply(prompt(history, 'u12'), 'a12', { input_tokens: 2000, output_tokens: 100 })
  expect(usageOf(history)).toMatchObject({ tokens: 2100, source: 'usage' })
})

test('measures a payload that is nested deeper than the stack', () => {
  let deep: unknown = 'x'
  for (let level = 0; level < 50_000; level++) deep = [deep]
  const event = {
    type: 'tool_result',
    ts: '',
    uuid: 'r',
    prev_uuid: null,
    payload: { content: deep },
  }
  const entries = [{ kind: 'event', file: 'log', event, byte_offset: 0 }] as const
  const continuation = { entries, compactedCount: 0, diagnostics: [] }
  const source = { entries, compactedCount: 0, lastBoundary: null, continuation }
  expect(measure(contextOf(source)).usage.tokens).toBeGreaterThan(0)
})
