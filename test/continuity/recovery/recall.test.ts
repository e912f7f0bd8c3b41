// Recall over what was stored: by words, with filters, the best first.

import { expect, onTestFinished, test } from 'vitest'
import { checkpointSession, contextCheckpoint, recall } from '../../../lib/continuity/index.js'
import { appendCheckpoint, openContext } from '../../../lib/store/index.js'
import { Clock, HOUR } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'

async function setUp() {
  const root = temporaryFolder({ onTestFinished })
  const clock = new Clock()
  const store = openContext({ root, home: root, environment: clock.environment })
  const of = { sessionKey: 'a', sessionSummary: 'Done.', harness: 'pi' }
  await contextCheckpoint(store, {
    ...of,
    project: '/work/a',
    memories: [
      { content: 'The port of staging is 8080.', importance: 4, entities: ['Staging', 'Web'] },
      { content: 'Prefers dark mode.', memoryType: 'preference' },
      { content: 'Never open a port to the outside.', memoryType: 'constraint', importance: 5 },
    ],
  })
  clock.pass(HOUR)
  const remembered = ['the staging port is behind a proxy']
  await appendCheckpoint(store, {
    ...{ session_key: 'b', trigger: 'periodic', harness: 'claude-code', digest: 'x' },
    ...{ prompt_count: 1, project: '/work/b', recent_remembers: remembered },
  })
  await checkpointSession(store, { sessionKey: 'c', project: '/work/b', digest: 'the port' })
  const texts = (options: Partial<Parameters<typeof recall>[1]>) =>
    recall(store, { query: 'staging port', ...options }).results.map(({ text }) => text)
  return { store, clock, texts }
}

// Requirements: 001-27, 001-31
test('finds memories and remembered texts, more words first, then the more important', async () => {
  const { store, texts } = await setUp()
  expect(texts({})).toEqual([
    'The port of staging is 8080.',
    'the staging port is behind a proxy',
    'Never open a port to the outside.',
  ])
  const result = recall(store, { query: 'DARK', limit: 1 })
  expect(result).toMatchObject({
    query: 'DARK',
    count: 1,
    method: 'keyword',
    meta: { totalReturned: 1, totalFound: 1, noHits: false },
    results: [{ memoryType: 'preference', sessionId: 'a', harness: 'pi', rank: -1 }],
    message: '- Prefers dark mode. (preference, 2026-01-01)',
  })
  expect(recall(store, { query: 'nothing' })).toMatchObject({
    meta: { noHits: true },
    message: 'No matching memories found.',
  })
})

// Requirement: 001-27
test('takes phrases, and filters by project, type, names, harness and time', async () => {
  const { clock, texts } = await setUp()
  expect(texts({ keywordQuery: '"dark mode" OR theme' })).toEqual(['Prefers dark mode.'])
  expect(texts({ project: '/work/b' })).toEqual(['the staging port is behind a proxy'])
  expect(texts({ type: 'constraint' })).toEqual(['Never open a port to the outside.'])
  expect(texts({ type: 'remember' })).toHaveLength(1)
  expect(texts({ tags: 'web, other' })).toEqual(['The port of staging is 8080.'])
  expect(texts({ who: 'pi' })).toHaveLength(2)
  expect(texts({ since: clock.iso(-1) })).toEqual(['the staging port is behind a proxy'])
  expect(texts({ until: clock.iso(-1) })).toHaveLength(2)
  expect(texts({ limit: 0 })).toHaveLength(1)
  expect(texts({ limit: Number.NaN })).toHaveLength(3)
})

test('rejects a query without a word, and a time that is none', async () => {
  const { store } = await setUp()
  expect(() => recall(store, { query: ' OR ?' })).toThrow(/no word to search for/)
  expect(() => recall(store, { query: 7 as unknown as string })).toThrow(TypeError)
  expect(() => recall(store, { query: 'x', since: 'monday' })).toThrow(/since must be a time/)
})
