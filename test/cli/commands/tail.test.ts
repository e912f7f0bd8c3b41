// The newest of many sessions, for people and for programs.

import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rowsOf, runCli, runWell } from '../command-line.js'
import { newPlace, openSession, storeSession } from '../stored.js'

test('tail of a store names the session whenever it changes', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'one', { said: [['user', 'u1', 'hello']] })
  await storeSession(place, 'two', { second: 60, said: [['user', 'u2', 'again']] })
  const { stdout, stderr, exitCode } = await runCli(['tail', '--lines', '4'], place)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout.match(/^==> .*$/gm)).toEqual(['==> one <==', '==> two <=='])
  expect(stdout).toMatch(/\n\n==> two <==\n.*session_header.*\n.*again\n$/)
  const forPrograms = await runCli(['tail', '--json'], place)
  const { cursor } = JSON.parse(forPrograms.stderr)
  expect((await runCli(['tail', '--quiet', '--json'], place)).stderr).toBe('')
  const nothing = await runCli(['tail', '--since-cursor', cursor], place)
  expect(nothing).toMatchObject({ stdout: '', exitCode: 1 })
})

test('tail of one session, or of its file, does not name it', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'one', { said: [['user', 'u1', 'hello']] })
  const bySession = await runWell(['tail', 'one'], place)
  expect(bySession).not.toContain('==>')
  expect(await runWell(['tail', path], place)).toBe(bySession)
  expect(rowsOf(await runWell(['tail', path, '--json'], place)).at(-1)).toMatchObject({
    sessionId: 'one',
    event: { uuid: 'u1' },
  })
})

test('tail --projected follows the conversation and marks rewinds and compactions', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'one')
  const [row] = rowsOf(await runWell(['tail', 'one', '--json', '--lines', '1'], place))
  await session.rewind({ to: 'u1' })
  await session.append({ type: 'assistant', uuid: 'a9', payload: { content: 'Hello again.' } })
  await session.compact({ summary: 'They greeted.', keepFrom: null, trigger: 'manual' })
  await session.release()
  appendFileSync(session.path, 'oops\n')
  const args = ['tail', 'one', '--projected', '--since-cursor', String(row!['cursor'])]
  const stdout = await runWell(args, place)
  const places = ['rewound to u1', 'Hello again.', 'They greeted.', 'compacted up to here'].map(
    (text) => stdout.indexOf(text),
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(stdout).not.toMatch(/oops|list the files/)
})
