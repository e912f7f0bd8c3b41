// The command line completes the beginning of an id; the library does not (session/exact-ids).

import { expect, test } from 'vitest'
import { createSession } from '../../lib/free-functions.js'
import { runCli, runWell } from './command-line.js'
import { newPlace, type Said, storeSession } from './stored.js'

const SAID = [['user', 'u1', 'Fix the parser']] as const satisfies readonly Said[]

test.for([
  ['show', 'parser-m'],
  ['export', 'parser-m'],
  ['log', 'parser-m'],
  ['verify', 'parser-m'],
  ['tail', 'parser-m'],
  ['grep', 'Fix', 'parser-m'],
  ['search', 'parser', '--session', 'parser-m'],
  ['resume', 'parser-m', '--mode', 'inspect'],
  ['resume', 'parser-m', '--mode', 'append'],
  ['fork', 'parser-m'],
  ['rename', 'parser-m', 'Title'],
  ['remember', 'parser-m', 'this'],
  ['compact', 'parser-m', '--dry-run', '--from', 'u1'],
  ['rewind', 'parser-m', '--to', 'u1'],
  ['status', 'parser-m'],
  ['bypass', 'parser-m', 'on'],
  ['extract', 'parser-m', '--min-chars', '1'],
  ['archive', 'parser-m'],
  ['checkpoint', 'add', 'parser-m', '--digest', 'done'],
  ['start', '--session', 'parser-m'],
])('%s %s: the beginning of one id is enough, of two it is refused', async (args, t) => {
  const place = newPlace(t)
  await storeSession(place, 'parser-main', { said: SAID })
  await storeSession(place, 'parser-other', { said: SAID })
  expect(await runCli(args, place)).toMatchObject({ exitCode: 0 })
  const both = args.map((word) => (word === 'parser-m' ? 'parser-' : word))
  const refused = await runCli(both, place)
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('"parser-" matches 2 sessions: parser-main, parser-other')
  expect(refused.stderr).toContain('ERR_AMBIGUOUS')
  const unknown = args.map((word) => (word === 'parser-m' ? 'par' : word))
  if (args[0] !== 'start') expect((await runCli(unknown, place)).exitCode).not.toBe(0)
})

test('an id of the trash is completed for restore and prune', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'parser-main', { said: SAID })
  await runWell(['trash', 'parser-main', '--apply'], place)
  expect(await runWell(['prune', 'parser'], place)).toContain('would drop  parser-main')
  expect(await runWell(['trash', 'restore', 'parser'], place)).toContain('restore  parser-main')
})

test('the task of a subagent is completed, and refused where it begins several', async (t) => {
  const place = newPlace(t)
  const session = await createSession({ root: place.root, id: 'demo', project: place.cwd })
  for (const taskId of ['tests-unit', 'tests-e2e']) {
    const child = await session.spawn({ taskId, prompt: taskId })
    await child.finish({ status: 'completed', summary: 'Done.' })
  }
  await session.close()
  const shown = await runWell(['sidechain', 'show', 'tests-u', '--session', 'demo'], place)
  expect(shown).toContain('tests-unit')
  const both = await runCli(['sidechain', 'show', 'tests'], place)
  expect(both).toMatchObject({ exitCode: 2, stdout: '' })
  expect(both.stderr).toMatch(/"tests" matches 2 subagents: tests-(unit|e2e) of demo, tests-/)
  expect(await runCli(['sidechain', 'show', 'tes'], place)).toMatchObject({ exitCode: 3 })
})

test('a very long id is completed although its file has a shorter name', async (t) => {
  const place = newPlace(t)
  const id = `long-${'é'.repeat(120)}`
  await storeSession(place, id, { said: SAID })
  const { sessionId } = JSON.parse(await runWell(['status', 'long-', '--json'], place))
  expect(sessionId).toBe(id)
})
