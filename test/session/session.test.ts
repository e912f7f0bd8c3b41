// A session's life: recorded, compacted, rewound, forked, closed, resumed. Everything is checked
// on the real file, and the bytes that were there stay what they were.

import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import {
  createSession,
  exportSession,
  forkSession,
  PermissionLedger,
  resumeSession,
  type Session,
  verifyLog,
} from '../../lib/index.js'
import { readLogSync } from '../../lib/log/index.js'
import { listSessions, openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { collectUncaught } from '../helpers/uncaught.js'

type Context = Parameters<typeof temporaryFolder>[0]

async function newSession(t: Context, options: Parameters<typeof createSession>[0] = {}) {
  const root = options.root ?? temporaryFolder(t)
  const session = await createSession({ root, ...options })
  t.onTestFinished(() => session.release().catch(() => {}))
  return { root, session }
}

async function say(session: Session, ...texts: readonly string[]): Promise<void> {
  for (const [index, content] of texts.entries()) {
    const type = index % 2 === 0 ? 'user' : 'assistant'
    await session.append({ type, uuid: content, payload: { content } })
  }
}

const seen = (session: Session) => session.messages().messages.map(({ uuid }) => uuid)
const prefixHash = (path: string, length: number) =>
  createHash('sha256').update(readFileSync(path).subarray(0, length)).digest('hex')

async function compact(session: Session, keepFrom: string | null, text = 'summed up') {
  const { summaryUuid } = await session.compact({ summary: text, keepFrom })
  return summaryUuid
}

// Requirement: 003-13
test('a new session has its header on the disk, and its id is taken', async (t) => {
  const { root, session } = await newSession(t, { id: 'demo', project: root0() })
  const [header] = [...readLogSync(session.path)]
  expect(header).toMatchObject({
    event: { type: 'session_header', payload: { session_id: 'demo', resumed_from: null } },
  })
  await session.close()
  await expect(createSession({ root, id: 'demo' })).rejects.toMatchObject({ code: 'ERR_EXISTS' })
})

const root0 = () => process.cwd()

test('an empty file left by a crash is taken over', async (t) => {
  const { root, session } = await newSession(t, { id: 'first' })
  await session.close()
  writeFileSync(join(root, '.transcripts', 'second.jsonl'), '')
  const second = await createSession({ root, id: 'second' })
  expect(readFileSync(second.path, 'utf8')).toMatch(/^\{"type":"session_header"/)
  await second.close()
})

// Requirement: 003-16
test('close() writes a terminator and returns the promised fields', async (t) => {
  const { session } = await newSession(t)
  await say(session, 'a', 'b')
  const end = await session.close()
  expect(end).toEqual({
    transcript_path: session.path,
    history_offset: null,
    checkpoint_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    transcript_flushed: true,
    history_appended: false,
    terminator_uuid: expect.any(String),
  })
  const entries = [...readLogSync(session.path)]
  expect(entries.at(-1)).toMatchObject({
    event: {
      type: 'session_terminator',
      uuid: end.terminator_uuid,
      payload: { reason: 'exit', last_uuid: 'b', events: entries.length },
    },
  })
  expect(await session.close()).toBe(await session.close())
  expect((await verifyLog(session.path)).findings).toEqual([])
})

test('parallel tool results all survive, in the order of the calls', async (t) => {
  const { session } = await newSession(t)
  const ids = ['t1', 't2', 't3', 't4']
  await Promise.all(
    ids.map((tool_call_id) =>
      session.append({ type: 'tool_call', payload: { tool_call_id, name: 'x', input: {} } }),
    ),
  )
  await Promise.all(
    ids.map((tool_call_id) =>
      session.append({
        type: 'tool_result',
        payload: { tool_call_id, content: 'ok', is_error: false },
      }),
    ),
  )
  const { messages, diagnostics } = session.messages()
  expect(messages).toHaveLength(8)
  expect(diagnostics).toEqual([])
})

// Requirement: 003-53
test('onAppend reports every appended event until it is stopped', async (t) => {
  const { session } = await newSession(t)
  const told: string[] = []
  const stop = session.onAppend((event, { uuid }) => told.push(`${event.type} ${uuid}`))
  await say(session, 'a')
  stop()
  await say(session, 'b')
  expect(told).toEqual(['user a'])
})

// Requirement: 003-53
test('onAppend does not report events that the session writes itself', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await session.release()
  const resumed = await resumeSession({ root, id: 's', mode: 'append' })
  const again = resumed.session!
  const told: string[] = []
  again.onAppend(({ type }) => told.push(type))
  await again.rename('a title')
  await say(again, 'a')
  await say(again, 'a')
  await again.checkpoint({ digest: 'left off here' })
  await again.close()
  expect(told).toEqual(['session_meta', 'user', 'user'])
  const written = [...readLogSync(session.path)].map((it) => it.kind === 'event' && it.event.type)
  expect(written.slice(0, 4)).toEqual([
    ...['session_header', 'session_resumed', 'session_meta', 'user'],
  ])
  expect(written.slice(4)).toEqual(
    expect.arrayContaining(['checkpoint_ref', 'session_meta', 'session_terminator']),
  )
})

// Requirement: 003-53
test('onAppend reports a boundary as it was written, with its offsets', async (t) => {
  const { session } = await newSession(t, { continuity: false })
  await say(session, 'a', 'b')
  const told = new Map<string, unknown>()
  session.onAppend((event, { uuid }) => told.set(uuid, event.payload))
  await compact(session, 'b')
  await session.append({ type: 'user', uuid: 'c', payload: { content: 'c' } })
  const written = [...readLogSync(session.path)].flatMap((it) =>
    it.kind === 'event' && told.has(it.event.uuid) ? [it.event] : [],
  )
  expect(written.map(({ type }) => type)).toEqual(['summary', 'compaction_boundary', 'user'])
  expect(written.map(({ uuid }) => told.get(uuid))).toEqual(written.map(({ payload }) => payload))
})

test.for([
  [
    'throws',
    () => {
      throw new Error('a bug of the listener')
    },
  ],
  ['rejects', () => Promise.reject(new Error('a bug of the listener'))],
] as const)('a listener that %s fails nothing, and its error is reported', async ([, bug], t) => {
  const surfaced = collectUncaught(t)
  const found: Diagnostic[] = []
  const errors: unknown[] = []
  const warnings: Error[] = []
  const environment = { host: { emitWarning: (warning: Error) => warnings.push(warning) } }
  const onDiagnostic = (one: Diagnostic) => found.push(one)
  const onListenerError = (error: unknown) => errors.push(error)
  for (const options of [{ onDiagnostic }, { onDiagnostic, onListenerError }, {}]) {
    const { session } = await newSession(t, { ...options, environment })
    session.onAppend(bug)
    await say(session, 'a')
    await new Promise(setImmediate)
    expect(seen(session)).toEqual(['a'])
  }
  const message = 'A listener failed: a bug of the listener'
  expect(found).toMatchObject([{ code: 'listener_failed', message }])
  expect(errors).toMatchObject([{ message: 'a bug of the listener' }])
  expect(warnings).toMatchObject([{ message: 'a bug of the listener' }])
  expect(surfaced).toEqual([])
})

// Requirements: 003-07, 003-15, 003-69, 003-79, T14, T16
test('compacting appends exactly two lines and never shrinks the file', async (t) => {
  const { session } = await newSession(t)
  const texts: string[] = []
  for (let round = 0; round < 5; round++) {
    for (let index = 0; index < 6; index++) {
      const text = `m${round}.${index}`
      texts.push(text)
      await say(session, text)
    }
    const before = { size: session.size, hash: prefixHash(session.path, session.size) }
    const linesBefore = ownLines(session.path)
    const summary = await compact(session, `m${round}.4`)
    expect(ownLines(session.path)).toBe(linesBefore + 2)
    expect(session.size).toBeGreaterThan(before.size)
    expect(prefixHash(session.path, before.size)).toBe(before.hash)
    expect(seen(session)).toEqual([summary, `m${round}.4`, `m${round}.5`])
  }
  const raw: string[] = []
  for await (const entry of session.raw()) if (entry.kind === 'event') raw.push(entry.event.uuid)
  expect(texts.filter((text) => !raw.includes(text))).toEqual([])
  expect(session.projection.contextEpoch).toBe(5)
  expect((await verifyLog(session.path)).findings).toEqual([])
})

/** Without the references to checkpoints, which come with a compaction but are not its own. */
function ownLines(path: string): number {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => !line.startsWith('{"type":"checkpoint_ref"')).length
}

// Requirements: 003-45, T15
test('originals stay readable through several compactions', async (t) => {
  const { session } = await newSession(t)
  for (let round = 0; round < 5; round++) {
    await say(session, `a${round}`, `b${round}`)
    await compact(session, null)
  }
  await session.close()
  const events = [...readLogSync(session.path)].flatMap((it) =>
    it.kind === 'event' && it.event.type === 'user' ? [it.event.uuid] : [],
  )
  expect(events).toEqual(['a0', 'a1', 'a2', 'a3', 'a4'])
})

test('a prefix can be kept instead, and what comes later follows the summary', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b', 'c', 'd')
  const { summaryUuid } = await session.compact({ summary: 'c and d', keepUpTo: 'b' })
  await say(session, 'e')
  expect(seen(session)).toEqual(['a', 'b', summaryUuid, 'e'])
  await session.close()
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['a', 'b', summaryUuid, 'e'])
})

// Requirement: T58
test.for([{ keepUpTo: 'a' }, { keepFrom: null }])(
  'what is said while the checkpoint before a compaction is stored stays, with %o',
  async (cut, t) => {
    const { root, session } = await newSession(t, { id: 's' })
    await say(session, 'a', 'b', 'c')
    const compacted = session.compact({ summary: 'all of it', ...cut })
    await say(session, 'late')
    const { summaryUuid } = await compacted
    const expected = [...(cut.keepUpTo === undefined ? [] : ['a']), summaryUuid, 'late']
    expect(seen(session)).toEqual(expected)
    const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
    expect(messages.map(({ uuid }) => uuid)).toEqual(expected)
    expect((await verifyLog(session.path)).findings).toEqual([])
  },
)

// Requirement: T58
test.for(['rewind', 'compaction'])(
  'a compaction whose messages a %s took away in the meantime says so',
  async (rival, t) => {
    const { session } = await newSession(t)
    await say(session, 'a', 'b', 'c')
    const won = rival === 'rewind' ? undefined : session.compact({ summary: 'the first' })
    const lost = session.compact({ summary: 'all of it' })
    const failure = expect(lost).rejects.toMatchObject({
      code: 'ERR_COMPACTION_RACE',
      message: expect.stringContaining('compact again'),
      cause: { code: 'ERR_NOT_FOUND' },
    })
    if (won === undefined) await session.rewind({ to: 'a' })
    await failure
    expect(seen(session)).toEqual(won === undefined ? ['a'] : [(await won).summaryUuid])
  },
)

test('rejects a compaction that covers nothing or has an empty summary', async (t) => {
  const { session } = await newSession(t)
  await say(session, 'a')
  await expect(session.compact({ summary: ' ' })).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(session.compact({ summary: 'x', keepFrom: 'a' })).rejects.toMatchObject({
    code: 'ERR_NOTHING_TO_COMPACT',
  })
  await expect(session.compact({ summary: 'x', keepFrom: 'no' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})

// Requirements: 003-66, T17
test('a summary without its boundary counts as no compaction', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b', 'c')
  await compact(session, 'c')
  await session.release()
  // The writer was killed between the two lines.
  const bytes = readFileSync(session.path)
  const boundary = bytes.lastIndexOf('{"type":"compaction_boundary"')
  writeFileSync(session.path, bytes.subarray(0, boundary + 40))
  const { messages, interruption } = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c'])
  expect(interruption.found.map(({ kind }) => kind)).toContain('compaction')
})

// Requirement: T25
test.for([
  ['after the boundary', 'f', (s: string) => [s, 'd', 'e', 'f']],
  ['inside what was kept, which undoes it', 'd', () => ['a', 'b', 'c', 'd']],
  ['onto the summary, before its boundary', 'S', () => ['a', 'b', 'c', 'd', 'e']],
  ['before the boundary, which undoes it', 'b', () => ['a', 'b']],
] as const)('a rewind %s', async ([, to, expected], t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b', 'c', 'd', 'e')
  const summary = await compact(session, 'd')
  await say(session, 'f', 'g')
  const before = { size: session.size, hash: prefixHash(session.path, session.size) }
  await session.rewind({ to: to === 'S' ? summary : to })
  expect(seen(session)).toEqual(expected(summary))
  await say(session, 'h')
  expect(seen(session)).toEqual([...expected(summary), 'h'])
  expect(prefixHash(session.path, before.size)).toBe(before.hash)
  await session.release()
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual([...expected(summary), 'h'])
})

test('a rewind is undone by another, and the branch that was left stays readable', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b', 'c', 'd')
  await session.rewind({ to: 'b' })
  await say(session, 'x')
  await session.rewind({ to: 'd' })
  expect(seen(session)).toEqual(['a', 'b', 'c', 'd'])
  await session.release()
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect', at: 'x' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'x'])
})

test('a rewind and what follows it are one write, or nothing', async (t) => {
  const { session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b', 'c')
  const reply = { type: 'user', uuid: 'again', payload: { content: 'again' } }
  const { uuid, appended } = await session.rewind({ to: 'b', append: [reply] })
  expect(appended).toMatchObject([{ uuid: 'again' }])
  expect(session.find('again')).toMatchObject({ prev_uuid: uuid })
  expect(session.messages().messages.at(-1)).toMatchObject({ uuid: 'again' })
  const size = session.size
  const invalid = { type: 'user', payload: 5 } as never
  await expect(session.rewind({ to: 'b', append: [reply, invalid] })).rejects.toThrow()
  expect([session.size, session.tip]).toEqual([size, 'again'])
})

test('rejects a rewind to an off-chain or unknown event', async (t) => {
  const { session } = await newSession(t)
  await say(session, 'a')
  const { uuid } = await session.rename('title')
  await expect(session.rewind({ to: uuid })).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(session.rewind({ to: 'nothing' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
    message: expect.stringContaining('fork'),
  })
})

// Requirement: 003-17
test('resume makes a new session that names its parent and leaves the old file alone', async (t) => {
  const { root, session } = await newSession(t, { id: 'old' })
  await say(session, 'a', 'b', 'c')
  const summary = await compact(session, 'c')
  await session.close()
  const before = readFileSync(session.path)
  const { session: next, messages, resumedFrom, degraded } = await resumeSession({ root })
  t.onTestFinished(() => next!.release())
  expect(messages.map(({ uuid }) => uuid)).toEqual([summary, 'c'])
  expect(resumedFrom).toMatchObject({ sessionId: 'old', transcriptPath: session.path })
  expect(degraded).toBe(false)
  await say(next!, 'd')
  expect(seen(next!)).toEqual([summary, 'c', 'd'])
  const inner = await compact(next!, 'c', 'both')
  expect(seen(next!)).toEqual([inner, 'c', 'd'])
  await next!.rewind({ to: 'c', keepCompaction: true })
  expect(seen(next!)).toEqual([inner, 'c'])
  expect(readFileSync(session.path)).toEqual(before)
})

// Requirement: T25
test('a rewind in a resumed session reaches into its parent', async (t) => {
  const { root, session } = await newSession(t, { id: 'old' })
  await say(session, 'a', 'b', 'c')
  await session.close()
  const { session: next } = await resumeSession({ root })
  t.onTestFinished(() => next!.release())
  await say(next!, 'd')
  await next!.rewind({ to: 'b' })
  expect(seen(next!)).toEqual(['a', 'b'])
  await say(next!, 'e')
  await next!.release()
  const again = await resumeSession({ root, id: next!.id, mode: 'inspect' })
  expect(again.messages.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'e'])
})

// Requirements: A3, T25
test('a rewind reaches into the parent also where only the end of the file was read', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'p1', 'p2', 'p3')
  await session.close()
  const { session: child } = await resumeSession({ root, id: 's', newId: 'child' })
  await say(child!, 'c1')
  await compact(child!, null)
  await say(child!, 'c2')
  await child!.release()
  const reopened = await resumeSession({ root, id: 'child', mode: 'append', quiet: true })
  expect(reopened.readFrom).toBeGreaterThan(0)
  await reopened.session!.rewind({ to: 'p2' })
  expect(seen(reopened.session!)).toEqual(['p1', 'p2'])
  await reopened.session!.release()
  const { messages } = await resumeSession({ root, id: 'child', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['p1', 'p2'])
})

// Requirements: 003-18, 003-64, 003-76, T20
test('a session without a terminator is resumed like any other', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b')
  await session.release()
  appendFileSync(session.path, '{"type":"user","ts":"2026-')
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['a', 'b'])
})

test('mode append continues in the same file', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b')
  await session.rename('Kept title')
  await session.close()
  const { session: again, sessionId } = await resumeSession({ root, id: 's', mode: 'append' })
  t.onTestFinished(() => again!.release())
  expect(sessionId).toBe('s')
  await say(again!, 'c')
  expect(seen(again!)).toEqual(['a', 'b', 'c'])
  await expect(resumeSession({ root, id: 's', mode: 'append' })).rejects.toMatchObject({
    code: 'ERR_LOCKED',
  })
  const other = await resumeSession({ root, id: 's' })
  expect(other.messages.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c'])
  await other.session!.release()
})

test('mode inspect writes nothing at all', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a')
  await session.close()
  const before = storeOf(root)
  await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(storeOf(root)).toEqual(before)
})

function storeOf(root: string) {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mtimeMs, size } = statSync(join(root, name))
      return [name, mtimeMs, size]
    })
}

test('ten inspections do not change which session is the newest', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a', 'b')
  await session.close()
  for (let look = 0; look < 10; look++) {
    const { session: next, resumedFrom } = await resumeSession({ root })
    expect(resumedFrom).toMatchObject({ sessionId: 's', tipUuid: 'b' })
    await next!.release()
  }
  const [name] = readdirSync(join(root, '.transcripts')).filter((it) => it !== 's.jsonl')
  const empty = await resumeSession({ root, id: name!.replace('.jsonl', ''), mode: 'inspect' })
  expect(empty.resumedFrom.sessionId).toBe('s')
  expect(empty.messages.map(({ uuid }) => uuid)).toEqual(['a', 'b'])
})

test('an empty session that was only opened again is still empty', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a')
  await session.close()
  const first = await resumeSession({ root, id: 's', newId: 'empty' })
  await first.session!.release()
  const again = await resumeSession({ root, id: 'empty', mode: 'append' })
  await again.session!.release()
  const { resumedFrom, session: next } = await resumeSession({ root })
  expect(resumedFrom.sessionId).toBe('s')
  await next!.release()
})

test('reports that there is nothing to resume, with the folder that was searched', async (t) => {
  const root = temporaryFolder(t)
  await expect(resumeSession({ root })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(resumeSession({ root, id: 'nobody' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
    message: expect.stringContaining(join(root, '.transcripts')),
  })
  expect(readdirSync(root)).toEqual([])
})

const call = (id: string, idempotent?: boolean) =>
  ({
    type: 'tool_call',
    payload: { tool_call_id: id, name: 'x', input: {}, ...(idempotent && { idempotent }) },
  }) as const

// Requirements: 003-65, T21, T22
test('an open tool call is reported, and each policy handles it', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a')
  await session.append(call('t1'))
  await session.append(call('t2', true))
  await session.append(call('t3'))
  await session.append({
    type: 'tool_result',
    payload: { tool_call_id: 't1', content: 'ok', is_error: false },
  })
  await session.release()
  const results = async (toolPolicy: 'synthesize' | 'retry' | 'drop') => {
    const resumed = await resumeSession({ root, id: 's', mode: 'inspect', toolPolicy })
    expect(resumed.interruption.kind).toBe('tool_call')
    const types = resumed.messages.map(({ type, synthetic }) => type + (synthetic ? '*' : ''))
    return { types, retry: resumed.retry.length }
  }
  expect(await results('synthesize')).toEqual({
    types: [
      'user',
      'tool_call',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result*',
      'tool_result*',
    ],
    retry: 0,
  })
  expect((await results('drop')).types).toEqual(['user', 'tool_call', 'tool_result'])
  expect((await results('retry')).retry).toBe(1)
})

// Requirement: T21
test('the policy a session was resumed with holds for its handle, its fork and its export', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a')
  await session.append(call('t1'))
  await session.close()
  const resumed = await resumeSession({ root, id: 's', newId: 'next', toolPolicy: 'drop' })
  const { session: next } = resumed as { session: Session }
  expect(seen(next)).toEqual(['a'])
  expect(next.messages({ toolPolicy: 'synthesize' }).messages).toHaveLength(3)
  await next.append({ type: 'user', uuid: 'b', payload: { content: 'b' } })
  await next.release()
  const again = await resumeSession({ root, id: 'next', mode: 'append', quiet: true })
  expect(seen(again.session!)).toEqual(['a', 'b'])
  await again.session!.release()
  forkSession('next', { root, newId: 'fork' })
  const { messages } = await resumeSession({ root, id: 'fork', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual(['a', 'b'])
  const exported: string[] = []
  for await (const text of exportSession('next', { root, projected: true })) exported.push(text)
  expect(exported.join('')).not.toContain('t1')
})

// Requirements: 003-46, T24
test('a fork shows what its source showed at that event, by copied bytes', async (t) => {
  const { root, session } = await newSession(t, { id: 'source' })
  await say(session, 'a', 'b', 'c', 'd')
  const summary = await compact(session, 'd')
  await say(session, 'e')
  const { projection } = session
  const boundary = projection.lastBoundary!.uuid
  await session.append({
    type: 'summary_revision',
    payload: {
      summary_event_uuid: summary,
      boundary_uuid: boundary,
      text: 'better',
      attempt: 1,
      final: true,
    },
  })
  const source = readFileSync(session.path)
  for (const at of ['b', summary, boundary, 'e']) {
    const fork = forkSession('source', { root, at })
    const there = await resumeSession({ root, id: 'source', mode: 'inspect', at })
    const here = await resumeSession({ root, id: fork.sessionId, mode: 'inspect' })
    const texts = (it: typeof here) => it.messages.map(({ uuid, payload }) => [uuid, payload])
    expect(texts(here), at).toEqual(texts(there))
    const bytes = readFileSync(fork.transcriptPath)
    const base = bytes.indexOf('\n') + 1
    const copied = bytes.length - base
    expect(bytes.subarray(base, base + 200)).toEqual(source.subarray(0, 200))
    expect(copied).toBeLessThanOrEqual(source.length)
    expect((await verifyLog(fork.transcriptPath)).findings.map(({ code }) => code)).toEqual([])
  }
  expect(readFileSync(session.path)).toEqual(source)
  expect(() => forkSession('source', { root, newId: 'source' })).toThrow(/already exists/)
})

test('a fork of a fork continues like its source, compactions included', async (t) => {
  const { root, session } = await newSession(t, { id: 'one' })
  await say(session, 'a', 'b', 'c')
  const summary = await compact(session, 'c')
  await session.release()
  const two = forkSession('one', { root, newId: 'two' })
  const three = forkSession(two.sessionId, { root, newId: 'three' })
  const { session: again } = await resumeSession({ root, id: three.sessionId, mode: 'append' })
  t.onTestFinished(() => again!.release())
  expect(seen(again!)).toEqual([summary, 'c'])
  await say(again!, 'd')
  const inner = await compact(again!, 'd')
  await say(again!, 'e')
  await again!.release()
  const { messages, readFrom } = await resumeSession({ root, id: 'three', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual([inner, 'd', 'e'])
  expect(readFrom).toBeGreaterThan(0)
})

test('a fork of forty forks continues like its source', async (t) => {
  const { root, session } = await newSession(t, { id: 'fork-0' })
  await say(session, 'a', 'b', 'c')
  const summary = await compact(session, 'c')
  await session.release()
  for (let index = 1; index <= 40; index++) {
    forkSession(`fork-${index - 1}`, { root, newId: `fork-${index}` })
  }
  const { messages, readFrom } = await resumeSession({ root, id: 'fork-40', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid)).toEqual([summary, 'c'])
  // Only who knows all headers knows that the boundary stands where it says.
  expect(readFrom).toBeGreaterThan(0)
})

// Requirements: 003-11, 003-12, 003-70, T26
test('trust starts empty after resume and fork, and cannot be written', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  const canary = `canary-${Math.random()}`
  session.permissions.grant(canary)
  await say(session, 'a')
  const event = { type: 'acme:note', payload: { deep: [{ ledger: session.permissions }] } }
  await expect(session.append(event)).rejects.toMatchObject({ code: 'ERR_PERMISSION_STATE' })
  expect(() => JSON.stringify(new PermissionLedger())).toThrow(TypeError)
  await session.close()
  const resumed = await resumeSession({ root, id: 's' })
  expect(resumed.permissions.has(canary)).toBe(false)
  expect(resumed.permissions.restored).toBe(false)
  expect(JSON.stringify({ ...resumed, session: undefined })).not.toContain(canary)
  await resumed.session!.close()
  forkSession('s', { root })
  for (const name of readdirSync(join(root, '.transcripts'))) {
    expect(readFileSync(join(root, '.transcripts', name)).includes(canary)).toBe(false)
  }
})

// Requirement: T19
test('numbers of a context that was compacted since are not taken for new ones', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  const usage = { input_tokens: 170_000, output_tokens: 10 }
  await session.append({ type: 'user', uuid: 'a', payload: { content: 'a' } })
  await session.append({ type: 'assistant', uuid: 'b', payload: { content: 'b', usage } })
  await compact(session, 'b')
  await session.release()
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(messages.at(-1)?.payload).toMatchObject({ usage: null, usage_stale: true })
})

// Requirements: 003-73, 003-77, 003-83, T27
test('fifty turns read the file once', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'start')
  await session.close()
  const { session: again } = await resumeSession({ root, id: 's', mode: 'append' })
  t.onTestFinished(() => again!.release())
  const before = readBytes()
  for (let turn = 0; turn < 50; turn++) {
    await say(again!, `q${turn}`, `r${turn}`)
    expect(again!.messages().messages).toHaveLength(3 + turn * 2)
  }
  const bytes = readBytes() - before
  if (Number.isFinite(bytes)) expect(bytes).toBeLessThan(20_000)
})

function readBytes(): number {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

test('a title is repeated, so that a look at the end of the file finds it', async (t) => {
  const { session } = await newSession(t)
  await session.rename('The title')
  await session.rename('an automatic one', 'auto')
  const payload = { content: 'x'.repeat(8000) }
  for (let index = 0; index < 40; index++) await session.append({ type: 'user', payload })
  const tail = readFileSync(session.path)
    .subarray(-64 * 1024)
    .toString()
  expect(tail).toContain('"title":"The title","title_source":"user"')
})

const long = (bytes: number) => ({ type: 'user', payload: { content: 'x'.repeat(bytes) } }) as const

// Requirement: A7
test.for<[string, (session: Session) => Promise<unknown>]>([
  ['one long event', (session) => session.append(long(200_000))],
  ['many events of one write', (session) => session.appendAll(Array(10).fill(long(20_000)))],
  [
    'many events of one tick',
    (session) => Promise.all(Array.from({ length: 10 }, () => session.append(long(20_000)))),
  ],
])('a listing finds the title right behind %s', async ([, write], t) => {
  const { root, session } = await newSession(t, { continuity: false })
  await session.rename('The title')
  await write(session)
  expect(listSessions(openContext({ root })).sessions).toMatchObject([{ title: 'The title' }])
})

// Requirement: A7
test('a new title is not undone by a repetition of the one before', async (t) => {
  const { root, session } = await newSession(t, { continuity: false })
  await session.rename('Before')
  await session.append(long(100_000))
  await session.rename('New')
  expect(listSessions(openContext({ root })).sessions).toMatchObject([{ title: 'New' }])
  await Promise.all([session.rename('Newest'), session.append(long(100_000))])
  await session.close()
  expect(listSessions(openContext({ root })).sessions).toMatchObject([{ title: 'Newest' }])
})

test('a second process may resume the same session at the same time', async (t) => {
  const { root, session } = await newSession(t, { id: 's' })
  await say(session, 'a')
  const both = await Promise.all([
    resumeSession({ root, id: 's' }),
    resumeSession({ root, id: 's' }),
  ])
  for (const { session: next, messages } of both) {
    expect(messages.map(({ uuid }) => uuid)).toEqual(['a'])
    await next!.release()
  }
  expect(both[0].sessionId).not.toBe(both[1].sessionId)
})
