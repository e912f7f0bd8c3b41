import { expect, it, type TestContext } from 'vitest'
import {
  createSession,
  expandSummary,
  forkSession,
  listSummaries,
  resumeSession,
} from '../../../lib/free-functions.js'
import type { Session } from '../../../lib/session/index.js'
import type { SummaryCheckpoint } from '../../../lib/store/index.js'
import { Clock, HOUR } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function newStore(t: Pick<TestContext, 'onTestFinished'>) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  return { clock, root, options: { root, environment: clock.environment } }
}

async function say(session: Session, ...words: string[]): Promise<string[]> {
  const uuids: string[] = []
  for (const content of words) {
    const { uuid } = await session.append({ type: 'user', payload: { content } })
    uuids.push(uuid)
  }
  return uuids
}

const checkpoint = (fields: Partial<SummaryCheckpoint>): SummaryCheckpoint => ({
  id: 'cp1',
  session_key: 'demo',
  created_at: new Clock().iso(),
  trigger: 'periodic',
  digest: 'a digest',
  ...fields,
})

const textsOf = (nodes: readonly { content: string }[]) => nodes.map(({ content }) => content)

// Requirements: 001-78, 001-57
it('a compaction is a node with all fields', async (t) => {
  const { clock, options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one', 'two')
  const { summaryUuid, boundaryUuid } = await session.compact({ summary: 'Counted to two.' })
  await session.close()
  const { summaries, total } = listSummaries(options)
  expect(total).toBe(1)
  expect(summaries).toEqual([
    {
      id: `demo:${summaryUuid}`,
      kind: 'session',
      depth: 0,
      source_type: 'compaction',
      source_ref: 'demo',
      meta_json: JSON.stringify({
        source: 'compaction',
        boundary_uuid: boundaryUuid,
        summary_uuid: summaryUuid,
        strategy: 'external',
        trigger: 'manual',
        epoch: 1,
      }),
      score: 0.95,
      created_at: clock.iso(),
      content: 'Counted to two.',
    },
  ])
})

// Requirement: 001-78
it('lists the summaries of one agent, newest first, in pages, with the total', async (t) => {
  const { clock, options } = newStore(t)
  for (const id of ['a', 'b', 'c']) {
    const session = await createSession({ ...options, id })
    await say(session, id)
    await session.compact({ summary: `of ${id}` })
    await session.close()
    clock.pass(1000)
  }
  const parts = (limit?: number, offset?: number) =>
    textsOf(listSummaries({ ...options, limit, offset }).summaries)
  expect(parts()).toEqual(['of c', 'of b', 'of a'])
  expect(parts(2)).toEqual(['of c', 'of b'])
  expect(parts(2, 1)).toEqual(['of b', 'of a'])
  expect(parts(0)).toEqual([])
  expect(parts(-1)).toEqual([])
  expect(parts(Number.NaN, -5)).toHaveLength(3)
  expect(listSummaries({ ...options, limit: 0 }).total).toBe(3)
  expect(listSummaries({ ...options, agent: 'other' })).toEqual({ summaries: [], total: 0 })
})

it('lists at most 200 summaries per call', () => {
  const checkpoints = Array.from({ length: 250 }, (_, index) => checkpoint({ id: `c${index}` }))
  const found = listSummaries({ root: '/nonexistent', checkpoints, limit: 1000 })
  expect(found.summaries).toHaveLength(200)
  expect(found.total).toBe(250)
})

it('a summary without its boundary is not a node', async (t) => {
  const { options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one')
  await session.append({ type: 'summary', payload: { text: 'alone' } })
  await session.close()
  expect(listSummaries(options).total).toBe(0)
})

it('a node shows the newest revision of its text, redacted', async (t) => {
  const { options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one')
  const { summaryUuid, boundaryUuid } = await session.compact({ summary: 'A stub.' })
  await session.append({
    type: 'summary_revision',
    payload: {
      summary_event_uuid: summaryUuid,
      boundary_uuid: boundaryUuid,
      text: 'One, with a secret.',
      attempt: 1,
      final: true,
    },
  })
  await session.close()
  const redact = (text: string) => text.replace('secret', '[REDACTED]')
  expect(textsOf(listSummaries({ ...options, redact }).summaries)).toEqual([
    'One, with a [REDACTED].',
  ])
})

// Requirement: 001-57
it('checkpoints that summarize are nodes: rolling ones 0.85, summaries of sessions 0.95', () => {
  const checkpoints = [
    checkpoint({ id: 'rolling', structured: { summary: 'So far, so good.' } }),
    checkpoint({ id: 'digest' }),
    checkpoint({ id: 'whole', trigger: 'agent', session_summary: 'All of it.' }),
    checkpoint({ id: 'note', trigger: 'pre_compaction' }),
  ]
  const { summaries } = listSummaries({ root: '/nonexistent', checkpoints })
  const rows = summaries.map((node) => [node.id, node.source_type, node.score, node.content])
  expect(rows.sort()).toEqual([
    ['digest', 'checkpoint', 0.85, 'a digest'],
    ['rolling', 'checkpoint', 0.85, 'So far, so good.'],
    ['whole', 'summary', 0.95, 'All of it.'],
  ])
  expect(summaries[0]).toMatchObject({ kind: 'session', depth: 0, source_ref: 'demo' })
  expect(JSON.parse(summaries[0]!.meta_json)).toMatchObject({ trigger: expect.any(String) })
})

// Requirement: 001-79
it('expands a node to its children, its parents and its transcript', async (t) => {
  const { clock, options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one', 'two')
  const first = await session.compact({ summary: 'First.' })
  clock.pass(1000)
  await say(session, 'three')
  const between = checkpoint({ created_at: clock.iso() })
  clock.pass(1000)
  const second = await session.compact({ summary: 'Second.' })
  await say(session, 'four')
  await session.close()
  const checkpoints = [between]
  const expanded = await expandSummary(`demo:${second.summaryUuid}`, { ...options, checkpoints })
  expect(expanded).toMatchObject({
    node: {
      id: `demo:${second.summaryUuid}`,
      kind: 'session',
      depth: 0,
      sourceType: 'compaction',
    },
    parents: [],
    children: [{ content: 'First.' }, { id: 'cp1', sourceType: 'checkpoint' }],
    linkedMemories: [],
    transcript: { sessionKey: 'demo' },
  })
  const older = await expandSummary(`demo:${first.summaryUuid}`, { ...options, checkpoints })
  expect(textsOf(older.parents)).toEqual(['Second.'])
  expect(older.children).toEqual([])
  expect(older.transcript).toEqual({ sessionKey: 'demo', excerpt: 'User: one\nUser: two' })
  const note = await expandSummary('cp1', { ...options, checkpoints })
  expect(textsOf(note.parents)).toEqual(['Second.'])
  expect(note.transcript?.excerpt).toBe('User: three')
  const whole = checkpoint({ id: 'all', trigger: 'agent', session_summary: 'All.' })
  const all = await expandSummary('all', { ...options, checkpoints: [whole] })
  expect(all.transcript?.excerpt).toBe('User: one\nUser: two\nUser: three\nUser: four')
})

it('a summary that stays in the context is not covered', async (t) => {
  const { options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one', 'two')
  await session.compact({ summary: 'First.' })
  const [keepUpTo] = await say(session, 'three', 'four')
  await session.compact({ summary: 'Second.', keepUpTo })
  await session.close()
  const { summaries } = listSummaries(options)
  const children = await Promise.all(
    summaries.map(async ({ id }) => (await expandSummary(id, options)).children),
  )
  expect(children).toEqual([[], []])
})

it('links sessions that continue each other, from the last node to the first', async (t) => {
  const { clock, options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one')
  await session.compact({ summary: 'First.' })
  await session.close()
  clock.pass(HOUR)
  // Resumed twice; the session in between has no summary.
  const { session: between } = await resumeSession({ ...options, id: 'demo', newId: 'between' })
  await say(between!, 'two')
  await between!.close()
  const { session: next } = await resumeSession({ ...options, id: 'between', newId: 'next' })
  await say(next!, 'three')
  const kept = await say(next!, 'four')
  // It keeps what it has, the first summary included.
  const { entries } = next!.projection
  expect(entries.map(({ kind }) => kind)).toEqual(['summary', 'event', 'event', 'event'])
  const { summaryUuid } = await next!.compact({ summary: 'Next.', keepFrom: kept[0]! })
  await next!.close()
  const { children, transcript } = await expandSummary(`next:${summaryUuid}`, options)
  expect(textsOf(children)).toEqual(['First.'])
  expect(transcript?.excerpt).toBe('User: three\nUser: four')
  const [newest, oldest] = listSummaries(options).summaries
  expect(textsOf([newest!, oldest!])).toEqual(['Next.', 'First.'])
  expect(textsOf((await expandSummary(oldest!.id, options)).parents)).toEqual(['Next.'])
})

it('a fork has its own nodes, and those of its source only once', async (t) => {
  const { clock, options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one')
  await session.compact({ summary: 'First.' })
  await say(session, 'two')
  await session.close()
  clock.pass(1000)
  await forkSession('demo', { ...options, newId: 'fork' })
  const fork = listSummaries(options)
  expect(textsOf(fork.summaries)).toEqual(['First.'])
  expect(fork.summaries[0]!.source_ref).toBe('demo')
})

// Requirement: 001-79
it.for([
  { transcriptCharLimit: undefined, length: 2000 },
  { transcriptCharLimit: 1, length: 200 },
  { transcriptCharLimit: 1e9, length: 12_000 },
  { transcriptCharLimit: Number.NaN, length: 2000 },
])(
  'of a transcript $length characters are shown for $transcriptCharLimit',
  async ({ transcriptCharLimit, length }, t) => {
    const { options } = newStore(t)
    const session = await createSession({ ...options, id: 'demo' })
    await say(session, ...Array.from({ length: 40 }, () => 'x'.repeat(500)))
    const { summaryUuid } = await session.compact({ summary: 'Long.' })
    await session.close()
    const id = `demo:${summaryUuid}`
    const { transcript } = await expandSummary(id, { ...options, transcriptCharLimit })
    expect(transcript?.excerpt).toHaveLength(length)
    const bare = await expandSummary(id, { ...options, includeTranscript: false })
    expect(bare.transcript).toBeNull()
  },
)

// Requirement: 001-79
it('an id that is missing or unknown is an error', async (t) => {
  const { options } = newStore(t)
  await expect(expandSummary('unknown', options)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(expandSummary(' ', options)).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(expandSummary(undefined as never, options)).rejects.toThrow(TypeError)
})

// Requirement: 001-46
it('a compaction reports its boundary, its summary and the epoch', async (t) => {
  const { options } = newStore(t)
  const session = await createSession({ ...options, id: 'demo' })
  await say(session, 'one')
  expect(await session.compact({ summary: 'One.' })).toEqual({
    boundaryUuid: expect.any(String),
    summaryUuid: expect.any(String),
    contextEpoch: 1,
    tokensBefore: expect.any(Number),
  })
  await session.close()
})
