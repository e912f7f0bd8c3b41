// The state derived from a log must be the one a living process has. So both go through the same
// random sessions, and are compared after every step.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CheckpointRecord,
  type Continuity,
  checkpointRecord,
  continuitySettings,
  createContinuity,
  deriveContinuity,
  mayCheckpointBeDue,
} from '../../../lib/continuity/index.js'
import { environmentFrom } from '../../../lib/environment/index.js'
import { type LogWriter, openLog } from '../../../lib/log/index.js'
import { runs as effort } from '../../helpers/effort.js'
import { id, line, time } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'
import { Clock, START } from '../sample.js'

const header = (fields: object = {}) =>
  line('session_header', {
    payload: {
      format: 1,
      session_id: 's',
      start_ts: time(0),
      resumed_from: null,
      harness: 'test',
      project: '/work/app',
      project_normalized: '/work/app',
      lib: { name: 'jsonl-session', version: '0', capture: 'native' },
      ...fields,
    },
  })

const user = (number: number, content: unknown) =>
  line('user', { uuid: id(number), prev_uuid: id(number - 1), payload: { content } })

/** One session, in memory and on disk. */
class Both {
  readonly clock = new Clock()
  latest: CheckpointRecord | undefined
  #continuity: Continuity
  #made = 0

  static async open(path: string): Promise<Both> {
    const log = await openLog(path, { channel: 'transcript', durability: 'none' })
    const both = new Both(path, log)
    await log.append({
      type: 'session_header',
      payload: {
        format: 1,
        session_id: 's',
        start_ts: new Date(START).toISOString(),
        resumed_from: null,
        harness: 'test',
        lib: { name: 'jsonl-session', version: '0', capture: 'native' },
      },
    })
    return both
  }

  readonly path: string
  readonly log: LogWriter

  private constructor(path: string, log: LogWriter) {
    this.path = path
    this.log = log
    this.#continuity = createContinuity({ environment: this.clock })
    this.#continuity.initContinuity({ sessionKey: 's', harness: 'test' })
  }

  get inMemory() {
    return this.#continuity.getState('s')
  }

  get derived() {
    return deriveContinuity(this.path, { latest: this.latest })
  }

  async append(type: string, payload: Record<string, unknown>, uuid?: string): Promise<void> {
    const receipt = await this.log.append({ type, payload, uuid, recorded: true })
    this.#continuity.recordEvent('s', { type, uuid: receipt.uuid, payload })
  }

  async compact(isWhole: boolean): Promise<void> {
    const summary = id(++this.#made)
    await this.append('summary', { text: 'S' }, summary)
    if (!isWhole) return
    await this.append('compaction_boundary', { headUuid: null, summary_event_uuid: summary })
  }

  checkpoint(cause: 'prompt_interval' | 'turn' | 'token_25' | 'token_75'): void {
    const isRolling = cause !== 'prompt_interval'
    const state = this.#continuity.consumeState('s', isRolling ? { cause } : undefined)
    const facts = { transcript_offset: this.log.size, last_uuid: this.log.tip }
    const request = { trigger: 'periodic', cause, facts } as const
    const made = checkpointRecord(state, request, { id: id(++this.#made), redact: (it) => it })
    // As it comes back from the disk.
    this.latest = JSON.parse(JSON.stringify(made)) as CheckpointRecord
  }

  /** The process ends, and another one continues from what the first left. */
  restart(): void {
    const derived = this.derived
    this.#continuity = createContinuity({ environment: this.clock })
    this.#continuity.initContinuity(derived)
  }
}

const text = fc.string({ maxLength: 20 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('prompt' as const), text, times: fc.nat(12) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('query' as const), text, times: fc.nat(25) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remember' as const), text, times: fc.nat(12) }),
  },
  fc.record({
    kind: fc.constantFrom('results' as const, 'blocks' as const, 'reply' as const),
    text,
  }),
  fc.record({
    kind: fc.constant('checkpoint' as const),
    cause: fc.constantFrom('prompt_interval', 'turn', 'token_25', 'token_75'),
  }),
  fc.record({ kind: fc.constant('compact' as const), isWhole: fc.boolean() }),
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(1_000_000) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function take(both: Both, one: Step): Promise<void> {
  switch (one.kind) {
    case 'prompt':
      for (let n = 0; n < one.times; n++) await both.append('user', { content: `${one.text}${n}` })
      break
    case 'query':
      for (let n = 0; n < one.times; n++)
        await both.append('memory_query', { text: `${one.text}${n}` })
      break
    case 'remember':
      for (let n = 0; n < one.times; n++) await both.append('remember', { text: `${one.text}${n}` })
      break
    case 'results':
      await both.append('user', { content: [{ type: 'tool_result', tool_use_id: one.text }] })
      break
    case 'blocks':
      await both.append('user', { content: [{ type: 'text', text: one.text }, { type: 'image' }] })
      break
    case 'reply':
      await both.append('assistant', { content: one.text })
      break
    case 'checkpoint':
      both.checkpoint(one.cause as 'turn')
      break
    case 'compact':
      await both.compact(one.isWhole)
      break
    case 'restart':
      both.restart()
      break
    case 'wait':
      both.clock.pass(one.ms)
  }
}

// Requirement: 000-19
test('for random sessions the derived state equals the one in memory after every step', async (t) => {
  const folder = temporaryFolder(t)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const path = join(folder, `${++runs}.jsonl`)
      const both = await Both.open(path)
      try {
        for (const one of steps) {
          await take(both, one)
          expect(both.derived).toEqual(both.inMemory)
        }
      } finally {
        await both.log.close()
        rmSync(path)
      }
    }),
    { numRuns: effort(150) },
  )
})

// Requirement: T45
test('a restart triggers no threshold again and loses no count', async (t) => {
  const both = await Both.open(join(temporaryFolder(t), 's.jsonl'))
  const use = { tokens: 160_000, maxTokens: 200_000 }
  const dueAfterRestart = () => {
    both.restart()
    const continuity = createContinuity({
      environment: both.clock,
      continuity: { promptInterval: 1000 },
    })
    continuity.initContinuity(both.derived)
    return continuity.whatIsDue('s', use)
  }
  await both.append('user', { content: 'one' })
  expect(dueAfterRestart()).toEqual({ rolling: 'token_75' })
  both.checkpoint('token_75')
  for (let n = 0; n < 9; n++) await both.append('user', { content: 'more' })
  // Nothing rolling in between keeps what has fired either.
  both.checkpoint('prompt_interval')
  expect(dueAfterRestart()).toEqual({})
  await both.append('user', { content: 'the tenth' })
  expect(dueAfterRestart()).toEqual({ rolling: 'turn' })
  both.checkpoint('turn')
  await both.compact(true)
  expect(dueAfterRestart()).toEqual({ rolling: 'token_75' })
  await both.log.close()
})

test('reads only what came after the checkpoint', (t) => {
  const before = Buffer.concat([
    header(),
    user(2, 'old'),
    Buffer.from('x'.repeat(1000)),
    Buffer.from('\n'),
  ])
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([before, user(3, 'new')]))
  const latest = { created_at: time(60), total_prompt_count: 40, transcript_offset: before.length }
  expect(deriveContinuity(path, { latest })).toMatchObject({
    sessionKey: 's',
    harness: 'test',
    project: '/work/app',
    projectNormalized: '/work/app',
    startedAt: START,
    lastCheckpointAt: START + 60_000,
    promptCount: 1,
    totalPromptCount: 41,
    recentPrompts: ['new'],
  })
})

test('damage, a partial last line and repeated lines do not count', (t) => {
  const path = temporaryFile(
    t,
    's.jsonl',
    Buffer.concat([
      header(),
      user(2, 'one'),
      Buffer.from('{"type":"user","oops\n'),
      user(2, 'one'),
      user(3, 'two'),
      user(4, 'torn').subarray(0, 40),
    ]),
  )
  expect(deriveContinuity(path)).toMatchObject({
    promptCount: 2,
    totalPromptCount: 2,
    recentPrompts: ['one', 'two'],
  })
})

test('what a fork copied does not count', (t) => {
  const forked_from = { session_id: 'source', at_uuid: id(3), base: 0 }
  const path = temporaryFile(
    t,
    's.jsonl',
    Buffer.concat([
      header({ forked_from }),
      header({ session_id: 'source' }),
      user(2, 'copied'),
      user(3, 'copied too'),
      user(4, 'own'),
    ]),
  )
  expect(deriveContinuity(path)).toMatchObject({ sessionKey: 's', recentPrompts: ['own'] })
})

test('uses a record of another writer with fewer fields', (t) => {
  const path = temporaryFile(
    t,
    's.jsonl',
    Buffer.concat([header(), user(2, 'one'), user(3, 'two')]),
  )
  const foreign = { created_at: time(9), total_prompt_count: 30 }
  // It has no offset, so the whole log is counted.
  expect(deriveContinuity(path, { latest: foreign })).toMatchObject({
    lastCheckpointAt: START + 9000,
    promptCount: 2,
    totalPromptCount: 2,
    rolling: { totalPromptCount: 30, percent: null },
  })
  const placed = { ...foreign, transcript_offset: header().length, cause: 'token_50' }
  expect(deriveContinuity(path, { latest: placed })).toMatchObject({
    totalPromptCount: 32,
    rolling: { totalPromptCount: 30, percent: 50 },
  })
})

test('a given cycle is used, for example after a rewind', (t) => {
  const path = temporaryFile(t, 's.jsonl', header())
  const latest = {
    created_at: time(9),
    total_prompt_count: 30,
    transcript_offset: header().length,
    cycle: id(50),
    rolling: { total_prompt_count: 20, percent: 75 },
  }
  expect(deriveContinuity(path, { latest })).toMatchObject({
    cycle: id(50),
    rolling: { percent: 75 },
  })
  expect(deriveContinuity(path, { latest, cycle: null })).toMatchObject({
    cycle: null,
    rolling: { totalPromptCount: 20, percent: null },
  })
})

test('a boundary without its summary starts no cycle', (t) => {
  const boundary = (number: number, summary: string) =>
    line('compaction_boundary', {
      uuid: id(number),
      prev_uuid: id(number - 1),
      payload: { summary_event_uuid: summary },
    })
  const summary = line('summary', { uuid: id(2), prev_uuid: id(1), payload: { text: 'S' } })
  const whole = [header(), summary, boundary(3, id(2))]
  const uncommitted = [...whole, user(4, 'hello'), boundary(5, id(2))]
  expect(deriveContinuity(temporaryFile(t, 's.jsonl', Buffer.concat(whole))).cycle).toBe(id(3))
  expect(deriveContinuity(temporaryFile(t, 's.jsonl', Buffer.concat(uncommitted))).cycle).toBe(
    id(3),
  )
})

test('writes nothing and locks nothing', (t) => {
  const path = temporaryFile(t, 's.jsonl', header())
  deriveContinuity(path)
  expect(existsSync(`${path}.lock`)).toBe(false)
})

test('without a header the facts of the caller are used', (t) => {
  const path = temporaryFile(t, 's.jsonl', user(2, 'one'))
  const facts = { sessionKey: 'given', harness: 'other' }
  expect(deriveContinuity(path, { facts })).toMatchObject({ ...facts, promptCount: 1 })
})

test.for([
  { name: 'young, with few prompts', prompts: 2, ageMs: 59_999, enabled: true, due: false },
  { name: 'young, with enough prompts', prompts: 3, ageMs: 0, enabled: true, due: true },
  { name: 'as old as the time interval', prompts: 1, ageMs: 60_000, enabled: true, due: true },
  { name: 'without checkpoints', prompts: 9, ageMs: 60_000, enabled: false, due: false },
])('whether a checkpoint may be due in a session that is $name', (given, t) => {
  const { prompts, ageMs, enabled, due } = given
  const lines = Array.from({ length: prompts }, (_, index) => user(index + 2, `prompt ${index}`))
  const path = temporaryFile(t, 's.jsonl', Buffer.concat([header(), ...lines]))
  const settings = continuitySettings({ enabled, promptInterval: 3, timeIntervalMs: 60_000 })
  const env = environmentFrom({ now: () => Date.parse(time(0)) + ageMs })
  expect(mayCheckpointBeDue(path, settings, env)).toBe(due)
})
