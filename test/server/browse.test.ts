// The routes of one session, on a session that was compacted, resumed and had a subagent.

import { appendFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createSession, resumeSession } from '../../lib/free-functions.js'
import { findTranscript } from '../../lib/store/index.js'
import { line } from '../helpers/lines.js'
import { startApp } from './client.js'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

async function storeSession(root: string) {
  const session = await createSession({ root, id: 'agent:x/one' })
  const say = (uuid: string, content: string) =>
    session.append({ type: 'user', uuid, payload: { content } })
  await say('u1', `the token is ${SECRET}`)
  await say('u2', 'x'.repeat(5000))
  const task = await session.spawn({ taskId: 'T-1', prompt: 'count the files' })
  await task.append({ type: 'user', uuid: 't1', payload: { content: 'in the subagent' } })
  await task.finish({ status: 'completed', summary: 'three' })
  await session.compact({ summary: 'the gist', keepFrom: 'u2' })
  await say('u3', 'the end')
  await session.close()
}

const PATH = `/api/sessions/${encodeURIComponent('agent:x/one')}`

describe('events', () => {
  test('come page by page, in full or as an outline, of the session or a subagent', async (t) => {
    const { root, get } = await startApp(t)
    await storeSession(root)
    const full = await get(`${PATH}/events?limit=3`)
    expect(full.body.entries.map(({ event }: never) => (event as { type: string }).type)).toEqual([
      'session_header',
      'user',
      'user',
    ])
    expect(full.body.atEnd).toBe(false)
    const rest = await get(`${PATH}/events?view=outline&limit=10000&from=${full.body.next}`)
    expect(rest.body).toMatchObject({ atEnd: true, size: full.body.size })
    expect(rest.body.entries[0]).toMatchObject({ type: 'subagent_spawn', task: 'T-1' })
    const last = (await get(`${PATH}/events?before=2&view=outline`)).body.entries
    expect(last).toMatchObject(rest.body.entries.slice(-2))
    const near = await get(`${PATH}/events?at=u2&before=1&limit=2&clip=10`)
    expect(near.body.entries).toMatchObject([
      { event: { uuid: 'u1' }, clipped: true },
      { event: { uuid: 'u2', payload: { content: 'xxxxxxxxx…' } }, clipped: true },
    ])
    const { offset } = near.body.entries[1]
    const there = await get(`${PATH}/events?offset=${offset}&limit=1`)
    expect(there.body.entries[0].event.uuid).toBe('u2')
    const child = await get(`${PATH}/events?log=T-1&view=outline`)
    expect(child.body.entries.map(({ title }: never) => title)).toContain('in the subagent')
  })

  test('are redacted, and with secrets only where the server allows it', async (t) => {
    const closed = await startApp(t)
    await storeSession(closed.root)
    const shown = await get200(closed, `${PATH}/events`)
    expect(JSON.stringify(shown)).not.toContain(SECRET)
    expect(JSON.stringify(shown)).toContain('[REDACTED]')
    const refused = await closed.get(`${PATH}/events?secrets=1`)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(refused.body.error.message).toContain('--allow-secrets')
    const open = await startApp(t, { allowSecrets: true })
    await storeSession(open.root)
    expect(JSON.stringify(await get200(open, `${PATH}/events`))).not.toContain(SECRET)
    expect(JSON.stringify(await get200(open, `${PATH}/events?secrets=1`))).toContain(SECRET)
  })

  test('that cannot be given are answered with what is wrong', async (t) => {
    const { root, get, store } = await startApp(t)
    await storeSession(root)
    const cases = {
      'limit=0': 400,
      'limit=1001': 400,
      'limit=10001&view=outline': 400,
      'limit=x': 400,
      'from=nonsense': 400,
      'from=1-0-00000000&offset=0': 400,
      'offset=-1': 400,
      'offset=99999999': 400,
      'at=nobody': 404,
      'log=nobody': 404,
      'view=other': 400,
      'secrets=yes': 400,
      'from=1-5-12345678': 409,
    }
    for (const [query, status] of Object.entries(cases)) {
      const answer = await get(`${PATH}/events?${query}`)
      expect([query, answer.status]).toEqual([query, status])
    }
    expect((await get('/api/sessions/nobody/events')).status).toBe(404)
    expect((await get('/api/sessions/..%2F..%2Fetc%2Fpasswd/events')).status).toBe(404)
    appendFileSync(findTranscript(store, 'agent:x/one'), 'not JSON\n')
    const { entries } = await get200({ get }, `${PATH}/events?before=1`)
    expect(entries).toMatchObject([{ damage: { reason: expect.any(String) } }])
  })
})

describe('messages', () => {
  test('are what the model sees, or saw', async (t) => {
    const { root, get } = await startApp(t)
    await storeSession(root)
    const now = await get200({ get }, `${PATH}/messages`)
    expect(now).toMatchObject({ contextEpoch: 1, degraded: false, next: null })
    expect(now.entries[0]).toMatchObject({ kind: 'summary', text: 'the gist' })
    const then = await get200({ get }, `${PATH}/messages?at=u2&view=outline`)
    expect(then.entries).toMatchObject([
      { kind: 'event', sessionId: 'agent:x/one', uuid: 'u1' },
      { kind: 'event', sessionId: 'agent:x/one', uuid: 'u2' },
    ])
    const first = await get200({ get }, `${PATH}/messages?at=u2&limit=1`)
    expect(first).toMatchObject({ total: 2, next: 1, entries: { length: 1 } })
    expect(JSON.stringify(first)).not.toContain(SECRET)
    expect((await get(`${PATH}/messages?at=nobody`)).status).toBe(404)
    expect((await get(`${PATH}/messages?limit=1001`)).status).toBe(400)
    expect((await get(`${PATH}/messages?secrets=1`)).status).toBe(403)
  })
})

describe('a tree', () => {
  test('shows compactions, relatives and subagents', async (t) => {
    const { root, get } = await startApp(t)
    await storeSession(root)
    const { session } = await resumeSession({ root, id: 'agent:x/one', mode: 'new' })
    await session.append({ type: 'user', payload: { content: 'more' } })
    await session.close()
    const tree = await get200({ get }, `${PATH}/tree`)
    expect(tree.boundaries).toMatchObject([{ active: true }])
    expect(tree.descendants).toMatchObject([{ sessionId: session.id, kind: 'resume' }])
    expect(tree.subagents).toMatchObject([{ taskId: 'T-1', status: 'completed' }])
    const child = await get200({ get }, `/api/sessions/${session.id}/tree`)
    expect(child.ancestors).toMatchObject([{ sessionId: 'agent:x/one', kind: 'resume' }])
    expect(child.ancestors[0].title).toContain('[REDACTED]')
  })
})

test('the info says what the token may do', async (t) => {
  const { get } = await startApp(t, { allowSecrets: true })
  expect(await get200({ get }, '/api/info')).toEqual({
    version: expect.any(String),
    agent: 'default',
    scopes: ['read', 'recall', 'remember'],
    allowWrite: true,
    allowSecrets: true,
  })
})

test('a log of another agent is not reached', async (t) => {
  const { root, get } = await startApp(t)
  await storeSession(root)
  expect((await get(`${PATH}/events?agent_id=other`)).status).toBe(404)
  const other = await createSession({ root, agent: 'other', id: 'theirs' })
  await other.append({ type: 'user', payload: { content: 'x' } })
  await other.close()
  expect((await get('/api/sessions/theirs/events')).status).toBe(404)
  expect((await get('/api/sessions/theirs/events?agent_id=other')).status).toBe(200)
})

test('a payload that nests too deeply for JSON is cut there', async (t) => {
  const { root, get, store } = await startApp(t)
  await storeSession(root)
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const text = line('user', { uuid: 'deep', payload: 0 })
    .toString()
    .replace(/,"crc".*/, '}')
  appendFileSync(
    findTranscript(store, 'agent:x/one'),
    `${text.trim().replace('"payload":0', `"payload":{"content":${deep}}`)}\n`,
  )
  const { entries } = await get200({ get }, `${PATH}/events?at=deep`)
  expect(JSON.stringify(entries)).toContain('nested too deep')
})

// biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
async function get200(app: { get(path: string): Promise<any> }, path: string) {
  const { status, body } = await app.get(path)
  expect([path, status, body.error]).toEqual([path, 200, undefined])
  return body
}
