import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession, resumeSession } from '../../../lib/free-functions.js'
import { defaultRedactor } from '../../../lib/redaction/index.js'
import {
  findTranscript,
  openContext,
  readMessageOutline,
  readMessagePage,
} from '../../../lib/store/index.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const said = (content: string) => ({ type: 'user', payload: { content } })

/** Three messages, a compaction that keeps the last, and another one. */
async function storeCompacted(root: string) {
  const session = await createSession({ root, id: 'one' })
  for (const uuid of ['u1', 'u2', 'u3']) await session.append({ ...said(`says ${uuid}`), uuid })
  await session.append({ type: 'turn_end', uuid: 'off', payload: { stop_reason: 'end_turn' } })
  await session.compact({ summary: 'the gist of it', keepFrom: 'u3' })
  await session.append({ ...said('says u4'), uuid: 'u4' })
  await session.close()
}

test('the messages are what the model sees, with the file and byte of each', async (t) => {
  const root = temporaryFolder(t)
  await storeCompacted(root)
  const child = await resumeSession({ root, id: 'one', mode: 'new' })
  await child.session.append({ ...said('says u5'), uuid: 'u5' })
  await child.session.close()
  const store = openContext({ root })
  const path = findTranscript(store, child.session.id)
  const page = readMessagePage(store, path, { limit: 100, redactor: defaultRedactor })
  const outline = readMessageOutline(store, path, { limit: 100 })
  expect(outline).toMatchObject({
    ...page,
    entries: page.entries.map((entry) => {
      if (entry.kind === 'gap') return entry
      const { kind, sessionId, offset, event } = entry
      return { kind, sessionId, offset, uuid: event.uuid, type: event.type }
    }),
  })
  expect(page.degraded).toBe(false)
  expect(page.total).toBe(page.entries.length)
  expect(page.next).toBeNull()
  expect(page.entries[0]).toMatchObject({ kind: 'summary', text: 'the gist of it' })
  expect(page.entries.at(-2)).toMatchObject({ sessionId: 'one', event: { uuid: 'u4' } })
  expect(page.entries.at(-1)).toMatchObject({ sessionId: child.session.id, event: { uuid: 'u5' } })
})

test('as of an earlier event they are what the model saw then, also of an off-chain event', async (t) => {
  const root = temporaryFolder(t)
  await storeCompacted(root)
  const store = openContext({ root })
  const path = findTranscript(store, 'one')
  const uuids = (at?: string) =>
    readMessageOutline(store, path, { limit: 10, at }).entries.map((entry) =>
      entry.kind === 'gap' ? 'gap' : entry.uuid,
    )
  expect(uuids('u2')).toEqual(['u1', 'u2'])
  expect(uuids('off')).toEqual(['u1', 'u2', 'u3'])
  expect(uuids().at(-1)).toBe('u4')
  expect(() => uuids('nobody')).toThrow(expect.objectContaining({ code: 'ERR_NOT_FOUND' }))
  // Longer than what is read of a context: the file is not read as a whole any more.
  const filler = line('x:filler', { uuid: 'f', payload: { text: 'x'.repeat(17 * 1024 * 1024) } })
  appendFileSync(path, filler)
  expect(uuids('off')).toEqual(['u1', 'u2', 'u3'])
  expect(uuids('u2')).toEqual(['u1', 'u2'])
})

test('pages of messages follow each other and end after 4 MiB', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'long' })
  for (let index = 0; index < 9; index++) await session.append(said('x'.repeat(1_000_000)))
  await session.close()
  const store = openContext({ root })
  const path = findTranscript(store, 'long')
  const first = readMessagePage(store, path, { limit: 100 })
  expect(first).toMatchObject({ total: 9, next: 5, entries: { length: 5 } })
  const rest = readMessagePage(store, path, { limit: 2, from: 5 })
  expect(rest).toMatchObject({ total: 9, next: 7, entries: { length: 2 } })
  const cut = readMessagePage(store, path, { limit: 100, clip: 10 })
  expect(cut.entries).toHaveLength(9)
  expect(cut.entries[0]).toMatchObject({
    clipped: true,
    event: { payload: { content: 'xxxxxxxxx…' } },
  })
})
