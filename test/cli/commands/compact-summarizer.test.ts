// compact with a summarizer: planned, asked, committed, retried. The server
// is real, and so is the binary.

import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { main } from '../../../bin/main.js'
import type { CliIo } from '../../../lib/cli/index.js'
import {
  answering,
  type Behaviour,
  good,
  type ModelServer,
  TEXT,
  withModelServer,
} from '../../summarizers/model-server.js'
import { rowsOf, runCli, runWell } from '../command-line.js'
import { contentsOf, eventsIn, newPlace, openSession, type Said, storeSession } from '../stored.js'

let server: ModelServer
withModelServer((started) => {
  server = started
})

const TALK: readonly Said[] = Array.from({ length: 30 }, (_, index) => [
  index % 2 === 0 ? 'user' : 'assistant',
  `m${index + 1}`,
  `${index + 1} `.padEnd(360, 'x'),
])

async function stored(t: Parameters<typeof newPlace>[0]) {
  const place = newPlace(t)
  return { place, path: await storeSession(place, 'demo', { said: TALK }) }
}

test('compact --dry-run shows what would be summarized, kept and saved, and writes nothing', async (t) => {
  const { place } = await stored(t)
  const before = contentsOf(place.root)
  const { stdout, stderr, exitCode } = await runCli(['compact', 'demo', '--dry-run'], place)
  expect(stdout).toBe(`demo: 30 messages, about 3,120 tokens (±780, estimated from their bytes)
  summarized  24 messages, 2,496 tokens: m1 to m24
  kept        6 messages, 624 tokens: from m25
  saved       496 tokens, with a summary of 2,000
`)
  expect([stderr, exitCode]).toEqual(['nothing was written\n', 0])
  expect(contentsOf(place.root)).toEqual(before)
})

test('compact --plan is an alias of --dry-run and shows what is kept', async (t) => {
  const { place } = await stored(t)
  const nothing = await runWell(['compact', 'demo', '--plan', '--from', 'm1'], place)
  expect(nothing).toMatch(/^ {2}summarized {2}30 messages, .*: m1 to m30\n {2}kept {8}0 messages/m)
  expect(nothing).toMatch(/^ {2}kept +0 messages, 0 tokens$/m)
  const one = await runWell(['compact', 'demo', '--dry-run', '--up-to', 'm29'], place)
  expect(one).toMatch(/^ {2}kept +1 message, \d+ tokens: from m30$/m)
  const early = ['compact', 'demo', '--dry-run', '--from', 'm5', '--json']
  expect(JSON.parse(await runWell(early, place))).toMatchObject({ keeps: 'prefix' })
  expect(await runWell(early.slice(0, -1), place)).toMatch(/^ {2}kept .*: up to m4$/m)
})

test('compact --dry-run shows the count of the provider and the bytes per token', async (t) => {
  const place = newPlace(t)
  const said = TALK.map(([type, uuid, content], index): Said => {
    const usage = { input_tokens: 100 * index, output_tokens: 90 }
    return [type, uuid, type === 'assistant' ? { content, usage } : { content }]
  })
  await storeSession(place, 'demo', { said })
  const stdout = await runWell(['compact', 'demo', '--dry-run'], place)
  expect(stdout).toMatch(
    /counted by the provider up to its last reply; \d\.\d bytes per token here/,
  )
})

test('compact --dry-run --json prints the same, also for an open session', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', { said: TALK })
  t.onTestFinished(() => session.release())
  const args = ['compact', 'demo', '--dry-run', '--from', 'm11', '--json']
  expect(JSON.parse(await runWell(args, place))).toEqual({
    sessionId: 'demo',
    boundaryUuid: null,
    summaryUuid: null,
    strategy: null,
    tokensBefore: 3120,
    tokensAfter: 3040,
    needsRetry: false,
    tokensCovered: 2080,
    tokensSaved: 80,
    keeps: 'prefix',
    messagesSummarized: 20,
    messagesKept: 10,
    coveredFromUuid: 'm11',
    coveredToUuid: 'm30',
    headUuid: 'm1',
    tailUuid: 'm10',
    usage: { source: 'estimate', margin: 780, bytesPerToken: 3.6, samples: 0 },
  })
})

test('compact --summarizer extractive needs no model', async (t) => {
  const { place, path } = await stored(t)
  const args = ['compact', 'demo', '--summarizer', 'extractive', '--keep', '20%']
  const stdout = await runWell(args, place)
  const [summary, boundary] = eventsIn(path).slice(-2)
  expect(stdout).toMatch(
    new RegExp(
      `^compacted demo: 30 → 7 messages, ~.* → .* tokens; boundary ${boundary!['uuid']}\n$`,
    ),
  )
  expect(summary).toMatchObject({ type: 'summary', payload: { model: 'extractive' } })
  expect(boundary).toMatchObject({ payload: { keep_percent: 20, headUuid: 'm25' } })
})

test.for(['ollama:m@URL', 'openai:m@URL/v1', 'anthropic:m@URL'])(
  'compact --summarizer %s asks that server',
  async (name, t) => {
    const { place, path } = await stored(t)
    const summarizer = name.replace('URL', server.url)
    const env = { OPENAI_API_KEY: 'key-o', ANTHROPIC_API_KEY: 'key-a' }
    const args = ['compact', 'demo', '--summarizer', summarizer, '--json']
    const asked = server.nextRequest()
    const answer = JSON.parse(await runWell(args, { ...place, env }))
    const [summary, boundary] = eventsIn(path).slice(-2)
    expect(answer).toEqual({
      sessionId: 'demo',
      boundaryUuid: boundary!['uuid'],
      summaryUuid: summary!['uuid'],
      strategy: 'primary',
      tokensBefore: 3120,
      tokensAfter: 636,
      needsRetry: false,
      contextEpoch: 1,
      messagesSummarized: 24,
      failures: [],
    })
    expect(summary!['payload']).toMatchObject({ text: TEXT, model: 'm', tokens: 12 })
    const { headers } = await asked
    const key = headers['x-api-key'] ?? headers.authorization
    expect(key).toBe(name[0] === 'o' ? (name[1] === 'l' ? undefined : 'Bearer key-o') : 'key-a')
  },
)

test('compact says so when a summary is longer than what it covers', async (t) => {
  const longer = /The summary is longer than what it covers: the context is larger now\n/
  const args = ['compact', 'demo', '--summarizer', 'extractive']
  const place = newPlace(t)
  const said: readonly Said[] = [1, 2, 3].map((n) => ['user', `m${n}`, `${n}`])
  await storeSession(place, 'demo', { said })
  expect(await runCli(args, place)).toMatchObject({ stderr: expect.stringMatching(longer) })
  const { place: long } = await stored(t)
  expect((await runCli(args, long)).stderr).not.toMatch(longer)
})

test('compact asks the next one when one fails', async (t) => {
  const { place } = await stored(t)
  server.behaviour = answering(500, 'out of memory')
  const names = `ollama:m@${server.url},extractive`
  const args = ['compact', 'demo', '--summarizer', names, '--json']
  const answer = JSON.parse(await runWell(args, place))
  expect(answer).toMatchObject({ strategy: 'fallback', needsRetry: false })
  expect(answer.failures).toMatchObject([
    { step: 'primary', reason: expect.stringContaining('answered 500') },
  ])
  const { stderr } = await runCli(['compact', 'demo', '--keep', '1%', '--summarizer', names], place)
  expect(stderr).toContain('answered 500')
  expect(stderr).not.toContain('--retry')
})

test('when every summarizer fails, a note replaces the summary, and --retry revises it', async (t) => {
  const { place, path } = await stored(t)
  server.behaviour = answering(500, 'out of memory')
  const name = `ollama:m@${server.url}`
  const failed = await runCli(['compact', 'demo', '--summarizer', name], place)
  expect(failed.stderr).toContain('answered 500: out of memory')
  expect(failed.stderr).toContain('jsonl-session compact demo --retry')
  expect(failed.exitCode).toBe(0)
  expect(eventsIn(path).at(-1)).toMatchObject({
    payload: { strategy: 'emergency', needs_summary_retry: true, keep_percent: 20 },
  })

  const again = await runCli(['compact', 'demo', '--retry', '--summarizer', name, '--json'], place)
  expect(again.exitCode).toBe(2)
  expect(JSON.parse(again.stdout)).toMatchObject({ revised: [], failed: [{ failures: [{}] }] })

  server.behaviour = good
  const args = ['compact', 'demo', '--retry', '--summarizer', name]
  expect(await runWell(args, place)).toBe('demo: 1 summary replaced, 0 still failing\n')
  expect(eventsIn(path).at(-1)).toMatchObject({ type: 'summary_revision', payload: { text: TEXT } })
  const [shown] = rowsOf(await runWell(['show', 'demo', '--projected', '--json'], place))
  expect(shown).toMatchObject({ type: 'summary', payload: { text: TEXT } })

  const done = await runCli(args, place)
  expect(done).toMatchObject({
    stdout: 'demo: 0 summaries replaced, 0 still failing\n',
    exitCode: 0,
  })
})

// Requirement: T58
test('others may append while the summarizer thinks, and what they say survives', async (t) => {
  const { place } = await stored(t)
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    server.behaviour = (...call: Parameters<Behaviour>) => {
      answer = () => good(...call)
      resolve()
    }
  })
  const name = `ollama:m@${server.url}`
  const compacted = runWell(['compact', 'demo', '--summarizer', name, '--keep', '10%'], place)
  await asked
  const late = [
    'append',
    'demo',
    '--type',
    'user',
    '--uuid',
    'late',
    '--payload',
    '{"content":"x"}',
  ]
  await runWell(late, place)
  answer()
  await compacted
  const rows = rowsOf(await runWell(['show', 'demo', '--json'], place))
  expect(rows.slice(1).map(({ uuid }) => uuid)).toEqual(['m27', 'm28', 'm29', 'm30', 'late'])
})

test('a session that another process has open is not summarized for nothing', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo', { said: TALK })
  t.onTestFinished(() => session.release())
  const count = server.asked.length
  const args = ['compact', 'demo', '--summarizer', `ollama:m@${server.url}`]
  const answer = await runCli(args, place)
  expect(answer.stderr).toContain('ERR_LOCKED')
  expect(answer.exitCode).toBe(5)
  expect(server.asked.length).toBe(count)
})

test('compact --keep with a summary of one’s own keeps the last messages', async (t) => {
  const { place, path } = await stored(t)
  const args = ['compact', 'demo', '--summary-file', '-', '--keep', '10']
  await runWell(args, { ...place, input: 'mine' })
  expect(eventsIn(path).at(-1)).toMatchObject({
    payload: { headUuid: 'm27', strategy: 'external' },
  })
})

test('a terminal shows the summarizer at work, and the line disappears afterwards', async (t) => {
  const { place } = await stored(t)
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()]
  stdin.end()
  let said = ''
  const shown = new Promise<void>((resolve) => {
    stderr.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('summarizes 24 messages')) resolve()
    })
  })
  server.behaviour = (...call: Parameters<Behaviour>) => void shown.then(() => good(...call))
  const process = { env: {}, cwd: () => place.cwd, once: () => {}, off: () => {} }
  const io = { stdin, stdout, stderr, ...process } as unknown as CliIo
  const args = ['compact', 'demo', '--root', place.root, '--summarizer', `ollama:m@${server.url}`]
  expect(await main(args, io)).toBe(0)
  expect(said.endsWith('\r\x1b[K')).toBe(true)
})

test.for([
  { args: [], reason: 'compact needs a summary' },
  { args: ['--summarizer', 'gemini:x'], reason: 'is not a summarizer' },
  { args: ['--summarizer', 'http://localhost:11434'], reason: 'is not a summarizer' },
  { args: ['--summarizer', 'openai:gpt'], reason: 'needs a key in OPENAI_API_KEY' },
  { args: ['--retry'], reason: '--retry needs --summarizer' },
  { args: ['--dry-run', '--keep', 'half'], reason: '--keep takes a share like 30%' },
  { args: ['--dry-run', '--keep', '120%'], reason: '--keep takes a share like 30%' },
  { args: ['--dry-run', '--keep', '30%', '--from', 'm1'], reason: 'cannot be combined' },
  { args: ['--dry-run', '--retry'], reason: 'cannot be combined' },
  { args: ['--summarizer', 'extractive', '--summary-file', '-'], reason: 'cannot be combined' },
  { args: ['--summarizer', 'extractive', '--keep-from', 'm3'], reason: 'cannot be combined' },
  {
    args: ['--summarizer', 'extractive', '--up-to', 'no'],
    reason: '"no" is not among',
    exitCode: 3,
  },
])('compact $args is refused: $reason', async ({ args, reason, exitCode = 2 }, t) => {
  const { place, path } = await stored(t)
  const before = readFileSync(path)
  const answer = await runCli(['compact', 'demo', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
  expect(readFileSync(path)).toEqual(before)
})
