// A fork shows what its source showed at that event, whatever stands in the source besides.

import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession, forkSession, resumeSession } from '../../../lib/free-functions.js'
import type { Session } from '../../../lib/session/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

const inStore = (t: Context) => ({ root: temporaryFolder(t), continuity: false }) as const
type Store = ReturnType<typeof inStore>

async function say(session: Session, ...texts: readonly string[]): Promise<void> {
  for (const content of texts) {
    await session.append({ type: 'user', uuid: content, payload: { content } })
  }
}

async function seen(store: Store, id: string, at?: string): Promise<string[]> {
  const { messages } = await resumeSession({ ...store, id, at, mode: 'inspect' })
  return messages.map(({ uuid }) => uuid)
}

async function spoken(store: Store, id: string, ...texts: readonly string[]): Promise<Session> {
  const session = await createSession({ ...store, id })
  await say(session, ...texts)
  await session.release()
  return session
}

const linesOf = ({ path }: Session) => readFileSync(path, 'utf8').split('\n').slice(0, -1)

test('a fork at the first line of a fork has the same parent', async (t) => {
  const store = inStore(t)
  await spoken(store, 'first', 'a1', 'a2')
  const { session } = await resumeSession({ ...store, id: 'first', newId: 'second' })
  await say(session!, 'b1')
  await session!.release()
  const fork = forkSession('second', { ...store, newId: 'fork' })
  const { uuid: at } = JSON.parse(readFileSync(fork.transcriptPath, 'utf8').split('\n')[0]!)
  expect(await seen(store, 'fork', at)).toEqual(['a1', 'a2'])
  forkSession('fork', { ...store, at, newId: 'again' })
  expect(await seen(store, 'again')).toEqual(['a1', 'a2'])
})

test('a fork of an empty session names the parent of that session', async (t) => {
  const store = inStore(t)
  await spoken(store, 'first', 'a1', 'a2')
  const { session } = await resumeSession({ ...store, id: 'first', newId: 'look', at: 'a1' })
  await session!.release()
  const { forkedFrom } = forkSession('look', { ...store, newId: 'fork' })
  expect(forkedFrom).toEqual({ sessionId: 'first', atUuid: 'a1' })
  expect(await seen(store, 'fork')).toEqual(['a1'])
})

test('a copied block or a stray header at the end is not where a fork ends', async (t) => {
  const store = inStore(t)
  const session = await spoken(store, 'source', 'a1', 'a2', 'a3', 'a4')
  const [header, first, second] = linesOf(session)
  appendFileSync(session.path, `${first}\n${second}\n${header}\n`)
  expect(forkSession('source', { ...store, newId: 'tip' }).forkedFrom.atUuid).toBe('a4')
  expect(await seen(store, 'tip')).toEqual(['a1', 'a2', 'a3', 'a4'])
  forkSession('source', { ...store, at: 'a2', newId: 'second' })
  expect(await seen(store, 'second')).toEqual(await seen(store, 'source', 'a2'))
})

// Requirement: T24
test('a fork carries the revisions of all the summaries that it holds', async (t) => {
  const store = inStore(t)
  const session = await createSession({ ...store, id: 'source' })
  await say(session, 'a1', 'a2')
  const { summaryUuid, boundaryUuid } = await session.compact({ summary: 'old', keepFrom: 'a2' })
  // Told again by somebody who did not know of the first: the fork at it holds the summary.
  await session.release()
  const again = linesOf(session)[2]!.replace(/"prev_uuid":"[^"]+"/, `"prev_uuid":"${boundaryUuid}"`)
  appendFileSync(session.path, `${again.replace(/,"crc":"[0-9a-f]{8}"/, '')}\n`)
  const { session: open } = await resumeSession({ ...store, id: 'source', mode: 'append' })
  const revision = {
    summary_event_uuid: summaryUuid,
    boundary_uuid: boundaryUuid,
    text: 'new',
    attempt: 2,
  }
  await open!.append({ type: 'summary_revision', payload: { ...revision, final: true } })
  await open!.release()
  forkSession('source', { ...store, at: 'a2', newId: 'fork' })
  const { messages } = await resumeSession({ ...store, id: 'fork', mode: 'inspect' })
  expect(messages[0]).toMatchObject({ type: 'summary', payload: { text: 'new' } })
})

// Requirement: 003-46
test('a source whose last line lacks its newline is forked whole', async (t) => {
  const store = inStore(t)
  const { path } = await spoken(store, 'source', 'a1', 'a2')
  truncateSync(path, readFileSync(path).length - 1)
  const { transcriptPath } = forkSession('source', { ...store, newId: 'fork' })
  expect(readFileSync(transcriptPath).at(-1)).toBe(10)
  expect(await seen(store, 'fork')).toEqual(['a1', 'a2'])
})

test('a fork at the first of two records on one line excludes the second', async (t) => {
  const store = inStore(t)
  const session = await spoken(store, 'source', 'a1', 'a2', 'a3')
  const [header, first, second, third] = linesOf(session)
  writeFileSync(session.path, `${header}\n${first}\n${second}${third}\n`)
  const { transcriptPath } = forkSession('source', { ...store, at: 'a2', newId: 'fork' })
  const [, ...copied] = readFileSync(transcriptPath, 'utf8').split('\n')
  expect(copied).toEqual([header, first, second, ''])
})
