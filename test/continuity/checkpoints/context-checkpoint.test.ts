import { expect, test } from 'vitest'
import {
  type ContextCheckpointOptions,
  checkpointSession,
  contextCheckpoint,
  isCheckpointed,
  type Memory,
} from '../../../lib/continuity/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { payloadSchemas } from '../../../lib/format/schemas.js'
import { append_transcript } from '../../../lib/free-functions.js'

import { type ContextOptions, listCheckpoints, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const PROJECT = '/work/app'

function store(
  root: string,
  options: Partial<ContextCheckpointOptions> = {},
  more: ContextOptions = {},
) {
  return contextCheckpoint(openContext({ root, ...more }), {
    sessionKey: 's1',
    project: PROJECT,
    sessionSummary: 'The parser is done.',
    ...options,
  })
}

function storedIn(root: string) {
  return listCheckpoints(openContext({ root }), { project: PROJECT }).checkpoints.map(
    ({ checkpoint }) => checkpoint,
  )
}

// Requirement: 004-26
test('a checkpoint returns at most five messages of the host, redacted', async (t) => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const pendingMessages = () => [`the token is ${secret}`, '2', '3', '4', '5', '6']
  const result = await store(temporaryFolder(t), { pendingMessages })
  expect(result.pendingMessages).toEqual(['the token is [REDACTED]', '2', '3', '4', '5'])
})

// Requirements: 004-27, 004-28, 004-29
test('a final checkpoint is one line with summary, memories and run id', async (t) => {
  const root = temporaryFolder(t)
  const memory: Memory = {
    content: 'Tabs, never spaces',
    memoryType: 'constraint',
    importance: 5,
    confidence: 4,
    entities: ['editor'],
  }
  const result = await store(root, { memories: [memory], agentRunId: 'run-1', harness: 'demo' })
  const [checkpoint, ...others] = storedIn(root)
  expect(result).toEqual({ id: checkpoint!.id, stored: 1, skipped: 0 })
  expect(others).toEqual([])
  expect(checkpoint).toMatchObject({
    session_key: 's1',
    trigger: 'agent',
    harness: 'demo',
    digest: 'The parser is done.',
    session_summary: 'The parser is done.',
    memories: [memory],
    agent_run_id: 'run-1',
    idempotency_keys: [{ key: 'checkpoint:run-1:0' }, { key: 'checkpoint:run-1:summary' }],
  })
  expect(payloadSchemas.checkpoint.safeParse(checkpoint).success).toBe(true)
})

// Requirements: T65, 004-30
test('the same run sent again stores nothing', async (t) => {
  const root = temporaryFolder(t)
  const memories = [{ content: 'one' }, { content: 'two' }]
  const options = { memories, agentRunId: 'run-1' }
  const { id } = await store(root, options)
  expect(await store(root, options)).toEqual({ id, duplicate: true, stored: 0, skipped: 2 })
  expect(await store(root, { ...options, agentRunId: 'run-2' })).toMatchObject({ stored: 2 })
  expect(storedIn(root)).toHaveLength(2)
})

// Requirements: T65, E-05
test('changed content under a known key is stored as well, with a warning', async (t) => {
  const root = temporaryFolder(t)
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => diagnostics.push(it)
  await store(root, { memories: [{ content: 'one' }], agentRunId: 'run-1' })
  const memories = [{ content: 'other' }, { content: 'new' }]
  const second = await store(root, { memories, agentRunId: 'run-1' }, { onDiagnostic })
  expect(second).toMatchObject({ stored: 2, skipped: 0, conflicts: ['checkpoint:run-1:0'] })
  expect(diagnostics).toMatchObject([{ code: 'idempotency_conflict' }])
  const [newest] = storedIn(root)
  expect(newest).toMatchObject({ memories: [{ content: 'other' }, { content: 'new' }] })
  expect(newest).not.toHaveProperty('session_summary')
  expect(newest?.idempotency_keys?.[0]?.key).toMatch(/^checkpoint:run-1:0:[0-9a-f]{8}$/)
})

test('without a run id, memories in the same words are left out, unless dedup is off', async (t) => {
  const root = temporaryFolder(t)
  const memories = [{ content: 'Use  tabs' }]
  await store(root, { memories })
  const again = [{ content: 'use tabs ' }, { content: 'Use spaces' }]
  expect(await store(root, { memories: again })).toMatchObject({ stored: 1, skipped: 1 })
  expect(await store(root, { memories: again, dedup: false })).toMatchObject({ stored: 2 })
})

test('a task that is done is stored although its words are known', async (t) => {
  const root = temporaryFolder(t)
  const task = { content: 'Write the tests', memoryType: 'task' } as const
  await store(root, { memories: [task] })
  const done = { ...task, status: 'done' }
  expect(await store(root, { memories: [done] })).toMatchObject({ stored: 1, skipped: 0 })
})

test('what is stored is redacted first', async (t) => {
  const root = temporaryFolder(t)
  const redact = (text: string) => text.replaceAll('hunter2', '[REDACTED]')
  const memories = [{ content: 'hunter2', entities: ['hunter2'] }]
  await store(root, { sessionSummary: 'password: hunter2', memories, redact, agentRunId: 'r' })
  const digest = { sessionKey: 's1', project: PROJECT, digest: 'hunter2', redact }
  await checkpointSession(openContext({ root }), digest)
  expect(storedIn(root)).toHaveLength(2)
  expect(JSON.stringify(storedIn(root))).not.toContain('hunter2')
})

test('a long summary is stored in full and cut in the digest, which is marked as truncated', async (t) => {
  const root = temporaryFolder(t)
  const sessionSummary = '💾'.repeat(5000)
  await store(root, { sessionSummary })
  const [checkpoint] = storedIn(root)
  expect(checkpoint).toMatchObject({ session_summary: sessionSummary, truncated: true })
  expect(checkpoint!.digest).toBe('💾'.repeat(4096))
})

test.each<[string, object]>([
  ['sessionSummary must be a string', { sessionSummary: 7 }],
  ['sessionSummary must not be blank', { sessionSummary: ' ' }],
  ['memories must be an array', { memories: 'one' }],
  ['memories has at most 50 entries, not 51', { memories: Array(51).fill({ content: 'x' }) }],
  ['memories[0] must be an object with a content', { memories: ['one'] }],
  ['memories[1].content must not be blank', { memories: [{ content: 'x' }, { content: '' }] }],
  [
    'memories[0].content has at most 100000 characters',
    { memories: [{ content: 'x'.repeat(1e5 + 1) }] },
  ],
  [
    'memories[0].memoryType must be one of fact, skill',
    { memories: [{ content: 'x', memoryType: 'idea' }] },
  ],
  ['memories[0].importance must be an integer', { memories: [{ content: 'x', importance: 6 }] }],
  ['memories[0].confidence must be an integer', { memories: [{ content: 'x', confidence: 1.5 }] }],
  [
    'memories[0].entities must be an array of strings',
    { memories: [{ content: 'x', entities: [1] }] },
  ],
  ['agentRunId must be a string of 1 to 200 characters', { agentRunId: '' }],
])('%s, else ERR_ARG and nothing is stored', async (message, options) => {
  const wrong = store('/nonexistent', options as Partial<ContextCheckpointOptions>)
  await expect(wrong).rejects.toMatchObject({
    code: 'ERR_ARG',
    message: expect.stringContaining(message),
  })
})

// Requirement: 004-31
test('a session is checkpointed until the next message', async (t) => {
  const root = temporaryFolder(t)
  const place = openContext({ root })
  const say = (content: string) =>
    append_transcript({ session_id: 's1', event: { type: 'user', payload: { content } } }, { root })
  expect(isCheckpointed(place, 's1')).toBe(false)
  await say('hello')
  await checkpointSession(place, { sessionKey: 's1', digest: 'a person says' })
  expect(isCheckpointed(place, 's1')).toBe(false)
  await store(root)
  expect(isCheckpointed(place, 's1')).toBe(true)
  await say('one more thing')
  expect(isCheckpointed(place, 's1')).toBe(false)
})
