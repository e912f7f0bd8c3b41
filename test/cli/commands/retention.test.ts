import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, runWell } from '../command-line.js'
import { contentsOf, eventsIn, newPlace, openSession, storeSession } from '../stored.js'

test('archive shows a plan, does it with --apply, lists and restores', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const before = contentsOf(place.root)
  const plan = await runCli(['archive', '--older-than', '30d'], place)
  expect(plan.stdout).toMatch(/^would archive {2}demo {2}\S+ \S+ {2}2026-01-01\n$/)
  expect(plan.stderr).toContain('Nothing was changed; use --apply to do it')
  expect(contentsOf(place.root)).toEqual(before)
  const done = JSON.parse(await runWell(['archive', 'demo', '--apply', '--json'], place))
  expect(done).toMatchObject({
    applied: true,
    sessions: [{ sessionId: 'demo', from: 'store', to: 'archive', files: 1 }],
    kept: [],
    skipped: [],
    finished: [],
  })
  expect(await runWell(['archive', 'list'], place)).toMatch(/^demo {2}.*hello\n$/)
  const restore = ['archive', 'restore', 'demo']
  expect(await runWell(restore, place)).toMatch(/^would restore {2}demo/)
  expect(await runWell([...restore, '--apply'], place)).toMatch(/^restored {2}demo/)
  const commands = eventsIn(join(place.root, 'retention.jsonl')).map(({ payload }) => payload)
  expect(commands).toMatchObject([{ command: 'archive' }, { command: 'restore' }])
  expect(await runCli(['archive', 'list'], place)).toMatchObject({ stdout: '', exitCode: 1 })
})

test('only prune drops a trashed session', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const path = join(place.root, '.trash/.transcripts/demo.jsonl')
  await runWell(['trash', 'demo', '--apply'], place)
  expect(existsSync(path)).toBe(true)
  expect(await runWell(['prune', '--older-than', '1d'], place)).toMatch(/^would drop {2}demo/)
  expect(existsSync(path)).toBe(true)
  expect(await runWell(['prune', 'demo', '--apply'], place)).toMatch(/^dropped {2}demo/)
  expect(existsSync(path)).toBe(false)
})

test('an open session is kept, with exit code 5', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const answer = await runCli(['trash', 'demo', '--apply'], place)
  expect(answer.stderr).toContain('kept demo: it is open')
  expect(answer).toMatchObject({ stdout: '', exitCode: 5 })
})

test.for([
  { args: ['archive'], reason: 'Name sessions, or use --older-than', exitCode: 2 },
  { args: ['archive', '--older-than', '1Y'], reason: 'an age like 30d, 12h or 2w', exitCode: 2 },
  { args: ['prune', 'demo', '--apply'], reason: 'No session "demo"', exitCode: 3 },
  { args: ['trash', 'restore', 'demo'], reason: 'No session "demo"', exitCode: 3 },
  { args: ['archive', '--older-than', '9999d'], reason: 'Nothing to do', exitCode: 0 },
])('$args changes nothing: $reason', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const before = contentsOf(place.root)
  const answer = await runCli(args, place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
  expect(contentsOf(place.root)).toEqual(before)
})

test('prune --archived drops sessions of the archive, and none of the trash', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'kept')
  await storeSession(place, 'old')
  await runWell(['archive', 'old', '--apply'], place)
  await runWell(['trash', 'kept', '--apply'], place)
  const args = ['prune', '--archived', '--older-than', '1d']
  expect(await runWell(args, place)).toMatch(/^would drop {2}old .*\n$/)
  expect(await runWell([...args, '--apply'], place)).toMatch(/^dropped {2}old .*\n$/)
  expect(await runCli(['archive', 'list'], place)).toMatchObject({ stdout: '', exitCode: 1 })
  expect(await runWell(['trash', 'list'], place)).toMatch(/^kept /)
})
