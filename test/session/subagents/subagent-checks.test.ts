// Invalid tasks and reports of subagents are rejected before anything is written.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'
import {
  openSidechain,
  type Session,
  type SubagentEnding,
  type SubagentTask,
} from '../../../lib/index.js'
import { eventsIn } from '../../cli/stored.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

async function newSession(t: Context, options: Parameters<typeof createSession>[0] = {}) {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'demo', continuity: false, ...options })
  t.onTestFinished(() => session.release())
  return { root, session }
}

test.for<[what: string, ending: object, refusal: object]>([
  ['crashed', { status: 'crashed' }, { code: 'ERR_ARG' }],
  ['with an unknown status', { status: 'bored' }, { code: 'ERR_ARG' }],
  ['with tokens below zero', { status: 'failed', tokens: -1 }, { code: 'ERR_ARG' }],
  ['with half a token', { status: 'failed', tokens: 0.5 }, { code: 'ERR_ARG' }],
  ['with an error that is not a string', { status: 'failed', errors: [5] }, { name: 'TypeError' }],
  ['with a summary that is no text', { status: 'failed', summary: 5 }, { name: 'TypeError' }],
])('rejects an ending %s', async ([, ending, refusal], t) => {
  const { session } = await newSession(t)
  const child = await session.spawn({ taskId: 'k1', prompt: 'Run the tests.' })
  const before = readFileSync(child.path)
  await expect(child.finish(ending as SubagentEnding)).rejects.toMatchObject(refusal)
  expect(readFileSync(child.path)).toEqual(before)
  // It has not ended by that.
  expect(await child.finish({ status: 'completed', summary: 'done' })).toMatchObject({
    status: 'completed',
  })
})

test('rejects a report without a task; a parent may report a crash', async (t) => {
  const { session } = await newSession(t)
  const merge = (report: object) =>
    session.mergeResult(report as Parameters<Session['mergeResult']>[0])
  await expect(merge({ status: 'completed' })).rejects.toThrow(
    new TypeError('A report needs a taskId'),
  )
  const { record } = await merge({ taskId: 'k1', status: 'crashed' })
  expect(record).toMatchObject({ task_id: 'k1', completion_status: 'crashed', errors: ['crashed'] })
})

test.for<[what: string, change: object, refusal: object]>([
  ['no depth', { depth: undefined }, { code: 'ERR_ARG' }],
  ['depth zero', { depth: 0 }, { code: 'ERR_ARG' }],
  ['an invalid parentUuid', { parentUuid: 5 }, { name: 'TypeError' }],
  ['a prompt that is a number', { prompt: 5 }, { name: 'TypeError' }],
  ['no blocks in its prompt', { prompt: [] }, { code: 'ERR_ARG' }],
])('rejects a task of another process with %s', async ([, change, refusal], t) => {
  const { root, session } = await newSession(t)
  const task = await session.delegate({ taskId: 'k1', prompt: 'Run the tests.' })
  const changed = { ...task, ...change } as SubagentTask
  await expect(openSidechain(changed, { root })).rejects.toMatchObject(refusal)
})

test('the spawn event holds the hash of the JSON of a prompt of blocks', async (t) => {
  const { session } = await newSession(t)
  const prompt = [{ type: 'text', text: 'Run the tests.' }]
  const child = await session.spawn({ taskId: 'k1', prompt })
  const spec_sha256 = createHash('sha256').update(JSON.stringify(prompt)).digest('hex')
  expect(eventsIn(session.path).at(-1)).toMatchObject({ payload: { spec_sha256 } })
  expect(eventsIn(child.path).at(-1)).toMatchObject({ payload: { content: prompt } })
  await child.finish({ status: 'completed', summary: 'done' })
})

test('closeSync() can be repeated, and ends the session once', async (t) => {
  const { session } = await newSession(t)
  session.closeSync('signal')
  session.closeSync('exit')
  const ends = eventsIn(session.path).filter(({ type }) => type === 'session_terminator')
  expect(ends).toMatchObject([{ payload: { reason: 'signal' } }])
})

test('a turn may have only a prompt or only a reply, and a title must not be empty', async (t) => {
  const { session } = await newSession(t)
  await session.ingestTurn({ user: 'hello' })
  await session.ingestTurn({ assistant: 'Hi.' })
  expect(eventsIn(session.path).map(({ type }) => type)).toEqual([
    'session_header',
    'user',
    'assistant',
  ])
  await expect(session.rename(' ')).rejects.toMatchObject({ code: 'ERR_ARG' })
})
