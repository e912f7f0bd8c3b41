// Who is answered: the checks before every route.

import { describe, expect, test } from 'vitest'
import { submitPrompt } from '../../lib/session/record.js'
import { HOST, startApp, TOKEN } from './client.js'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('the token', () => {
  // Requirement: 000-69
  test('is needed by every route of the API', async (t) => {
    const { get } = await startApp(t)
    for (const authorization of ['', 'Bearer', `Basic ${TOKEN}`, 'Bearer another-token-here']) {
      const { status, headers, body } = await get('/api/checkpoints', { authorization })
      expect([status, body.error.code]).toEqual([401, 'ERR_UNAUTHORIZED'])
      expect(headers.get('www-authenticate')).toContain('Bearer')
    }
    const unknown = await get('/api/nothing', { authorization: '' })
    expect(unknown.status).toBe(401)
    expect((await get('/api/checkpoints')).status).toBe(200)
  })

  test('without a scope is refused by the routes that need it', async (t) => {
    const tokens = [{ token: TOKEN, scopes: ['recall'] as const }]
    const { get } = await startApp(t, { tokens })
    const { status, body } = await get('/api/checkpoints')
    expect([status, body.error.code]).toEqual([403, 'ERR_FORBIDDEN'])
    expect(body.error.message).toContain('scope read')
  })

  test('of one agent reaches no other', async (t) => {
    const tokens = [{ token: TOKEN, agent: 'alice' }]
    const { get } = await startApp(t, { tokens })
    expect((await get('/api/checkpoints?agent_id=alice')).status).toBe(200)
    expect((await get('/api/checkpoints?agent_id=bob')).status).toBe(403)
  })
})

describe('a browser', () => {
  test('that was led here by another name is refused', async (t) => {
    const { get } = await startApp(t)
    for (const host of ['evil.example', 'evil.example:4350', '127.0.0.1.evil.example', '']) {
      const { status, body } = await get('/api/checkpoints', { host })
      expect([status, body.error.code]).toEqual([421, 'ERR_WRONG_HOST'])
    }
    for (const host of ['localhost:4350', '[::1]:9', 'LOCALHOST']) {
      expect((await get('/api/checkpoints', { host })).status).toBe(200)
    }
  })

  test('that sends a request for a page of another site is refused', async (t) => {
    const { get } = await startApp(t)
    const others = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:3000' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of others) {
      expect((await get('/api/checkpoints', headers as never)).status).toBe(403)
    }
    const own = { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }
    expect((await get('/api/checkpoints', own)).status).toBe(200)
  })

  test('gets a policy without inline script, and no cookie', async (t) => {
    const { send } = await startApp(t)
    for (const path of ['/', '/api/checkpoints', '/api/nothing', '/assets/none.js']) {
      const { headers } = await send(path, {})
      expect(headers.get('content-security-policy')).toContain("script-src 'self';")
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

describe('too much', () => {
  test('of requests is answered with 429 and the time to wait', async (t) => {
    let now = 1000
    const environment = { monotonicNow: () => now }
    const { get } = await startApp(t, { rateLimit: 1, environment })
    for (let sent = 0; sent < 10; sent++) {
      expect((await get('/api/checkpoints')).status).toBe(200)
    }
    const { status, headers, body } = await get('/api/checkpoints')
    expect([status, body.error.code]).toEqual([429, 'ERR_RATE_LIMITED'])
    expect(headers.get('retry-after')).toBe('1')
    now += 1000
    expect((await get('/api/checkpoints')).status).toBe(200)
  })
})

describe('a body', () => {
  const post = async (t: Parameters<typeof startApp>[0], init: RequestInit, bodyBytesMax = 100) => {
    const { send } = await startApp(t, { bodyBytesMax })
    return (await send('/api/sessions/search', { method: 'POST', ...init })).status
  }

  test('that is too large is answered with 413, also when its length is not known', async (t) => {
    const body = JSON.stringify({ query: 'x'.repeat(200) })
    expect(await post(t, { headers: JSON_TYPE, body })).toBe(413)
    const stream = new ReadableStream({
      pull: (controller) =>
        controller.enqueue(new TextEncoder().encode('{"query":"x"} '.repeat(9))),
    })
    const endless = { headers: JSON_TYPE, body: stream, duplex: 'half' } as RequestInit
    expect(await post(t, endless)).toBe(413)
  })

  test('of another type than JSON is refused, as a form of another site would send it', async (t) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json']) {
      expect(await post(t, { headers: { 'content-type': type }, body: '{"query":"x"}' })).toBe(415)
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect(await post(t, { headers, body: '{"query":"x"}' })).toBe(200)
  })

  test('that is no JSON is answered with 400', async (t) => {
    for (const body of ['', '{', 'null', '"x"', '[]', new Uint8Array([0x22, 0xff, 0x22])]) {
      expect(await post(t, { headers: JSON_TYPE, body })).toBe(400)
    }
  })
})

describe('a request', () => {
  test('that takes too long is answered with 503', async (t) => {
    const setTimeout = (callback: () => void) => {
      queueMicrotask(callback)
      return { unref: () => {} }
    }
    const { post, store } = await startApp(t, { environment: { timers: { setTimeout } } })
    const request = { harness: 'x', userMessage: 'hello' }
    for (const sessionKey of ['one', 'two']) await submitPrompt(store, { ...request, sessionKey })
    const { status, body } = await post('/api/sessions/search', { query: 'hello' })
    expect([status, body.error.code]).toEqual([503, 'ERR_TIMEOUT'])
  })

  test('gets an id, or keeps its own', async (t) => {
    const { get } = await startApp(t)
    const { headers } = await get('/api/checkpoints', { 'x-request-id': 'mine-1' })
    expect(headers.get('x-request-id')).toBe('mine-1')
    const other = await get('/api/nothing', { 'x-request-id': 'not an id' })
    expect(other.body.error.requestId).toMatch(/^[\da-f-]{36}$/)
    expect(other.headers.get('x-request-id')).toBe(other.body.error.requestId)
  })

  test('with another method is answered with 405', async (t) => {
    const { send } = await startApp(t)
    const response = await send('/api/checkpoints', { method: 'DELETE', headers: JSON_TYPE })
    expect(response.status).toBe(405)
    expect((await send('/', { method: 'POST' })).status).toBe(405)
  })

  test('with input that is not valid is answered with what is wrong', async (t) => {
    const { get } = await startApp(t)
    const { status, body } = await get('/api/checkpoints?limit=many')
    expect([status, body.error.code, body.error.details]).toEqual([
      400,
      'ERR_ARG',
      { in: 'query', field: 'limit' },
    ])
  })
})
