// What a session recalls: each memory once in a context, whichever process asks.

import { expect, onTestFinished, test } from 'vitest'
import { openStore, type Store } from '../../../lib/index.js'
import { eventsIn } from '../../cli/stored.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const PORT = 'The port of staging is 8080.'
const RULE = 'Never open a port to the outside.'

async function setUp() {
  const root = temporaryFolder({ onTestFinished })
  const store = openStore({ root, home: root })
  const memories = [
    { content: PORT, importance: 4 },
    { content: RULE, memoryType: 'constraint' as const, importance: 3 },
  ]
  await store.contextCheckpoint({ sessionKey: 'x', sessionSummary: 'Done.', memories })
  const texts = async (session: string, options: Options = {}) => {
    const { results } = await store.recallOnce(session, { query: 'port', ...options })
    return results.map(({ text }) => text)
  }
  return { root, store, texts }
}

type Options = Partial<Parameters<Store['recallOnce']>[1]>

async function startSession(store: Store, id: string) {
  const session = await store.createSession({ id })
  await session.append({ type: 'user', payload: { content: 'dig a well' } })
  await session.append({ type: 'assistant', payload: { content: 'Dug.' } })
  return session
}

// Requirement: 001-29
test('a memory is returned once until a compaction, then again, and always with includeRecalled', async () => {
  const { store, texts } = await setUp()
  const session = await startSession(store, 's')
  await session.release()
  expect(await texts('s', { limit: 1 })).toEqual([PORT])
  expect(await texts('s')).toEqual([RULE])
  const none = await store.recallOnce('s', { query: 'port' })
  expect(none).toMatchObject({
    sessionId: 's',
    contextEpoch: 0,
    count: 0,
    meta: { noHits: true, leftOut: 2 },
    message: expect.stringContaining('recalled before in this context'),
  })
  expect(await texts('s', { includeRecalled: true })).toEqual([PORT, RULE])
  expect(await texts('other')).toEqual([PORT, RULE])
  const { session: open } = await store.resumeSession({ id: 's' })
  expect(await texts(open.id)).toEqual([])
  await open.compact({ summary: 'A well.' })
  await open.release()
  const again = await store.recallOnce(open.id, { query: 'port' })
  expect(again).toMatchObject({ contextEpoch: 1, count: 2 })
  expect(await texts(open.id)).toEqual([])
})

test('a memory that is stored again in the same words counts as recalled', async () => {
  const { store, texts } = await setUp()
  expect(await texts('s')).toHaveLength(2)
  const memories = [{ content: PORT.toUpperCase() }]
  await store.contextCheckpoint({ sessionKey: 'y', sessionSummary: 'Again.', memories })
  expect(await texts('s')).toEqual([])
})

test('the log has what was recalled, and a dry run records nothing', async () => {
  const { store, texts } = await setUp()
  const session = await startSession(store, 's')
  await session.release()
  const before = eventsIn(session.path)
  expect(await texts('s', { dryRun: true })).toHaveLength(2)
  expect(eventsIn(session.path)).toEqual(before)
  const { results } = await store.recallOnce('s', { query: 'port' })
  expect(eventsIn(session.path).at(-1)).toMatchObject({
    type: 'memory_query',
    prev_uuid: null,
    payload: { text: 'port', recalled: results.map(({ key }) => key), boundary_uuid: null },
  })
})

test('what was recalled while another handle holds the session counts', async () => {
  const { store, texts } = await setUp()
  const session = await startSession(store, 's')
  expect(await texts('s', { limit: 1 })).toEqual([PORT])
  expect(await texts('s')).toEqual([RULE])
  await session.release()
  expect(await texts('s')).toEqual([])
  expect(eventsIn(session.path).filter(({ type }) => type === 'memory_query')).toHaveLength(3)
})

test('of calls at the same time, one returns the memory', async () => {
  const { texts } = await setUp()
  const found = await Promise.all([texts('s'), texts('s'), texts('s')])
  expect(found.flat().sort()).toEqual([RULE, PORT].sort())
})

test('a session that continues another one, and a fork, know what that recalled', async () => {
  const { store, texts } = await setUp()
  const session = await startSession(store, 's')
  await session.release()
  expect(await texts('s', { limit: 1 })).toEqual([PORT])
  const { session: next } = await store.resumeSession({ id: 's' })
  await next.append({ type: 'user', payload: { content: 'deeper' } })
  await next.release()
  expect(await texts(next.id, { dryRun: true })).toEqual([RULE])
  const said = { type: 'user', payload: { content: 'wider' } }
  await store.appendTranscript({ session_id: 's', event: said })
  // It is not in the context that went another way.
  expect(await texts('s')).toEqual([RULE])
  expect(await texts(next.id, { dryRun: true })).toEqual([RULE])
  const forked = await store.forkSession('s')
  expect(await texts(forked.sessionId)).toEqual([RULE])
  await store.appendTranscript({ session_id: 's', event: said })
  const { sessionId } = await store.forkSession('s')
  expect(await texts(sessionId)).toEqual([])
})

test('0.1.0 reads and shows the same of a session that recalled something', async () => {
  const { root, store, texts } = await setUp()
  const session = await startSession(store, 's')
  await session.release()
  expect(await texts('s')).toHaveLength(2)
  const seen = await release010.resumeSession({ root, id: 's', mode: 'inspect' })
  const { messages } = await store.resumeSession({ id: 's', mode: 'inspect' })
  expect(seen.messages.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid))
  expect(seen).toMatchObject({ degraded: false, diagnostics: [] })
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
})
