// Random requests: known routes with odd paths, queries, bodies and headers. Whatever comes, the answer is
// never 500, it has the shape of the document, and nothing stays open afterwards.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession } from '../../lib/free-functions.js'
import { errorSchema } from '../../lib/server/errors.js'
import { serve } from '../../lib/server/index.js'
import { ROUTES } from '../../lib/server/routes.js'
import { openContext } from '../../lib/store/index.js'
import { runs } from '../helpers/effort.js'
import { line } from '../helpers/lines.js'
import { type Random, seededRandom } from '../helpers/random.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { HOST, startApp, TOKEN } from './client.js'

const WORDS = [
  'one',
  'T-1',
  'u1',
  '',
  ' ',
  '.',
  '..',
  '../../../etc/passwd',
  '..%2F..%2Fetc%2Fpasswd',
  '/etc/passwd',
  'session:one',
  '%00',
  '%zz',
  '\u202e',
  '漢字 é 🙂',
  '\ud800',
  '__proto__',
  'constructor',
  '1-0-00000000',
  '1-zzzzzzzzzzz-ffffffff-999999999',
  '-1',
  '0',
  '1e999',
  '999999999999999999999',
  'NaN',
  'true',
  '(a+)+$',
  '*',
  'a'.repeat(300),
  'a'.repeat(5000),
  '{"a":1}',
  'directory',
  'link',
  'damaged',
] as const

function value(random: Random, depth = 0): unknown {
  switch (random.below(depth > 3 ? 6 : 8)) {
    case 0:
      return null
    case 1:
      return random.below(2) === 0
    case 2:
      return random.pick([0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, 20])
    case 6:
      return Array.from({ length: random.below(4) }, () => value(random, depth + 1))
    case 7:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(WORDS),
          value(random, depth + 1),
        ]),
      )
    default:
      return random.pick(WORDS)
  }
}

function someOf<Item>(random: Random, items: readonly Item[]): Item[] {
  return items.filter(() => random.below(3) === 0)
}

/** The path of a route with something for each parameter, and a query that it may take or not. */
function toPath(random: Random): { route: (typeof ROUTES)[number]; path: string } {
  const route = random.pick(ROUTES)
  const path = route.path.replace(/:\w+/g, () => {
    const word = random.pick(WORDS)
    return random.below(4) === 0 ? word : encodeURIComponent(word.toWellFormed())
  })
  const names = Object.keys(route.query?.shape ?? {})
  const query = [...someOf(random, names), ...(random.below(5) === 0 ? ['other'] : [])]
    .map((name) => `${name}=${encodeURIComponent(random.pick(WORDS).toWellFormed())}`)
    .join('&')
  return { route, path: random.below(40) === 0 ? random.pick(WORDS) : `${path}?${query}` }
}

function toBody(random: Random, route: (typeof ROUTES)[number]): string {
  if (random.below(10) === 0) return random.pick(['', '{', '[]', 'null', '\u0000', '"x"'])
  const names = Object.keys(route.body?.shape ?? {})
  const fields = someOf(random, names).map((name) => [name, value(random)])
  return JSON.stringify(Object.fromEntries(fields))
}

function toHeaders(random: Random): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const odd: Record<string, readonly string[]> = {
    host: ['evil.example', '', '127.0.0.1:99999', '[::1]'],
    origin: ['null', 'http://evil.example', `http://${HOST}`],
    authorization: ['Bearer', 'Bearer x', `bearer ${TOKEN}`],
    'content-type': ['text/plain', 'application/json; charset=utf-16', 'application/jsonp'],
    'content-length': ['-1', '99999999999'],
    'last-event-id': ['nonsense', '1-0-00000000', 'a'.repeat(300)],
    'sec-fetch-site': ['cross-site', 'same-origin'],
    'x-request-id': ['a b', 'a'.repeat(100), 'ok'],
    'x-signet-runtime-path': ['plugin', 'legacy', '', 'x'.repeat(999)],
    'x-signet-no-hooks': ['1', '0'],
    range: ['bytes=0-1'],
  }
  for (const [name, values] of Object.entries(odd)) {
    if (random.below(12) === 0) headers[name] = random.pick(values)
  }
  return headers
}

async function fill(root: string): Promise<void> {
  const session = await createSession({ root, id: 'one' })
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'hello' } })
  const task = await session.spawn({ taskId: 'T-1', prompt: 'count' })
  await task.finish({ status: 'completed', summary: 'three' })
  await session.close()
  const folder = join(root, '.transcripts')
  mkdirSync(join(folder, 'directory.jsonl'))
  symlinkSync('/etc/passwd', join(folder, 'link.jsonl'))
  writeFileSync(join(folder, 'damaged.jsonl'), `{"x\n${line('user', { uuid: 'd' })}\n\0\0\n`)
}

test('no request is answered with 500, and nothing stays open', async (t) => {
  const random = seededRandom(t)
  const problems: string[] = []
  const { root, send } = await startApp(t, {
    onProblem: (text) => problems.push(text),
    streamsMax: 3,
  })
  await fill(root)
  const statuses = new Map<number, number>()
  const request = async (index: number) => {
    const { route, path } = toPath(random)
    const method = random.below(15) === 0 ? random.pick(['PUT', 'HEAD', 'DELETE']) : route.method
    const hasBody = method === 'POST' || method === 'PUT'
    const body = hasBody ? toBody(random, route) : undefined
    const init = { method, headers: toHeaders(random), ...(body !== undefined && { body }) }
    let response: Response
    try {
      response = await send(path.startsWith('/') ? path : `/${path}`, init)
    } catch (error) {
      // Not a request that a client can send: the address or a header is not one.
      expect(error).toBeInstanceOf(TypeError)
      return
    }
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    expect([index, init, path, status, problems]).not.toEqual([index, init, path, 500, problems])
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) await response.body?.cancel()
    else if (method === 'HEAD' || !type.startsWith('application/json')) await response.text()
    else if (status >= 400) errorSchema.parse(await response.json())
    else await response.json()
  }
  const rounds = runs(10_000, 1000)
  for (let index = 0; index < 50; index++) await request(index)
  const before = openFiles()
  for (let index = 50; index < rounds; index++) await request(index)
  expect(problems).toEqual([])
  for (const status of [200, 400, 401, 403, 404, 405, 415, 421]) {
    expect([status, statuses.get(status)]).not.toEqual([status, undefined])
  }
  // A stream that was left open would count.
  expect(statuses.get(429)).toBeUndefined()
  await expect.poll(openFiles).toBeLessThanOrEqual(before + 3)
})

/** Of this process; 0 where the system does not say. */
function openFiles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
}

test('over a socket, other names, other sites and ways out of the store are refused', async (t) => {
  const root = temporaryFolder(t)
  await fill(root)
  writeFileSync(join(root, 'secret.jsonl'), line('user', { payload: { content: 'outside' } }))
  const server = await serve(openContext({ root, home: root }), { port: 0, rateLimit: 0 })
  t.onTestFinished(() => server.close())
  const token = readFileSync(server.tokenFile, 'utf8').trim()
  const ask = (path: string, headers: readonly string[] = [], host = `127.0.0.1:${server.port}`) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1')
      let text = ''
      socket.on('data', (data) => {
        text += data
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
      const rows = [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`]
      socket.write([...rows, ...headers, 'Connection: close', '', ''].join('\r\n'))
    })
  const statusOf = async (...args: Parameters<typeof ask>) => {
    const text = await ask(...args)
    expect(text).not.toContain('outside')
    expect(text).not.toContain('root:')
    return Number(text.split(' ')[1])
  }
  const events = '/api/sessions/one/events'
  expect(await statusOf(events)).toBe(200)
  for (const host of ['evil.example', `evil.example:${server.port}`, '169.254.169.254', '0']) {
    expect([host, await statusOf(events, [], host)]).toEqual([host, 421])
  }
  const sites = ['Origin: http://evil.example', 'Origin: null', 'Sec-Fetch-Site: cross-site']
  for (const header of sites)
    expect([header, await statusOf(events, [header])]).toEqual([header, 403])
  const ways = [
    '/api/sessions/../../secret/events',
    '/api/sessions/..%2Fsecret/events',
    '/api/sessions/%2e%2e%2fsecret/events',
    '/api/sessions/%2e%2e/secret/events',
    '/api/sessions/..%5Csecret/events',
    '/api/sessions/%2Fetc%2Fpasswd/events',
    '/api/sessions/one/events?log=..%2F..%2Fsecret',
    '/api/sessions/one%00/events',
    '/../../../../etc/passwd',
    '/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
  ]
  for (const way of ways) {
    const status = await statusOf(way)
    expect([way, status === 400 || status === 404]).toEqual([way, true])
  }
  expect(await statusOf('/api/sessions/link/events')).not.toBe(500)
  expect(await statusOf(events, [`X-Long: ${'a'.repeat(20_000)}`])).toBe(431)
})
