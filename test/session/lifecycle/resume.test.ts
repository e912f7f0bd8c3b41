// What resuming and forking make of sessions that are not as they should be, and of what the
// caller says beside.

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { createSession, forkSession, resumeSession } from '../../../lib/free-functions.js'
import { type NewEvent, readLogSync } from '../../../lib/log/index.js'
import type { ResumeOptions } from '../../../lib/session/index.js'
import type { ContextOptions } from '../../../lib/store/index.js'
import { layoutOf } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

const line = (type: string, uuid: string, payload: unknown, more: object = {}) =>
  `${JSON.stringify({ type, ts: '2026-01-01T00:00:00.000Z', uuid, prev_uuid: null, payload, ...more })}\n`

/** A transcript that somebody else wrote. */
function store(t: Context, id: string, text: string) {
  const root = temporaryFolder(t)
  const path = layoutOf({ root }, systemEnvironment.host).transcriptPath(id)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return { root, path }
}

async function resume(t: Context, options: ContextOptions & ResumeOptions) {
  const resumed = await resumeSession({ continuity: false, ...options })
  t.onTestFinished(() => resumed.session?.release())
  return resumed
}

const headerOf = (path: string) => {
  const [first] = readLogSync(path)
  return first?.kind === 'event' ? (first.event.payload as Record<string, unknown>) : undefined
}

test('rejects an unknown mode before touching the disk', async () => {
  const strange = { mode: 'again' } as unknown as ContextOptions & ResumeOptions
  await expect(resumeSession(strange)).rejects.toMatchObject({ code: 'ERR_ARG' })
  const older = resumeSession({ mode: 'append', at: 'u1' })
  await expect(older).rejects.toThrow('rewind to it')
})

test('resumes a copied transcript, not its source', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'first', continuity: false })
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'hello' } })
  await session.release()
  const copy = join(dirname(session.path), 'copy.jsonl')
  copyFileSync(session.path, copy)
  const text = line('user', 'u2', { content: 'only here' }, { prev_uuid: 'u1' })
  appendFileSync(copy, text)
  const resumed = await resume(t, { root, id: 'copy' })
  expect(resumed.resumedFrom).toMatchObject({ sessionId: 'copy', tipUuid: 'u2' })
  await resumed.session!.append({ type: 'user', uuid: 'u3', payload: { content: 'more' } })
  const next = await resume(t, { root, id: resumed.sessionId, mode: 'inspect' })
  expect(next.messages.map(({ uuid }) => uuid)).toEqual(['u1', 'u2', 'u3'])
})

test('rejects an unknown policy for open calls, and writes nothing', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'first', continuity: false })
  await session.append({ type: 'user', payload: { content: 'hello' } })
  await session.release()
  const options = { root, id: 'first', toolPolicy: 'again' } as unknown as ContextOptions &
    ResumeOptions
  await expect(resumeSession(options)).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(readdirSync(dirname(session.path)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(
    1,
  )
})

test.for([true, false])(
  'where a turn ended is known in the session that continues (on the disk: %j)',
  async (persist, t) => {
    const root = temporaryFolder(t)
    const first = await createSession({ root, id: 'first', continuity: false })
    await first.append({ type: 'user', payload: { content: 'hello' } })
    await first.append({
      type: 'assistant',
      uuid: 'r1',
      payload: { content: 'hi', stop_reason: null },
    })
    const cut = await resume(t, { root, id: 'first', persist })
    expect(cut.interruption.kind).toBe('partial_reply')
    await first.append({ type: 'turn_end', payload: {} })
    await first.release()
    const ended = await resume(t, { root, id: 'first', persist })
    expect([ended.interruption.kind, ended.session?.interruption.kind]).toEqual(['none', 'none'])
    expect(cut.session?.interruption.kind).toBe('partial_reply')
    await cut.session!.append({ type: 'turn_end', payload: {} })
    expect(cut.session?.interruption.kind).toBe('none')
    await ended.session!.append({ type: 'user', payload: { content: 'more' } })
    await ended.session!.rewind({ to: 'r1' })
    expect(ended.session?.interruption.kind).toBe('none')
  },
)

test('an open session and a later reader agree on what was interrupted', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'first', continuity: false })
  const seen: string[] = []
  await step({ type: 'user', payload: { content: 'hello' } })
  await step({ type: 'assistant', uuid: 'half', payload: { content: 'h', stop_reason: null } })
  await step({ type: 'user', payload: { content: 'go on' } })
  await step({ type: 'assistant', uuid: 'whole', payload: { content: 'hi', stop_reason: null } })
  await step({ type: 'turn_end', payload: {} })
  await session.rewind({ to: 'half' })
  seen.push(await agreed())
  await session.rewind({ to: 'whole' })
  seen.push(await agreed())
  expect(seen).toEqual([
    ...['no_reply', 'partial_reply', 'no_reply', 'partial_reply', 'none'],
    ...['partial_reply', 'none'],
  ])
  const at = async (uuid: string) => {
    const { interruption } = await resume(t, { root, id: 'first', mode: 'inspect', at: uuid })
    const went = await resume(t, { root, id: 'first', at: uuid })
    expect(went.session!.interruption).toEqual(interruption)
    return interruption.kind
  }
  expect([await at('half'), await at('whole')]).toEqual(['partial_reply', 'none'])
  await session.release()

  async function step(event: Parameters<typeof session.append>[0]): Promise<void> {
    await session.append(event)
    seen.push(await agreed())
  }

  async function agreed(): Promise<string> {
    const { interruption } = await resume(t, { root, id: 'first', mode: 'inspect' })
    expect(session.interruption).toEqual(interruption)
    return interruption.kind
  }
})

test('a new session takes over project, harness and kind, unless the caller says otherwise', async (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  const facts = { project, harness: 'pi', kind: 'headless' } as const
  const first = await createSession({ root, id: 'first', ...facts, continuity: false })
  await first.append({ type: 'user', payload: { content: 'hello' } })
  await first.release()
  const second = await resume(t, { root, id: 'first', newId: 'second' })
  expect(headerOf(second.transcriptPath)).toMatchObject(facts)
  const own = { harness: 'other', kind: 'interactive' } as const
  const third = await resume(t, { root, id: 'first', newId: 'third', ...own })
  expect(headerOf(third.transcriptPath)).toMatchObject({ project, ...own })
})

test('takes nothing from an invalid header, and uses the options of the caller', async (t) => {
  const odd = { session_id: 5, project: ['/p'], harness: 7, kind: 'strange', tool_policy: 'retry' }
  const text =
    line('session_header', 'h', odd) + line('user', 'u1', { content: 'hello' }, { prev_uuid: 'h' })
  const { root } = store(t, 'agent:main', text)
  const project = temporaryFolder(t)
  const resumed = await resume(t, { root, id: 'agent:main', project, harness: 'pi' })
  expect(resumed.resumedFrom.sessionId).toBe('agent:main')
  const header = headerOf(resumed.transcriptPath)
  expect(header).toMatchObject({ project, harness: 'pi', tool_policy: 'retry' })
  expect(header).not.toHaveProperty('kind')
  const fork = forkSession('agent:main', { root, newId: 'fork' })
  expect(fork.forkedFrom).toEqual({ sessionId: 'agent:main', atUuid: 'u1' })
  expect(headerOf(fork.transcriptPath)).not.toHaveProperty('project')
})

test.for([
  ['a header without payload', line('session_header', 'h', null)],
  ['a header that is damaged', '{"type":"session_header","ts":\n'],
])('a session with %s goes by the name of its file', async ([, first], t) => {
  const { root } = store(t, 'a:b', first + line('user', 'u1', { content: 'hello' }))
  const resumed = await resume(t, { root, id: 'a:b', mode: 'append' })
  expect(resumed.sessionId).toBe('a:b')
  expect(resumed.session?.id).toBe('a:b')
})

test('a strict resume accepts an undamaged session and rejects a damaged one', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'demo', continuity: false })
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'hello' } })
  await session.release()
  const strict = { root, id: 'demo', mode: 'inspect', strict: true } as const
  const { messages, degraded } = await resume(t, strict)
  expect([messages.length, degraded]).toEqual([1, false])
  appendFileSync(session.path, '{"type":"assistant","ts":\n')
  await expect(resumeSession(strict)).rejects.toMatchObject({ code: 'ERR_DAMAGED' })
  await expect(resumeSession({ ...strict, mode: 'append' })).rejects.toMatchObject({
    code: 'ERR_DAMAGED',
  })
  const lenient = await resume(t, { ...strict, strict: false })
  expect(lenient.messages).toHaveLength(1)
})

/** `empty`, which goes on from `parent` and says nothing. */
async function emptyChild(t: TestContext) {
  const root = temporaryFolder(t)
  const parent = await createSession({ root, id: 'parent', continuity: false })
  await parent.append({ type: 'user', uuid: 'u1', payload: { content: 'hello' } })
  await parent.release()
  const empty = await resumeSession({ root, id: 'parent', newId: 'empty', continuity: false })
  await empty.session!.release()
  return { root, parent }
}

test('resuming a session without events resumes its parent', async (t) => {
  const { root } = await emptyChild(t)
  const next = await resume(t, { root, id: 'empty', mode: 'inspect' })
  expect(next.resumedFrom).toMatchObject({ sessionId: 'parent', tipUuid: 'u1' })
})

test('an empty session is resumed itself if its parent, or the event there, is missing', async (t) => {
  const { root, parent } = await emptyChild(t)
  const text = readFileSync(parent.path, 'utf8')
  writeFileSync(parent.path, text.replace('"uuid":"u1"', '"uuid":"other"'))
  const lost = await resume(t, { root, id: 'empty', mode: 'inspect' })
  expect(lost.resumedFrom).toMatchObject({ sessionId: 'empty' })
  expect(lost.degraded).toBe(true)
  rmSync(parent.path)
  const orphan = await resume(t, { root, id: 'empty', mode: 'inspect' })
  expect(orphan.resumedFrom).toMatchObject({ sessionId: 'empty' })
  expect(orphan.diagnostics.map(({ code }) => code)).toContain('parent_session_missing')
})

test('two sessions that name each other as parent, both empty, end the search', async (t) => {
  const from = (session_id: string, tip_uuid: string) => ({
    resumed_from: { session_id, tip_uuid },
  })
  const { root } = store(t, 'one', line('session_header', 'h1', from('two', 'h2')))
  const other = line('session_header', 'h2', from('one', 'h1'))
  writeFileSync(join(root, '.transcripts', 'two.jsonl'), other)
  const resumed = await resume(t, { root, id: 'one', mode: 'inspect' })
  expect(resumed.messages).toEqual([])
  expect(resumed.diagnostics.map(({ code }) => code)).toContain('lineage_cycle')
})

test('a session without a readable line can still be resumed', async (t) => {
  const { root, path } = store(t, 'demo', '{"type":"user","ts":\n')
  const next = await resume(t, { root, id: 'demo', newId: 'next' })
  expect(next.resumedFrom).toMatchObject({ sessionId: 'demo', tipUuid: null, tipOffset: null })
  expect(next.messages).toEqual([])
  await resume(t, { root, id: 'demo', mode: 'append' })
  const last = [...readLogSync(path)].at(-1)
  expect(last).toMatchObject({ event: { type: 'session_resumed', payload: { gap_ms: 0 } } })
})

test('a clock that was set back gives no negative gap', async (t) => {
  const { root, path } = store(t, 'demo', line('user', 'u1', { content: 'hello' }))
  const environment = { now: () => Date.UTC(2025, 0, 1) }
  await resume(t, { root, id: 'demo', mode: 'append', environment })
  const last = [...readLogSync(path)].at(-1)
  expect(last).toMatchObject({ event: { type: 'session_resumed', payload: { gap_ms: 0 } } })
})

test('rejects a fork at a missing event, or of a session without events', async (t) => {
  const { root } = store(t, 'empty', '{"type":"user","ts":\n')
  expect(() => forkSession('empty', { root })).toThrow('contains no events')
  writeFileSync(join(root, '.transcripts', 'demo.jsonl'), line('user', 'u1', { content: 'hello' }))
  expect(() => forkSession('demo', { root, at: 'nowhere' })).toThrow('No event "nowhere"')
})

test('a fork copies damaged bytes too', async (t) => {
  const damaged = `{"type":"user","ts":\n`
  const text = damaged + line('user', 'u1', { content: 'hello' })
  const { root } = store(t, 'demo', text)
  const fork = forkSession('demo', { root, newId: 'fork' })
  expect(readFileSync(fork.transcriptPath, 'utf8').endsWith(text)).toBe(true)
})

test('a fork copies the revision of its summary, and no revision without a summary', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'demo', continuity: false })
  for (const uuid of ['u1', 'u2', 'u3']) {
    await session.append({ type: 'user', uuid, payload: { content: uuid } })
  }
  const { summaryUuid, boundaryUuid } = await session.compact({ summary: 'old', keepFrom: 'u3' })
  await session.append({ type: 'user', uuid: 'u4', payload: { content: 'u4' } })
  const better = {
    summary_event_uuid: summaryUuid,
    boundary_uuid: boundaryUuid,
    text: 'better',
    attempt: 1,
  }
  await session.append({
    type: 'summary_revision',
    uuid: 'r1',
    payload: { ...better, final: true },
  })
  await session.release()
  appendFileSync(session.path, line('summary_revision', 'r2', null))
  const fork = forkSession('demo', { root, newId: 'fork', at: 'u4' })
  const uuids = [...readLogSync(fork.transcriptPath)].flatMap((entry) =>
    entry.kind === 'event' && entry.event.type === 'summary_revision' ? entry.event.uuid : [],
  )
  expect(uuids).toEqual(['r1'])
})

// Requirement: 18-15
test.for([
  ['a tail that names no event', { tailUuid: 'gone' }, 'compaction_tail_mismatch'],
  ['a tail before the head', { tailUuid: 'm2' }, 'compaction_tail_mismatch'],
  [
    'a head that names no event',
    { headUuid: 'gone', coveredToUuid: 'gone' },
    'compaction_uncommitted',
  ],
] as const)('a boundary with %s: a diagnostic, and degraded', async ([, changed, code], t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 's' })
  for (const uuid of ['m1', 'm2', 'm3', 'm4']) {
    await session.append({ type: 'user', uuid, payload: { content: uuid } })
  }
  const summary = { type: 'summary', uuid: 'S', payload: { text: 'short' } }
  const payload = {
    headUuid: 'm3',
    anchorUuid: 'S',
    tailUuid: 'm4',
    summary_event_uuid: 'S',
    trigger: 'manual',
    strategy: 'external',
    epoch: 1,
    offsets: { self: 0, head: null, tail: null, summary: 0 },
    tokens_before: 0,
    messages_summarized: 2,
    needs_summary_retry: false,
    coveredFromUuid: 'm1',
    coveredToUuid: 'm2',
    ...changed,
  }
  await session.appendAll([summary, { type: 'compaction_boundary', payload } as NewEvent])
  await session.close()
  for (const mode of ['inspect', 'new', 'append'] as const) {
    const resumed = await resumeSession({ root, id: 's', mode })
    expect(resumed.degraded, mode).toBe(true)
    expect(resumed.diagnostics.map((found) => found.code)).toContain(code)
    await resumed.session?.close()
  }
  const strict = resumeSession({ root, id: 's', mode: 'inspect', strict: true })
  await expect(strict).rejects.toMatchObject({ code: 'ERR_DAMAGED' })
})
