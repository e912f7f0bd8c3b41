// The list of sessions in pages.

import { openSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { appendTranscript, tagSession } from '../../lib/session/index.js'
import { endHarnessSession, submitPrompt } from '../../lib/session/record.js'
import { type Answer, startApp, type TestServer } from './client.js'

async function say(app: TestServer, sessionKey: string, userMessage: string, project = '/repo') {
  await submitPrompt(app.store, { harness: 'x', sessionKey, userMessage, project })
}

const idsOf = ({ body }: Answer): string[] => body.sessions.map(({ id }: { id: string }) => id)

describe('GET /api/store/sessions', () => {
  test.each([
    ['', 's6'],
    ['&order=asc', 's0'],
    ['&sort=started', 's6'],
    ['&sort=bytes', 's0'],
  ])(
    'with %j pages through all sessions, also when others begin meanwhile',
    async (query, first) => {
      let now = Date.UTC(2026, 0, 1)
      const app = await startApp({ onTestFinished }, { environment: { now: () => now } })
      for (let index = 0; index < 7; index++) {
        // Two of them have the same time.
        if (index !== 3) now += 60_000
        await say(app, `s${index}`, 'x'.repeat(700 - 100 * index))
      }
      const seen: string[] = []
      let from = ''
      do {
        const answer = await app.get(`/api/store/sessions?limit=3${query}${from}`)
        seen.push(...idsOf(answer))
        from = answer.body.next === null ? '' : `&from=${encodeURIComponent(answer.body.next)}`
        await say(app, `new${seen.length}`, 'y'.repeat(350))
      } while (from !== '')
      const old = seen.filter((id) => id.startsWith('s'))
      expect(old[0]).toBe(first)
      expect(old.toSorted()).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6'])
      expect(new Set(seen).size).toBe(seen.length)
    },
  )

  test('a cursor of something else is refused', async (t) => {
    const { get } = await startApp(t)
    expect((await get('/api/store/sessions?from=nonsense')).status).toBe(400)
  })

  test('reads a log once, and again only when it has changed', async (t) => {
    const opened: string[] = []
    let now = Date.now() + 60_000
    const fs = {
      openSync: ((path, ...rest) => {
        opened.push(String(path))
        return openSync(path, ...rest)
      }) as typeof openSync,
    }
    const app = await startApp(t, { environment: { fs, now: () => now } })
    for (let index = 0; index < 20; index++) await say(app, `s${index}`, 'hello')
    await app.get('/api/store/sessions')
    now += 60_000
    opened.length = 0
    await app.get('/api/store/sessions?limit=5')
    await app.get('/api/store/sessions?q=hello')
    expect(opened).toEqual([])
    await say(app, 's3', 'again')
    opened.length = 0
    await app.get('/api/store/sessions')
    expect(new Set(opened)).toEqual(new Set([app.store.layout.transcriptPath('s3')]))
  })

  test('a row has title, status, times, tags and what the session continues', async (t) => {
    const app = await startApp(t)
    await say(app, 'first', `the key ghp_${'a1B2'.repeat(9)} is mine`)
    await tagSession(app.store, 'first', { add: ['important'] })
    await endHarnessSession(app.store, { harness: 'x', sessionKey: 'first' })
    const { body } = await app.get('/api/store/sessions')
    expect(body).toMatchObject({ total: 1, next: null, skipped: [] })
    expect(body.sessions[0]).toMatchObject({
      id: 'first',
      title: 'the key [REDACTED] is mine',
      project: '/repo',
      status: 'clean',
      kind: 'interactive',
      harness: 'x',
      tags: ['important'],
      parent: null,
    })
  })

  test('filters by project, status, tag and words', async (t) => {
    const app = await startApp(t)
    await say(app, 'a', 'Repair the parser', '/repo')
    await say(app, 'b', 'Paint the roof', '/house')
    await tagSession(app.store, 'b', { add: ['paint'] })
    await endHarnessSession(app.store, { harness: 'x', sessionKey: 'b' })
    const found = async (query: string) => idsOf(await app.get(`/api/store/sessions?${query}`))
    expect(await found('project=/house')).toEqual(['b'])
    expect(await found('status=active')).toEqual(['a'])
    expect(await found('status=clean')).toEqual(['b'])
    expect(await found('tag=paint')).toEqual(['b'])
    expect(await found('q=PARSER%20repair')).toEqual(['a'])
    expect(await found('q=nothing')).toEqual([])
    expect((await app.get('/api/store/sessions?status=happy')).status).toBe(400)
  })

  test('a secret in a title cannot be found by guessing', async (t) => {
    const app = await startApp(t)
    const secret = `ghp_${'a1B2'.repeat(9)}`
    await say(app, 'a', `my key is ${secret}`)
    expect(idsOf(await app.get(`/api/store/sessions?q=${secret.slice(0, 12)}`))).toEqual([])
    expect(idsOf(await app.get('/api/store/sessions?q=key'))).toEqual(['a'])
  })

  test('a session alone has the same row, with its cost', async (t) => {
    const app = await startApp(t)
    await say(app, 'counted', 'hello')
    const usage = { input_tokens: 1000, output_tokens: 100 }
    const payload = { content: 'hi', model: 'claude-sonnet-4-5', usage }
    const event = { type: 'assistant', payload }
    await appendTranscript(app.store, { session_id: 'counted', event })
    const [row] = (await app.get('/api/store/sessions?figures=1')).body.sessions
    const { session } = (await app.get('/api/sessions/counted/stats')).body
    expect(session).toEqual(row)
    // 1000 tokens at $3 and 100 at $15 for a million.
    expect(session).toMatchObject({ turns: 1, tokens: 1100, costMicroUsd: 4500 })
    expect((await app.get('/api/sessions/nobody/stats')).status).toBe(404)
  })

  test('counts turns, tokens and models where it is asked to', async (t) => {
    const app = await startApp(t)
    for (const [id, output_tokens] of [
      ['little', 10],
      ['much', 1000],
    ] as const) {
      await say(app, id, 'hello')
      const usage = { input_tokens: 5, output_tokens }
      const payload = { content: 'Hi.', model: 'a-model-without-a-price', usage }
      await appendTranscript(app.store, { session_id: id, event: { type: 'assistant', payload } })
    }
    const [plain] = (await app.get('/api/store/sessions')).body.sessions
    expect(plain).toMatchObject({ turns: null, tokens: null, costMicroUsd: null, models: [] })
    const [row] = (await app.get('/api/store/sessions?figures=1&q=much')).body.sessions
    expect(row).toMatchObject({ turns: 1, tokens: 1005, models: ['a-model-without-a-price'] })
    expect(row.costMicroUsd).toBeNull()
    expect(idsOf(await app.get('/api/store/sessions?sort=tokens'))).toEqual(['much', 'little'])
    expect(idsOf(await app.get('/api/store/sessions?sort=tokens&order=asc'))).toEqual([
      'little',
      'much',
    ])
  })

  test('a file that is no log is reported, and hides no other', async (t) => {
    const app = await startApp(t)
    await say(app, 'a', 'hello')
    writeFileSync(`${app.store.layout.transcripts}/broken.jsonl`, 'no line of a log\n')
    const { body } = await app.get('/api/store/sessions')
    expect(idsOf({ body } as Answer)).toEqual(['a'])
  })
})
