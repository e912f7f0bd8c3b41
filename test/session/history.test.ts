// The conversation as it happened: the active branch over all files of a lineage, uncompacted.

import { execFile } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  createSession,
  forkSession,
  grepStore,
  readTranscriptText,
  resumeSession,
  searchSessions,
  transcriptText,
} from '../../lib/free-functions.js'
import type { ConversationItem, Session } from '../../lib/index.js'
import { collect } from '../helpers/collect.js'
import { runs } from '../helpers/effort.js'
import { line } from '../helpers/lines.js'
import { seededRandom } from '../helpers/random.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { type Context, newSession, seen, talk } from './talking.js'

async function historyOf(session: Session): Promise<ConversationItem[]> {
  return collect(session.history())
}

const MESSAGES = new Set(['user', 'assistant'])

async function said(session: Session): Promise<string[]> {
  const items = await historyOf(session)
  return items.flatMap(({ event }) => (MESSAGES.has(event.type) ? event.uuid : []))
}

async function next(t: Context, root: string, id: string, newId: string, at?: string) {
  const { session } = await resumeSession({ root, id, newId, at })
  t.onTestFinished(() => session!.release().catch(() => {}))
  return session!
}

/** a → b → c, a compaction in each of the first two. */
async function threeSessions(t: Context) {
  const root = temporaryFolder(t)
  const a = await createSession({ root, id: 'a' })
  await talk(a, 1, 4)
  await a.compact({ summary: 'of a', keepFrom: 'm4' })
  await talk(a, 5, 6)
  await a.close()
  const b = await next(t, root, 'a', 'b')
  await talk(b, 7, 8)
  await b.compact({ summary: 'of b', keepFrom: 'm8' })
  await b.close()
  const c = await next(t, root, 'b', 'c')
  await talk(c, 9, 10)
  return { root, c }
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => `m${index + 1}`)

// Requirement: 18-7
test('history yields the conversation of a lineage, uncompacted; raw yields this file', async (t) => {
  const { c } = await threeSessions(t)
  expect(seen(c)).toEqual(['S', 'm8', 'm9', 'm10'])
  expect(await said(c)).toEqual(upTo(10))
  const items = await historyOf(c)
  expect(items.map(({ event }) => event.type).filter((type) => !MESSAGES.has(type))).toEqual([
    'summary',
    'compaction_boundary',
    'summary',
    'compaction_boundary',
  ])
  const owners = new Map(items.map(({ event, sessionId }) => [event.uuid, sessionId]))
  expect([owners.get('m1'), owners.get('m8'), owners.get('m9')]).toEqual(['a', 'b', 'c'])
  const [first] = items
  const line = readFileSync(first!.path).subarray(first!.byteOffset).toString().split('\n')[0]!
  expect(JSON.parse(line)).toMatchObject({ uuid: 'm1' })
  const own = (await collect(c.raw())).flatMap((entry) =>
    entry.kind === 'event' ? entry.event : [],
  )
  expect(own.filter(({ type }) => MESSAGES.has(type)).map(({ uuid }) => uuid)).toEqual([
    'm9',
    'm10',
  ])
})

// Requirement: 18-7
test('an event is narrowed by its type', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 2)
  for await (const { event } of session.history()) {
    // The compiler knows the payloads.
    if (event.type === 'user') expect(event.payload.content).toContain('1')
    else if (event.type === 'assistant') expect(event.payload.content).toContain('2')
    else expect.unreachable(event.type)
  }
})

// Requirement: 18-7
test('text, grep and search limited to a resumed session reach its parents', async (t) => {
  const { root, c } = await threeSessions(t)
  await c.close()
  const a = await resumeSession({ root, id: 'a', mode: 'append', quiet: true })
  await a.session!.append({ type: 'user', payload: { content: 'later in a, not part of c' } })
  await a.session!.close()
  const { content } = await transcriptText('c', { root })
  expect(content.split('\n').map((line) => Number(line.split(' ')[1]))).toEqual(
    upTo(10).map((name) => Number(name.slice(1))),
  )
  expect(await collect(readTranscriptText('c', { root }))).toEqual(content.split('\n'))
  const grep = async (pattern: string) => {
    const hits = await collect(grepStore({ root, sessions: ['c'], pattern }))
    return hits.map(({ sessionId, type }) => `${sessionId} ${type}`)
  }
  expect(await grep('1 xxx')).toEqual(['a user'])
  expect(await grep('7 xxx')).toEqual(['b user'])
  expect(await grep('9 xxx')).toEqual(['c user'])
  expect(await grep('later in a')).toEqual([])
  const found = await searchSessions({ root, query: 'xxxxxxxx', sessionKey: 'c' })
  expect(found.hits).toMatchObject([{ sessionKey: 'c' }])
  const early = await searchSessions({ root, query: 'of a', sessionKey: 'c' })
  expect(early.hits).toMatchObject([{ sessionKey: 'c' }])
  const later = await searchSessions({ root, query: 'later in a, not part of c', sessionKey: 'a' })
  expect(later.hits).toMatchObject([{ sessionKey: 'a' }])
  expect((await searchSessions({ root, query: 'later', sessionKey: 'c' })).count).toBe(0)
})

// Requirement: 18-7
test('what a rewind left is not part of it, also where the rewind reaches into the parent', async (t) => {
  const { root, session } = await newSession(t, { id: 'p' })
  await talk(session, 1, 4)
  await session.rewind({ to: 'm2' })
  await talk(session, 5, 6)
  await session.close()
  const child = await next(t, root, 'p', 'child')
  await talk(child, 7, 8)
  expect(await said(child)).toEqual(['m1', 'm2', 'm5', 'm6', 'm7', 'm8'])
  await child.rewind({ to: 'm5' })
  await talk(child, 9, 9)
  expect(await said(child)).toEqual(['m1', 'm2', 'm5', 'm9'])
  await child.compact({ summary: 'short', keepFrom: 'm5' })
  await talk(child, 10, 10)
  await child.rewind({ to: 'm5', keepCompaction: true })
  expect(await said(child)).toEqual(['m1', 'm2', 'm5'])
  await child.release()
  expect(await collect(readTranscriptText('child', { root }))).toHaveLength(3)
})

// Requirement: 18-7
test('an undone compaction is in it once, as its copies', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 4)
  await session.compact({ summary: 'short', keepFrom: 'm4' })
  await talk(session, 5, 6)
  await session.uncompact()
  const items = await historyOf(session)
  const origins = items.flatMap(({ event }) => {
    if (!MESSAGES.has(event.type)) return []
    return (event.payload as { copied_from?: string }).copied_from ?? event.uuid
  })
  expect(origins).toEqual(upTo(6))
})

// Requirement: 18-7
test('a damaged line costs that line, a missing parent what was before it', async (t) => {
  const { root, c } = await threeSessions(t)
  await c.release()
  const path = c.path.replace('/c.jsonl', '/a.jsonl')
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('2 xxx') + 3] = 0x79
  writeFileSync(path, bytes)
  const numbers = async () => {
    const lines = await collect(readTranscriptText('c', { root }))
    return lines.map((line) => `m${line.split(' ')[1]}`)
  }
  expect(await numbers()).toEqual(upTo(10).filter((name) => name !== 'm2'))
  rmSync(path)
  const found: string[] = []
  const onDiagnostic = ({ code }: { code: string }) => found.push(code)
  const lines = await collect(readTranscriptText('c', { root, onDiagnostic }))
  expect(lines).toHaveLength(4)
  expect(found).toEqual(['parent_session_missing'])
})

// Requirement: 18-7
test('a session in memory continues the history of its parent on the disk', async (t) => {
  const { root, session } = await newSession(t, { id: 'p' })
  await talk(session, 1, 2)
  await session.close()
  const { session: memory } = await resumeSession({ root, id: 'p', persist: false })
  await talk(memory!, 3, 4)
  await memory!.rewind({ to: 'm3' })
  expect(await said(memory!)).toEqual(['m1', 'm2', 'm3'])
  await memory!.rewind({ to: 'm1' })
  expect(await said(memory!)).toEqual(['m1'])
  await memory!.close()
})

// Requirement: 18-7
test('random conversations: history is what was said, less what was rewound', async (t) => {
  const random = seededRandom(t)
  for (let run = 0; run < runs(40, 6); run++) {
    const root = temporaryFolder(t)
    let session = await createSession({ root, id: 's0' })
    let expected: string[] = []
    let count = 0
    let files = 1
    for (let step = 0; step < 30; step++) {
      const kind = random.below(10)
      const shown = seen(session).filter((uuid) => uuid !== 'S')
      if (kind < 5 || expected.length === 0) {
        await talk(session, ++count, count)
        expected.push(`m${count}`)
      } else if (kind < 6) {
        const summary = `up to ${count}`
        const keepFrom = shown.length < 2 ? null : random.pick(shown.slice(1))
        await session.compact({ summary, keepFrom }).catch(() => {})
      } else if (kind < 8) {
        const to = random.pick(shown.length === 0 ? expected : shown)
        const keepCompaction = random.below(2) === 0
        const isDone = await session.rewind({ to, keepCompaction }).then(
          () => true,
          () => false,
        )
        if (isDone) expected = expected.slice(0, expected.indexOf(to) + 1)
      } else if (kind < 9) {
        const at = random.below(2) === 0 ? undefined : random.pick(expected)
        await session.close()
        const isOwn = at === undefined || (await isIn(root, session.id, at))
        const resumed = await resumeSession({
          root,
          id: session.id,
          at: isOwn ? at : undefined,
          newId: `s${files++}`,
        })
        session = resumed.session!
        if (isOwn && at !== undefined) expected = expected.slice(0, expected.indexOf(at) + 1)
      } else {
        await session.release()
        const forked = forkSession(session.id, { root, newId: `s${files++}` })
        const opened = await resumeSession({ root, id: forked.sessionId, mode: 'append' })
        session = opened.session!
      }
      expect(await said(session), `step ${step} of run ${run}`).toEqual(expected)
    }
    await session.release()
    const lines = await collect(readTranscriptText(session.id, { root }))
    expect(lines.map((line) => `m${line.split(' ')[1]}`)).toEqual(expected)
  }
})

async function isIn(root: string, id: string, uuid: string): Promise<boolean> {
  try {
    await resumeSession({ root, id, at: uuid, mode: 'inspect' })
    return true
  } catch {
    return false
  }
}

// Requirement: 18-7
test('a history of 120 MB is read with 48 MB of memory', async (t) => {
  const { root, session } = await newSession(t, { id: 'big' })
  await talk(session, 1, 1)
  await session.release()
  const content = 'x'.repeat(200_000)
  // Not by the session: redacting that much is not what this test is about.
  for (let count = 2; count <= 601; count++) {
    const fields = { uuid: `m${count}`, prev_uuid: `m${count - 1}`, payload: { content } }
    appendFileSync(session.path, line('user', fields))
  }
  const child = fileURLToPath(new URL('children/history.mjs', import.meta.url))
  const args = ['--max-old-space-size=48', child, JSON.stringify({ root, id: 'big' })]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stdout)).toEqual({ events: 601, bytes: 40 + 600 * content.length })
})
