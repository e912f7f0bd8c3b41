// The whole way of a checkpoint but its file: prompts in, records out.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  Checkpointer,
  type CheckpointerOptions,
  type ContinuityOptions,
  type Moment,
} from '../../../lib/continuity/index.js'
import { SessionError } from '../../../lib/errors.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { id } from '../../helpers/lines.js'
import { prompts, START, started } from '../sample.js'
import { MemorySink } from './memory-sink.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function checkpointerOf(
  options: Partial<CheckpointerOptions> & { settings?: ContinuityOptions } = {},
) {
  const { continuity, clock } = started({ continuity: options.settings })
  const sink = new MemorySink()
  const diagnostics: Diagnostic[] = []
  let made = 0
  let offset = 0
  const checkpointer = new Checkpointer({
    continuity,
    sink,
    redact: (value) => value,
    environment: { now: clock.now, newUuid: () => id(++made) },
    onDiagnostic: (found) => diagnostics.push(found),
    ...options,
  })
  const moment = (use: Partial<Moment> = {}): Moment => ({
    facts: () => ({ transcript_offset: offset, last_uuid: id(1000 + offset) }),
    ...use,
  })
  const prompt = (text: string, use?: Partial<Moment>) => {
    continuity.recordPrompt('s', text)
    offset += 10
    return checkpointer.afterPrompt('s', moment(use))
  }
  return { continuity, clock, sink, diagnostics, checkpointer, prompt, facts: moment().facts }
}

const facts = { transcript_offset: 0, last_uuid: null }

// Requirements: T40, 000-05, 000-39
test('ten prompts cause one write, nine cause none, and no prompt waits for it', async () => {
  const { prompt, sink } = checkpointerOf()
  for (let number = 1; number <= 9; number++) expect(prompt(`p${number}`)).toEqual({})
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sink.records).toEqual([])
  expect(prompt('p10')).toEqual({ queued: 'prompt_interval' })
  expect(sink.records).toEqual([])
  await vi.advanceTimersByTimeAsync(2500)
  expect(sink.records).toMatchObject([
    {
      trigger: 'periodic',
      cause: 'prompt_interval',
      prompt_count: 10,
      total_prompt_count: 10,
      transcript_offset: 100,
      last_uuid: id(1100),
    },
  ])
})

// Requirement: T40
test('15 minutes and a prompt make a checkpoint due; 15 minutes alone do not', async () => {
  const { prompt, sink, clock } = checkpointerOf()
  clock.pass(900_000)
  await vi.advanceTimersByTimeAsync(900_000)
  expect(sink.records).toEqual([])
  expect(prompt('back')).toEqual({ queued: 'time_interval' })
  expect(prompt('again')).toEqual({})
  await vi.advanceTimersByTimeAsync(2500)
  expect(sink.records).toMatchObject([{ cause: 'time_interval', prompt_count: 1 }])
})

// Requirement: 000-03
test('passive, agent and explicit checkpoints are stored the same way', async () => {
  const { prompt, sink, checkpointer } = checkpointerOf({ settings: { promptInterval: 1 } })
  prompt('one')
  await checkpointer.checkpoint('s', { trigger: 'agent', text: 'I decided', facts })
  await checkpointer.checkpoint('s', { trigger: 'explicit', facts })
  expect(sink.records).toMatchObject([
    { trigger: 'periodic', cause: 'prompt_interval', prompt_count: 1 },
    { trigger: 'agent', cause: 'digest', digest: 'I decided', prompt_count: 0 },
    { trigger: 'explicit', cause: 'manual', total_prompt_count: 1 },
  ])
})

test('rejects an agent checkpoint without text', async () => {
  const { checkpointer } = checkpointerOf()
  await expect(
    checkpointer.checkpoint('s', { trigger: 'agent', text: ' ', facts }),
  ).rejects.toMatchObject({ code: 'ERR_ARG' })
})

// Requirement: 002-06
test('with enabled: false there are no periodic checkpoints and no summarizer is called; others are stored', async () => {
  const summarize = vi.fn()
  const { prompt, sink, checkpointer } = checkpointerOf({ settings: { enabled: false }, summarize })
  for (let number = 1; number <= 20; number++) prompt('p', { tokens: 90_000, maxTokens: 100_000 })
  await checkpointer.queue.flush()
  expect(sink.records).toEqual([])
  expect(summarize).not.toHaveBeenCalled()
  await checkpointer.checkpoint('s', { trigger: 'agent', text: 'a', facts })
  await checkpointer.checkpoint('s', { trigger: 'explicit', facts })
  await checkpointer.preCompaction('s', { facts })
  await checkpointer.end('s', { reason: 'exit', facts })
  expect(sink.records.map(({ trigger }) => trigger)).toEqual([
    'agent',
    'explicit',
    'pre_compaction',
    'session_end',
  ])
})

// Requirements: T43, 000-46
test('before a compaction the queued and the gathered become one checkpoint, with the context', async () => {
  const { prompt, sink, checkpointer, continuity } = checkpointerOf({
    settings: { promptInterval: 5 },
  })
  for (let number = 1; number <= 5; number++) prompt(`p${number}`)
  prompts(continuity, 3)
  const stored = await checkpointer.preCompaction('s', { sessionContext: 'in the lexer', facts })
  expect(sink.records).toMatchObject([
    {
      id: stored?.id,
      trigger: 'pre_compaction',
      cause: 'compact',
      prompt_count: 8,
      total_prompt_count: 8,
      prompt_snippets: ['p1', 'p2', 'p3', 'p4', 'p5', 'prompt 1', 'prompt 2', 'prompt 3'],
      digest: expect.stringContaining('### Session Context\nin the lexer'),
    },
  ])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sink.records).toHaveLength(1)
})

// Requirement: S-11
test('a disk error does not stop a compaction, and the checkpoint stays queued', async () => {
  const { prompt, sink, checkpointer, diagnostics } = checkpointerOf()
  prompt('p')
  sink.error = new SessionError('ERR_NO_SPACE', 'The disk is full')
  expect(await checkpointer.preCompaction('s', { facts })).toBeUndefined()
  expect(diagnostics).toMatchObject([{ code: 'checkpoint_delayed' }])
  sink.error = undefined
  await vi.advanceTimersByTimeAsync(2500)
  expect(sink.records).toMatchObject([{ trigger: 'pre_compaction', prompt_count: 1 }])
})

// Requirements: T43, 000-42, 000-54
test('end() writes what is queued, then the last checkpoint, and forgets the session', async () => {
  const { prompt, sink, checkpointer, continuity } = checkpointerOf({
    settings: { promptInterval: 2 },
  })
  for (const text of ['a', 'b', 'c']) prompt(text)
  const stored = await checkpointer.end('s', { reason: 'exit', facts })
  expect(sink.records).toMatchObject([
    { trigger: 'periodic', prompt_count: 2 },
    {
      id: stored?.id,
      trigger: 'session_end',
      cause: 'exit',
      prompt_count: 1,
      total_prompt_count: 3,
    },
  ])
  expect(sink.records[1]?.digest).toContain('Total Prompts: 3 | Duration: 0m')
  expect(continuity.getState('s')).toBeUndefined()
  expect(await checkpointer.end('s', { reason: 'exit', facts })).toBeUndefined()
})

// Requirements: S-06, S-09
test('a session without a prompt ends without a checkpoint; a cleared one stores only what was due before', async () => {
  const silent = checkpointerOf()
  expect(await silent.checkpointer.end('s', { reason: 'exit', facts })).toBeUndefined()
  expect(silent.sink.records).toEqual([])
  const cleared = checkpointerOf({ settings: { promptInterval: 1 } })
  cleared.prompt('a')
  expect(await cleared.checkpointer.end('s', { reason: 'clear', facts })).toBeUndefined()
  expect(cleared.sink.records).toMatchObject([{ trigger: 'periodic' }])
  expect(cleared.continuity.getState('s')).toBeUndefined()
})

test('a last checkpoint that cannot be written is reported and stays queued', async () => {
  const { prompt, sink, checkpointer } = checkpointerOf()
  prompt('a')
  sink.error = new SessionError('ERR_NO_SPACE', 'The disk is full')
  await expect(checkpointer.end('s', { reason: 'exit', facts })).rejects.toBe(sink.error)
  sink.error = undefined
  await vi.advanceTimersByTimeAsync(2500)
  expect(sink.records).toMatchObject([{ trigger: 'session_end' }])
})

// Requirement: T43
test('endSync() does the same synchronously', () => {
  const { prompt, sink, checkpointer, continuity } = checkpointerOf({
    settings: { promptInterval: 2 },
  })
  for (const text of ['a', 'b', 'c']) prompt(text)
  checkpointer.endSync('s', { reason: 'signal', facts })
  expect(sink.records.map(({ trigger }) => trigger)).toEqual(['periodic', 'session_end'])
  expect(continuity.getState('s')).toBeUndefined()
})

// Requirement: T45
test('without a summarizer a rolling checkpoint is a digest of what was gathered, instead of a passive one', async () => {
  const { prompt, sink, checkpointer } = checkpointerOf()
  for (let number = 1; number <= 9; number++) prompt('p', { tokens: 6000, maxTokens: 200_000 })
  const use = { tokens: 60_000, maxTokens: 200_000 }
  expect(prompt('p', use)).toEqual({ queued: 'token_25' })
  expect(prompt('p', use)).toEqual({})
  await checkpointer.queue.flush()
  expect(sink.records).toMatchObject([
    {
      trigger: 'periodic',
      cause: 'token_25',
      prompt_count: 10,
      rolling: { total_prompt_count: 10, percent: 25 },
      digest: expect.stringMatching(/^## Session Checkpoint\n/),
    },
  ])
})

// Requirement: 002-10
test('a summarizer is asked once, in the background, and its answer is stored', async () => {
  const asked: unknown[] = []
  let answer = (_: object) => {}
  const { prompt, sink, continuity } = checkpointerOf({
    settings: { promptInterval: 1000 },
    summarize: ({ signal, ...request }) => {
      asked.push(request)
      return new Promise((resolve) => {
        answer = resolve as typeof answer
      })
    },
  })
  const use = { tokens: 120_000, maxTokens: 200_000, messageCount: 7 }
  const { rolling, queued } = prompt('one', use)
  expect(queued).toBeUndefined()
  expect(prompt('two', use)).toEqual({})
  expect(asked).toEqual([
    { agentId: 'default', sessionKey: 's', cause: 'token_50', tokens: 120_000 },
  ])
  answer({ summary: 'So far.', topics: ['parser'], model: 'small' })
  await rolling
  expect(sink.records).toMatchObject([
    {
      trigger: 'periodic',
      cause: 'token_50',
      digest: 'So far.\n\nTopics: parser',
      prompt_count: 2,
      // It speaks of what was there when it was asked for, and counts what came meanwhile.
      last_uuid: id(1010),
      transcript_offset: 20,
      rolling: { total_prompt_count: 1, percent: 50 },
      structured: {
        summary: 'So far.',
        topics: ['parser'],
        keyDecisions: [],
        openQuestions: [],
        tokensAtCheckpoint: 120_000,
        messageCount: 7,
        model: 'small',
      },
    },
  ])
  expect(continuity.getState('s')).toMatchObject({
    promptCount: 0,
    rolling: { totalPromptCount: 1, percent: 50 },
  })
  expect(prompt('three', use)).toEqual({})
})

test('a summarizer that fails loses nothing gathered and is not asked again for a minute', async () => {
  const summarize = vi.fn(() => Promise.reject(new Error('no model')))
  const { prompt, sink, continuity, clock } = checkpointerOf({ summarize })
  const use = { tokens: 120_000, maxTokens: 200_000 }
  await prompt('one', use).rolling
  expect(prompt('two', use)).toEqual({})
  clock.pass(60_000)
  await prompt('three', use).rolling
  expect(summarize).toHaveBeenCalledTimes(2)
  expect(sink.records).toEqual([])
  expect(continuity.getState('s')).toMatchObject({ promptCount: 3, rolling: { percent: null } })
})

test('the answer is dropped when the session was compacted or ended meanwhile', async () => {
  let answer = (_: string) => {}
  const options = {
    summarize: () =>
      new Promise<string>((resolve) => {
        answer = resolve
      }),
  }
  const use = { tokens: 120_000, maxTokens: 200_000 }
  const compacted = checkpointerOf(options)
  const running = compacted.prompt('one', use).rolling
  compacted.continuity.startCycle('s', id(77))
  answer('late')
  expect(await running).toBeUndefined()
  expect(compacted.sink.records).toEqual([])
  const ended = checkpointerOf(options)
  const unanswered = ended.prompt('one', use).rolling
  await ended.checkpointer.end('s', { reason: 'exit', facts })
  expect(await unanswered).toBeUndefined()
  expect(ended.sink.records).toMatchObject([{ trigger: 'session_end' }])
})

test('the next interval starts at the time of the checkpoint', async () => {
  const { prompt, sink, continuity, clock, checkpointer } = checkpointerOf()
  clock.pass(900_000)
  prompt('p')
  clock.pass(2500)
  await checkpointer.queue.flush()
  expect(continuity.getState('s')?.lastCheckpointAt).toBe(START + 900_000)
  expect(Date.parse(sink.records[0]!.created_at)).toBe(START + 900_000)
})
