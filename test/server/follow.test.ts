// Streams of a server in this process, read without a socket.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { describe, expect, test } from 'vitest'
import { id, line } from '../helpers/lines.js'
import { startApp, type TestServer } from './client.js'
import { EventReader } from './event-source.js'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

const say = (index: number, content = 'x') =>
  line('user', { uuid: id(index), payload: { content } })

async function start(t: TestContext, options: Parameters<typeof startApp>[1] = {}) {
  const app = await startApp(t, options)
  const folder = app.store.layout.transcripts
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'one.jsonl')
  writeFileSync(path, say(0))
  return { ...app, path }
}

async function open(
  t: TestContext,
  { send }: Pick<TestServer, 'send'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const reader = new EventReader(await send(path, { headers }))
  t.onTestFinished(() => reader.cancel())
  return reader
}

describe('a stream of a session', () => {
  test('sends what is appended from now on, and continues after the last id', async (t) => {
    const app = await start(t)
    const reader = await open(t, app, '/api/sessions/one/follow')
    const first = reader.next()
    await expect.poll(() => reader.lastId).toBeDefined()
    const beginning = reader.lastId!
    appendFileSync(app.path, say(1, `a ${SECRET}`))
    expect(await first).toEqual({
      event: 'entry',
      id: expect.any(String),
      data: {
        offset: say(0).length,
        length: expect.any(Number),
        event: expect.objectContaining({ uuid: id(1), payload: { content: 'a [REDACTED]' } }),
        outline: expect.objectContaining({ uuid: id(1), title: 'a [REDACTED]', chain: true }),
      },
    })
    await reader.cancel()
    for (let index = 2; index < 30; index++) appendFileSync(app.path, say(index))
    const again = await open(t, app, '/api/sessions/one/follow?from=nonsense-that-loses', {
      'last-event-id': reader.lastId!,
    })
    const rest = await again.take(28)
    expect(rest.map(({ data }) => data.event.uuid)).toEqual(
      Array.from({ length: 28 }, (_, index) => id(index + 2)),
    )
    const whole = await open(t, app, `/api/sessions/one/follow?from=${beginning}&clip=1`)
    const [one] = await whole.take(1)
    expect(one!.data).toMatchObject({ clipped: true, event: { payload: { content: '…' } } })
  })

  test('says that the log was replaced, and sends it from its start', async (t) => {
    const app = await start(t)
    const { next } = (await app.get('/api/sessions/one/events')).body
    writeFileSync(app.path, Buffer.concat([say(7), say(8)]))
    const reader = await open(t, app, `/api/sessions/one/follow?from=${next}`)
    const received = await reader.take(3)
    expect(received.map(({ event }) => event)).toEqual(['replaced', 'entry', 'entry'])
    expect(received[0]).toMatchObject({ id: '1-0-00000000', data: {} })
  })

  test('is refused for a wrong cursor, an unknown session, or secrets', async (t) => {
    const { get, send, path } = await start(t)
    expect((await get('/api/sessions/one/follow?from=nonsense')).status).toBe(400)
    expect((await get('/api/sessions/none/follow')).status).toBe(404)
    expect((await get('/api/sessions/one/follow?secrets=1')).status).toBe(403)
    const headers = { 'last-event-id': 'nonsense' }
    expect((await send('/api/sessions/one/follow', { headers })).status).toBe(400)
    expect(path).toBeDefined()
  })

  test('sends something from time to time where nothing happens', async (t) => {
    const app = await start(t, { heartbeatMs: 5 })
    const reader = await open(t, app, '/api/sessions/one/follow')
    const next = reader.next()
    await expect.poll(() => reader.heartbeats).toBeGreaterThan(2)
    appendFileSync(app.path, say(1))
    expect(await next).toMatchObject({ data: { event: { uuid: id(1) } } })
  })

  test('reads no more of a log than its client takes', async (t) => {
    let reads = 0
    const { systemEnvironment } = await import('../../lib/environment/index.js')
    const { read } = systemEnvironment.fs
    const counting = ((...args: Parameters<typeof read>) => {
      reads++
      return read(...args)
    }) as typeof read
    const app = await start(t, { environment: { fs: { read: counting } } })
    const large = Array.from({ length: 64 }, (_, index) => say(index, 'y'.repeat(100_000)))
    writeFileSync(app.path, Buffer.concat(large))
    const reader = await open(t, app, '/api/sessions/one/follow?from=1-0-00000000')
    await reader.take(1)
    const before = reads
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reads).toBe(before)
    expect(before).toBeLessThan(4)
    expect(await reader.take(63)).toHaveLength(63)
    expect(reads).toBeGreaterThan(20)
  })

  test('is not opened by a request for its head, which could not end it', async (t) => {
    const app = await start(t, { streamsMax: 1 })
    for (let times = 0; times < 3; times++) {
      expect((await app.send('/api/sessions/one/follow', { method: 'HEAD' })).status).toBe(405)
    }
    const reader = await open(t, app, '/api/sessions/one/follow')
    expect(reader.lastId).toBeUndefined()
  })

  test('ends when the server stops, and no longer counts when its client is gone', async (t) => {
    const closing = new AbortController()
    const app = await start(t, { closing: closing.signal, streamsMax: 2 })
    const [one, two] = [
      await open(t, app, '/api/sessions/one/follow'),
      await open(t, app, '/api/follow'),
    ]
    const full = await app.get('/api/follow')
    expect([full.status, full.body.error.code]).toEqual([429, 'ERR_RATE_LIMITED'])
    expect(full.headers.get('retry-after')).toBe('5')
    await two.cancel()
    const three = await open(t, app, '/api/follow')
    const ends = [one.next(), three.next()]
    closing.abort()
    expect(await Promise.all(ends)).toEqual([undefined, undefined])
  })
})

describe('a stream of the store', () => {
  test('announces which sessions change, and nothing of them', async (t) => {
    const app = await start(t)
    const reader = await open(t, app, '/api/follow')
    const next = reader.next()
    appendFileSync(app.path, say(1))
    expect(await next).toEqual({
      event: 'changed',
      id: undefined,
      data: { sessionId: 'one', bytes: say(0).length + say(1).length },
    })
  })
})
