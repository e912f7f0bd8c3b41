// What sessions cost: each reply once, in integer micro-dollars, unknown models as unknown.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { calcPrice } from '@pydantic/genai-prices'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../lib/index.js'
import { loadPrices, priceModels } from '../../../lib/store/cost/prices.js'
import { sumTokens } from '../../../lib/store/cost/usage.js'
import { UsageCounter, UsageSums } from '../../../lib/store/cost/usage-counter.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const newStore = () => openStore({ root: temporaryFolder({ onTestFinished }) })
const SONNET = 'claude-sonnet-4-20250514'
const AT = '2026-01-01T00:00:00.000Z'

const reply = (payload: object, uuid = 'u') => ({
  type: 'assistant',
  ts: AT,
  uuid,
  prev_uuid: 'p',
  payload: { content: 'x', model: SONNET, ...payload },
})
const usage = (input_tokens: number, output_tokens: number, more = {}) => ({
  usage: { input_tokens, output_tokens, ...more },
})

test('a reply in several lines counts once, with its largest numbers', () => {
  const counter = new UsageCounter()
  const take = (payload: object, uuid?: string) => counter.take(reply(payload, uuid))?.tokens
  expect(take({ message_id: 'm1', ...usage(100, 1) })).toMatchObject({ input: 100, output: 1 })
  expect(take({ message_id: 'm2', ...usage(5, 5) })).toMatchObject({ input: 5 })
  expect(take({ message_id: 'm1', ...usage(100, 30) })).toMatchObject({ input: 0, output: 29 })
  expect(take({ message_id: 'm1', ...usage(90, 30) })).toBeUndefined()
  expect(take({ partial: true, ...usage(10, 2) }, 'part')).toMatchObject({ output: 2 })
  expect(take({ supersedes: 'part', ...usage(10, 9) }, 'whole')).toMatchObject({ output: 7 })
})

test('a counter that continues from its state counts the same', () => {
  const events = Array.from({ length: 60 }, (_, index) =>
    reply({ message_id: `m${Math.floor(index / 3)}`, ...usage(100, index) }, `u${index}`),
  )
  const whole = new UsageSums()
  const all = new UsageCounter()
  const parts = new UsageSums()
  let part = new UsageCounter()
  for (const event of events) {
    const one = all.take(event)
    if (one !== undefined) whole.add(one)
    part = new UsageCounter(JSON.parse(JSON.stringify(part.state)))
    const other = part.take(event)
    if (other !== undefined) parts.add(other)
  }
  expect(parts.list).toEqual(whole.list)
})

test('prices agree with the package for requests of every size', async () => {
  const prices = await loadPrices(newStore())
  const models = [SONNET, 'claude-sonnet-4-5', 'gpt-5-codex', 'gpt-5.4', 'gemini-2.5-pro']
  for (const model of models) {
    for (const total of [1000, 128_001, 199_999, 200_001, 272_001, 600_000]) {
      const cacheRead = Math.floor(total / 2)
      const output = 777
      const counter = new UsageCounter()
      const taken = counter.take(
        reply({ model, ...usage(total - cacheRead, output, { cache_read_tokens: cacheRead }) }),
      )!
      const [cost] = priceModels(prices, [taken])
      const expected = calcPrice(
        { input_tokens: total, cache_read_tokens: cacheRead, output_tokens: output },
        model,
        { timestamp: new Date('2026-01-01T12:00:00.000Z') },
      )
      expect([model, total, cost!.microDollars]).toEqual([
        model,
        total,
        expected === null ? null : Math.round(expected.total_price * 1_000_000),
      ])
    }
  }
})

test('money is rounded once per session and model, and never down to nothing for unknown models', async () => {
  const store = newStore()
  for (const id of ['one', 'two']) {
    const session = await store.createSession({ id })
    await session.prompt('hello')
    // 0.3 micro-dollars each: three of them are one.
    for (let count = 0; count < 3; count++) {
      await session.append({
        type: 'assistant',
        payload: { content: 'x', model: SONNET, ...usage(0, 0, { cache_read_tokens: 1 }) },
      })
    }
    await session.append({
      type: 'assistant',
      payload: { content: 'x', model: 'home-made', ...usage(500, 100) },
    })
    await session.close()
  }
  const { total, models, groups } = await store.maintenance.stats()
  expect(total.cost).toEqual({ microDollars: 2, unpricedTokens: 1200 })
  expect(models).toMatchObject([
    { model: 'home-made', microDollars: null, tokens: { input: 1000, output: 200 } },
    { model: SONNET, microDollars: 2, tokens: { cacheRead: 6 } },
  ])
  expect(groups.map(({ cost }) => cost)).toEqual([
    { microDollars: 1, unpricedTokens: 600 },
    { microDollars: 1, unpricedTokens: 600 },
  ])
  const byModel = await store.maintenance.stats({ by: 'model' })
  expect(
    byModel.groups.map(({ key, events, cost }) => [key, events, cost.microDollars]).sort(),
  ).toEqual([
    [SONNET, 6, 2],
    ['home-made', 2, 0],
  ])
  const byDay = await store.maintenance.stats({ by: 'day' })
  expect(byDay.total.cost).toEqual(total.cost)
})

test('rewinds, compactions, forks and resumed sessions neither lose money nor count it twice', async () => {
  const store = newStore()
  const session = await store.createSession({ id: 'a' })
  const { uuid } = await session.prompt('hello')
  const cost = async () => (await store.maintenance.stats()).total.cost.microDollars
  const say = async (live: typeof session) =>
    live.append({ type: 'assistant', payload: { content: 'x', model: SONNET, ...usage(1000, 10) } })
  await say(session)
  await say(session)
  const each = 1000 * 3 + 10 * 15
  expect(await cost()).toBe(2 * each)
  await session.rewind({ to: uuid })
  expect(await cost()).toBe(2 * each)
  await say(session)
  await session.compact({ summary: 'all of it' })
  expect(await cost()).toBe(3 * each)
  const task = await session.spawn({ taskId: 'sub', prompt: 'help' })
  await task.append({
    type: 'assistant',
    payload: { content: 'x', model: SONNET, ...usage(1000, 10) },
  })
  await task.finish({ status: 'completed', summary: 'done' })
  expect(await cost()).toBe(4 * each)
  await session.close()
  store.forkSession('a', { newId: 'fork' })
  const resumed = await store.resumeSession({ id: 'a' })
  await say(resumed.session)
  await resumed.session.close()
  expect(await cost()).toBe(5 * each)
  const { groups } = await store.maintenance.stats({ by: 'session' })
  const ofFork = groups.find(({ key }) => key === 'fork')!
  expect(ofFork.cost).toEqual({ microDollars: 0, unpricedTokens: 0 })
})

interface Fields {
  readonly type?: string
  readonly id?: string
  readonly message?: { readonly id?: string; readonly usage?: Record<string, number> }
  readonly payload?: { readonly usage?: Record<string, number> }
  readonly tokens?: Record<string, number>
}

/** The tokens that each program recorded, read without any code of lib/. */
const COUNTED: Record<string, (records: readonly Fields[]) => number> = {
  // Every line of a reply repeats its usage.
  'claude-code': (records) => {
    const replies = new Map<string, number>()
    for (const { message } of records) {
      if (message?.usage === undefined || message.id === undefined) continue
      const { input_tokens = 0, output_tokens = 0, ...cached } = message.usage
      const read = cached['cache_read_input_tokens'] ?? 0
      const written = cached['cache_creation_input_tokens'] ?? 0
      const sum = input_tokens + output_tokens + read + written
      replies.set(message.id, Math.max(replies.get(message.id) ?? 0, sum))
    }
    return sumOf(replies.values())
  },
  codex: (records) =>
    sumOf(
      records
        .filter(({ type }) => type === 'token_usage_record')
        .map(({ payload }) => payload!.usage!['total_tokens']!),
    ),
  gemini: (records) =>
    sumOf(
      new Map(
        records.flatMap(({ id, tokens }) => (tokens ? [[id, tokens['total']!] as const] : [])),
      ).values(),
    ),
  pi: (records) => sumOf(records.map(({ message }) => message?.usage?.['totalTokens'] ?? 0)),
}

function sumOf(counts: Iterable<number>): number {
  return [...counts].reduce((sum, count) => sum + count, 0)
}

test.each([
  ['claude-code', 'tools'],
  ['claude-code', 'parallel-tools'],
  ['claude-code', 'subagent'],
  ['claude-code', 'two-compactions'],
  ['codex', 'compact'],
  ['codex', 'backtrack-twice'],
  ['gemini', 'tools'],
  ['gemini', 'rewound'],
  ['pi', 'images'],
  ['pi', 'killed-in-a-tool-and-resumed'],
])(
  'an imported session of %s (%s) has the tokens that its program counted',
  async (format, name) => {
    const store = newStore()
    const folder = join(import.meta.dirname, '../../../fixtures/real', format, name)
    const { session } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))
    await store.importSession(join(folder, 'source', session))
    const source = join(folder, 'source')
    const records = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.jsonl'))
      .flatMap((path) => readFileSync(join(source, path), 'utf8').trim().split('\n'))
      .map((text) => JSON.parse(text) as Fields)
    const { total, models } = await store.maintenance.stats()
    const counted = COUNTED[format]!(records)
    expect(counted).toBeGreaterThan(0)
    expect(sumTokens(total.tokens)).toBe(counted)
    expect(models.map(({ model }) => model)).not.toContain(null)
  },
)

test('prices of a file take precedence, the most precise name first', async () => {
  const store = newStore()
  const file = join(temporaryFolder({ onTestFinished }), 'prices.json')
  const models = {
    'home-*': { input: 1, output: 2 },
    'home-made': { input: 10, output: 20, cacheRead: 5 },
  }
  writeFileSync(file, JSON.stringify({ models }))
  const prices = await loadPrices(store, { file })
  expect(prices.find('home-made', 1, AT)).toEqual({
    input: 10,
    output: 20,
    cacheRead: 5,
    cacheWrite: 10,
    cacheWriteHour: 10,
  })
  expect(prices.find('home-brewed', 1, AT)).toMatchObject({ input: 1, cacheRead: 1 })
  expect(prices.find(SONNET, 1, AT)).toMatchObject({ input: 3 })
  expect(prices.find('nobody-knows', 1, AT)).toBeUndefined()
})

test.each([
  ['{', /prices\.json is not JSON/],
  ['[]', /the file: /],
  ['{"models":{"x":{"input":"1","output":2}}}', /models\.x\.input: /],
  ['{"models":{"x":{"input":1,"output":-2}}}', /models\.x\.output: /],
  ['{"models":{"x":{"input":1,"output":2,"cached":3}}}', /models\.x: .*cached/],
])('a file with %s is refused with the path of what is wrong', async (text, problem) => {
  const file = join(temporaryFolder({ onTestFinished }), 'prices.json')
  writeFileSync(file, text)
  await expect(loadPrices(newStore(), { file })).rejects.toThrow(problem)
  await expect(loadPrices(newStore(), { file: `${file}.none` })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})
