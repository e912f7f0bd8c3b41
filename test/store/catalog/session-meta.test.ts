// Title and tags of a session: what its lines say together, and where they are repeated.

import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../lib/index.js'
import { changeTags, SessionMeta } from '../../../lib/store/index.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const newStore = () => openStore({ root: temporaryFolder({ onTestFinished }) })

test('the newest tags count, and an automatic title never replaces one of the user', () => {
  const meta = new SessionMeta()
  expect(meta.toEvent()).toBeUndefined()
  meta.take({ title: 'Mine', title_source: 'user', tags: ['a'] })
  meta.take({ title: 'Its own', title_source: 'auto' })
  meta.take({ bypassed: true })
  meta.take({ tags: ['b', 'b', '', 7, 'c'] })
  expect(meta.toEvent()).toEqual({
    type: 'session_meta',
    payload: { title: 'Mine', title_source: 'user', tags: ['b', 'c'] },
  })
})

test.each(['', '-x', '+x', 'two words', 'a,b', 'a\u0000b', 'x'.repeat(65), '\u202ered'])(
  'rejects the tag %j',
  (tag) => {
    expect(() => changeTags([], { add: [tag] })).toThrow(/cannot be a tag/)
  },
)

test('adds in order, removes, and refuses what cannot be meant', () => {
  expect(changeTags(['a', 'b'], { add: ['c', 'a'], remove: ['b', 'never'] })).toEqual(['a', 'c'])
  expect(changeTags([], { add: ['e\u0301te\u0301'] })).toEqual(['\u00e9t\u00e9'])
  expect(changeTags(['odd one'], { remove: ['odd one'] })).toEqual([])
  expect(() => changeTags([], { add: ['a'], remove: ['a'] })).toThrow(/added and removed/)
  const many = Array.from({ length: 64 }, (_, index) => `t${index}`)
  expect(() => changeTags(many, { add: ['one-more'] })).toThrow(/at most 64 tags/)
})

test('tags are found in the last 64 KiB of an open session that grows, with and without a title', async () => {
  const store = newStore()
  for (const title of [undefined, 'A title']) {
    const session = await store.createSession({ id: `grows-${title}` })
    if (title !== undefined) await session.rename(title)
    await store.tagSession(session.id, { add: ['pinned', 'work'] })
    for (let count = 0; count < 30; count++) await session.prompt('x'.repeat(10_000))
    await session.release()
  }
  const { sessions } = store.listSessions()
  expect(sessions.map(({ tags }) => tags)).toEqual([
    ['pinned', 'work'],
    ['pinned', 'work'],
  ])
  expect(sessions.map(({ titleSource }) => titleSource).sort()).toEqual(['prompt', 'user'])
})

test('appends of one event repeat title and tags, also after a change of only one of them', async () => {
  const store = newStore()
  const say = (content: string) =>
    store.appendTranscript({ session_id: 'a', event: { type: 'user', payload: { content } } })
  await say('begin')
  await store.renameSession('a', 'A title')
  for (let count = 0; count < 200; count++) {
    if (count % 7 === 0) await store.tagSession('a', { add: [`t${count % 3}`] })
    if (count === 100) await store.tagSession('a', { remove: ['t0'] })
    await say('x'.repeat(3000))
  }
  const [info] = store.listSessions().sessions
  expect(info).toMatchObject({ title: 'A title', tags: ['t1', 't2', 't0'] })
})

test('tagging twice writes once, and tags of a closed session leave it closed', async () => {
  const store = newStore()
  const session = await store.createSession({ id: 'a' })
  await session.prompt('hello')
  await session.close()
  expect(await store.tagSession('a', { add: ['x', 'y'] })).toEqual({
    sessionId: 'a',
    tags: ['x', 'y'],
    changed: true,
    queued: false,
  })
  const bytes = readFileSync(session.path)
  expect(await store.tagSession('a', { add: ['y', 'x'] })).toMatchObject({ changed: false })
  expect(await store.tagSession('a')).toMatchObject({ tags: ['x', 'y'], changed: false })
  expect(await store.tagSession('a', { add: ['z'], dryRun: true })).toMatchObject({
    tags: ['x', 'y', 'z'],
    changed: true,
  })
  expect(readFileSync(session.path)).toEqual(bytes)
  expect(store.listSessions({ tags: ['x'] }).sessions).toMatchObject([{ status: 'clean' }])
  expect(store.listSessions({ tags: ['x', 'z'] }).sessions).toEqual([])
})

test('a change while another handle has the session open counts the changes that wait', async () => {
  const store = newStore()
  const session = await store.createSession({ id: 'a' })
  await session.prompt('hello')
  expect(await store.tagSession('a', { add: ['one'] })).toMatchObject({ queued: true })
  expect(await store.tagSession('a', { add: ['two'] })).toMatchObject({ tags: ['one', 'two'] })
  await session.close()
  expect(store.listSessions().sessions).toMatchObject([{ tags: ['one', 'two'] }])
})

test('twenty changes at once are all made', async () => {
  const store = newStore()
  const session = await store.createSession({ id: 'a' })
  await session.prompt('hello')
  await session.close()
  const names = Array.from({ length: 20 }, (_, index) => `t${index}`)
  await Promise.all(names.map((name) => store.tagSession('a', { add: [name] })))
  const [info] = store.listSessions().sessions
  expect([...info!.tags!].sort()).toEqual([...names].sort())
})

test('a session that continues another one has its tags until it gets its own', async () => {
  const store = newStore()
  const first = await store.createSession({ id: 'first', project: '/p' })
  await first.prompt('hello')
  await first.close()
  await store.tagSession('first', { add: ['work'] })
  const { session } = await store.resumeSession({ id: 'first' })
  await session.prompt('again')
  await session.close()
  const tagsOf = () =>
    store.listSessions().sessions.find((one) => one.sessionId === session.id)?.tags
  expect(tagsOf()).toEqual(['work'])
  expect(store.listSessions({ tags: ['work'] }).sessions).toHaveLength(2)
  await store.tagSession(session.id, { remove: ['work'] })
  expect(tagsOf()).toEqual([])
})

test('tags of another writer that does not repeat them are found up to 32 MiB back', async () => {
  const store = newStore()
  const path = store.transcriptPath('foreign')
  mkdirSync(dirname(path), { recursive: true })
  const line = (type: string, prev: string | null, payload: object, uuid: string) =>
    `${JSON.stringify({ type, ts: '2026-01-01T00:00:00.000Z', uuid, prev_uuid: prev, payload })}\n`
  appendFileSync(path, line('session_header', null, { session_id: 'foreign' }, 'h'))
  appendFileSync(path, line('session_meta', null, { tags: ['kept'] }, 'm1'))
  appendFileSync(path, line('session_meta', null, { title: 'T', title_source: 'user' }, 'm2'))
  for (let count = 0; count < 20; count++) {
    appendFileSync(
      path,
      line('user', count === 0 ? 'h' : `u${count - 1}`, { content: 'x'.repeat(9000) }, `u${count}`),
    )
  }
  expect(store.listSessions().sessions).toMatchObject([{ title: 'T', tags: ['kept'] }])
})

test('0.1.0 lists, verifies and resumes a tagged session, and its appends keep the tags', async () => {
  const root = temporaryFolder({ onTestFinished })
  const store = openStore({ root })
  const session = await store.createSession({ id: 'a' })
  await session.prompt('hello')
  await session.rename('A title')
  await session.close()
  await store.tagSession('a', { add: ['pinned', 'work'] })
  const listed = await release010.listSessions({ root })
  expect(listed.sessions).toMatchObject([{ session_id: 'a', title: 'A title', status: 'clean' }])
  const path = join(root, '.transcripts', 'a.jsonl')
  expect(await release010.verifyLog(path)).toMatchObject({ findings: [] })
  const resumed = await release010.resumeSession({ root, id: 'a', mode: 'append' })
  expect(resumed).toMatchObject({ degraded: false, diagnostics: [] })
  await resumed.session!.append({ type: 'user', payload: { content: 'more' } })
  await resumed.session!.close()
  expect(store.listSessions().sessions).toMatchObject([
    { title: 'A title', tags: ['pinned', 'work'] },
  ])
})
