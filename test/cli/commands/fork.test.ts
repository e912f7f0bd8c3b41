import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rowsOf, runCli, runWell } from '../command-line.js'
import { newPlace, openSession, storeSession } from '../stored.js'

// Requirement: 003-46
test('fork begins another session with the bytes of a living one', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  const source = readFileSync(session.path)
  const stdout = await runWell(['fork', 'demo', '--id', 'other'], place)
  const path = join(place.root, '.transcripts', 'other.jsonl')
  expect(stdout).toBe(`forked demo at a2 into other: ${path}\n`)
  expect(readFileSync(path).subarray(-source.length)).toEqual(source)
  expect(readFileSync(session.path)).toEqual(source)
  const shown = async (id: string) => rowsOf(await runWell(['show', id, '--json'], place))
  expect(await shown('other')).toEqual(await shown('demo'))
})

test('fork --at --json prints what it made', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = JSON.parse(await runWell(['fork', 'demo', '--at', 'a1', '--json'], place))
  expect(answer).toEqual({
    sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    transcriptPath: join(place.root, '.transcripts', `${answer.sessionId}.jsonl`),
    forkedFrom: { sessionId: 'demo', atUuid: 'a1' },
  })
  const rows = rowsOf(await runWell(['show', answer.sessionId, '--json'], place))
  expect(rows.map(({ uuid }) => uuid)).toEqual(['u1', 'a1'])
})

test.for([
  { args: ['demo', '--id', 'demo'], code: 'ERR_EXISTS', exitCode: 2 },
  { args: ['demo', '--at', 'nobody'], code: 'ERR_NOT_FOUND', exitCode: 3 },
  { args: ['nobody'], code: 'ERR_NOT_FOUND', exitCode: 3 },
  { args: [], code: 'ERR_ARG', exitCode: 2 },
])('fork $args is answered with $code', async ({ args, code, exitCode }, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['fork', ...args, '--json'], place)
  expect(JSON.parse(answer.stderr).error.code).toBe(code)
  expect(answer).toMatchObject({ stdout: '', exitCode })
})
