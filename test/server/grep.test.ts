// Events by their texts, over HTTP.

import { utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession } from '../../lib/free-functions.js'
import type { ContentInput } from '../../lib/index.js'
import { findTranscript } from '../../lib/store/index.js'
import { startApp, type TestServer } from './client.js'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

async function store(
  { root, store }: TestServer,
  id: string,
  ...said: { content: ContentInput }[]
) {
  const session = await createSession({ root, id, project: root })
  for (const payload of said) await session.append({ type: 'user', payload })
  await session.close()
  // Sessions are as old as their names are long.
  utimesSync(findTranscript(store, id), 1, 1e9 - id.length)
}

const get = async (app: TestServer, query: string) => {
  const { status, body } = await app.get(`/api/grep?${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body
}

test('matches come with title, place and ranges, the newest log first', async (t) => {
  const app = await startApp(t)
  await store(app, 'older', { content: 'the port is in use' })
  await store(app, 'new', { content: 'Port 1 and port 2' }, { content: 'no harbour' })
  const { matches, truncated } = await get(app, 'q=port&ignoreCase=1')
  expect(truncated).toBe(false)
  expect(matches).toMatchObject([
    {
      sessionId: 'new',
      title: 'Port 1 and port 2',
      type: 'user',
      ranges: [
        [0, 4],
        [11, 15],
      ],
    },
    { sessionId: 'older', snippet: 'the port is in use', ranges: [[4, 8]] },
  ])
  const page = await app.get(`/api/sessions/new/events?offset=${matches[0].offset}&limit=1`)
  expect(page.body.entries[0].event.uuid).toBe(matches[0].uuid)
  expect((await get(app, 'q=port&limit=1')).truncated).toBe(true)
  expect((await get(app, 'q=p.rt&regex=1&session=older')).matches).toHaveLength(1)
  expect((await get(app, 'q=p.rt')).matches).toEqual([])
  expect((await get(app, `q=port&project=${encodeURIComponent('/elsewhere')}`)).matches).toEqual([])
  expect((await get(app, `q=port&project=${encodeURIComponent(app.root)}`)).matches).toHaveLength(2)
})

test('secrets are not shown, by their shape or by the name of their field', async (t) => {
  const app = await startApp(t)
  const input = { password: 'correct horse', note: `use ${SECRET} here` }
  await store(app, 'one', { content: [{ type: 'tool_use', id: 'c', name: 'Login', input }] })
  const byText = await get(app, 'q=here')
  expect(byText.matches).toMatchObject([{ snippet: 'use [REDACTED] here', ranges: [[15, 19]] }])
  const bySecret = await get(app, `q=${SECRET.slice(0, 12)}`)
  expect(JSON.stringify(bySecret)).not.toContain(SECRET.slice(4, 16))
  const byField = await get(app, 'q=horse')
  expect(byField.matches).toMatchObject([{ snippet: '[REDACTED]', ranges: [] }])
  expect((await app.get('/api/grep?q=horse&secrets=1')).status).toBe(403)
})

test('a search that cannot be made is answered with what is wrong', async (t) => {
  const app = await startApp(t)
  await store(app, 'one', { content: 'x' })
  const cases = {
    '': 400,
    'q=': 400,
    'q=(&regex=1': 400,
    'q=x&limit=501': 400,
    'q=x&session=none': 404,
    [`q=${'x'.repeat(1001)}`]: 400,
  }
  for (const [query, status] of Object.entries(cases)) {
    expect([query, (await app.get(`/api/grep?${query}`)).status]).toEqual([query, status])
  }
})
