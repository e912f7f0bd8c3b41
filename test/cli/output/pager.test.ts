import { spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runCli, runInTerminal } from '../command-line.js'
import { newPlace, type Place, type Said, storeSession } from '../stored.js'
import { hasTerminals, playTerminal } from '../terminal.js'

const LONG: readonly Said[] = Array.from(
  { length: 400 },
  (_, index) => ['user', `u${index}`, `prompt ${index} ${'x'.repeat(500)}`] as const,
)

/** A pager that keeps what it gets, up to a number of chunks. */
function fakePager({ chunksMax = Number.POSITIVE_INFINITY } = {}) {
  const started: string[] = []
  let shown = ''
  let chunks = 0
  const startPager = (command: string) => {
    started.push(command)
    const stdin = new PassThrough()
    const ended = new Promise<void>((resolve) => stdin.on('close', resolve))
    stdin.on('data', (chunk) => {
      shown += String(chunk)
      if (++chunks >= chunksMax) stdin.destroy()
    })
    return { stdin, ended }
  }
  return { modules: { startPager }, started, shown: () => shown }
}

type Pager = ReturnType<typeof fakePager>

async function runPaged(args: readonly string[], { root }: Place, pager: Pager, env = {}) {
  const PATH = process.env['PATH']
  return runInTerminal([...args, '--root', root, '--home', root], {
    env: { PATH, TERM: 'xterm', PAGER: 'sed -n p', ...env },
    modules: pager.modules,
  })
}

test.each([
  [['show', 'demo'], 'Two files.'],
  [['log', 'demo'], 'session_header'],
  [['search', 'files'], 'demo'],
])('%j is shown in the pager on a terminal', async (args, text) => {
  const finished: (() => void)[] = []
  const place = newPlace({ onTestFinished: (done) => finished.push(done as () => void) })
  await storeSession(place, 'demo')
  const pager = fakePager()
  expect(await runPaged(args, place, pager)).toMatchObject({ stdout: '', exitCode: 0 })
  expect(pager.shown()).toContain(text)
  for (const done of finished) done()
})

test('JSONL_SESSION_PAGER takes precedence over the setting, and that over PAGER', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const pager = fakePager()
  await runPaged(['show', 'demo'], place, pager)
  writeFileSync(join(place.root, 'config.json'), JSON.stringify({ pager: 'tail -n 5' }))
  await runPaged(['show', 'demo'], place, pager)
  await runPaged(['show', 'demo'], place, pager, { JSONL_SESSION_PAGER: 'sort -r' })
  expect(pager.started).toEqual(['sed -n p', 'tail -n 5', 'sort -r'])
})

test('a pager that the store of a project names is never started', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  writeFileSync(join(place.root, 'config.json'), JSON.stringify({ pager: 'tail -n 5' }))
  const pager = fakePager()
  await runInTerminal(['show', 'demo', '--root', place.root, '--home', newPlace(t).root], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', PAGER: 'sed -n p' },
    modules: pager.modules,
  })
  expect(pager.started).toEqual(['sed -n p'])
})

test.each([
  ['--no-pager', ['--no-pager'], {}],
  ['--json', ['--json'], {}],
  ['a pager that is not installed', [], { PAGER: 'no-such-pager --at-all' }],
  ['cat', [], { PAGER: 'cat' }],
  ['an empty setting', [], { JSONL_SESSION_PAGER: '' }],
  ['a dumb terminal', [], { TERM: 'dumb' }],
])('no pager with %s', async (_, flags, env) => {
  const finished: (() => void)[] = []
  const place = newPlace({ onTestFinished: (done) => finished.push(done as () => void) })
  await storeSession(place, 'demo')
  const pager = fakePager()
  const answer = await runPaged(['show', 'demo', ...flags], place, pager, env)
  expect(answer.stdout).toContain('Two files.')
  expect([pager.started, answer.exitCode]).toEqual([[], 0])
  for (const done of finished) done()
})

test('no pager in a pipe', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const env = { PAGER: "sed 's/^/PAGED:/'" }
  const { stdout } = await runCli(['show', 'demo'], { root: place.root, env })
  expect(stdout).not.toContain('PAGED:')
})

test('a pager that is quit early ends the command with 0', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: LONG })
  const pager = fakePager({ chunksMax: 1 })
  expect(await runPaged(['show', 'demo'], place, pager)).toMatchObject({ stderr: '', exitCode: 0 })
  expect(pager.shown()).not.toContain('prompt 399')
})

test('notes on stderr come after the pager has ended', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'empty', { said: [] })
  const pager = fakePager()
  const answer = await runPaged(['show', 'empty'], place, pager)
  expect(answer.stderr).toContain('There is no message')
  expect(pager.shown()).toBe('')
  expect(answer.exitCode).toBe(1)
})

test('a failure is reported after what was printed before it', async (t) => {
  const place = newPlace(t)
  appendFileSync(await storeSession(place, 'demo'), 'damage\n')
  const pager = fakePager()
  const answer = await runPaged(['log', 'demo', '--strict'], place, pager)
  expect(pager.shown()).toContain('bad_line')
  expect(answer.stderr).toContain('holds 1 damaged entry,')
  expect(answer.exitCode).toBe(4)
})

test.skipIf(!hasTerminals || spawnSync('less', ['--version']).status !== 0)(
  'less is the default: a long text waits for a key on a real terminal',
  async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'long', { said: LONG })
    const steps = [{ wait: 'prompt 3 ', send: 'q' }]
    const played = await playTerminal(['show', 'long', '--text'], place, { steps })
    expect(played).toMatchObject({ exitCode: 0, stepsLeft: 0, isGivenBack: true })
    expect(played.seen).not.toContain('prompt 399')
  },
)
