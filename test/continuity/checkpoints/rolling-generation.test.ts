// Asking a summarizer: one call at a time, and a pause after a failure.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  RollingGeneration,
  type SummarizerAnswer,
} from '../../../lib/continuity/checkpoints/rolling-generation.js'
import { environmentFrom } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { Clock } from '../sample.js'

const session = { agentId: 'default', sessionKey: 's' }
const request = { ...session, cause: 'turn', tokens: 6000 } as const

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function generationOf(answers: (() => Promise<SummarizerAnswer>)[]) {
  const clock = new Clock()
  const diagnostics: Diagnostic[] = []
  const signals: AbortSignal[] = []
  const generation = new RollingGeneration(environmentFrom({ now: clock.now }), {
    summarize: ({ signal }) => {
      signals.push(signal)
      return answers.shift()!()
    },
    onDiagnostic: (found) => diagnostics.push(found),
  })
  return { generation, clock, diagnostics, signals }
}

const fails = () => Promise.reject(new Error('no model'))
const never = () => new Promise<string>(() => {})

// Requirement: 002-10
test('one call at a time per session', async () => {
  let answer = (_: string) => {}
  const { generation } = generationOf([
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  ])
  expect(generation.isFree(session)).toBe(true)
  const running = generation.generate(request)
  expect(generation.isFree(session)).toBe(false)
  expect(generation.isFree({ ...session, sessionKey: 'other' })).toBe(true)
  answer('done')
  expect(await running).toEqual({
    summary: 'done',
    topics: [],
    keyDecisions: [],
    openQuestions: [],
  })
  expect(generation.isFree(session)).toBe(true)
})

test('the pause after a failure is 60 s and doubles up to an hour; a success resets it', async () => {
  const { generation, clock, diagnostics } = generationOf([
    ...Array.from({ length: 8 }, () => fails),
    async () => 'at last',
    fails,
  ])
  const pauses: number[] = []
  for (let failure = 0; failure < 8; failure++) {
    expect(await generation.generate(request)).toBeUndefined()
    const failedAt = clock.ms
    while (!generation.isFree(session)) clock.pass(30_000)
    pauses.push((clock.ms - failedAt) / 1000)
  }
  expect(pauses).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
  expect(await generation.generate(request)).toMatchObject({ summary: 'at last' })
  await generation.generate(request)
  clock.pass(60_000)
  expect(generation.isFree(session)).toBe(true)
  expect(diagnostics[0]).toMatchObject({
    code: 'rolling_checkpoint_failed',
    message: 'No rolling checkpoint of session "s": no model; the next try is in 60 s or later',
  })
})

test.each([[''], [' '], [{ summary: '' }], [{}], [undefined], [null]])(
  'an answer of %j is a failure',
  async (answer) => {
    const { generation } = generationOf([async () => answer as string])
    expect(await generation.generate(request)).toBeUndefined()
    expect(generation.isFree(session)).toBe(false)
  },
)

test('drops items that are not text; an answer that is only text is cut at 4,000 code points', async () => {
  const odd = { summary: 's', topics: ['t', 3, ''], keyDecisions: 'none', model: 7 }
  const { generation } = generationOf([
    async () => odd as unknown as SummarizerAnswer,
    async () => '😀'.repeat(5000),
  ])
  expect(await generation.generate(request)).toEqual({
    summary: 's',
    topics: ['t'],
    keyDecisions: [],
    openQuestions: [],
  })
  expect((await generation.generate(request))?.summary).toBe('😀'.repeat(4000))
})

test('a summarizer that throws synchronously is a failure', async () => {
  const { generation } = generationOf([
    () => {
      throw new Error('bug')
    },
  ])
  expect(await generation.generate(request)).toBeUndefined()
})

test('a summarizer that never answers is a failure after ten minutes', async () => {
  const { generation, signals, diagnostics } = generationOf([never])
  const running = generation.generate(request)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(await running).toBeUndefined()
  expect(signals[0]?.aborted).toBe(true)
  expect(diagnostics).toHaveLength(1)
})

test('the end of a session aborts its call, which is not a failure', async () => {
  const { generation, signals, diagnostics } = generationOf([never])
  const running = generation.generate(request)
  generation.forget(session)
  expect(await running).toBeUndefined()
  expect(signals[0]?.aborted).toBe(true)
  expect(diagnostics).toEqual([])
  expect(generation.isFree(session)).toBe(true)
})
