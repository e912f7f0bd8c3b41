// The id of a session is exact in every call of the library: with only `user-12` in the store,
// `user-1` is an unknown session.

import { expect, test } from 'vitest'
import { openStore } from '../../lib/index.js'
import { contentsOf } from '../cli/stored.js'
import { temporaryFolder } from '../helpers/temporary.js'

test('no call takes the beginning of an id for the session', async (t) => {
  const root = temporaryFolder(t)
  const store = openStore({ root, home: root })
  const session = await store.createSession({ id: 'user-12', project: root })
  const { uuid } = await session.prompt('for user 12 only')
  await session.close()
  const before = contentsOf(root)
  const id = 'user-1'
  const collect = async (pieces: AsyncIterable<unknown>) => {
    for await (const _ of pieces);
  }
  const calls: Record<string, () => unknown> = {
    resume: () => store.resumeSession({ id }),
    append: () => store.resumeSession({ id, mode: 'append' }),
    inspect: () => store.resumeSession({ id, mode: 'inspect' }),
    fork: () => store.forkSession(id),
    rename: () => store.renameSession(id, 'Title'),
    remember: () => store.remember(id, 'text'),
    export: () => collect(store.exportSession(id)),
    text: () => store.transcriptText(id),
    search: () => store.searchSessions({ query: 'user', sessionKey: id }),
    grep: () => collect(store.grep({ pattern: 'user', sessions: [id] })),
    tail: () => collect(store.tailSessions({ session: id })),
    sidechains: () => store.sidechains.list({ session: id }),
    files: () => store.planFileRewind(id, { to: uuid }),
    bypass: () => store.bypassSession(id, true),
    state: () => store.claims.readState(id),
    compactor: () => store.createCompactor(id, { summarizers: [] }),
    archive: () => store.maintenance.archive({ sessions: [id], apply: true }),
  }
  for (const [name, call] of Object.entries(calls)) {
    await expect((async () => call())(), name).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  }
  expect(contentsOf(root)).toEqual(before)
  const whole = await store.resumeSession({ id: ' session:user-12 ', mode: 'inspect' })
  expect(whole.sessionId).toBe('user-12')
})
