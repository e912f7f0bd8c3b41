// The calls of connectors through the hook program: the body on stdin, the answer on stdout.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contextCheckpoint } from '../../lib/continuity/index.js'
import { bypassSession } from '../../lib/index.js'
import { openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { eventsOf, type Fields, tell } from './telling.js'

const BODY = { harness: 'openclaw', sessionKey: 's', project: '/home/ada/shop' }

async function call(root: string, event: string, fields: Fields = {}) {
  const { stdout, words } = await tell({ ...BODY, ...fields }, { root, event })
  return { words, answer: stdout === '' ? undefined : (JSON.parse(stdout) as Fields) }
}

// Requirements: 001-26, 001-35, 001-46
it('remember, pre-compaction and compaction-complete return their answers', async (t) => {
  const root = temporaryFolder(t)
  const { answer: remembered } = await call(root, 'remember', { content: 'The port is 8080.' })
  expect(remembered).toMatchObject({ sessionId: 's', status: 'written' })
  expect(eventsOf(root, 's')[0]!.payload).toMatchObject({ harness: 'openclaw' })
  expect(eventsOf(root, 's').at(-1)).toMatchObject({ payload: { text: 'The port is 8080.' } })
  const { answer: announced } = await call(root, 'pre-compaction', { sessionContext: 'Digging.' })
  expect(announced).toMatchObject({ instructions: expect.stringContaining('## Decisions') })
  const { answer: done } = await call(root, 'compaction-complete', { summary: 'A well.' })
  expect(done).toMatchObject({ success: true, contextEpoch: 1, boundaryUuid: expect.any(String) })
  const { words, answer } = await call(root, 'remember')
  expect(answer).toBeUndefined()
  expect(words).toMatch(/^ERR_ARG: content is required/)
})

it('recall finds what was learnt', async (t) => {
  const root = temporaryFolder(t)
  const store = openContext({ root, home: root })
  const memories = [{ content: 'The port is 8080.', memoryType: 'fact' as const }]
  const { project } = BODY
  await contextCheckpoint(store, { sessionKey: 'x', project, sessionSummary: 'Done.', memories })
  const { answer } = await call(root, 'recall', { query: 'port', limit: 3 })
  expect(answer).toMatchObject({ count: 1, results: [{ text: 'The port is 8080.' }] })
  expect(eventsOf(root, 's').at(-1)).toMatchObject({ type: 'memory_query' })
  const recall = async (fields: Fields = {}) =>
    (await call(root, 'recall', { query: 'port', ...fields })).answer!['count']
  expect(await recall()).toBe(0)
  expect(await recall({ includeRecalled: true })).toBe(1)
  expect(await recall({ sessionKey: undefined })).toBe(1)
  await call(root, 'compaction-complete', { summary: 'A well.' })
  expect(await recall()).toBe(1)
})

// Requirement: 001-32
it('a recall that must not look answers in the usual shape, with a flag', async (t) => {
  const root = temporaryFolder(t)
  const nothing = { results: [], count: 0, query: 'port', method: 'keyword' }
  const meta = { totalReturned: 0, totalFound: 0, noHits: true, leftOut: 0 }
  const empty = { sessionId: 's', ...nothing, meta, message: 'No matching memories found.' }
  await call(root, 'user-prompt-submit', { userMessage: 'one' })
  await bypassSession('s', true, { root, home: root })
  const recorded = eventsOf(root, 's')
  const { answer } = await call(root, 'recall', { query: 'port' })
  expect(answer).toEqual({ ...empty, bypassed: true })
  const env = { JSONL_SESSION_NO_HOOKS: '1' }
  const fields = { ...BODY, query: 'port' }
  const { stdout } = await tell(fields, { root, event: 'recall', env })
  expect(JSON.parse(stdout)).toEqual({ ...empty, sessionId: null, internal: true })
  const other = await tell(fields, { root, event: 'remember', env })
  expect(other.stdout).toBe('')
  expect(eventsOf(root, 's')).toEqual(recorded)
})

// Requirement: 001-49
it('an extraction prints the new text, and the next one nothing of it', async (t) => {
  const root = temporaryFolder(t)
  const transcript = `User: ${'x'.repeat(600)}\n`
  const { answer } = await call(root, 'session-checkpoint-extract', { transcript })
  expect(answer).toMatchObject({ queued: true, jobId: expect.any(String) })
  const { answer: second } = await call(root, 'session-checkpoint-extract', { transcript })
  expect(second).toMatchObject({ skipped: true, reason: 'too_short' })
})

// Requirements: 001-11, 001-20, 001-41
it('bodies name their agent, their reply and their transcript', async (t) => {
  const root = temporaryFolder(t)
  const ofNic = { agentId: 'nic' }
  const prompt = { userMessage: 'two', lastAssistantMessage: 'Did one.' }
  await call(root, 'user-prompt-submit', { ...ofNic, userMessage: 'one' })
  await call(root, 'user-prompt-submit', { ...ofNic, ...prompt })
  await call(root, 'session-end', { transcript: 'User: other\nAssistant: Yes.' })
  const spoken = (folder: string) =>
    eventsOf(folder, 's').flatMap(({ type, payload }) =>
      type === 'user' || type === 'assistant' ? [payload['content']] : [],
    )
  expect(spoken(join(root, 'agents', 'nic'))).toEqual(['one', 'Did one.', 'two'])
  expect(spoken(root)).toEqual(['other', 'Yes.'])
})

// Requirements: 001-01, 001-02
it('the runtime path may be in the body', async (t) => {
  const root = temporaryFolder(t)
  await call(root, 'user-prompt-submit', { userMessage: 'one', runtimePath: 'plugin' })
  const { answer } = await tell(
    { ...BODY, userMessage: 'two', runtimePath: 'legacy' },
    { root, event: 'user-prompt-submit' },
  )
  expect(answer).toMatchObject({ skipped: true, claimedBy: 'plugin' })
})
