// Sessions over HTTP: claims, transcripts, searches, summaries and bypass.

import { describe, expect, test } from 'vitest'
import { submitPrompt } from '../../lib/session/record.js'
import { claimSession, forAgent } from '../../lib/store/index.js'
import { startApp, type TestServer } from './client.js'

const project = '/workspace/repo'

async function say(
  { store }: Pick<TestServer, 'store'>,
  sessionKey: string,
  userMessage: string,
  agentId?: string,
) {
  const request = { harness: 'openclaw', sessionKey, userMessage, project, agentId }
  await submitPrompt(store, request)
}

describe('GET /api/sessions', () => {
  test('lists the claims of the agent', async (t) => {
    const { store, get } = await startApp(t)
    await claimSession(store, 'session-uuid', { runtimePath: 'plugin' })
    await claimSession(forAgent(store, 'bob'), 'of-bob', { runtimePath: 'plugin' })
    const { body } = await get('/api/sessions')
    expect(body.count).toBe(1)
    const [{ claimedAt, expiresAt, ...rest }] = body.sessions
    expect(rest).toEqual({ key: 'session-uuid', runtimePath: 'plugin', bypassed: false })
    expect(Date.parse(expiresAt) - Date.parse(claimedAt)).toBeGreaterThanOrEqual(4 * 3600 * 1000)
    const bob = await get('/api/sessions?agent_id=bob')
    expect(bob.body.sessions).toMatchObject([{ key: 'of-bob' }])
  })
})

describe('GET /api/sessions/:key', () => {
  test('takes raw and prefixed keys, and answers 404 for an unknown one', async (t) => {
    const { store, get } = await startApp(t)
    const keys = ['abc123', 'agent:nic/x y:main', '../../etc/passwd', 'summaries']
    for (const key of keys) {
      await claimSession(store, key, { runtimePath: 'plugin' })
      const path = encodeURIComponent(`session:${key}`)
      expect((await get(`/api/sessions/${path}`)).body).toMatchObject({ key, active: true })
    }
    for (const key of keys.slice(0, 3)) {
      expect((await get(`/api/sessions/${encodeURIComponent(key)}`)).body).toMatchObject({ key })
    }
    // A literal path wins over a key of that name.
    expect((await get('/api/sessions/summaries')).body).toHaveProperty('summaries')
    const { status, body } = await get('/api/sessions/none')
    expect([status, body.error.code]).toEqual([404, 'ERR_NOT_FOUND'])
    expect((await get('/api/sessions/%00')).status).toBe(404)
  })
})

describe('GET /api/sessions/:key/transcript', () => {
  test('is what was said, of the agent that asks', async (t) => {
    const app = await startApp(t)
    const { get } = app
    await say(app, 'session-uuid', `my key is ghp_${'a1B2'.repeat(9)}`)
    const { body } = await get('/api/sessions/session%3Asession-uuid/transcript')
    expect(body).toEqual({
      sessionKey: 'session-uuid',
      agentId: 'default',
      content: 'User: my key is [REDACTED]',
    })
    const other = await get('/api/sessions/session-uuid/transcript?agent_id=bob')
    expect(other.status).toBe(404)
    expect((await get('/api/sessions/none/transcript')).status).toBe(404)
  })
})

describe('POST /api/sessions/search', () => {
  const request = {
    query: 'Juniper trunk ports',
    currentSessionKey: 'agent:nicholai:subagent:abc123',
    agentId: 'nicholai',
    project,
    limit: 5,
  }

  test('searches the parent that the key of a subagent names', async (t) => {
    const app = await startApp(t)
    const words = 'keep the Juniper EX4300 VLAN audit focused on trunk ports'
    await say(app, 'agent:nicholai:main', words, 'nicholai')
    await say(app, 'another', words, 'nicholai')
    await say(app, 'of-bob', words, 'bob')
    const { body } = await app.post('/api/sessions/search', request)
    expect(body).toMatchObject({ query: request.query, count: 1 })
    const [{ rank, updatedAt, ...hit }] = body.hits
    expect(hit).toMatchObject({ sessionKey: 'agent:nicholai:main', project })
    expect(hit.excerpt).toContain('trunk ports')
    expect(rank).toBeLessThan(0)
    expect(Date.parse(updatedAt)).not.toBeNaN()
    const { currentSessionKey: _, ...all } = request
    expect((await app.post('/api/sessions/search', all)).body.count).toBe(2)
    const one = { ...all, sessionKey: 'another' }
    expect((await app.post('/api/sessions/search', one)).body.count).toBe(1)
    const without = { ...all, currentSessionKey: 'another' }
    const { hits } = (await app.post('/api/sessions/search', without)).body
    expect(hits.map(({ sessionKey }: { sessionKey: string }) => sessionKey)).toEqual([
      'agent:nicholai:main',
    ])
  })

  test('clamps the limit to 1 to 20, and needs no right to write', async (t) => {
    const app = await startApp(t, { allowWrite: false })
    for (let index = 0; index < 22; index++) await say(app, `s${index}`, 'trunk')
    const found = async (limit: number) =>
      (await app.post('/api/sessions/search', { query: 'trunk', limit })).body.count
    expect([await found(0), await found(-5), await found(500)]).toEqual([1, 1, 20])
    expect((await app.post('/api/sessions/search', {})).status).toBe(400)
    const unknown = { query: 'trunk', sessionKey: 'none' }
    expect((await app.post('/api/sessions/search', unknown)).status).toBe(404)
  })
})

describe('summaries', () => {
  test('are listed and expanded, by their agent only', async (t) => {
    const app = await startApp(t)
    const { post, get } = app
    await say(app, 'session-uuid', 'the first prompt')
    const compaction = { harness: 'x', sessionKey: 'session-uuid', summary: 'All about ports.' }
    await post('/api/hooks/compaction-complete', compaction)
    const { body: list } = await get('/api/sessions/summaries')
    expect(list.summaries).toHaveLength(1)
    const [{ id, meta_json, ...node }] = list.summaries
    expect(node).toMatchObject({
      kind: 'session',
      depth: 0,
      source_type: 'compaction',
      source_ref: 'session-uuid',
    })
    expect(() => JSON.parse(meta_json)).not.toThrow()
    const expand = { id, includeTranscript: true, transcriptCharLimit: 2000 }
    const { body } = await post('/api/sessions/summaries/expand', expand)
    expect(body).toMatchObject({
      node: { id, kind: 'session', depth: 0, sourceType: 'compaction' },
      parents: [],
      children: [],
      linkedMemories: [],
      transcript: { sessionKey: 'session-uuid', excerpt: 'User: the first prompt' },
    })
    const short = { id, includeTranscript: false }
    expect((await post('/api/sessions/summaries/expand', short)).body.transcript).toBeNull()
    expect((await post('/api/sessions/summaries/expand', { id: 'none' })).status).toBe(404)
    const bob = { id, agentId: 'bob' }
    expect((await post('/api/sessions/summaries/expand', bob)).status).toBe(404)
  })
})

describe('POST /api/sessions/:key/bypass', () => {
  test('switches the hooks of a session off and on', async (t) => {
    const app = await startApp(t)
    await say(app, 'session-uuid', 'hello')
    const off = await app.post('/api/sessions/session%3Asession-uuid/bypass', { enabled: true })
    expect(off.body).toEqual({ key: 'session-uuid', bypassed: true })
    expect((await app.get('/api/sessions/session-uuid')).body.bypassed).toBe(true)
    const on = await app.post('/api/sessions/session-uuid/bypass', { enabled: false })
    expect(on.body).toEqual({ key: 'session-uuid', bypassed: false })
    expect((await app.post('/api/sessions/none/bypass', { enabled: true })).status).toBe(404)
    for (const body of [{}, { enabled: 'yes' }, [], 'x', null]) {
      expect((await app.post('/api/sessions/session-uuid/bypass', body)).status).toBe(400)
    }
  })
})
