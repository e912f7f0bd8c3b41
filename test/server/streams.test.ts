// Streams over real sockets: servers that are killed or stopped, clients that leave or do not read.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import { serve } from '../../lib/server/index.js'
import { openContext } from '../../lib/store/index.js'
import { id, line } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { EventReader } from './event-source.js'
import { startServer } from './start-server.js'

const say = (index: number, content = 'x') =>
  line('user', { uuid: id(index), payload: { content } })

/** A store with one log of one line. */
function newLog(root: string): string {
  const folder = join(root, '.transcripts')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'one.jsonl')
  writeFileSync(path, say(0))
  return path
}

function authorization(tokenFile: string) {
  return { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }
}

test('a client misses nothing and gets nothing twice when the server is killed while a log grows', async (t) => {
  const root = temporaryFolder(t)
  const path = newLog(root)
  const total = 400
  const seen: string[] = []
  let lastId: string | undefined
  let written = 0
  const write = (count: number) => {
    for (; count > 0 && written < total; count--) appendFileSync(path, say(++written))
  }
  for (const killAfter of [40, 170, total]) {
    const server = await startServer(t, root)
    const headers = {
      ...authorization(server.tokenFile),
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    }
    const response = await fetch(`${server.url}api/sessions/one/follow`, { headers })
    const reader = new EventReader(response)
    // The first block has the id of the place where it starts.
    const writing = setInterval(() => write(7), 2)
    while (seen.length < killAfter) {
      const received = await reader.next()
      seen.push(received!.data.event.uuid)
      lastId = received!.id
    }
    clearInterval(writing)
    server.child.kill(killAfter === total ? 'SIGTERM' : 'SIGKILL')
    await server.answer
    // What was on the way is lost with the connection; what is written now is not seen by anyone.
    write(20)
  }
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => id(index + 1)))
})

test('SIGTERM ends streams within five seconds', async (t) => {
  const root = temporaryFolder(t)
  newLog(root)
  const server = await startServer(t, root)
  const headers = authorization(server.tokenFile)
  const paths = ['api/follow', 'api/sessions/one/follow']
  const readers = await Promise.all(
    paths.map(async (path) => new EventReader(await fetch(server.url + path, { headers }))),
  )
  const ends = readers.map((reader) => reader.next())
  const start = performance.now()
  server.child.kill('SIGTERM')
  expect(await Promise.all(ends)).toEqual([undefined, undefined])
  expect((await server.answer).exitCode).toBe(0)
  expect(performance.now() - start).toBeLessThan(5000)
})

test.runIf(process.platform === 'linux')('clients that leave free their files', async (t) => {
  const root = temporaryFolder(t)
  const path = newLog(root)
  const { child, url, tokenFile } = await startServer(t, root)
  const headers = authorization(tokenFile)
  const descriptors = () => readdirSync(`/proc/${child.pid}/fd`).length
  const visit = async (count: number) => {
    const leaving = new AbortController()
    const opening = Array.from({ length: count }, (_, index) =>
      fetch(`${url}api/${index % 2 === 0 ? 'follow' : 'sessions/one/follow?from=1-0-00000000'}`, {
        headers,
        signal: leaving.signal,
      }),
    )
    const readers = (await Promise.all(opening)).map((response) => new EventReader(response))
    const one = readers[1]!.next()
    appendFileSync(path, say(1))
    expect(await one).toBeDefined()
    leaving.abort()
  }
  await visit(2)
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThan(60)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const before = descriptors()
  await visit(40)
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(before + 3)
})

test('a client that does not read is dropped, and nothing is collected for it', async (t) => {
  const root = temporaryFolder(t)
  const path = newLog(root)
  const lines = Array.from({ length: 300 }, (_, index) => say(index, 'y'.repeat(100_000)))
  writeFileSync(path, Buffer.concat(lines))
  let bytesRead = 0
  const { read } = systemEnvironment.fs
  const counting = ((fd: number, into: Buffer, at: number, size: number, ...rest: never[]) => {
    bytesRead += size
    return (read as (...args: unknown[]) => void)(fd, into, at, size, ...rest)
  }) as typeof read
  const store = openContext({ root, home: root, environment: { fs: { read: counting } } })
  const server = await serve(store, { port: 0, stallMs: 400, heartbeatMs: 100, streamsMax: 1 })
  t.onTestFinished(() => server.close())
  const headers = authorization(server.tokenFile)
  const socket = connect(server.port, '127.0.0.1')
  t.onTestFinished(() => void socket.destroy())
  socket.pause()
  socket.write(
    `GET /api/sessions/one/follow?from=1-0-00000000 HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Authorization: ${headers.authorization}\r\n\r\n`,
  )
  let response: Response | undefined
  const open = async () => {
    const path = `${server.url}api/sessions/one/follow?from=1-0-00000000`
    response = await fetch(path, { headers })
    return response.status
  }
  await expect.poll(() => bytesRead).toBeGreaterThan(0)
  expect(await open()).toBe(429)
  // What the sockets of both sides hold, and what one read brings.
  expect(bytesRead).toBeLessThan(12 * 1024 * 1024)
  // The first one counts no longer: it was dropped.
  await expect.poll(open, { timeout: 10_000, interval: 100 }).toBe(200)
  const other = new EventReader(response!)
  t.onTestFinished(() => other.cancel())
  expect(await other.take(300)).toHaveLength(300)
})
