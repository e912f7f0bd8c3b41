// `npm run load`: the built server under load. First how many pages it serves, against the library that reads
// the same pages; then many followers of many sessions, each of which must get every event once, while the
// memory of the server stays bounded.
//
//   npm run load -- --minutes 10 --followers 100 --sessions 50

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createSession } from '../../dist/lib/index.js'
import { installPackages } from '../helpers/install-packages.mjs'
import '../helpers/typescript.mjs'

// Not part of the package: what the routes call.
const { defaultRedactor } = await import('../../lib/redaction/index.ts')
const { openContext, readEventPage, readOutlinePage } = await import('../../lib/store/index.ts')

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PROGRAM = fileURLToPath(new URL('../../dist/bin/jsonl-session.cjs', import.meta.url))
const EVENTS_PER_SESSION = 2000
const APPEND_MS = 100
const SAMPLE_MS = 2000
const MEBIBYTE = 1024 * 1024
/** How much the mean memory of the last third may exceed that of the second. */
const GROWTH_MAX = 1.2

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    followers: { type: 'string', default: '100' },
    sessions: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '10' },
  },
})
const [minutes, followerCount, sessionCount, seconds] = [
  values.minutes,
  values.followers,
  values.sessions,
  values.seconds,
].map(Number)

const problem = installPackages(HERE)
if (problem !== undefined) {
  console.log(`skipped  load: ${problem}`)
  process.exit(1)
}
const autocannon = createRequire(import.meta.url)('autocannon')

const root = mkdtempSync(join(tmpdir(), 'jsonl-session-load-'))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
let server
let hasFailed = false
try {
  const sessions = await makeStore()
  server = await startServer()
  await measurePages()
  await followAll(sessions)
} finally {
  server?.child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
}
process.exitCode = hasFailed ? 1 : 0

async function makeStore() {
  const sessions = []
  for (let index = 0; index < sessionCount; index++) {
    const session = await createSession({ root, home: root, id: `s${index}` })
    const events = Array.from({ length: EVENTS_PER_SESSION }, (_, at) => ({
      type: at % 2 === 0 ? 'user' : 'assistant',
      payload: { content: `message ${at}: ${'lorem ipsum dolor sit amet '.repeat(at % 40)}` },
    }))
    await session.appendAll(events)
    sessions.push(session)
  }
  return sessions
}

async function startServer() {
  const options = ['--root', root, '--home', root, '--port', '0', '--rate-limit', '0', '--json']
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...options])
  child.stderr.pipe(process.stderr)
  const row = await new Promise((resolve) => child.stdout.once('data', resolve))
  const { url, tokenFile } = JSON.parse(row)
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`
  return { child, url, headers: { authorization } }
}

function memoryOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kilobytes) * 1024) / MEBIBYTE
}

async function measurePages() {
  const store = openContext({ root, home: root })
  const path = store.layout.transcriptPath('s0')
  const cases = {
    'a page of 100 events': [
      'limit=100&at=',
      (at) => readEventPage(store, path, { limit: 100, at, redactor: defaultRedactor }),
    ],
    'an outline of 1000 events': [
      'view=outline&limit=1000&at=',
      (at) => readOutlinePage(store, path, { limit: 1000, at, redactor: defaultRedactor }),
    ],
  }
  const { entries } = await readOutlinePage(store, path, { limit: 500 })
  const at = entries[400].uuid
  for (const [name, [query, read]] of Object.entries(cases)) {
    const start = performance.now()
    let count = 0
    for (; performance.now() - start < seconds * 1000; count++) JSON.stringify(await read(at))
    const alone = count / seconds
    const result = await autocannon({
      url: `${server.url}api/sessions/s0/events?${query}${at}`,
      headers: server.headers,
      connections: 10,
      duration: seconds,
    })
    const { requests, latency, non2xx, errors } = result
    if (non2xx > 0 || errors > 0) hasFailed = true
    console.log(
      `${name}: library ${alone.toFixed(0)}/s, server ${requests.average.toFixed(0)}/s ` +
        `(${Math.round((100 * requests.average) / alone)} %), p50 ${latency.p50} ms, p99 ${latency.p99} ms, ` +
        `${non2xx + errors} failed, ${memoryOf(server.child.pid).toFixed(0)} MiB`,
    )
  }
}

/** Reads a stream, and notes for each event of the test that it came and how long it took. */
async function follow(session, seen, delays, signal) {
  const url = `${server.url}api/sessions/${session}/follow`
  const response = await fetch(url, { headers: server.headers, signal })
  const decoder = new TextDecoder()
  seen.isOpen = true
  let text = ''
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop()
    for (const block of blocks) {
      const [, json] = /^data: (.*)$/m.exec(block) ?? []
      if (json === undefined) continue
      const { number, at } = JSON.parse(json).event.payload
      seen.numbers.push(number)
      delays.push(performance.timeOrigin + performance.now() - at)
    }
  }
}

async function followAll(sessions) {
  const stop = new AbortController()
  const delays = []
  const followers = Array.from({ length: followerCount }, (_, index) => ({
    session: `s${index % sessionCount}`,
    numbers: [],
    isOpen: false,
  }))
  const streams = followers.map((seen) =>
    follow(seen.session, seen, delays, stop.signal).catch((error) => {
      if (stop.signal.aborted) return
      hasFailed = true
      console.log(`FAILED  a stream of ${seen.session} ended: ${error.message}`)
    }),
  )
  while (followers.some(({ isOpen }) => !isOpen)) await sleep(50)
  const samples = []
  const descriptors = () => readdirSync(`/proc/${server.child.pid}/fd`).length
  const sampling = setInterval(() => samples.push(memoryOf(server.child.pid)), SAMPLE_MS)
  const end = performance.now() + minutes * 60_000
  let number = 0
  for (; performance.now() < end; number++) {
    const payload = { number, at: performance.timeOrigin + performance.now() }
    await Promise.all(sessions.map((session) => session.append({ type: 'load:event', payload })))
    await sleep(APPEND_MS)
  }
  const isComplete = () => followers.every(({ numbers }) => numbers.length >= number)
  for (let waited = 0; !isComplete() && waited < 30_000; waited += 100) await sleep(100)
  clearInterval(sampling)
  const openAtEnd = descriptors()
  stop.abort()
  await Promise.all(streams)
  const isReleased = () => descriptors() <= openAtEnd - followerCount
  for (let waited = 0; !isReleased() && waited < 30_000; waited += 100) await sleep(100)
  if (!isReleased()) hasFailed = true
  report({ followers, number, delays, samples, openAtEnd, openAfter: descriptors() })
  for (const session of sessions) await session.close()
}

function report({ followers, number, delays, samples, openAtEnd, openAfter }) {
  const wrong = followers.filter(
    ({ numbers }) => numbers.length !== number || numbers.some((one, index) => one !== index),
  )
  delays.sort((one, other) => one - other)
  const at = (share) => delays[Math.floor((delays.length - 1) * share)]?.toFixed(0)
  const third = Math.floor(samples.length / 3)
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length
  const [middle, last] = [mean(samples.slice(third, 2 * third)), mean(samples.slice(2 * third))]
  console.log(
    `${followers.length} followers of ${sessionCount} sessions for ${minutes} min: ` +
      `${delays.length} events sent, ${wrong.length} followers with a gap or a repetition, ` +
      `delay p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, memory ${middle.toFixed(0)} MiB, then ${last.toFixed(0)} MiB ` +
      `(most ${Math.max(...samples).toFixed(0)}), ${openAtEnd} files open, ${openAfter} afterwards`,
  )
  if (wrong.length > 0 || !(last < middle * GROWTH_MAX)) hasFailed = true
}
