// Compaction as a harness uses it: when it is due, while the session continues, in races, and
// what is left in the log.

import { appendFileSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fieldsOf } from '../../../lib/chain/index.js'
import {
  planCompaction,
  type Summarizer,
  type SummaryFailure,
} from '../../../lib/compaction/index.js'
import { append_transcript, resumeSession, verifyLog } from '../../../lib/free-functions.js'
import {
  type CompactionOutcome,
  createCompactor,
  createStoredCompactor,
  type PreCompactionContext,
  type Session,
  type TurnContext,
} from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { eventsIn } from '../../cli/stored.js'
import { line } from '../../helpers/lines.js'
import { type Context, newSession, seen, talk } from '../talking.js'

const good: Summarizer = async ({ messages }) => ({
  text: `## State\n${messages.length} messages`,
  model: 'tiny',
})

/** A summarizer that waits until the test resolves it. */
function thinking() {
  let answer = () => {}
  let tellAsked = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const asked = new Promise<void>((resolve) => {
    tellAsked = resolve
  })
  const summarizer: Summarizer = async (request) => {
    tellAsked()
    await answered
    return good(request)
  }
  return { summarizer, asked, answer }
}

const failing: Summarizer = async () => {
  throw new Error('down')
}

const lastBoundary = (session: Session) =>
  [...readLogSync(session.path)]
    .flatMap((entry) =>
      entry.kind === 'event' && entry.event.type === 'compaction_boundary' ? entry.event : [],
    )
    .at(-1)!

// Requirements: 002-13, 002-31
test('nothing happens until the context is full', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 40)
  const compactor = createCompactor(session, { maxTokens: 200_000, summarizers: [good] })
  const size = session.size
  const calm = await compactor.beforeModelCall({ tokens: 169_999 })
  expect(calm.compaction).toBeUndefined()
  expect(calm.usage).toMatchObject({ tokens: 169_999, limit: 170_000, due: undefined })
  expect(session.size).toBe(size)
  const full = await compactor.beforeModelCall({ tokens: 170_000 })
  expect(full.compaction).toMatchObject({ strategy: 'primary', trigger: 'auto', needsRetry: false })
  expect(full.usage.due).toBeUndefined()
  expect(seen(session)).toEqual(['S', 'm35', 'm36', 'm37', 'm38', 'm39', 'm40'])
})

// Requirements: 001-38, 001-44, 001-46, 002-28, T16
test('without a window it is never due, and compacts when it is asked to', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 40)
  for (const options of [undefined, {}, { maxTokens: undefined }, { maxTokens: 0 }]) {
    const compactor = createCompactor(session, options)
    expect(compactor.usage()).toMatchObject({ maxTokens: 0, limit: Number.POSITIVE_INFINITY })
    const { compaction } = await compactor.beforeModelCall({ tokens: 10_000_000 })
    expect(compaction).toBeUndefined()
  }
  expect(await createCompactor(session).compact()).toMatchObject({ strategy: 'emergency' })
})

test('in a small window half of it is reserved for the reply', async (t) => {
  const { session } = await newSession(t)
  const limitOf = (maxTokens: number, reserveTokens?: number) =>
    createCompactor(session, { maxTokens, reserveTokens }).usage().limit
  expect([8000, 32_000, 60_000, 200_000].map((window) => limitOf(window))).toEqual([
    4000, 16_000, 30_000, 170_000,
  ])
  expect(limitOf(8000, 2000)).toBe(6000)
})

test('a compaction is a summary and a boundary in one write, with its counts', async (t) => {
  const { session } = await newSession(t, { continuity: false })
  await talk(session, 1, 40)
  const compactor = createCompactor(session, { summarizers: [good] })
  for (const round of [1, 2]) {
    const before = readFileSync(session.path)
    const outcome = await compactor.compact({ tokens: 5000, instructions: 'Keep the numbers.' })
    expect(outcome).toMatchObject({ contextEpoch: round, tokensBefore: 5000, strategy: 'primary' })
    const added = readFileSync(session.path)
      .subarray(before.length)
      .toString()
      .trimEnd()
      .split('\n')
    const [summary, boundary, ...more] = added.map((it) => JSON.parse(it))
    expect(more).toEqual([])
    expect(summary).toMatchObject({
      type: 'summary',
      uuid: outcome.summaryUuid,
      payload: { model: 'tiny', tokens: expect.any(Number) },
    })
    expect(boundary).toMatchObject({
      type: 'compaction_boundary',
      uuid: outcome.boundaryUuid,
      payload: {
        trigger: 'manual',
        strategy: 'primary',
        epoch: round,
        tokens_before: 5000,
        tokens_after: outcome.tokensAfter,
        messages_summarized: outcome.messagesSummarized,
        keep_percent: 10,
        needs_summary_retry: false,
        custom_instructions: 'Keep the numbers.',
        headUuid: round === 1 ? 'm35' : 'm41',
        coveredFromUuid: expect.any(String),
        coveredToUuid: round === 1 ? 'm34' : 'm40',
      },
    })
    // Data that the text holds too is not written twice.
    expect(summary.payload.structured).toBeUndefined()
    await talk(session, 41, 46)
  }
  expect((await verifyLog(session.path)).findings).toEqual([])
})

// Requirement: 002-02
test('the summary comes before the kept messages, and aims at 2,000 tokens', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const wanted: number[] = []
  const summarizer: Summarizer = async (request) => {
    wanted.push(request.maxTokens)
    expect(request.instructions).toContain('1400 words')
    return good(request)
  }
  await createCompactor(session, { summarizers: [summarizer] }).compact()
  expect(wanted).toEqual([2000])
  expect(seen(session)).toEqual(['S', 'm15', 'm16', 'm17', 'm18', 'm19', 'm20'])
})

// Requirement: 001-40
test('covered messages can be listed and read later, by agent and session', async (t) => {
  const { session, root } = await newSession(t, { agent: 'reviewer' })
  await talk(session, 1, 20)
  await createCompactor(session, { summarizers: [good] }).compact()
  const boundary = lastBoundary(session)
  const { coveredFromUuid, coveredToUuid, headUuid } = boundary.payload as Record<string, string>
  await session.release()
  const again = await resumeSession({ root, agent: 'reviewer', id: 's', mode: 'append' })
  t.onTestFinished(() => again.session!.release())
  expect(again.transcriptPath).toContain('/agents/reviewer/')
  const then = again
    .session!.projectionAt(headUuid!)
    .entries.flatMap((entry) => (entry.kind === 'event' ? entry.event.uuid : []))
  expect([coveredFromUuid, coveredToUuid]).toEqual(['m1', 'm14'])
  expect(then.slice(then.indexOf('m1'), then.indexOf('m14') + 1)).toHaveLength(14)
})

// Requirement: T58
test('messages appended while the summarizer runs are kept, and no lock blocks them', async (t) => {
  for (const options of [{}, { upTo: 'm20' }, { from: 'm5' }]) {
    const { session, root } = await newSession(t)
    await talk(session, 1, 20)
    const { summarizer, asked, answer } = thinking()
    const compacted = createCompactor(session, { summarizers: [summarizer] }).compact(options)
    await asked
    await talk(session, 21, 22)
    answer()
    await compacted
    expect(seen(session).slice(-2)).toEqual(['m21', 'm22'])
    expect(seen(session)).toContain('S')
    const live = seen(session)
    await session.release()
    const { messages } = await resumeSession({ root, mode: 'inspect' })
    expect(messages.map(({ type, uuid }) => (type === 'summary' ? 'S' : uuid))).toEqual(live)
  }
})

// Requirement: T58
test.for([
  [
    'another compaction',
    (session: Session) => session.compact({ summary: 'mine', keepFrom: 'm19' }),
  ],
  ['a rewind into what goes', (session: Session) => session.rewind({ to: 'm5' })],
  ['a rewind into what stays', (session: Session) => session.rewind({ to: 'm18' })],
] as const)('%s meanwhile is noticed, and nothing is written over it', async ([, act], t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const { summarizer, asked, answer } = thinking()
  const compacted = createCompactor(session, { summarizers: [summarizer] }).compact()
  await asked
  await act(session)
  const size = session.size
  answer()
  await expect(compacted).rejects.toMatchObject({ code: 'ERR_COMPACTION_RACE' })
  expect(session.size).toBe(size)
})

test('a rewind of messages appended meanwhile is not a race', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const { summarizer, asked, answer } = thinking()
  const compacted = createCompactor(session, { summarizers: [summarizer] }).compact()
  await asked
  await talk(session, 21, 22)
  await session.rewind({ to: 'm20' })
  answer()
  await compacted
  expect(seen(session)).toEqual(['S', 'm15', 'm16', 'm17', 'm18', 'm19', 'm20'])
})

// Requirement: T58
test('a boundary that another process wrote without the lock is detected', async (t) => {
  const { session } = await newSession(t, { useKernelLock: false })
  await talk(session, 1, 20)
  const { summarizer, asked, answer } = thinking()
  const compacted = createCompactor(session, { summarizers: [summarizer] }).compact()
  await asked
  const rival = { headUuid: 'm20', anchorUuid: 'X', tailUuid: 'm20', summary_event_uuid: 'X' }
  const fields = {
    trigger: 'manual',
    strategy: 'external',
    epoch: 1,
    offsets: {},
    tokens_before: 0,
  }
  appendFileSync(
    session.path,
    Buffer.concat([
      line('summary', { uuid: 'X', prev_uuid: 'm20', payload: { text: 'theirs' } }),
      line('compaction_boundary', { uuid: 'Y', prev_uuid: 'X', payload: { ...rival, ...fields } }),
    ]),
  )
  answer()
  await expect(compacted).rejects.toMatchObject({ code: 'ERR_COMPACTION_RACE' })
  expect(seen(session)).toEqual(['S', 'm20'])
})

test('one compaction at a time for each handle, and the next one after it', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const { summarizer, asked, answer } = thinking()
  const compacted = createCompactor(session, { summarizers: [summarizer] }).compact()
  await asked
  const other = createCompactor(session, { summarizers: [good], maxMessages: 1 })
  await expect(other.compact()).rejects.toMatchObject({ code: 'ERR_COMPACTION_BUSY' })
  await expect(other.beforeModelCall()).rejects.toMatchObject({ code: 'ERR_COMPACTION_BUSY' })
  answer()
  await compacted
  await talk(session, 21, 30)
  await other.compact()
})

test('an aborted compaction writes nothing, and the next one can run', async (t) => {
  const { session } = await newSession(t, { continuity: false })
  await talk(session, 1, 20)
  const { summarizer, asked } = thinking()
  const controller = new AbortController()
  const compactor = createCompactor(session, { summarizers: [summarizer, good] })
  const size = session.size
  const compacted = compactor.compact({ signal: controller.signal })
  await asked
  controller.abort(new Error('escape'))
  await expect(compacted).rejects.toThrow('escape')
  expect(session.size).toBe(size)
  await createCompactor(session, { summarizers: [good] }).compact()
})

test('compactIfNeeded returns undefined if nothing can be covered', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 1)
  const compactor = createCompactor(session, { maxTokens: 100, summarizers: [good] })
  expect(await compactor.compactIfNeeded({ tokens: 1e6 })).toBeUndefined()
  await expect(compactor.compact()).rejects.toMatchObject({ code: 'ERR_NOTHING_TO_COMPACT' })
})

// Requirement: T19
test('usage from before a compaction does not trigger another one, also after a resume', async (t) => {
  const { session, root } = await newSession(t)
  await talk(session, 1, 40)
  const usage = { input_tokens: 180_000, output_tokens: 100 }
  await session.append({ type: 'assistant', payload: { content: 'a lot', usage } })
  const options = { maxTokens: 200_000, summarizers: [good] }
  const first = await createCompactor(session, options).beforeModelCall()
  expect(first.compaction?.tokensBefore).toBe(180_100)
  for (let round = 0; round < 3; round++) {
    const again = await createCompactor(session, options).beforeModelCall()
    expect(again).toMatchObject({ compaction: undefined, usage: { source: 'estimate' } })
  }
  await session.release()
  for (const mode of ['append', 'new'] as const) {
    const { session: next } = await resumeSession({ root, id: 's', mode })
    const { compaction } = await createCompactor(next!, options).beforeModelCall()
    expect(compaction).toBeUndefined()
    await next!.release()
  }
})

// Requirements: 001-36, 002-03
test('the checkpoint is stored before the summarizer runs, and its failure does not stop the compaction', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const order: string[] = []
  const contexts: PreCompactionContext[] = []
  const failures: SummaryFailure[] = []
  const compactor = createCompactor(session, {
    summarizers: [
      async (request) => {
        order.push('summarizer')
        return good(request)
      },
    ],
    writePreCompaction: async (context) => {
      order.push('rescue')
      contexts.push(context)
      expect(session.projection.contextEpoch).toBe(contexts.length - 1)
      if (contexts.length === 2) throw new Error('no disk')
    },
    onFailure: (failure) => failures.push(failure),
  })
  const { boundaryUuid } = await compactor.compact({ tokens: 900 })
  await talk(session, 21, 40)
  const second = await compactor.compact({ trigger: 'overflow' })
  expect(order).toEqual(['rescue', 'summarizer', 'rescue', 'summarizer'])
  expect(contexts).toMatchObject([
    { sessionId: 's', transcriptPath: session.path, lastUuid: 'm20', cycle: null, tokens: 900 },
    { lastUuid: 'm40', cycle: boundaryUuid, trigger: 'overflow' },
  ])
  expect(second.failures).toMatchObject([{ step: 'pre_compaction', error: { message: 'no disk' } }])
  expect(failures).toEqual(second.failures)
})

// Requirement: 002-16
test('findCheckpoints gets session and cycle, and a checkpoint can be the summary', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 40)
  const asked: unknown[] = []
  const compactor = createCompactor(session, {
    summarizers: [failing],
    findCheckpoints: async (...question) => {
      asked.push(question)
      const structured = { summary: 'by a checkpoint', tokensAtCheckpoint: 1e6 }
      return [{ id: 'k', digest: '', last_uuid: session.tip, structured }]
    },
  })
  const first = await compactor.compact()
  expect(first).toMatchObject({ strategy: 'checkpoint', needsRetry: false })
  expect(lastBoundary(session).payload).toMatchObject({ checkpoint_id: 'k' })
  await talk(session, 41, 60)
  await compactor.compact()
  expect(asked).toEqual([
    ['s', null],
    ['s', first.boundaryUuid],
  ])
})

// Requirements: 002-31, 002-32
test('checkCheckpoint is called after every reply and every compaction', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 40)
  const looked: TurnContext[] = []
  const failures: SummaryFailure[] = []
  const never = new Promise<void>(() => {})
  const compactor = createCompactor(session, {
    maxTokens: 200_000,
    summarizers: [good],
    checkCheckpoint: (context) => {
      looked.push(context)
      if (looked.length === 1) return never
      throw new Error('not today')
    },
    onFailure: (failure) => failures.push(failure),
  })
  // It is not awaited: it never ends.
  expect(compactor.afterModelCall({ tokens: 50_000 })).toMatchObject({ tokens: 50_000 })
  await compactor.beforeModelCall({ tokens: 180_000 })
  expect(looked).toMatchObject([
    { sessionId: 's', tokens: 50_000, maxTokens: 200_000, cycle: null, lastUuid: 'm40' },
    { cycle: session.projection.lastBoundary!.uuid },
  ])
  await new Promise(setImmediate)
  expect(failures).toMatchObject([{ step: 'checkpoint_check' }])
})

// Requirement: 001-29
test('onCompacted is called after every compaction', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const reported: CompactionOutcome[] = []
  const compactor = createCompactor(session, {
    summarizers: [good],
    onCompacted: (outcome) => reported.push(outcome),
  })
  const outcome = await compactor.compact()
  expect(reported).toEqual([outcome])
  expect(outcome.contextEpoch).toBe(session.projection.contextEpoch)
})

test('a plan writes nothing and calls no summarizer', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 20)
  const size = session.size
  const { covered, kept } = createCompactor(session, { summarizers: [failing] }).plan({
    upTo: 'm6',
  })
  expect([covered.length, kept.length, session.size - size]).toEqual([6, 14, 0])
})

// Requirement: T58
test('a stored session is locked only while the result is written', async (t) => {
  const { session, root } = await newSession(t)
  await talk(session, 1, 20)
  await session.release()
  const { summarizer, asked, answer } = thinking()
  const compactor = createStoredCompactor({ root, id: 's' }, { summarizers: [summarizer] })
  const compacted = compactor.compact()
  await asked
  const event = { type: 'user', uuid: 'late', payload: { content: 'meanwhile' } }
  await append_transcript({ session_id: 's', event }, { root })
  answer()
  const { boundaryUuid } = await compacted
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid).slice(1)).toEqual([
    'm15',
    'm16',
    'm17',
    'm18',
    'm19',
    'm20',
    'late',
  ])
  expect(lastBoundary(session).uuid).toBe(boundaryUuid)
  expect((await verifyLog(session.path)).findings).toEqual([])
})

test('structured data of the summarizer is stored, unless it is not JSON', async (t: Context) => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  for (const [structured, stored] of [
    [{ topics: ['x'] }, { topics: ['x'] }],
    [circular, undefined],
  ]) {
    const { session } = await newSession(t)
    await talk(session, 1, 20)
    const summarizer: Summarizer = async () => ({ text: 'x', structured, model: 5 as never })
    const { summaryUuid } = await createCompactor(session, { summarizers: [summarizer] }).compact()
    const events = [...readLogSync(session.path)]
    const summary = events.find((it) => it.kind === 'event' && it.event.uuid === summaryUuid)
    expect(summary).toMatchObject({ event: { payload: { text: 'x' } } })
    const { payload } = (summary as { event: { payload: Record<string, unknown> } }).event
    expect(payload['structured']).toEqual(stored)
    expect((await verifyLog(session.path)).findings).toEqual([])
  }
})

// Requirements: 000-07, T43
test('a checkpoint is stored before the summarizer is called', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 40)
  let known: readonly string[] = []
  const watching: Summarizer = async () => {
    known = session.checkpoints().map(({ trigger }) => trigger)
    return { text: 'All of it.' }
  }
  await createCompactor(session, { summarizers: [watching] }).compact()
  expect(known).toEqual(['pre_compaction'])
})

test('an explicit checkpoint is the summary when every summarizer fails', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 40)
  const { id } = await session.checkpoint({ digest: 'The parser is half done.' })
  const outcome = await createCompactor(session, {}).compact()
  expect(outcome).toMatchObject({ strategy: 'checkpoint' })
  expect(session.checkpoints().map((it) => it.id)).toContain(id)
  const [summary] = session.messages().messages
  expect(summary!.payload).toMatchObject({ text: expect.stringContaining('half done') })
})

test('a compaction with a summary of the caller records how many tokens there were', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 8, 400)
  const { usage } = planCompaction(session.projection)
  const estimated = await session.compact({ summary: 'short', keepFrom: 'm8' })
  expect(estimated.tokensBefore).toBe(usage.tokens)
  expect(usage.tokens).toBeGreaterThan(500)
  const counted = { input_tokens: 12_000, output_tokens: 34 }
  await session.append({ type: 'user', payload: { content: 'more' } })
  await session.append({ type: 'assistant', payload: { content: 'yes', usage: counted } })
  const second = await session.compact({ summary: 'shorter' })
  expect(second.tokensBefore).toBe(12_034)
  await session.append({ type: 'user', payload: { content: 'still' } })
  await session.compact({ summary: 'shortest', tokensBefore: 7 })
  const recorded = eventsIn(session.path).filter(({ type }) => type === 'compaction_boundary')
  expect(recorded.map(({ payload }) => fieldsOf(payload)['tokens_before'])).toEqual([
    usage.tokens,
    12_034,
    7,
  ])
})
