import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rowsOf, runCli, runWell } from '../command-line.js'
import { eventsIn, newPlace, openSession, type Place, storeSession } from '../stored.js'

async function seen(place: Place): Promise<unknown[]> {
  return rowsOf(await runWell(['show', 'demo', '--json'], place)).map(({ uuid }) => uuid)
}

test('rewind goes back to a message, deletes nothing, and is undone by another', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const before = readFileSync(path)
  const stdout = await runWell(['rewind', 'demo', '--to', 'a1', '--reason', 'wrong way'], place)
  expect(stdout).toBe('rewound demo to a1: 2 messages are left; undo with --to a2\n')
  expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
  const added = eventsIn(path).slice(7)
  expect(added).toMatchObject([
    { type: 'rewind', prev_uuid: 'a1', payload: { target_uuid: 'a1', reason: 'wrong way' } },
  ])
  expect(await seen(place)).toEqual(['u1', 'a1'])
  await runWell(['rewind', 'demo', '--to', 'a2'], place)
  expect(await seen(place)).toEqual(['u1', 'a1', 'u2', 'c1', 'r1', 'a2'])
})

test('rewind --json prints what was linked to', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  const { boundaryUuid } = await session.compact({ summary: 'hello', keepFrom: 'u2' })
  await session.release()
  const args = ['rewind', 'demo', '--to', 'u2', '--keep-compaction', '--json']
  const answer = JSON.parse(await runWell(args, place))
  expect(answer).toEqual({
    sessionId: 'demo',
    rewindUuid: eventsIn(session.path).at(-1)!['uuid'],
    targetUuid: 'u2',
    prevUuid: boundaryUuid,
    messages: 2,
  })
})

// Requirement: 18-9
test('without --keep-compaction the model sees what it saw then', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  await session.compact({ summary: 'hello', keepFrom: 'u2' })
  await session.release()
  const answer = JSON.parse(await runWell(['rewind', 'demo', '--to', 'u2', '--json'], place))
  expect(answer).toMatchObject({ prevUuid: 'u2', messages: 3 })
})

// Requirement: 18-9
test('uncompact undoes the newest compaction; --dry-run shows it and writes nothing', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  const { boundaryUuid } = await session.compact({ summary: 'hello', keepFrom: 'u2' })
  const { length } = session.messages().messages
  await session.append({ type: 'user', uuid: 'u3', payload: { content: 'and then?' } })
  await session.release()
  const before = eventsIn(session.path)
  const planned = JSON.parse(await runWell(['uncompact', 'demo', '--dry-run', '--json'], place))
  const expected = { sessionId: 'demo', boundaryUuid, targetUuid: 'a2', copied: 1 }
  expect(planned).toEqual({ dryRun: true, ...expected })
  expect(eventsIn(session.path)).toEqual(before)
  const done = JSON.parse(await runWell(['uncompact', 'demo', '--json'], place))
  expect(done).toMatchObject(expected)
  expect(done.messages).toBeGreaterThan(length + 1)
  const added = eventsIn(session.path).slice(before.length)
  expect(added).toMatchObject([
    { type: 'rewind', uuid: done.rewindUuid, prev_uuid: 'a2', payload: { from_uuid: 'u3' } },
    { type: 'user', prev_uuid: done.rewindUuid, payload: { copied_from: 'u3' } },
  ])
  const stdout = await runWell(['rewind', 'demo', '--to', 'u3'], place)
  expect(stdout).toContain('rewound demo to u3')
  const again = await runWell(['uncompact', 'demo'], place)
  expect(again).toContain(`undid the compaction ${boundaryUuid} of demo`)
  expect(again).toContain('1 event appended again')
  expect(await runCli(['uncompact', 'demo'], place)).toMatchObject({ exitCode: 3 })
})

test('rewind of a session that another process has open exits with 5', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const answer = await runCli(['rewind', 'demo', '--to', 'a1', '--json'], place)
  expect(JSON.parse(answer.stderr).error.code).toBe('ERR_LOCKED')
  expect(answer).toMatchObject({ stdout: '', exitCode: 5 })
})

test.for([
  { args: ['demo'], reason: 'rewind needs --to', exitCode: 2 },
  { args: ['demo', '--to', 'nobody'], reason: 'fork <session> --at nobody', exitCode: 3 },
  { args: ['nobody', '--to', 'u1'], reason: 'No session "nobody"', exitCode: 3 },
  { args: ['demo', '--to', 'u1', '--apply'], reason: '--apply needs --files', exitCode: 2 },
  { args: ['demo', '--to', 'u1', '--files'], reason: 'No file was saved', exitCode: 3 },
])('rewind $args writes nothing: $reason', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const before = readFileSync(path)
  const answer = await runCli(['rewind', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
  expect(readFileSync(path)).toEqual(before)
})
