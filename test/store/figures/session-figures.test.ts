// Figures of sessions are the same from the logs and from the cache, and the cache is only a cache.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../lib/index.js'
import { readSessionFigures } from '../../../lib/store/index.js'
import { foreignLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const SONNET = 'claude-sonnet-4-20250514'
const MINUTE = 60_000

function newStore(environment = {}) {
  const root = temporaryFolder({ onTestFinished })
  return { root, store: openStore({ root, environment }) }
}
type Store = ReturnType<typeof newStore>['store']

const reply = (input_tokens: number, output_tokens: number, more = {}) => ({
  type: 'assistant',
  payload: { content: 'x', model: SONNET, usage: { input_tokens, output_tokens }, ...more },
})

async function figuresOf(store: Store) {
  const { sessions } = store.listSessions({ all: true })
  const { figures, skipped } = await readSessionFigures(store, sessions)
  expect(skipped).toEqual([])
  return Object.fromEntries(figures)
}

/** How many bytes of logs a call reads. */
async function bytesRead(root: string, work: (store: Store) => Promise<unknown>): Promise<number> {
  const fs = await import('node:fs')
  let bytes = 0
  const readSync = ((...args: Parameters<typeof fs.readSync>) => {
    const count = fs.readSync(...args)
    bytes += count
    return count
  }) as typeof fs.readSync
  await work(openStore({ root, environment: { fs: { readSync } } }))
  return bytes
}

async function fill(store: Store): Promise<void> {
  const session = await store.createSession({ id: 'a' })
  const { uuid } = await session.prompt('hello')
  await session.append(reply(1000, 10))
  await session.append({
    type: 'tool_call',
    payload: { tool_call_id: 't', name: 'Bash', input: {} },
  })
  await session.append({
    type: 'tool_result',
    payload: { tool_call_id: 't', content: 'x'.repeat(100_000), is_error: false },
  })
  await session.append({
    type: 'user',
    payload: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'no prompt' }] },
  })
  await session.append({ type: 'user', payload: { content: 'a reminder', is_meta: true } })
  await session.append({
    type: 'user',
    payload: { content: [{ type: 'text', text: 'a second prompt' }] },
  })
  await session.append(reply(2000, 20, { message_id: 'm' }))
  await session.append(reply(2000, 25, { message_id: 'm' }))
  const task = await session.spawn({ taskId: 'sub', prompt: 'help' })
  await task.append({
    type: 'assistant',
    payload: { content: 'x', model: 'home-made', usage: { input_tokens: 7, output_tokens: 1 } },
  })
  await task.finish({ status: 'completed', summary: 'done' })
  await session.rewind({ to: uuid })
  await session.close()
  store.forkSession('a', { newId: 'b' })
}

test('figures of a session include subagents and what was rewound, and a fork begins at nothing', async () => {
  const { store } = newStore()
  await fill(store)
  expect(await figuresOf(store)).toMatchObject({
    a: {
      turns: 2,
      toolCalls: 1,
      tokens: { input: 3007, output: 36 },
      cost: { microDollars: 3000 * 3 + 35 * 15, unpricedTokens: 8 },
      model: SONNET,
      models: [
        { model: SONNET, microDollars: 9525 },
        { model: 'home-made', microDollars: null },
      ],
      subagents: 1,
    },
    b: { turns: 0, toolCalls: 0, tokens: { input: 0 }, cost: { microDollars: 0 }, model: null },
  })
  const { total } = await store.maintenance.stats()
  const all = Object.values(await figuresOf(store))
  expect(all.reduce((sum, { cost }) => sum + cost.microDollars, 0)).toBe(total.cost.microDollars)
})

test('pauses of half an hour are not part of the duration', async () => {
  let now = Date.UTC(2026, 0, 1)
  const { store } = newStore({ now: () => now })
  const session = await store.createSession({ id: 'a' })
  for (const minutes of [1, 10, 600, 5]) {
    now += minutes * MINUTE
    await session.append({ type: 'user', payload: { content: 'x' } })
  }
  await session.release()
  expect((await figuresOf(store))['a']).toMatchObject({ durationMs: 16 * MINUTE, turns: 4 })
})

test('a second reading takes the figures from the cache, and one of a grown log reads what was added', async () => {
  const { root, store } = newStore()
  await fill(store)
  const first = await figuresOf(store)
  const { sessions } = store.listSessions({ all: true })
  const read = (own: Store) => readSessionFigures(own, sessions)
  expect(await bytesRead(root, read)).toBeLessThan(20_000)
  expect(await figuresOf(store)).toEqual(first)
  await store.appendTranscript({ session_id: 'a', event: reply(5, 5) })
  await store.appendTranscript({ session_id: 'a', event: reply(2000, 40, { message_id: 'm' }) })
  expect(await bytesRead(root, read)).toBeLessThan(20_000)
  const grown = await figuresOf(store)
  expect(grown['a']!.tokens).toMatchObject({ input: 3012, output: 36 + 5 + 15 })
  rmSync(join(root, '.cache'), { recursive: true })
  expect(await figuresOf(store)).toEqual(grown)
})

test('figures do not change when the cache is deleted, damaged, empty or read-only', async () => {
  const { root, store } = newStore()
  await fill(store)
  const expected = await figuresOf(store)
  const cache = join(root, '.cache')
  const files = readdirSync(cache).map((name) => join(cache, name))
  expect(files.length).toBeGreaterThan(0)
  for (const path of files) expect(statSync(path).mode & 0o077).toBe(0)
  const contents = new Map(files.map((path) => [path, readFileSync(path)]))
  for (let at = 0; at < 10; at++) {
    for (const [path, bytes] of contents) {
      const damaged = Buffer.from(bytes)
      const place = Math.floor((at / 10) * damaged.length)
      // A digit of a number is the change that is hardest to notice.
      damaged[place] = damaged[place] === 0x31 ? 0x39 : 0x31
      writeFileSync(path, damaged)
    }
    expect(await figuresOf(store)).toEqual(expected)
  }
  for (const text of ['', '{}', 'figures 1 x\n{}', '\u0000'.repeat(100)]) {
    for (const path of files) writeFileSync(path, text)
    expect(await figuresOf(store)).toEqual(expected)
  }
  rmSync(cache, { recursive: true })
  writeFileSync(cache, 'not a folder')
  expect(await figuresOf(store)).toEqual(expected)
  rmSync(cache)
  if (process.getuid?.() !== 0) {
    chmodSync(root, 0o500)
    onTestFinished(() => chmodSync(root, 0o700))
    expect(await figuresOf(store)).toEqual(expected)
    expect(existsSync(cache)).toBe(false)
  }
})

test('a log that was replaced by another of the same size, or cut, is read again', async () => {
  const { store } = newStore()
  const write = (prompts: number) =>
    Buffer.concat(
      Array.from({ length: 20 }, (_, index) =>
        foreignLine({
          type: index < prompts ? 'user' : 'note',
          uuid: `u${String(index).padStart(3, '0')}`,
          ts: '2026-01-01T00:00:00.000Z',
          prev_uuid: null,
          payload: { content: 'x' },
        }),
      ),
    )
  const path = store.transcriptPath('a')
  await (await store.createSession({ id: 'a' })).close()
  writeFileSync(path, write(5))
  utimesSync(path, 1, 1)
  expect((await figuresOf(store))['a']!.turns).toBe(5)
  writeFileSync(path, write(9))
  utimesSync(path, 2, 2)
  expect((await figuresOf(store))['a']!.turns).toBe(9)
  appendFileSync(path, write(3))
  expect((await figuresOf(store))['a']!.turns).toBe(12)
  writeFileSync(path, write(9).subarray(0, 500))
  const cut = (await figuresOf(store))['a']!.turns
  expect(cut).toBeGreaterThan(0)
  expect(cut).toBeLessThan(9)
})

test('a last line without an end counts once, before and after it is completed', async () => {
  const { store } = newStore()
  const session = await store.createSession({ id: 'a' })
  await session.prompt('hello')
  await session.release()
  const path = store.transcriptPath('a')
  const line = foreignLine({
    type: 'user',
    uuid: 'last',
    ts: '2026-01-01T00:00:00.000Z',
    prev_uuid: 'x',
    payload: { content: 'unfinished' },
  }).toString()
  appendFileSync(path, line.slice(0, -1))
  for (let time = 0; time < 2; time++) expect((await figuresOf(store))['a']!.turns).toBe(2)
  appendFileSync(path, '\n')
  for (let time = 0; time < 2; time++) expect((await figuresOf(store))['a']!.turns).toBe(2)
})

test('twenty readers at once agree and leave a cache that is whole', async () => {
  const { root, store } = newStore()
  await fill(store)
  const all = await Promise.all(Array.from({ length: 20 }, () => figuresOf(store)))
  for (const one of all) expect(one).toEqual(all[0])
  expect(readdirSync(join(root, '.cache')).filter((name) => !name.endsWith('.json'))).toEqual([])
})

test('the cache forgets sessions that are gone', async () => {
  const { root, store } = newStore()
  await fill(store)
  await figuresOf(store)
  rmSync(store.transcriptPath('b'))
  await store.appendTranscript({ session_id: 'a', event: reply(1, 1) })
  await store.maintenance.trash({ sessions: ['a'], apply: true, force: true })
  const session = await store.createSession({ id: 'c' })
  await session.prompt('x')
  await session.close()
  await figuresOf(store)
  const bytes = readdirSync(join(root, '.cache')).reduce(
    (sum, name) => sum + statSync(join(root, '.cache', name)).size,
    0,
  )
  expect(bytes).toBeLessThan(8000)
})
