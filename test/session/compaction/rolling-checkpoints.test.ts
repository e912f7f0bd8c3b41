// Rolling checkpoints by the summarizers of a compactor: when the context fills, beside the
// conversation, and of use to the next compaction.

import { expect, test } from 'vitest'
import type { Summarizer } from '../../../lib/compaction/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { recoverOnce } from '../../../lib/free-functions.js'
import { createCompactor, type Session } from '../../../lib/session/index.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { newSession, talk } from '../talking.js'

const FULL = { maxTokens: 100_000 }

const reported: Summarizer = async ({ messages, signal }) => {
  signal.throwIfAborted()
  return {
    text: `## State\n${messages.length} messages so far\n\n## Decisions\n- keep the lock\n\n## Next steps\n- merge`,
    model: 'tiny',
  }
}

const rolled = (session: Session) =>
  session.checkpoints().filter(({ structured }) => structured !== undefined)

/** The next prompt after the context is known to be half full makes a checkpoint due. */
async function fill(session: Session, compactor: ReturnType<typeof createCompactor>) {
  await talk(session, 1, 8)
  compactor.afterModelCall({ tokens: 50_000 })
  await talk(session, 9, 9)
}

// Requirements: 002-05, 002-07
test('at half of the context the same summarizer makes a checkpoint, as data', async (t) => {
  const { session } = await newSession(t)
  await fill(session, createCompactor(session, { ...FULL, summarizers: [reported] }))
  await expect.poll(() => rolled(session).length).toBe(1)
  expect(rolled(session)[0]).toMatchObject({
    trigger: 'periodic',
    cause: 'token_50',
    last_uuid: 'm9',
    structured: {
      summary: '9 messages so far',
      keyDecisions: ['keep the lock'],
      nextSteps: ['merge'],
      tokensAtCheckpoint: 50_000,
      model: 'tiny',
    },
  })
})

// Requirement: 002-07
test('what a summarizer returns as data is stored, before what its text reads', async (t) => {
  const { session } = await newSession(t)
  const structured = { summary: 'As data', topics: ['locks', 7, ' '], openQuestions: ['why?'] }
  const given: Summarizer = async () => ({ text: 'Just a text', structured, model: 'tiny' })
  await fill(session, createCompactor(session, { ...FULL, summarizers: [given] }))
  await expect.poll(() => rolled(session).length).toBe(1)
  const { structured: stored, digest } = rolled(session)[0]!
  expect(stored).toEqual({
    summary: 'As data',
    topics: ['locks'],
    keyDecisions: [],
    openQuestions: ['why?'],
    tokensAtCheckpoint: 50_000,
    model: 'tiny',
  })
  expect(digest).toBe('As data\n\nTopics: locks\n\nOpen questions:\n- why?')
})

// Requirement: 002-12
test('such a checkpoint can be the summary of a compaction and is recovered', async (t) => {
  const { session, root } = await newSession(t)
  const asked: unknown[] = []
  const counted: Summarizer = (request) => {
    asked.push(request)
    return reported(request)
  }
  const compactor = createCompactor(session, { ...FULL, summarizers: [counted], keepPercent: 10 })
  await fill(session, compactor)
  await expect.poll(() => rolled(session).length).toBe(1)
  expect(recoverOnce('next', { root, previousSessionKey: session.id })?.text).toContain(
    'keep the lock',
  )
  await talk(session, 10, 12)
  expect(await compactor.compact({ tokens: 60_000 })).toMatchObject({ strategy: 'checkpoint' })
  expect(asked).toHaveLength(1)
})

// Requirement: 002-10
test('a prompt does not wait for the summarizer, and one runs at a time', async (t) => {
  const { session } = await newSession(t)
  let running = 0
  let most = 0
  let answer = () => {}
  const slow: Summarizer = async (request) => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    running--
    return reported(request)
  }
  const compactor = createCompactor(session, { ...FULL, summarizers: [slow] })
  await fill(session, compactor)
  compactor.afterModelCall({ tokens: 80_000 })
  await talk(session, 10, 40)
  expect(running).toBe(1)
  answer()
  await expect.poll(() => rolled(session).length).toBe(1)
  expect(most).toBe(1)
})

// Requirement: 002-18
test('a failing summarizer is reported, and the conversation continues', async (t) => {
  const reported: Diagnostic[] = []
  const { session } = await newSession(t, { onDiagnostic: (found) => reported.push(found) })
  const down: Summarizer = async () => {
    throw new Error('down')
  }
  await fill(session, createCompactor(session, { ...FULL, summarizers: [down, down] }))
  await expect.poll(() => reported.map(({ code }) => code)).toContain('rolling_checkpoint_failed')
  await talk(session, 10, 11)
  expect(rolled(session)).toEqual([])
})

// Requirement: 002-06
test('rollingCheckpoints: false uses the summarizers for compaction only', async (t) => {
  const { session } = await newSession(t)
  const options = { ...FULL, summarizers: [reported], rollingCheckpoints: false }
  await fill(session, createCompactor(session, options))
  await session.close()
  expect(session.checkpoints().length).toBeGreaterThan(0)
  expect(rolled(session)).toEqual([])
})

test('0.1.0 recovers such a checkpoint with its next steps, and has no findings', async (t) => {
  const { session, root } = await newSession(t)
  await fill(session, createCompactor(session, { ...FULL, summarizers: [reported] }))
  await expect.poll(() => rolled(session).length).toBe(1)
  await session.release()
  const old = await release010.recover({ root, previousSessionKey: session.id })
  expect(old).toMatchObject({ text: expect.stringContaining('Next steps:\n- merge') })
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
})
