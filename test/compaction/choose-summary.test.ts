// Where a summary comes from: a checkpoint that has seen all that goes, the first summarizer, the
// others, any checkpoint, a stub. Always in this order, and always with a text at the end.

import { expect, test } from 'vitest'
import {
  Breaker,
  type CheckpointSummary,
  chooseSummary,
  contextOf,
  findPlan,
  type PlanOptions,
  policySettings,
  type Summarizer,
  type SummaryChain,
  type SummaryRequest,
} from '../../lib/compaction/index.js'
import { systemEnvironment } from '../../lib/environment/index.js'
import type { History } from '../chain/history.js'
import { conversation, longTalk, namesOf, projectionOf } from './conversation.js'

const SECRET_PATH = '/store/.transcripts/s.jsonl'

/** A summarizer that returns a given text, and records that it was asked. */
function saying(name: string, asked: string[]): Summarizer {
  return async () => {
    asked.push(name)
    return { text: `by ${name}`, model: name }
  }
}

function failing(name: string, asked: string[]): Summarizer {
  return async () => {
    asked.push(name)
    throw new Error(`${name} is down`)
  }
}

interface ChainOptions {
  summarizers?: readonly Summarizer[]
  checkpoints?: readonly CheckpointSummary[]
  policy?: Parameters<typeof policySettings>[0]
  plan?: PlanOptions
  breaker?: Breaker
  signal?: AbortSignal
}

function choose(history: History, options: ChainOptions = {}) {
  const settings = policySettings(options.policy)
  const planOptions = { keepPercent: settings.keepPercent, ...options.plan }
  const plan = findPlan(contextOf(projectionOf(history)), planOptions)!
  const chain: SummaryChain = {
    env: systemEnvironment,
    settings,
    planOptions,
    summarizers: options.summarizers ?? [],
    breaker: options.breaker ?? new Breaker(settings, () => 0),
    instructions: 'summarize it',
    findCheckpoints: () => options.checkpoints ?? [],
    sessionKey: 's',
    transcriptPath: SECRET_PATH,
    signal: options.signal,
  }
  return chooseSummary(plan, chain)
}

const checkpoint = (fields: Partial<CheckpointSummary>): CheckpointSummary => ({
  id: 'k1',
  digest: 'a list of prompts',
  last_uuid: 'm90',
  structured: { summary: 'the checkpoint says', topics: ['x', 'y'], keyDecisions: ['use z'] },
  tokensAtCheckpoint: 1_000_000,
  cycle: null,
  ...fields,
})

// Requirements: 002-11, 002-17, 002-18, 002-19, T55
test('the first summarizer is asked, then the others, then a stub is written', async () => {
  const asked: string[] = []
  const talk = longTalk(100)
  const good = await choose(talk, { summarizers: [saying('one', asked), saying('two', asked)] })
  expect(good).toMatchObject({
    strategy: 'primary',
    text: 'by one',
    model: 'one',
    needsRetry: false,
  })
  expect(asked.splice(0)).toEqual(['one'])

  const second = await choose(talk, { summarizers: [failing('one', asked), saying('two', asked)] })
  expect(second).toMatchObject({ strategy: 'fallback', text: 'by two', needsRetry: false })
  expect(second.failures).toMatchObject([{ step: 'primary', error: { code: 'ERR_SUMMARIZER' } }])
  expect(asked.splice(0)).toEqual(['one', 'two'])

  const none = await choose(talk, { summarizers: [failing('one', asked), failing('two', asked)] })
  expect(none).toMatchObject({ strategy: 'emergency', needsRetry: true })
  expect(none.failures.map(({ step }) => step)).toEqual(['primary', 'fallback'])
  expect(asked).toEqual(['one', 'two'])
})

// Requirements: 002-19, T57
test('an emergency keeps a fifth, and its stub says how much is missing and in which file it is', async () => {
  const { plan, text } = await choose(longTalk(100))
  expect([plan.covered.length, plan.kept.length, plan.keepPercent]).toEqual([80, 20, 20])
  expect(text).toContain('80 earlier messages')
  expect(text).toContain(SECRET_PATH)
  expect(text).toContain('2025-01-01T00:00:00.000Z')
})

test('the stub of an emergency includes an older summary', async () => {
  const history = longTalk(30).compact({
    summary: 'S',
    text: 'The goal is X.',
    head: 'm30',
    tail: 'm30',
  })
  const { text, plan } = await choose(longTalk2(history, 30))
  expect(plan.covered[0]!.uuid).toBe('S')
  expect(text).toContain('The goal is X.')
})

function longTalk2(history: History, count: number): History {
  for (let number = 1; number <= count; number++) history.m(`n${number}`)
  return history
}

test('a summary that is empty or longer than what it replaces is a failure', async () => {
  const talk = longTalk(100, 40)
  for (const answer of [
    { text: '' },
    { text: ' \n' },
    {},
    undefined,
    { text: 'x'.repeat(50_000) },
  ]) {
    const { strategy, failures } = await choose(talk, {
      summarizers: [async () => answer as never],
    })
    expect(strategy).toBe('emergency')
    expect(failures).toHaveLength(1)
  }
})

test('a summarizer that throws synchronously is a failure', async () => {
  const throwing = () => {
    throw new Error('at once')
  }
  const { failures } = await choose(longTalk(100), { summarizers: [throwing] })
  expect(failures).toMatchObject([{ error: { message: expect.stringContaining('at once') } }])
})

// Requirement: 002-30
test('a summarizer that never answers is a failure after its timeout', async () => {
  let signal: AbortSignal | undefined
  const silent: Summarizer = (request) => {
    signal = request.signal
    return new Promise(() => {})
  }
  const policy = { summarizerTimeoutMs: 5 }
  const { strategy, failures } = await choose(longTalk(100), {
    policy,
    summarizers: [silent, saying('two', [])],
  })
  expect(strategy).toBe('fallback')
  expect(failures).toMatchObject([{ error: { message: expect.stringContaining('within 5 ms') } }])
  expect(signal?.aborted).toBe(true)
})

test('an aborted call rejects with the reason of the caller, and asks no other summarizer', async () => {
  const asked: string[] = []
  const controller = new AbortController()
  const reason = new Error('the user pressed escape')
  const breaker = new Breaker(policySettings(), () => 0)
  const slow: Summarizer = () =>
    new Promise(() => {
      controller.abort(reason)
    })
  const chosen = choose(longTalk(100), {
    summarizers: [slow, saying('two', asked)],
    signal: controller.signal,
    breaker,
  })
  await expect(chosen).rejects.toBe(reason)
  expect(asked).toEqual([])
  expect(breaker.failures).toBe(0)
})

// Requirements: 002-21, 002-22, T55
test('after three failures in a row the first summarizer is skipped for 30 minutes', async () => {
  let now = 1_000_000
  const asked: string[] = []
  const breaker = new Breaker(policySettings(), () => now)
  const summarizers = [failing('one', asked), saying('two', asked)]
  const run = () => choose(longTalk(100), { summarizers, breaker })
  for (let round = 0; round < 3; round++) await run()
  expect(asked.splice(0)).toEqual(['one', 'two', 'one', 'two', 'one', 'two'])
  now += 30 * 60_000
  await run()
  expect(asked.splice(0)).toEqual(['two'])
  now += 1
  await run()
  expect(asked.splice(0)).toEqual(['one', 'two'])
  // A clock that was set back does not keep it waiting.
  await run()
  await run()
  now -= 3_600_000
  asked.splice(0)
  await run()
  expect(asked).toEqual(['one', 'two'])
})

test('a success resets the failure count, and a threshold of 0 never skips', async () => {
  const breaker = new Breaker(policySettings(), () => 0)
  const asked: string[] = []
  const summarizers = [failing('one', asked)]
  for (const wish of ['fail', 'fail', 'succeed', 'fail', 'fail']) {
    const list = wish === 'fail' ? summarizers : [saying('one', asked)]
    await choose(longTalk(100), { summarizers: list, breaker })
  }
  expect(breaker.isOpen).toBe(false)
  const patient = new Breaker({ failureThreshold: 0, resetMinutes: 30 }, () => 0)
  for (let round = 0; round < 9; round++) patient.failed()
  expect(patient.isOpen).toBe(false)
})

// Requirement: 002-16
test('a checkpoint that covers all that goes is the summary, and no summarizer is asked', async () => {
  const asked: string[] = []
  const chosen = await choose(longTalk(100), {
    checkpoints: [checkpoint({ last_uuid: 'm95' })],
    summarizers: [saying('one', asked)],
  })
  expect(chosen).toMatchObject({ strategy: 'checkpoint', checkpointId: 'k1', needsRetry: false })
  expect(chosen.text).toBe('the checkpoint says\n\nTopics: x, y\n\nKey decisions:\n- use z')
  expect(chosen.plan.kept).toHaveLength(10)
  expect(asked).toEqual([])
})

// Requirement: 002-20
test('preferCheckpoint: false asks for a new summary', async () => {
  const { strategy } = await choose(longTalk(100), {
    policy: { preferCheckpoint: false },
    checkpoints: [checkpoint({})],
    summarizers: [saying('one', [])],
  })
  expect(strategy).toBe('primary')
})

// Requirements: 002-16, T56
test.for([
  [0.49, 'primary'],
  [0.5, 'checkpoint'],
] as const)('a checkpoint of %d of the context gives: %s', async ([share, expected]) => {
  const history = longTalk(100)
  const tokens = 10_000
  const chosen = await choose(history, {
    plan: { tokens },
    checkpoints: [checkpoint({ tokensAtCheckpoint: share * tokens })],
    summarizers: [saying('one', [])],
  })
  expect(chosen.strategy).toBe(expected)
})

test('reads the token count of a checkpoint from its structured part', async () => {
  const structured = { summary: 'the checkpoint says', tokensAtCheckpoint: 1e6 }
  const { strategy } = await choose(longTalk(100), {
    checkpoints: [checkpoint({ structured, tokensAtCheckpoint: undefined })],
    summarizers: [saying('one', [])],
  })
  expect(strategy).toBe('checkpoint')
})

// Requirement: T56
test.for([
  ['of another cycle', { cycle: 'B0' }],
  ['with an unknown last event', { last_uuid: 'gone' }],
  ['that says nothing of what it has seen', { last_uuid: null }],
  ['with nothing but a list of prompts', { structured: undefined }],
] as const)('a checkpoint %s is no summary', async ([, fields]) => {
  const { strategy } = await choose(longTalk(100), {
    checkpoints: [checkpoint(fields)],
    summarizers: [saying('one', [])],
  })
  expect(strategy).toBe('primary')
})

test('the digest of an agent checkpoint is a summary', async () => {
  const { strategy, text } = await choose(longTalk(100), {
    checkpoints: [checkpoint({ structured: undefined, trigger: 'agent', digest: 'I did this.' })],
  })
  expect([strategy, text]).toEqual(['checkpoint', 'I did this.'])
})

// Requirement: T56
test('messages that a checkpoint does not cover stay, if half of what was planned still goes', async () => {
  const run = (last_uuid: string) =>
    choose(longTalk(100), {
      checkpoints: [checkpoint({ last_uuid })],
      summarizers: [saying('one', [])],
    })
  const shorter = await run('m60')
  expect(shorter).toMatchObject({ strategy: 'checkpoint', needsRetry: false })
  expect([shorter.plan.covered.length, shorter.plan.kept[0]!.uuid]).toEqual([60, 'm61'])
  expect((await run('m40')).strategy).toBe('primary')
})

test('a checkpoint made between a call and its result keeps both', async () => {
  const history = longTalk(60)
  conversation('c1:t1 r1:t1', history)
  longTalk2(history, 30)
  const { plan, strategy } = await choose(history, {
    checkpoints: [checkpoint({ last_uuid: 'c1' })],
  })
  expect(strategy).toBe('checkpoint')
  expect(namesOf(plan.kept)).toMatch(/^c1 r1 n1 /)
})

// Requirement: T55
test('when no summarizer answers, any checkpoint of this cycle is used and marked for a retry', async () => {
  const chosen = await choose(longTalk(100), {
    summarizers: [failing('one', [])],
    checkpoints: [
      checkpoint({ id: 'old', cycle: 'B0' }),
      checkpoint({ id: 'k2', last_uuid: 'm10', tokensAtCheckpoint: 1, structured: undefined }),
    ],
  })
  expect(chosen).toMatchObject({ strategy: 'checkpoint', checkpointId: 'k2', needsRetry: true })
  expect(chosen.text).toContain('a list of prompts')
  expect(chosen.text).toContain('the last 80 of the messages')
  expect(chosen.plan.kept).toHaveLength(10)
})

// Requirement: 002-03
test('a failure to read checkpoints is reported, and a summarizer is asked', async () => {
  const settings = policySettings()
  const planOptions = {}
  const chosen = await chooseSummary(
    findPlan(contextOf(projectionOf(longTalk(100))), planOptions)!,
    {
      env: systemEnvironment,
      settings,
      planOptions,
      summarizers: [saying('one', [])],
      breaker: new Breaker(settings, () => 0),
      instructions: '',
      findCheckpoints: () => Promise.reject(new Error('no disk')),
      sessionKey: 's',
      transcriptPath: SECRET_PATH,
    },
  )
  expect(chosen.strategy).toBe('primary')
  expect(chosen.failures).toMatchObject([
    { step: 'find_checkpoints', error: { message: 'no disk' } },
  ])
})

test('a summary from a checkpoint includes the older summary, as far as it fits', async () => {
  const long = `The goal is X. ${'z'.repeat(100_000)}`
  const history = longTalk(30).compact({ summary: 'S', text: long, head: 'm30', tail: 'm30' })
  longTalk2(history, 30)
  const { text } = await choose(history, {
    checkpoints: [checkpoint({ last_uuid: 'n30', cycle: 'B' })],
  })
  expect(text).toMatch(/^the checkpoint says[\s\S]*What was known before that:\n\nThe goal is X\./)
  expect(text.length).toBeLessThan(15_000)
})

// Requirement: 002-30
test('a summarizer gets the repaired messages, the older summary apart, and its limits', async () => {
  const history = longTalk(30).compact({
    summary: 'S',
    text: 'The goal is X.',
    head: 'm30',
    tail: 'm30',
  })
  const broken = 'half a \ud83d character'
  history.add({ type: 'user', uuid: 'n0', payload: { content: broken } })
  conversation('c1:t1', history)
  longTalk2(history, 30)
  let request: SummaryRequest | undefined
  await choose(history, {
    summarizers: [
      async (given) => {
        request = given
        return { text: 'done' }
      },
    ],
  })
  const { messages, previousSummary, maxTokens, maxInputTokens, instructions } = request!
  expect({ previousSummary, maxTokens, maxInputTokens, instructions }).toEqual({
    previousSummary: 'The goal is X.',
    maxTokens: 2000,
    maxInputTokens: 100_000,
    instructions: 'summarize it',
  })
  expect(messages.slice(0, 4).map(({ type }) => type)).toEqual([
    'assistant',
    'user',
    'tool_call',
    'tool_result',
  ])
  expect(messages[1]!.payload).toEqual({ content: 'half a \ufffd character' })
})
