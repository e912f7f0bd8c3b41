import { expect, test } from 'vitest'
import { openStore } from '../lib/store.js'
import { temporaryFolder } from './helpers/temporary.js'

const NOW = Date.parse('2026-07-20T10:00:00.000Z')

test('a store resolves its folders once, and every method works there', async (t) => {
  const root = temporaryFolder(t)
  const store = openStore({ root, home: root, environment: { now: () => NOW } })
  const session = await store.createSession({ id: 'one', project: root })
  await session.prompt('Where is the key?')
  await session.close()
  expect(session.path).toBe(store.layout.transcriptPath('one'))
  expect(store.listSessions().sessions.map(({ sessionId }) => sessionId)).toEqual(['one'])
  const prompts = await store.history.read()
  expect(prompts.map(({ prompt }) => prompt)).toEqual(['Where is the key?'])
  expect(store.checkpoints.list({ session: 'one' }).checkpoints).toHaveLength(1)
  const { messages } = await store.resumeSession({ id: 'one', mode: 'inspect' })
  expect(messages).toHaveLength(1)
})

test('two stores of one process do not know each other', async (t) => {
  const [first, second] = [temporaryFolder(t), temporaryFolder(t)].map((root) =>
    openStore({ root, home: root }),
  )
  const session = await first!.createSession({ id: 'one' })
  await session.prompt('Hello')
  await session.close()
  expect(first!.listSessions().sessions).toHaveLength(1)
  expect(second!.listSessions().sessions).toHaveLength(0)
})

test('opening a store touches no file', () => {
  const fs = { mkdirSync: fail, openSync: fail, statSync: fail, readdirSync: fail }
  expect(openStore({ root: '/nowhere', environment: { fs } }).layout.root).toBe('/nowhere')
})

function fail(): never {
  throw new Error('must not be called')
}
