// A process that is killed while it creates a session leaves an empty file. That is no damage: nothing
// was acknowledged, and nothing is lost.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { openStore } from '../../lib/index.js'
import { eventsIn } from '../cli/stored.js'
import { temporaryFolder } from '../helpers/temporary.js'

function newStore(t: TestContext) {
  const root = temporaryFolder(t)
  const path = join(root, '.transcripts', 'begun.jsonl')
  mkdirSync(join(root, '.transcripts'), { mode: 0o700 })
  writeFileSync(path, '', { mode: 0o600 })
  chmodSync(root, 0o700)
  return { path, store: openStore({ root, home: root }) }
}

test('it is listed as an empty session, and only where empty ones are', (t) => {
  const { store, path } = newStore(t)
  expect(store.listSessions()).toEqual({ sessions: [], skipped: [] })
  const { sessions, skipped } = store.listSessions({ all: true })
  const empty = { sessionId: 'begun', path, status: 'empty', empty: true, title: null, bytes: 0 }
  expect(sessions).toMatchObject([empty])
  expect(skipped).toEqual([])
})

test('verify and doctor find nothing in it', async (t) => {
  const { store, path } = newStore(t)
  expect(await store.maintenance.verify(path)).toMatchObject({ events: 0, findings: [] })
  for (const deep of [false, true]) {
    expect(await store.maintenance.examine({ deep })).toMatchObject({ healthy: true, findings: [] })
  }
})

test('the newest session is another one', async (t) => {
  const { store } = newStore(t)
  await expect(store.resumeSession({ mode: 'inspect' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})

test.for(['inspect', 'new', 'append'] as const)(
  'mode %s resumes it as a session without messages',
  async (mode, t) => {
    const { store } = newStore(t)
    const resumed = await store.resumeSession({ id: 'begun', mode, strict: true })
    expect(resumed).toMatchObject({ messages: [], degraded: false, diagnostics: [] })
    if (resumed.session === undefined) return
    await resumed.session.prompt('hello')
    await resumed.session.close()
    const report = await store.maintenance.verify(resumed.transcriptPath)
    expect(report.findings).toEqual([])
  },
)

test('an event, a prompt, a title or a new session of that id gets a header first', async (t) => {
  const event = { type: 'user', payload: { content: 'hello' } }
  for (const write of [
    (store: ReturnType<typeof openStore>) => store.appendTranscript({ session_id: 'begun', event }),
    (store: ReturnType<typeof openStore>) =>
      store.prompt({ session_id: 'begun', content: 'hello' }),
    (store: ReturnType<typeof openStore>) => store.renameSession('begun', 'A title'),
    async (store: ReturnType<typeof openStore>) => {
      const session = await store.createSession({ id: 'begun' })
      await session.close()
    },
  ]) {
    const { store, path } = newStore(t)
    await write(store)
    expect(eventsIn(path)[0]).toMatchObject({ type: 'session_header' })
    expect((await store.maintenance.verify(path)).findings).toEqual([])
  }
})
