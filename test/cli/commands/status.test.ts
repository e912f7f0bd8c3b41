import { expect, test } from 'vitest'
import { claimSession, openContext } from '../../../lib/store/index.js'
import { runCli, runWell } from '../command-line.js'
import { eventsIn, newPlace, openSession, storeSession } from '../stored.js'

// Requirements: 001-63, 001-68
test('status lists active sessions with their runtime path', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const { claimedAt, expiresAt } = await claimSession(
    openContext({ root: place.root }),
    'claimed',
    { runtimePath: 'plugin' },
  )
  const rows = (await runWell(['status'], place)).split('\n')
  expect(rows[0]).toBe(`claimed  plugin   since ${claimedAt}  until ${expiresAt}`)
  expect(rows[1]).toMatch(/^demo {5}library {2}since \S+$/)
  const active = JSON.parse(await runWell(['status', '--json'], place))
  expect(active).toEqual({
    sessions: [
      { sessionId: 'claimed', runtimePath: 'plugin', claimedAt, expiresAt, bypassed: false },
      expect.objectContaining({ sessionId: 'demo', runtimePath: 'library', expiresAt: null }),
    ],
    count: 2,
  })
})

// Requirement: 001-70
test('status of one session also shows one that is not active', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const stdout = await runWell(['status', 'session:demo'], place)
  expect(stdout).toBe('demo  unknown  since 2026-01-01T00:00:00.000Z  not active\n')
  expect(JSON.parse(await runWell(['status', 'demo', '--json'], place))).toEqual({
    sessionId: 'demo',
    runtimePath: 'unknown',
    claimedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    bypassed: false,
    active: false,
  })
  expect(await runCli(['status', 'nobody'], place)).toMatchObject({ stdout: '', exitCode: 3 })
})

test('status of an active session shows its claim', async (t) => {
  const place = newPlace(t)
  const { claimedAt, expiresAt } = await claimSession(openContext({ root: place.root }), 'demo', {
    runtimePath: 'plugin',
  })
  await storeSession(place, 'demo')
  expect(await runWell(['status', 'demo'], place)).toBe(
    `demo  plugin  since ${claimedAt}  until ${expiresAt}\n`,
  )
})

test('status without an active session exits with 1', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await runCli(['status'], place)).toEqual({
    stdout: '',
    stderr: 'No session is active\n',
    exitCode: 1,
  })
})

// Requirement: 001-80
test('bypass switches a known session on and off', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  expect(await runWell(['bypass', 'demo', 'on'], place)).toBe(
    'hooks are off for demo, until it ends or for four hours\n',
  )
  expect(await runWell(['status', 'demo'], place)).toContain('bypassed')
  expect(JSON.parse(await runWell(['bypass', 'session:demo', 'off', '--json'], place))).toEqual({
    sessionId: 'demo',
    bypassed: false,
    queued: false,
  })
  expect(await runWell(['status', 'demo'], place)).not.toContain('bypassed')
  expect(eventsIn(path).slice(-2)).toMatchObject([
    { type: 'session_meta', payload: { bypassed: true } },
    { type: 'session_meta', payload: { bypassed: false } },
  ])
})

// Requirement: 001-80
test.for([
  { args: ['demo', 'maybe'], reason: 'bypass takes on or off, not "maybe"', exitCode: 2 },
  { args: ['demo'], reason: 'missing required argument', exitCode: 2 },
  { args: ['nobody', 'on'], reason: 'No session "nobody"', exitCode: 3 },
])('bypass $args is rejected: $reason', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['bypass', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
})
