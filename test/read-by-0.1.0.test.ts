// Format 1 only grows: the packed 0.1.0 reads what this version writes.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../lib/index.js'
import { type NewEvent, openLog, readLogSync } from '../lib/log/index.js'
import { release010 } from './helpers/release-0.1.0.js'
import { temporaryFolder } from './helpers/temporary.js'

test('0.1.0 lists, verifies and resumes a compacted session without findings', async (context) => {
  const root = temporaryFolder(context)
  const session = await openStore({ root }).createSession({ id: 'a' })
  await session.prompt('first')
  await session.append({ type: 'assistant', payload: { content: 'a reply' } })
  await session.compact({ summary: 'what was said' })
  await session.prompt('second')
  await session.close()

  const seen = await release010.resumeSession({ root, id: 'a', mode: 'inspect' })
  const { messages } = await openStore({ root }).resumeSession({ id: 'a', mode: 'inspect' })
  expect(seen.messages.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid))
  expect(seen).toMatchObject({ degraded: false, diagnostics: [] })
  const { sessions } = await release010.listSessions({ root })
  expect(sessions).toMatchObject([{ session_id: 'a', status: 'clean', title: 'first' }])
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
})

test('0.1.0 shows the same of a log that follows the transcript of a client', async (context) => {
  const root = temporaryFolder(context)
  const store = openStore({ root })
  const session = await store.createSession({ id: 'a' })
  await session.append({
    type: 'user',
    payload: { content: 'first', source_line: { uuid: 'line-1', end: 120 } },
  })
  await session.append({ type: 'assistant', payload: { content: 'a reply' } })
  await session.compact({ summary: 'what was said' })
  await session.append({ type: 'user', payload: { content: 'second' } })
  await session.close()
  const otherRoot = temporaryFolder(context)
  const path = join(otherRoot, '.transcripts', 'a.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const copy = await openLog(path)
  for (const entry of readLogSync(session.path)) {
    if (entry.kind !== 'event') continue
    const { type, uuid, prev_uuid, ts, payload } = entry.event
    const isBoundary = type === 'compaction_boundary'
    const own = isBoundary ? { ...(payload as object), client_line: 'line-2' } : payload
    await copy.append({ type, uuid, prev_uuid, ts, payload: own } as NewEvent)
  }
  await copy.close()

  const seen = await release010.resumeSession({ root: otherRoot, id: 'a', mode: 'inspect' })
  const other = openStore({ root: otherRoot })
  const { messages } = await other.resumeSession({ id: 'a', mode: 'inspect' })
  expect(messages.map(({ type }) => type)).toEqual(['summary', 'user'])
  expect(seen.messages.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid))
  expect(seen).toMatchObject({ degraded: false, diagnostics: [] })
  expect(await release010.verifyLog(path)).toMatchObject({ findings: [] })
})
