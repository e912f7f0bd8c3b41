import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'

import { runCli, runWell } from '../command-line.js'
import { newPlace, type Place, storeSession } from '../stored.js'

async function storeCompacted({ root }: Place): Promise<string> {
  const environment = { now: () => Date.UTC(2026, 0, 1) }
  const session = await createSession({ root, id: 'demo', environment })
  await session.append({ type: 'user', payload: { content: 'one' } })
  await session.compact({ summary: 'First.' })
  await session.append({ type: 'user', payload: { content: 'two' } })
  const { summaryUuid } = await session.compact({ summary: 'Second,\nof both.' })
  await session.close()
  return `demo:${summaryUuid}`
}

// Requirement: 001-78
test('summaries are listed newest first', async (t) => {
  const place = newPlace(t)
  const id = await storeCompacted(place)
  const stdout = await runWell(['summaries', '--limit', '1'], place)
  expect(stdout).toBe(`${id}  compaction  demo  2026-01-01\n  Second, of both.\n`)
  const list = JSON.parse(await runWell(['summaries', '--json'], place))
  expect(list).toMatchObject({
    summaries: [
      { id, kind: 'session', depth: 0, sourceType: 'compaction', sourceRef: 'demo' },
      { content: 'First.' },
    ],
    total: 2,
  })
})

// Requirement: 001-79
test('one of them is expanded with its neighbours', async (t) => {
  const place = newPlace(t)
  const id = await storeCompacted(place)
  const time = '2026-01-01T00:00:00.000Z'
  const stdout = await runWell(['summaries', '--expand', id], place)
  expect(stdout).toMatch(
    new RegExp(
      `^${id}  compaction  ${time}\nSecond,\nof both.\ncovers  demo:\\S+  compaction  ${time}\n\nUser: two\n$`,
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

test('without summaries the exit code is 1; for an unknown id it is 3', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runCli(['summaries'], place)).toEqual({
    stdout: '',
    stderr: 'There are no summaries yet\n',
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
