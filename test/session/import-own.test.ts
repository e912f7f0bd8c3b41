// An export of ours, given to the import that takes the files of others.

import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { readLog, writeWholeFile } from '../../lib/log/index.js'
import {
  createSession,
  exportSession,
  importExported,
  importSession,
} from '../../lib/session/index.js'
import { listSidechains } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

/** An export of a session with one subagent, and an empty store. */
async function setUp(t: TestContext, { content = 'hello' } = {}) {
  const folder = temporaryFolder(t)
  const [from, root] = [join(folder, 'from'), join(folder, 'to')]
  const session = await createSession({ root: from, home: from, id: 'demo', continuity: false })
  await session.append({ type: 'user', uuid: 'u1', payload: { content } })
  const child = await session.spawn({ task_id: 'k1', prompt: 'Run the tests.' })
  await child.finish({ status: 'completed', summary: 'They pass.' })
  await session.release()
  const path = join(folder, 'export.jsonl')
  await writeWholeFile(path, exportSession('demo', { root: from, home: from }))
  return { path, session, from: { root: from, home: from }, store: { root, home: root } }
}

test('an export is known by its first line and becomes the session it was', async (t) => {
  const { path, session, store } = await setUp(t)
  const report = await importSession(path, store)
  const transcript_path = join(store.root, '.transcripts', 'demo.jsonl')
  expect(report).toMatchObject({
    path,
    format: 'jsonl-session',
    session_id: 'demo',
    transcript_path,
    events: 7,
    dropped: {},
    repaired: {},
    skipped: null,
  })
  expect(report.lines).toBe(readFileSync(path, 'utf8').trimEnd().split('\n').length)
  expect(readFileSync(transcript_path)).toEqual(readFileSync(session.path))
  expect(listSidechains({ ...store, session: 'demo' }).sidechains).toHaveLength(1)
})

test('the same export again imports nothing, and says so', async (t) => {
  const { path, store } = await setUp(t)
  await importSession(path, store)
  const again = await importSession(path, { ...store, from: 'jsonl-session' })
  expect(again).toMatchObject({ events: 0, skipped: { reason: 'unchanged' } })
})

test('where another session of that id is, nothing is added to it', async (t) => {
  const { path, store } = await setUp(t)
  const other = await createSession({ ...store, id: 'demo', continuity: false })
  await other.append({ type: 'user', payload: { content: 'somebody else' } })
  await other.release()
  const before = readFileSync(other.path)
  expect(await importSession(path, store)).toMatchObject({
    events: 0,
    skipped: { reason: 'exists' },
  })
  expect(readFileSync(other.path)).toEqual(before)
})

test('a dry run tells what would be, and writes nothing', async (t) => {
  const { path, store } = await setUp(t)
  const report = await importSession(path, { ...store, dryRun: true })
  expect(report).toMatchObject({ session_id: 'demo', events: 7, skipped: null })
  expect(existsSync(store.root)).toBe(false)
})

test('half of an export is none: a line that is damaged or missing is refused', async (t) => {
  const { path, store } = await setUp(t)
  const whole = readFileSync(path)
  appendFileSync(path, '{"type":\n')
  await expect(importSession(path, store)).rejects.toMatchObject({ code: 'ERR_DAMAGED' })
  await expect(importExported(path, store)).rejects.toThrow(/damaged at byte \d+: /)
  writeFileSync(path, whole)
  truncateSync(path, whole.lastIndexOf('\n', whole.length - 2) + 1)
  await expect(importSession(path, store)).rejects.toMatchObject({ code: 'ERR_DAMAGED' })
  expect(existsSync(join(store.root, '.transcripts', 'demo.jsonl'))).toBe(false)
})

test('a file that is called an export and is none is refused; one of nobody is told apart', async (t) => {
  const { path, store } = await setUp(t)
  writeFileSync(path, '{"hello":"world"}\n')
  const asOurs = importSession(path, { ...store, from: 'jsonl-session' })
  await expect(asOurs).rejects.toMatchObject({ name: 'SessionError' })
  for (const text of ['', 'no json\n', 'null\n', '5\n', '{"hello":"world"}\n']) {
    writeFileSync(path, text)
    expect(await importSession(path, store)).toMatchObject({ format: null, events: 0 })
  }
})

test('an export is taken from a stream as well, and one longer than what is held at once', async (t) => {
  const { path, session, store } = await setUp(t, { content: 'x'.repeat(1_100_000) })
  const { isDuplicate, session_id } = await importExported(readLog(path), store)
  expect({ isDuplicate, session_id }).toEqual({ isDuplicate: false, session_id: 'demo' })
  const there = join(store.root, '.transcripts', 'demo.jsonl')
  expect(readFileSync(there)).toEqual(readFileSync(session.path))
})

test('under a new id it is a session that names the old one, with its project', async (t) => {
  const folder = temporaryFolder(t)
  const project = temporaryFolder(t)
  const session = await createSession({ root: folder, home: folder, id: 'demo', project })
  await session.release()
  const path = join(folder, 'export.jsonl')
  await writeWholeFile(path, exportSession('demo', { root: folder, home: folder }))
  const { transcript_path } = await importExported(path, { root: folder, newId: 'copy' })
  const [header] = readFileSync(transcript_path, 'utf8').split('\n')
  expect(JSON.parse(header!)).toMatchObject({
    type: 'session_header',
    payload: { session_id: 'copy', project, forked_from: { session_id: 'demo' } },
  })
})
