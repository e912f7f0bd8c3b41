import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCli, runInTerminal, runWell } from '../command-line.js'
import { eventsIn, newPlace, openSession, storeSession } from '../stored.js'

test('tag adds, removes and prints the tags of a session', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  expect(await runWell(['tag', 'demo'], place)).toBe('demo: no tags\n')
  expect(await runWell(['tag', 'demo', '+parser', '+draft'], place)).toBe('demo: parser draft\n')
  expect(await runWell(['tag', '-draft', 'demo', '+done'], place)).toBe('demo: parser done\n')
  expect(eventsIn(path).at(-1)).toMatchObject({
    type: 'session_meta',
    prev_uuid: null,
    payload: { tags: ['parser', 'done'] },
  })
  expect(JSON.parse(await runWell(['tag', 'demo', '--json'], place))).toEqual({
    sessionId: 'demo',
    tags: ['parser', 'done'],
    changed: false,
    queued: false,
  })
})

test('a tag that begins like an option can follow --', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await runWell(['tag', 'demo', '+h'], place)
  expect(await runWell(['tag', 'demo', '--', '-h'], place)).toBe('demo: no tags\n')
  expect(await runWell(['tag', '-h'], place)).toContain('Usage: jsonl-session tag')
})

test.for([
  { args: ['demo', 'parser'], reason: 'use +parser to add it', exitCode: 2 },
  { args: ['demo', '+two words'], reason: 'cannot be a tag', exitCode: 2 },
  { args: ['demo', '+a', '-a'], reason: 'added and removed', exitCode: 2 },
  { args: ['nobody', '+a'], reason: 'No session "nobody"', exitCode: 3 },
  { args: [], reason: "missing required argument 'session'", exitCode: 2 },
])('tag $args writes nothing: $reason', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const before = readFileSync(path)
  const answer = await runCli(['tag', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
  expect(readFileSync(path)).toEqual(before)
})

test('tag of a session that another process has open waits for that process', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  expect(await runWell(['tag', 'demo', '+mine'], place)).toMatch(/^demo: mine \(queued/)
  await session.append({ type: 'turn_end', payload: {} })
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions).toMatchObject([{ sessionId: 'demo', tags: ['mine'] }])
})

test('list --tag shows sessions with all of the tags, and pinned ones come first on a terminal', async (t) => {
  const place = newPlace(t)
  for (const [index, id] of ['first', 'second', 'third'].entries()) {
    await storeSession(place, id, { second: index * 100 })
  }
  await runWell(['tag', 'first', '+pinned', '+work'], place)
  await runWell(['tag', 'third', '+work'], place)
  const idsOf = async (...args: string[]) => {
    const { sessions } = JSON.parse(await runWell(['list', '--json', ...args], place))
    return sessions.map(({ sessionId }: { sessionId: string }) => sessionId)
  }
  expect(await idsOf()).toEqual(['third', 'second', 'first'])
  expect(await idsOf('--tag', 'work')).toEqual(['third', 'first'])
  expect(await idsOf('--tag', 'work, pinned')).toEqual(['first'])
  expect((await runCli(['list', '--tag', 'none'], place)).exitCode).toBe(1)
  const { root, cwd } = place
  const { stdout } = await runInTerminal(['list', '--root', root, '--limit', '2'], { cwd })
  const rows = stdout.trimEnd().split('\n').slice(1)
  expect(rows.map((row) => row.split(' ')[0])).toEqual(['first', 'third'])
})

test('archive, trash and prune keep a pinned session, also by name and with --force', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  await storeSession(place, 'other')
  await runWell(['tag', 'demo', '+pinned'], place)
  for (const command of ['archive', 'trash']) {
    const named = await runCli([command, 'demo', '--force', '--apply', '--json'], place)
    expect(named.exitCode).toBe(1)
    const { sessions, kept } = JSON.parse(named.stdout)
    expect({ sessions, kept }).toMatchObject({ sessions: [], kept: [{ code: 'pinned' }] })
  }
  await runWell(['trash', '--older-than', '1d', '--apply'], place)
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions).toMatchObject([{ sessionId: 'demo' }])
  await runWell(['tag', 'demo', '-pinned'], place)
  await runWell(['trash', 'demo', '--apply'], place)
  expect((await runCli(['list'], place)).exitCode).toBe(1)
})
