import { expect, test } from 'vitest'
import { createSession, resumeSession } from '../../../lib/free-functions.js'

import { listCheckpoints, openContext, read_history } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { runCli, runWell } from '../command-line.js'

const placeOf = (root: string) => ({ root, home: root })

// Requirement: 000-71
test('prompt is event, history line and continuity in one', async (t) => {
  const root = temporaryFolder(t)
  const place = ['--root', root, '--home', root, '--project', root]
  const answers = []
  for (let number = 1; number <= 10; number++) {
    const text = await runWell(['prompt', 'demo', `question ${number}`, '--json', ...place])
    answers.push(JSON.parse(text))
  }
  expect(answers[0]).toMatchObject({ duplicate: false, historyOffset: 0, checkpointId: null })
  const { messages } = await resumeSession({ root, id: 'demo', mode: 'inspect' })
  expect(messages).toHaveLength(10)
  const recorded = await read_history({ ...placeOf(root), reverse: false })
  expect(recorded.map(({ prompt, project }) => [prompt, project])).toEqual(
    answers.map((_, index) => [`question ${index + 1}`, root]),
  )
  const { checkpoints } = listCheckpoints(openContext({ root }), { session: 'demo' })
  expect(checkpoints.map(({ checkpoint }) => checkpoint)).toMatchObject([
    { id: answers[9].checkpointId, trigger: 'periodic', prompt_count: 10 },
  ])
})

test('a prompt tried again by its uuid is recorded once', async (t) => {
  const root = temporaryFolder(t)
  const place = ['--root', root, '--home', root]
  const again = ['prompt', 'demo', 'hello', '--uuid', 'u1', '--json', ...place]
  await runWell(again)
  expect(JSON.parse(await runWell(again))).toMatchObject({ uuid: 'u1', duplicate: true })
  expect(await read_history(placeOf(root))).toHaveLength(1)
})

test('a prompt for an open session exits with 5, a memory is queued', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, home: root, id: 'demo' })
  const place = ['--root', root, '--home', root]
  expect(await runCli(['prompt', 'demo', 'hello', ...place])).toMatchObject({ exitCode: 5 })
  expect(await read_history(placeOf(root))).toEqual([])
  const queued = await runWell(['remember', 'demo', 'the port is 8080', '--json', ...place])
  expect(JSON.parse(queued)).toMatchObject({ queued: true })
  await session.prompt('which port?')
  await session.close()
  const [latest] = listCheckpoints(openContext({ root }), { session: 'demo' }).checkpoints
  expect(latest!.checkpoint.recent_remembers).toEqual(['the port is 8080'])
})

// Requirement: 001-26
test('remember needs a session that is there, and something to remember', async (t) => {
  const root = temporaryFolder(t)
  const place = ['--root', root, '--home', root]
  expect(await runCli(['remember', 'nobody', 'x', ...place])).toMatchObject({ exitCode: 3 })
  await runWell(['prompt', 'demo', 'hello', ...place])
  expect(await runCli(['remember', 'demo', ' ', ...place])).toMatchObject({ exitCode: 2 })
  expect(await runWell(['remember', 'demo', 'the port', ...place])).toBe(
    'remembered in session demo\n',
  )
})
