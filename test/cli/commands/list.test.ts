import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatAge, formatSize } from '../../../lib/cli/output/units.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { runCli, runInTerminal, runWell } from '../command-line.js'
import { newPlace, openSession, type Place, storeSession } from '../stored.js'

async function fill(place: Place): Promise<void> {
  await storeSession(place, 'older', { second: 0 })
  await storeSession(place, 'newer', { second: 100 })
  await storeSession(place, 'elsewhere', { second: 200, project: '/somewhere/else' })
  await storeSession(place, 'silent', { second: 300, said: [] })
  await storeSession(place, 'robot', { second: 400, kind: 'headless' })
  await storeSession(place, 'helper', { second: 500, kind: 'subagent' })
}

async function idsOf(args: readonly string[], place: Place): Promise<string[]> {
  const { sessions } = JSON.parse(await runWell(['list', ...args, '--json'], place))
  return sessions.map(({ sessionId }: { sessionId: string }) => sessionId)
}

test('list shows the sessions of the project it is called in, newest first', async (t) => {
  const place = newPlace(t)
  await fill(place)
  expect(await idsOf([], place)).toEqual(['newer', 'older'])
  expect(await idsOf(['--limit', '1'], place)).toEqual(['newer'])
  expect(await idsOf(['--project', '/somewhere/else'], place)).toEqual(['elsewhere'])
})

test('list --all shows every project, and what was never said or never typed', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const all = ['helper', 'robot', 'silent', 'elsewhere', 'newer', 'older']
  expect(await idsOf(['--all'], place)).toEqual(all)
})

test('list --json prints one object with the fields of each session', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const closed = await openSession(place, 'done', { said: [], second: 100 })
  await closed.append({ type: 'user', payload: { content: 'bye' } })
  await closed.rename('The end')
  await closed.close()
  const { stdout, stderr, exitCode } = await runCli(['list', '--json'], place)
  expect(JSON.parse(stdout)).toEqual({
    sessions: [
      {
        sessionId: 'done',
        title: 'The end',
        titleSource: 'user',
        tags: [],
        project: place.cwd,
        kind: 'interactive',
        harness: null,
        resumedFrom: null,
        forkedFrom: null,
        parentSessionId: null,
        status: 'clean',
        startedAt: expect.stringMatching(/^2026-01-01T00:01:4.*Z$/),
        lastActivity: expect.stringMatching(/^2026-01-01T00:01:4.*Z$/),
        events: 6,
        bytes: expect.any(Number),
      },
      {
        sessionId: 'demo',
        title: 'hello',
        titleSource: 'prompt',
        tags: [],
        project: place.cwd,
        kind: 'interactive',
        harness: null,
        resumedFrom: null,
        forkedFrom: null,
        parentSessionId: null,
        status: 'unclosed',
        startedAt: expect.stringMatching(/Z$/),
        lastActivity: expect.stringMatching(/Z$/),
        events: null,
        bytes: expect.any(Number),
      },
    ],
    skipped: [],
  })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const counted = JSON.parse(await runWell(['list', '--json', '--counts'], place))
  expect(counted.sessions[1].events).toBe(7)
})

test('list --active shows only what a living process has open', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const session = await openSession(place, 'live')
  t.onTestFinished(() => session.release())
  expect(await idsOf(['--active'], place)).toEqual(['live'])
})

test('a table in a pipe is plain and begins with whole ids', async (t) => {
  const place = newPlace(t)
  const id = '0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a'
  await storeSession(place, id, {
    second: 100,
    said: [['user', 'u1', 'wide 日本 \u001b[31mred\u202e']],
  })
  await storeSession(place, 'demo')
  const stdout = await runWell(['list'], place)
  expect(stdout).not.toContain('\u001b')
  const rows = stdout.trimEnd().split('\n')
  expect(rows[0]).toMatch(new RegExp(`^${id}  wide 日本 \\[31mred {2}unclosed  2?`))
  expect(rows[1]).toMatch(/^demo {34}hello +unclosed {2}.* \d+ B|KiB$/)
  expect(rows[1]!.indexOf('unclosed')).toBe(rows[0]!.indexOf('unclosed') + 2)
})

test('a table on a terminal has a heading, short ids that are enough, and colour', async (t) => {
  const place = newPlace(t)
  const ids = ['0b0e7a52-7d8c-4f7e', '0b0e7a52-7d9c-4f7e', 'ffff7a52-7d8c-4f7e']
  for (const id of ids) {
    await storeSession(place, id, { said: [['user', 'u1', 'a long title '.repeat(20)]] })
  }
  const { root, cwd } = place
  const { stdout } = await runInTerminal(['list', '--root', root], { cwd, columns: 90 })
  const rows = stdout.trimEnd().split('\n')
  expect(rows[0]).toMatch(/SESSION +TITLE +STATUS +LAST +PROJECT +SIZE/)
  expect(rows.slice(1).map((row) => row.split(' ')[0])).toEqual([
    '0b0e7a52-7d8',
    '0b0e7a52-7d9',
    'ffff7a52',
  ])
  expect(rows[1]).toContain('unclosed')
  for (const row of rows) {
    expect(row.replaceAll(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(90)
  }
  const narrow = await runInTerminal(['list', '--root', root], { cwd, columns: 30 })
  for (const row of narrow.stdout.trimEnd().split('\n')) {
    expect(row.replaceAll(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(30)
  }
})

test('list that finds nothing says where it looked and exits with 1', async (t) => {
  const place = newPlace(t)
  const { stdout, stderr, exitCode } = await runCli(['list'], place)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
  expect(stderr).toContain(place.cwd)
  expect(stderr).toContain(join(place.root, '.transcripts'))
  expect(stderr).toContain('--all')
  const asJson = await runCli(['list', '--json'], place)
  expect(asJson).toEqual({
    stdout: '{"sessions":[],"skipped":[]}\n',
    stderr: '',
    exitCode: 1,
  })
})

test('a file that is no transcript is named on stderr and hides no other', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const empty = join(place.root, '.transcripts', 'empty.jsonl')
  const folder = join(place.root, '.transcripts', 'folder.jsonl')
  writeFileSync(empty, '')
  mkdirSync(folder)
  const { stdout, stderr, exitCode } = await runCli(['list'], place)
  expect(stdout).toMatch(/^demo /)
  // An empty file is a session that was not begun; it is hidden like any other empty one.
  expect(stderr).toBe(`skipped ${folder}: a directory\n`)
  expect(exitCode).toBe(0)
  const { skipped } = JSON.parse(await runWell(['list', '--json'], place))
  expect(skipped).toEqual([{ path: folder, reason: 'a directory' }])
  const all = JSON.parse(await runWell(['list', '--all', '--json'], place))
  expect(all.sessions).toMatchObject([{ sessionId: 'demo' }, { sessionId: 'empty', bytes: 0 }])
})

test('list takes no session and no half numbers', async (t) => {
  const root = temporaryFolder(t)
  for (const args of [
    ['list', 'demo'],
    ['list', '--limit', '1.5'],
  ]) {
    expect(await runCli(args, { root })).toMatchObject({ stdout: '', exitCode: 2 })
  }
})

test.each([
  ['2026-01-31T12:00:00.000Z', 'just now'],
  ['2026-01-31T12:00:30.000Z', 'just now'],
  ['2026-01-31T11:57:00.000Z', '3 min ago'],
  ['2026-01-31T07:00:00.000Z', '5 h ago'],
  ['2026-01-30T11:00:00.000Z', 'yesterday'],
  ['2026-01-20T11:00:00.000Z', '11 days ago'],
  ['2025-11-02T11:00:00.000Z', '2025-11-02'],
  ['whenever', '-'],
])('the age of %s is printed as %s', (time, age) => {
  expect(formatAge(time, Date.parse('2026-01-31T12:00:00.000Z'))).toBe(age)
})

test('sizes are printed in the unit that fits', () => {
  expect([0, 591, 1230, 20_480, 5_000_000, 3 * 2 ** 40].map(formatSize)).toEqual([
    '0 B',
    '591 B',
    '1.2 KiB',
    '20 KiB',
    '4.8 MiB',
    '3.0 TiB',
  ])
})

test('list --active with nothing open says so', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['list', '--active'], place)
  expect(answer).toMatchObject({ stdout: '', exitCode: 1 })
  expect(answer.stderr).toMatch(/^No open or active sessions of /)
})
