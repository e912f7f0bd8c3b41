// Prompts, memories and titles from processes that keep no session open.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  bypassSession,
  checkpointSession,
  createSession,
  promptOnce,
  rememberOnce,
  renameSession,
} from '../../../lib/free-functions.js'

import { listCheckpoints, openContext } from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

function newStore(t: Context) {
  const root = temporaryFolder(t)
  const path = join(root, '.transcripts', 'demo.jsonl')
  return { store: { root, home: root }, path, history: join(root, 'history.jsonl') }
}

test('a prompt is an event and a line of the history, and the same uuid again is neither', async (t) => {
  const { store, path, history } = newStore(t)
  const prompt = { session_id: 'demo', content: 'hello', uuid: 'u1' }
  const first = await promptOnce(prompt, store)
  expect(first).toMatchObject({ uuid: 'u1', historyOffset: 0, checkpointId: null })
  const size = readFileSync(history).length
  const again = await promptOnce(prompt, store)
  expect(again).toMatchObject({ duplicate: true, historyOffset: null, checkpointId: null })
  expect(readFileSync(history).length).toBe(size)
  expect(eventsIn(path).map(({ type }) => type)).toEqual(['session_header', 'user'])
})

test('a prompt without words is no line of the history', async (t) => {
  const { store, path } = newStore(t)
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
  const { historyOffset } = await promptOnce({ session_id: 'demo', content: [image] }, store)
  expect(historyOffset).toBeNull()
  expect(eventsIn(path).at(-1)).toMatchObject({ type: 'user', payload: { content: [image] } })
})

test('the prompt that makes a checkpoint due writes it, unless continuity is off', async (t) => {
  const { store } = newStore(t)
  const options = { ...store, continuity: { promptInterval: 2 }, facts: { harness: 'pi' } }
  const ids = []
  for (const content of ['one', 'two', 'three', 'four']) {
    ids.push((await promptOnce({ session_id: 'demo', content }, options)).checkpointId)
  }
  const stored = ids.filter((id) => id !== null)
  expect(stored.length).toBeGreaterThan(0)
  const { checkpoints } = listCheckpoints(openContext(store), { session: 'demo' })
  expect(checkpoints.map(({ checkpoint }) => checkpoint.id).sort()).toEqual(stored.sort())
  for (const content of ['one', 'two', 'three', 'four']) {
    const silent = { ...options, continuity: false } as const
    const { checkpointId } = await promptOnce({ session_id: 'other', content }, silent)
    expect(checkpointId).toBeNull()
  }
})

test('a prompt to a session of another agent is counted as any other', async (t) => {
  const { store } = newStore(t)
  const options = { ...store, agent: 'reviewer', continuity: { promptInterval: 2 } }
  await promptOnce({ session_id: 'demo', content: 'one' }, options)
  const { checkpointId } = await promptOnce({ session_id: 'demo', content: 'two' }, options)
  const { checkpoints } = listCheckpoints(openContext({ ...store, agent: 'reviewer' }), {
    session: 'demo',
  })
  expect(checkpoints).toMatchObject([
    { checkpoint: { id: checkpointId, agent_id: 'reviewer', prompt_count: 2 } },
  ])
})

test('a checkpoint of an agent neither begins nor ends a checkpoint interval', async (t) => {
  const { store } = newStore(t)
  const options = { ...store, continuity: { promptInterval: 3 } }
  const dues: boolean[] = []
  const ask = async (count: number) => {
    for (let number = 1; number <= count; number++) {
      const prompt = { session_id: 'demo', content: `question ${dues.length + 1}` }
      dues.push((await promptOnce(prompt, options)).checkpointId !== null)
    }
  }
  await ask(3)
  await checkpointSession({ ...store, sessionKey: 'demo', digest: 'In my words.' })
  await ask(2)
  await checkpointSession({ ...store, sessionKey: 'demo', digest: 'In my words, again.' })
  await ask(1)
  expect(dues).toEqual([false, false, true, false, false, true])
  const [newest] = listCheckpoints(openContext(store), { session: 'demo' }).checkpoints
  expect(newest!.checkpoint).toMatchObject({
    trigger: 'periodic',
    prompt_count: 3,
    total_prompt_count: 6,
    prompt_snippets: ['question 4', 'question 5', 'question 6'],
  })
})

test('rejects an empty or blank text to remember, and a blank title', async (t) => {
  const { store } = newStore(t)
  await promptOnce({ session_id: 'demo', content: 'hello' }, store)
  for (const text of ['', ' \n']) {
    await expect(rememberOnce('demo', text, store)).rejects.toMatchObject({ code: 'ERR_ARG' })
    await expect(renameSession('demo', text, store)).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  const { sessionId } = await rememberOnce('demo', 'The port is 8080.', store)
  expect(sessionId).toBe('demo')
})

test('queues a memory, a title and a pause for an open session', async (t) => {
  const { store, path } = newStore(t)
  const session = await createSession({ ...store, id: 'demo', continuity: false })
  t.onTestFinished(() => session.release())
  const options = { ...store, lockTimeoutMs: 0 }
  expect(await rememberOnce('demo', 'The port is 8080.', options)).toMatchObject({ queued: true })
  expect(await renameSession('demo', 'Ports', options)).toMatchObject({ queued: true })
  expect(await bypassSession('demo', true, options)).toMatchObject({ queued: true })
  await session.append({ type: 'user', payload: { content: 'hello' } })
  await session.close()
  const types = eventsIn(path).map(({ type }) => type)
  expect(types).toContain('remember')
  expect(eventsIn(path)).toContainEqual(
    expect.objectContaining({ type: 'session_meta', payload: { bypassed: true } }),
  )
})
