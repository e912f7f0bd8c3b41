import { expect, test } from 'vitest'
import { createSession } from '../../lib/session/index.js'
import { runCli, runWell } from './command-line.js'
import { newPlace, type Place, storeSession } from './stored.js'

async function storeCompacted({ root }: Place): Promise<string> {
  const environment = { now: () => Date.UTC(2026, 0, 1) }
  const session = await createSession({ root, id: 'demo', environment })
  await session.append({ type: 'user', payload: { content: 'one' } })
  await session.compact({ summary: 'First.' })
  await session.append({ type: 'user', payload: { content: 'two' } })
  const { summary_uuid } = await session.compact({ summary: 'Second,\nof both.' })
  await session.close()
  return `demo:${summary_uuid}`
}

test('summaries are listed newest first (001-78)', async (t) => {
  const place = newPlace(t)
  const id = await storeCompacted(place)
  const stdout = await runWell(['summaries', '--limit', '1'], place)
  expect(stdout).toBe(`${id}  compaction  demo  2026-01-01\n  Second, of both.\n`)
  const list = JSON.parse(await runWell(['summaries', '--json'], place))
  expect(list).toMatchObject({
    summaries: [
      { id, kind: 'session', depth: 0, source_type: 'compaction', source_ref: 'demo' },
      { content: 'First.' },
    ],
    total: 2,
  })
})

test('one of them is expanded with its neighbours (001-79)', async (t) => {
  const place = newPlace(t)
  const id = await storeCompacted(place)
  const time = '2026-01-01T00:00:00.000Z'
  const stdout = await runWell(['summaries', '--expand', id], place)
  expect(stdout).toMatch(
    new RegExp(
      `^${id}  compaction  ${time}\nSecond,\nof both.\nsums up  demo:\\S+  compaction  ${time}\n\nUser: two\n$`,
    ),
  )
  const expanded = JSON.parse(await runWell(['summaries', '--expand', id, '--json'], place))
  expect(expanded).toMatchObject({
    node: { id, sourceType: 'compaction' },
    parents: [],
    children: [{ content: 'First.' }],
    linkedMemories: [],
    transcript: { sessionKey: 'demo', excerpt: 'User: two' },
  })
})

test('where nothing was summed up the answer is no; an unknown id is not found', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runCli(['summaries'], place)).toEqual({
    stdout: '',
    stderr: 'Nothing was summed up yet\n',
    exitCode: 1,
  })
  expect(await runCli(['summaries', '--json'], place)).toMatchObject({
    stdout: '{"summaries":[],"total":0}\n',
    exitCode: 1,
  })
  expect(await runCli(['summaries', '--expand', 'nobody'], place)).toMatchObject({ exitCode: 3 })
  const both = await runCli(['summaries', '--expand', 'x', '--limit', '1'], place)
  expect(both).toMatchObject({ exitCode: 2 })
})
