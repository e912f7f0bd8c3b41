import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession, forkSession, resumeSession } from '../../../lib/free-functions.js'
import { defaultRedactor } from '../../../lib/redaction/index.js'
import {
  findTranscript,
  openContext,
  readSurroundings,
  readSurroundingsWithCosts,
} from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const said = (content: string) => ({ type: 'user', payload: { content } })

test('a tree shows branches, ancestors, descendants and subagents', async (t) => {
  const root = temporaryFolder(t)
  const first = await createSession({ root, id: 'first' })
  await first.append({ ...said('the first prompt'), uuid: 'u1' })
  await first.append({ ...said('the second prompt'), uuid: 'u2' })
  const task = await first.spawn({ taskId: 'T-1', prompt: 'count the files', agentType: 'counter' })
  await task.finish({ summary: 'three', status: 'completed' })
  await first.close()
  const { session: second } = await resumeSession({ root, id: 'first', mode: 'new' })
  await second.append({ ...said('in the second'), uuid: 'v1' })
  await second.close()
  forkSession(second.id, { root, newId: 'fork' })

  const store = openContext({ root })
  const ofFirst = readSurroundings(store, 'first', { redactor: defaultRedactor })
  expect(ofFirst).toMatchObject({
    sessionId: 'first',
    ancestors: [],
    descendants: [{ sessionId: second.id, kind: 'resume', title: 'in the second' }],
    subagents: [
      {
        taskId: 'T-1',
        agentType: 'counter',
        title: 'count the files',
        status: 'completed',
        parentTaskId: null,
      },
    ],
  })
  expect(ofFirst.branches[0]).toMatchObject({ active: true })
  expect(ofFirst.tip).toBe(ofFirst.branches[0]!.lastUuid)

  const ofSecond = readSurroundings(store, second.id)
  expect(ofSecond.ancestors).toEqual([
    { sessionId: 'first', kind: 'resume', atUuid: expect.any(String), title: 'the first prompt' },
  ])
  expect(ofSecond.descendants).toMatchObject([{ kind: 'fork', sessionId: 'fork' }])
  expect(readSurroundings(store, 'fork').ancestors.map(({ sessionId }) => sessionId)).toEqual([
    second.id,
    'first',
  ])
  // A session that was removed is still named.
  rmSync(findTranscript(store, 'first'))
  expect(readSurroundings(store, second.id).ancestors).toMatchObject([
    { sessionId: 'first', title: null },
  ])
})

test('a subagent has the cost of its own log; a price that is not known is null', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'boss' })
  for (const [taskId, model] of [
    ['known', 'claude-sonnet-4-5'],
    ['unknown', 'a-model-without-a-price'],
  ] as const) {
    const child = await session.spawn({ taskId, prompt: 'Work.' })
    const usage = { input_tokens: 1000, output_tokens: 100 }
    await child.append({ type: 'assistant', payload: { content: 'Done.', model, usage } })
    await child.finish({ status: 'completed', summary: 'Done.' })
  }
  await session.close()
  const { subagents } = await readSurroundingsWithCosts(openContext({ root }), 'boss')
  expect(subagents).toMatchObject([
    // 1000 tokens at $3 and 100 at $15 for a million.
    { taskId: 'known', tokens: 1100, costMicroUsd: 4500 },
    { taskId: 'unknown', tokens: 1100, costMicroUsd: null },
  ])
})
