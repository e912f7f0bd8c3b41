// Summaries that could not be had are made up for later, in lines of their own; one that always
// fails does not delay the others.

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  Breaker,
  policySettings,
  type Summarizer,
  type SummaryFailure,
} from '../../../lib/compaction/index.js'
import { environmentFrom } from '../../../lib/environment/index.js'
import { resumeSession, verifyLog } from '../../../lib/free-functions.js'
import { createCompactor, createStoredCompactor, type Session } from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { SummaryRetries } from '../../../lib/session/compaction/retry-summaries.js'
import { openTarget } from '../../../lib/session/compaction/target.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { newSession, talk } from '../talking.js'

const down: Summarizer = async () => {
  throw new Error('down')
}

const good: Summarizer = async ({ messages, previousSummary }) => ({
  text: `${messages[0]!.uuid} to ${messages.at(-1)!.uuid}${previousSummary ? ', and before' : ''}`,
  model: 'tiny',
})

const eventsOf = (session: Session, type: string) =>
  [...readLogSync(session.path)].flatMap((entry) =>
    entry.kind === 'event' && entry.event.type === type ? entry.event : [],
  )

const summaryText = (session: Session) => {
  const [first] = session.messages().messages
  return (first!.payload as { text: string }).text
}

async function emergency(session: Session, options: object = {}) {
  return createCompactor(session, { summarizers: [down] }).compact(options)
}

// Requirements: 002-19, 002-25, T57
test('a stub is replaced by a revision in a line of its own; the boundary is not changed', async (t) => {
  const { session, root } = await newSession(t)
  await talk(session, 1, 50)
  const outcome = await emergency(session)
  expect(outcome).toMatchObject({ strategy: 'emergency', needsRetry: true, messagesSummarized: 40 })
  expect(session.messages().messages).toHaveLength(11)
  expect(summaryText(session)).toContain('No summary could be made of 40 earlier messages')
  await talk(session, 51, 52)

  const before = readFileSync(session.path)
  const report = await createCompactor(session, { summarizers: [down, good] }).retrySummaries()
  const { boundaryUuid, summaryUuid } = outcome
  expect(report).toEqual({
    revised: [{ boundaryUuid, summaryUuid }],
    failed: [],
  })
  expect(readFileSync(session.path).subarray(0, before.length)).toEqual(before)
  expect(eventsOf(session, 'summary_revision')).toMatchObject([
    {
      prev_uuid: null,
      payload: {
        summary_event_uuid: summaryUuid,
        boundary_uuid: boundaryUuid,
        text: 'm1 to m40',
        model: 'tiny',
        attempt: 1,
        final: true,
      },
    },
  ])
  expect(summaryText(session)).toBe('m1 to m40')
  expect((await verifyLog(session.path)).findings).toEqual([])
  await session.release()
  const resumed = await resumeSession({ root, id: 's', mode: 'inspect' })
  expect(resumed.messages[0]!.payload).toMatchObject({ text: 'm1 to m40' })
})

// Requirement: 002-23
test('only boundaries that need a retry are summarized again, each once', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  const compactor = createCompactor(session, { summarizers: [good] })
  await compactor.compact()
  expect(await compactor.retrySummaries()).toEqual({ revised: [], failed: [] })
  await talk(session, 51, 80)
  await emergency(session)
  expect((await compactor.retrySummaries()).revised).toHaveLength(1)
  expect((await compactor.retrySummaries()).revised).toHaveLength(0)
  expect(
    (await createCompactor(session, { summarizers: [good] }).retrySummaries()).revised,
  ).toEqual([])
})

// Requirement: 002-26
test('retries first what the model sees, then the oldest; all are read from the log', async (t) => {
  const { session } = await newSession(t)
  const wanted: string[] = []
  for (let round = 0; round < 3; round++) {
    await talk(session, round * 50 + 1, round * 50 + 50)
    wanted.push((await emergency(session)).boundaryUuid)
  }
  const [first, second, third] = wanted
  const { revised } = await createCompactor(session, { summarizers: [good] }).retrySummaries()
  expect(revised.map(({ boundaryUuid }) => boundaryUuid)).toEqual([third, first, second])
  const texts = eventsOf(session, 'summary_revision').map(
    ({ payload }) => (payload as { text: string }).text,
  )
  expect(texts).toEqual(['m89 to m136, and before', 'm1 to m40', 'm41 to m88, and before'])
})

test('a kept prefix is not summarized again', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session, { from: 'm11' })
  await talk(session, 51, 52)
  await createCompactor(session, { summarizers: [good] }).retrySummaries()
  expect(eventsOf(session, 'summary_revision')).toMatchObject([{ payload: { text: 'm11 to m50' } }])
})

test('a retry uses the custom instructions of the summary', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session, { instructions: 'Keep the numbers.' })
  const wishes: string[] = []
  const listening: Summarizer = async (request) => {
    wishes.push(request.instructions)
    return good(request)
  }
  await createCompactor(session, { summarizers: [listening] }).retrySummaries()
  expect(wishes).toEqual([expect.stringContaining('Besides: Keep the numbers.')])
})

test('a summary that always fails does not delay the others', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  const bad = await emergency(session)
  await talk(session, 51, 100)
  const other = await emergency(session)
  const picky: Summarizer = async (request) => {
    if (request.messages[0]!.uuid === 'm1') throw new Error('too long ago')
    return good(request)
  }
  const failures: SummaryFailure[] = []
  const compactor = createCompactor(session, {
    summarizers: [picky],
    onFailure: (failure) => failures.push(failure),
  })
  const { revised, failed } = await compactor.retrySummaries()
  expect(revised).toMatchObject([{ boundaryUuid: other.boundaryUuid }])
  expect(failed).toMatchObject([
    { boundaryUuid: bad.boundaryUuid, failures: [{ step: 'primary' }] },
  ])
  expect(failures).toEqual(failed[0]!.failures)
})

test('each has its own backoff: twice as long every time, up to an hour', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  let now = 0
  let asked = 0
  const settings = policySettings({ failureThreshold: 0 })
  const retries = new SummaryRetries(openTarget(session), {
    env: environmentFrom({ now: () => now }),
    settings,
    breaker: new Breaker(settings, () => now),
    summarizers: [
      async () => {
        asked++
        throw new Error('down')
      },
    ],
    instructionsFor: () => '',
    onFailure: () => {},
  })
  const gaps: number[] = []
  let last = 0
  for (; gaps.length < 9; now += 10_000) {
    const before = asked
    await retries.run()
    if (asked === before) continue
    gaps.push((now - last) / 1000)
    last = now
  }
  expect(gaps).toEqual([0, 60, 120, 240, 480, 960, 1920, 3600, 3600])
})

// Requirement: 002-24
test('the loop runs immediately and again, until a summary succeeds', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  let asked = 0
  const third: Summarizer = async (request) => {
    if (++asked < 3) throw new Error('down')
    return good(request)
  }
  const revised = new Promise<void>((resolve) => {
    session.onAppend(({ type }) => {
      if (type === 'summary_revision') resolve()
    })
  })
  const loop = createCompactor(session, {
    summarizers: [third],
    retryIntervalSeconds: 0.001,
    failureThreshold: 0,
  }).startRetryLoop()
  await revised
  await loop.stop()
  expect(asked).toBe(3)
  expect(eventsOf(session, 'summary_revision')).toMatchObject([{ payload: { attempt: 3 } }])
})

// Requirement: 002-24
test('an interval of 0 disables the loop', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  const compactor = createCompactor(session, { summarizers: [good], retryIntervalSeconds: 0 })
  await compactor.startRetryLoop().stop()
  await new Promise(setImmediate)
  expect(eventsOf(session, 'summary_revision')).toEqual([])
})

test('stop() resolves when the loop has stopped, and aborts its signal', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  let signal: AbortSignal | undefined
  const never: Summarizer = (request) => {
    signal = request.signal
    return new Promise(() => {})
  }
  const failures: SummaryFailure[] = []
  const loop = createCompactor(session, {
    summarizers: [never],
    onFailure: (failure) => failures.push(failure),
  }).startRetryLoop()
  await loop.stop()
  expect(signal?.aborted).toBe(true)
  expect(failures).toEqual([])
})

test('a loop ends with its session', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  let asked = 0
  let tellAsked = () => {}
  const closing: Summarizer = async (request) => {
    asked++
    await session.close()
    tellAsked()
    return good(request)
  }
  const done = new Promise<void>((resolve) => {
    tellAsked = resolve
  })
  const failures: SummaryFailure[] = []
  const loop = createCompactor(session, {
    summarizers: [closing],
    retryIntervalSeconds: 0.001,
    onFailure: (failure) => failures.push(failure),
  }).startRetryLoop()
  await done
  await loop.stop()
  expect([asked, failures.length]).toEqual([1, 0])
})

test('a loop does not keep its process alive', async (t) => {
  const child = fileURLToPath(new URL('../children/retry-forever.mjs', import.meta.url))
  const root = temporaryFolder(t)
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [child, root], { timeout: 30_000 })
  expect(stdout).toBe('emergency')
})

test('the stub is final if all covered messages are damaged', async (t) => {
  const { session, root } = await newSession(t)
  await talk(session, 1, 10)
  const { summaryUuid } = await emergency(session, { upTo: 'm2' })
  await session.release()
  const text = readFileSync(session.path, 'utf8')
  const lines = text
    .split('\n')
    .map((it) => (/"uuid":"m[12]"/.test(it) ? it.replace('x', 'y') : it))
  writeFileSync(session.path, lines.join('\n'))
  let asked = 0
  const counting: Summarizer = async () => {
    asked++
    return { text: 'never' }
  }
  const compactor = createStoredCompactor({ root, id: 's' }, { summarizers: [counting] })
  expect((await compactor.retrySummaries()).revised).toHaveLength(1)
  expect(asked).toBe(0)
  expect(eventsOf(session, 'summary_revision')).toMatchObject([
    { payload: { summary_event_uuid: summaryUuid, text: expect.stringContaining('No summary') } },
  ])
})

test('a revision for a session that another process holds is spooled', async (t) => {
  const { session, root } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  const compactor = createStoredCompactor({ root, id: 's' }, { summarizers: [good] })
  expect((await compactor.retrySummaries()).revised).toHaveLength(1)
  expect(summaryText(session)).toContain('No summary')
  await talk(session, 51, 51)
  expect(summaryText(session)).toBe('m1 to m40')
})

test('ignores an invalid boundary', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 50)
  await emergency(session)
  await session.append({ type: 'summary', uuid: 'X', payload: { text: 'x' } })
  const { payload } = eventsOf(session, 'compaction_boundary')[0]!
  const names = {
    headUuid: 'gone',
    coveredToUuid: 'gone',
    summary_event_uuid: 'X',
    anchorUuid: 'X',
  }
  await session.append({
    type: 'compaction_boundary',
    payload: { ...(payload as object), ...names } as never,
  })
  const { revised, failed } = await createCompactor(session, {
    summarizers: [good],
  }).retrySummaries()
  expect([revised.length, failed.length]).toEqual([1, 0])
})
