import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCli } from './command-line.js'
import { newPlace, type Said, storeSession } from './stored.js'
import { hasTerminals, playTerminal } from './terminal.js'

const MARKING = { JSONL_SESSION_PAGER: "sed 's/^/PAGED:/'" }
const LONG: readonly Said[] = Array.from(
  { length: 2000 },
  (_, index) => ['user', `u${index}`, `prompt ${index} ${'x'.repeat(100)}`] as const,
)

test.skipIf(!hasTerminals).each([
  ['show', 'demo'],
  ['log', 'demo'],
  ['search', 'files'],
])('%s goes through the pager on a terminal', async (...args) => {
  const finished: (() => void)[] = []
  const place = newPlace({ onTestFinished: (done) => finished.push(done as () => void) })
  await storeSession(place, 'demo')
  const { seen, exitCode } = await playTerminal(args, place, { env: MARKING })
  expect(seen).toContain('PAGED:')
  expect(exitCode).toBe(0)
  for (const done of finished) done()
})

test.skipIf(!hasTerminals)('PAGER is taken, and JSONL_SESSION_PAGER before it', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const PAGER = "sed 's/^/OTHER:/'"
  const other = await playTerminal(['show', 'demo'], place, { env: { PAGER } })
  expect(other.seen).toContain('OTHER:')
  const own = await playTerminal(['show', 'demo'], place, { env: { PAGER, ...MARKING } })
  expect(own.seen).toContain('PAGED:')
  expect(own.seen).not.toContain('OTHER:')
})

test.skipIf(!hasTerminals)(
  'no pager with --no-pager, --json, or one that is not there',
  async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'demo')
    for (const flag of ['--no-pager', '--json']) {
      const { seen, exitCode } = await playTerminal(['show', 'demo', flag], place, { env: MARKING })
      expect(seen).toContain('Two files.')
      expect(seen).not.toContain('PAGED:')
      expect(exitCode).toBe(0)
    }
    const env = { JSONL_SESSION_PAGER: 'no-such-pager --at-all' }
    const { seen, exitCode } = await playTerminal(['show', 'demo'], place, { env })
    expect(seen).toContain('Two files.')
    expect(seen).not.toContain('not found')
    expect(exitCode).toBe(0)
  },
)

test('in a pipe there is no pager', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const { stdout } = await runCli(['show', 'demo'], { root: place.root, env: MARKING })
  expect(stdout).not.toContain('PAGED:')
})

test.skipIf(!hasTerminals)('a pager that is quit early ends the command quietly', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: LONG })
  const env = { JSONL_SESSION_PAGER: 'head -n 2' }
  const { seen, exitCode } = await playTerminal(['show', 'demo', '--no-color'], place, { env })
  expect(seen.trim().split('\n')).toHaveLength(2)
  expect(exitCode).toBe(0)
})

test.skipIf(!hasTerminals || spawnSync('less', ['--version']).status !== 0)(
  'without a setting it is less: short texts are printed, long ones wait for a key',
  async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'short')
    await storeSession(place, 'long', { said: LONG })
    expect(await playTerminal(['show', 'short', '--text'], place)).toMatchObject({ exitCode: 0 })
    const steps = [{ wait: 'prompt 3 ', send: 'q' }]
    const played = await playTerminal(['show', 'long', '--text'], place, { steps })
    expect(played).toMatchObject({ exitCode: 0, stepsLeft: 0, isGivenBack: true })
    expect(played.seen).not.toContain('prompt 1999')
  },
)

test.skipIf(!hasTerminals)('words for people come after the pager has ended', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'empty', { said: [] })
  const { seen, exitCode } = await playTerminal(['show', 'empty'], place, { env: MARKING })
  expect(seen).toContain('Nothing was said')
  expect(seen).not.toContain('PAGED:Nothing')
  expect(exitCode).toBe(1)
})

test.skipIf(!hasTerminals)('a failure is told after what was printed before it', async (t) => {
  const place = newPlace(t)
  appendFileSync(await storeSession(place, 'demo'), 'damage\n')
  const { seen, exitCode } = await playTerminal(['log', 'demo', '--strict'], place, {
    env: MARKING,
  })
  expect(seen).toMatch(/PAGED:[^\n]*bad_line[\s\S]*holds 1 damaged entry,/)
  expect(exitCode).toBe(4)
})
