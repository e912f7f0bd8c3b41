import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCli, runWell } from '../command-line.js'
import { eventsIn, newPlace, openSession, storeSession } from '../stored.js'

test('rename gives a title that list shows and an automatic one does not replace', async (t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  expect(await runWell(['rename', 'demo', 'Fix', 'the', 'parser'], place)).toBe(
    'renamed demo: Fix the parser\n',
  )
  expect(eventsIn(path).slice(7)).toMatchObject([
    {
      type: 'session_meta',
      prev_uuid: null,
      payload: { title: 'Fix the parser', title_source: 'user' },
    },
  ])
  const auto = '{"title":"Something else","title_source":"auto"}'
  await runWell(['append', 'demo', '--type', 'session_meta', '--payload', auto], place)
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions).toMatchObject([{ sessionId: 'demo', title: 'Fix the parser' }])
})

test('rename --json prints the id in full', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'a-long-id')
  const stdout = await runWell(['rename', 'a-lo', ' My title ', '--json'], place)
  expect(JSON.parse(stdout)).toEqual({
    sessionId: 'a-long-id',
    title: 'My title',
    queued: false,
  })
})

test('a closed session stays closed when it is renamed', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  await session.close()
  await runWell(['rename', 'demo', 'Done'], place)
  const { sessions } = JSON.parse(await runWell(['list', '--json'], place))
  expect(sessions).toMatchObject([{ title: 'Done', status: 'clean' }])
})

test('rename of a session that another process has open waits for that process', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'demo')
  t.onTestFinished(() => session.release())
  expect(await runWell(['rename', 'demo', 'Mine'], place)).toMatch(/^renamed demo: Mine \(queued/)
  await session.append({ type: 'turn_end', payload: {} })
  const { sessions } = JSON.parse(await runWell(['list', '--json', '--all'], place))
  expect(sessions).toMatchObject([{ sessionId: 'demo', title: 'Mine' }])
})

test.for([
  { args: ['demo'], reason: 'rename needs a title', exitCode: 2 },
  { args: ['demo', ' '], reason: 'A title must not be blank', exitCode: 2 },
  { args: ['nobody', 'x'], reason: 'No session "nobody"', exitCode: 3 },
])('rename $args writes nothing: $reason', async ({ args, reason, exitCode }, t) => {
  const place = newPlace(t)
  const path = await storeSession(place, 'demo')
  const before = readFileSync(path)
  const answer = await runCli(['rename', ...args], place)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode })
  expect(readFileSync(path)).toEqual(before)
})
