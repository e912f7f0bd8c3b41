// Edits of messages in stored sessions: loading from the end, forks, undone compactions and exports.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  createSession,
  exportSession,
  forkSession,
  resumeSession,
  verifyLog,
} from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import { collect } from '../helpers/collect.js'
import { release010 } from '../helpers/release-0.1.0.js'
import { temporaryFolder } from '../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

const inStore = (t: Context) => ({ root: temporaryFolder(t), continuity: false }) as const
type Store = ReturnType<typeof inStore>

async function say(session: Session, ...texts: readonly string[]): Promise<void> {
  for (const content of texts) {
    await session.append({ type: 'user', uuid: content, payload: { content } })
  }
}

const edit = (session: Session, target_uuid: string, content: string | null) =>
  session.append({
    type: 'message_edit',
    payload: { target_uuid, payload: content === null ? null : { content } },
  })

async function seen(store: Store, id: string): Promise<unknown[]> {
  const { messages } = await resumeSession({ ...store, id, mode: 'inspect' })
  return messages.map(({ payload }) => payload?.['content'] ?? payload?.['text'])
}

test('a session shows its messages as last edited, live, resumed and from the end of a long file', async (t) => {
  const store = inStore(t)
  const session = await createSession({ ...store, id: 's' })
  await say(session, 'a', 'b', 'c')
  await session.compact({ summary: 'before' })
  await say(session, 'd')
  await edit(session, 'a', 'covered')
  await edit(session, 'd', 'D')
  const last = session.messages().messages.at(-1)
  expect(last?.payload).toMatchObject({ content: 'D' })
  await say(session, 'e', 'f')
  await session.append({ type: 'user', payload: { content: 'x'.repeat(100_000) } })
  await edit(session, 'e', null)
  await session.close()
  const texts = await seen(store, 's')
  expect(texts).toContain('D')
  expect(texts).not.toContain('e')
  expect((await verifyLog(session.path)).findings).toEqual([])
})

test('0.1.0 ignores an edit and shows the old text, without a finding', async (t) => {
  const store = inStore(t)
  const session = await createSession({ ...store, id: 's' })
  await say(session, 'a', 'b')
  await edit(session, 'a', 'A')
  await edit(session, 'b', null)
  await session.close()
  expect(await seen(store, 's')).toEqual(['A'])
  const old = await release010.resumeSession({ root: store.root, id: 's', mode: 'inspect' })
  expect(old.messages.map(({ uuid }) => uuid)).toEqual(['a', 'b'])
  expect(old).toMatchObject({ degraded: false, diagnostics: [] })
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
})

test('a fork has the edits of the messages it holds, also those written later', async (t) => {
  const store = inStore(t)
  const session = await createSession({ ...store, id: 's' })
  await say(session, 'a', 'b', 'c')
  await edit(session, 'a', 'A')
  await edit(session, 'c', 'C')
  await session.close()
  const { transcriptPath } = forkSession('s', { ...store, at: 'b', newId: 'fork' })
  expect(await seen(store, 'fork')).toEqual(['A', 'b'])
  expect(readFileSync(transcriptPath, 'utf8')).not.toContain('"target_uuid":"c"')
})

test('undoing a compaction copies messages as last edited', async (t) => {
  const store = inStore(t)
  const session = await createSession({ ...store, id: 's' })
  await say(session, 'a', 'b')
  await session.compact({ summary: 'before' })
  await say(session, 'c', 'd', 'e')
  await edit(session, 'c', 'C')
  await edit(session, 'd', null)
  await session.uncompact()
  await session.close()
  expect(await seen(store, 's')).toEqual(['a', 'b', 'C', 'e'])
})

test('an export marks an edit in the history, and shows its result in the projection', async (t) => {
  const store = inStore(t)
  const session = await createSession({ ...store, id: 's' })
  await say(session, 'apple', 'banana')
  await edit(session, 'apple', 'cherry')
  await edit(session, 'banana', null)
  await session.close()
  const history = (await collect(exportSession('s', { ...store, format: 'markdown' }))).join('')
  expect(history).toContain('Edited: message apple')
  expect(history).toContain('Removed: message banana')
  const options = { ...store, format: 'markdown', projected: true } as const
  const projection = (await collect(exportSession('s', options))).join('')
  expect(projection).toContain('cherry')
  // The title is the first prompt as it was typed.
  expect(projection.slice(1)).not.toContain('\napple')
  expect(projection).not.toContain('banana')
})
