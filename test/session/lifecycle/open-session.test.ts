import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../lib/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

test('creates a session that is not there, and appends to one that is', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  const first = await store.openSession('chat', { create: true, project: '/app' })
  await first.prompt('One.')
  await first.release()
  const second = await store.openSession('session:chat', { create: true })
  expect(second.id).toBe('chat')
  await second.prompt('Two.')
  expect(second.messages().messages.map(({ payload }) => payload)).toMatchObject([
    { content: 'One.' },
    { content: 'Two.' },
  ])
  await second.close()
  expect(store.listSessions().sessions).toHaveLength(1)
})

test('without create a session that is not there is an error that names the way', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  const opening = store.openSession('chat')
  await expect(opening).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(opening).rejects.toThrow(/create: true/)
  expect(existsSync(store.transcriptPath('chat'))).toBe(false)
})

test('an id that another one begins with is not taken for it', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  await (await store.createSession({ id: 'user-12' })).close()
  const session = await store.openSession('user-1', { create: true })
  expect(session.path).toBe(store.transcriptPath('user-1'))
  await session.close()
})

test('a file whose writer died before its first line is begun', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  await (await store.createSession({ id: 'other' })).close()
  writeFileSync(store.transcriptPath('chat'), '', { mode: 0o600 })
  const session = await store.openSession('chat', { create: true })
  await session.prompt('One.')
  await session.close()
  expect(store.listSessions().sessions.map(({ sessionId }) => sessionId)).toContain('chat')
})

test('two callers that open the same new session end up in one file', async (context) => {
  const root = temporaryFolder(context)
  const opened = await Promise.allSettled([
    openStore({ root, lockTimeoutMs: 0 }).openSession('chat', { create: true }),
    openStore({ root, lockTimeoutMs: 0 }).openSession('chat', { create: true }),
  ])
  const states = opened.map((it) => (it.status === 'fulfilled' ? 'opened' : it.reason.code))
  expect(states.sort()).toEqual(['ERR_LOCKED', 'opened'])
  for (const it of opened) if (it.status === 'fulfilled') await it.value.close()
})

test('transcriptPath is where a session is, whether it exists or not', (context) => {
  const root = temporaryFolder(context)
  const store = openStore({ root })
  expect(store.transcriptPath(' session:a ')).toBe(join(store.layout.transcripts, 'a.jsonl'))
  expect(() => store.transcriptPath('')).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
})

test('finds events of the transcript by uuid, also those that are not flushed yet', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  const session = await store.createSession({ id: 's' })
  const written = session.append({ type: 'user', uuid: 'u1', payload: { content: 'Hi' } })
  expect(session.has('u1')).toBe(true)
  expect(session.find('u1')).toMatchObject({ type: 'user', payload: { content: 'Hi' } })
  expect(session.has('u2')).toBe(false)
  await written
  await session.close()
  const memory = await store.createSession({ persist: false })
  await memory.append({ type: 'user', uuid: 'u1', payload: { content: 'Hi' } })
  expect([memory.has('u1'), memory.has('u2')]).toEqual([true, false])
  await memory.close()
})

test('the tree names branches, boundaries and the sessions that began here', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  const session = await store.createSession({ id: 's', parentSessionKey: 'boss' })
  const first = await session.prompt('One.')
  await session.append({ type: 'assistant', payload: { content: '1' } })
  await session.compact({ summary: 'Counting.' })
  await session.rewind({ to: first.uuid })
  await session.prompt('Two.')
  store.forkSession('s', { newId: 'f', at: first.uuid })
  const tree = await session.tree()
  expect(tree).toMatchObject({ sessionId: 's', tip: session.tip })
  expect(tree.branches.map(({ active }) => active)).toEqual([true, false])
  expect(tree.rewinds).toHaveLength(1)
  expect(tree.boundaries).toMatchObject([{ active: false }])
  expect(tree.descendants).toMatchObject([{ sessionId: 'f', kind: 'fork', atUuid: first.uuid }])
  expect((await session.tree({ descendants: false })).descendants).toEqual([])
  await session.close()
  const { session: child } = await store.resumeSession({ id: 's', newId: 'r' })
  await child?.prompt('Three.')
  await child?.close()
  const reopened = await store.openSession('s')
  const { descendants } = await reopened.tree()
  expect(descendants.map(({ kind }) => kind).sort()).toEqual(['fork', 'resume'])
  await reopened.close()
  const row = store.listSessions().sessions.find(({ sessionId }) => sessionId === 's')
  expect(row?.parentSessionKey).toBe('boss')
})
