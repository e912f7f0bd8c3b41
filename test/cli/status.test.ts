import { expect, test } from 'vitest'
import { claimSession } from '../../lib/store/index.js'
import { runCli, runWell } from './command-line.js'
import { eventsIn, newPlace, openSession, storeSession } from './stored.js'

test('status lists who speaks for which session (001-63, 001-68)', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const { claimedAt, expiresAt } = await claimSession('claimed', {
    root: place.root,
    runtimePath: 'plugin',
  })
  const rows = (await runWell(['status'], place)).split('\n')
  expect(rows[0]).toBe(`claimed  plugin   since ${claimedAt}  until ${expiresAt}`)
  expect(rows[1]).toMatch(/^demo {5}library {2}since \S+$/)
  const active = JSON.parse(await runWell(['status', '--json'], place))
  expect(active).toEqual({
    sessions: [
      { key: 'claimed', runtimePath: 'plugin', claimedAt, expiresAt, bypassed: false },
      expect.objectContaining({ key: 'demo', runtimePath: 'library', expiresAt: null }),
    ],
    count: 2,
  })
})

test('status of one session tells also of one that is not active (001-70)', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const stdout = await runWell(['status', 'session:demo'], place)
  expect(stdout).toBe('demo  unknown  since 2026-01-01T00:00:00.000Z  not active\n')
  expect(JSON.parse(await runWell(['status', 'demo', '--json'], place))).toEqual({
    key: 'demo',
    runtimePath: 'unknown',
    claimedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    bypassed: false,
    isActive: false,
  })
  expect(await runCli(['status', 'nobody'], place)).toMatchObject({ stdout: '', exitCode: 3 })
})

test('status of one that is active does not say otherwise, and a bypass has no time', async (t) => {
  const place = newPlace(t)
  const { claimedAt, expiresAt } = await claimSession('demo', {
    root: place.root,
    runtimePath: 'plugin',
  })
  await storeSession(place, 'demo')
  expect(await runWell(['status', 'demo'], place)).toBe(
    `demo  plugin  since ${claimedAt}  until ${expiresAt}\n`,
  )
})

test('status with nothing going on is exit 1', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runCli(['status'], place)).toEqual({
    stdout: '',
    stderr: 'No session is active\n',
    exitCode: 1,
  })
})

test('bypass switches a known session on and off (001-80)', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  expect(await runWell(['bypass', 'demo', 'on'], place)).toBe(
    'hooks are off for demo, until it ends or for four hours\n',
  )
  expect(await runWell(['status', 'demo'], place)).toContain('bypassed')
  expect(JSON.parse(await runWell(['bypass', 'session:demo', 'off', '--json'], place))).toEqual({
    key: 'demo',
    bypassed: false,
    queued: false,
  })
  expect(await runWell(['status', 'demo'], place)).not.toContain('bypassed')
  expect(eventsIn(path).slice(-2)).toMatchObject([
    { type: 'session_meta', payload: { bypassed: true } },
    { type: 'session_meta', payload: { bypassed: false } },
  ])
})

test.for([
  { args: ['demo', 'maybe'], reason: 'bypass takes on or off, not "maybe"', exitCode: 2 },
  { args: ['demo'], reason: 'missing required argument', exitCode: 2 },
  { args: ['nobody', 'on'], reason: 'No session "nobody"', exitCode: 3 },
])('bypass $args is refused: $reason (001-80)', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['bypass', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
})
