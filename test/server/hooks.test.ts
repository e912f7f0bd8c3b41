// The hooks over HTTP, with the requests of the document that describes them (docs/internals/SPEC.md, 001).

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contextCheckpoint, type Memory } from '../../lib/continuity/index.js'
import { openSession } from '../../lib/session/index.js'
import { forAgent, listCheckpoints } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { eventsOf } from '../hooks/telling.js'
import { startApp, TOKEN } from './client.js'

const project = '/workspace/repo'
const key = 'session-uuid'

// The requests of the document.
const START = {
  harness: 'claude-code',
  project,
  agentId: 'optional-signet-agent-id',
  harnessAgentId: 'optional-harness-subagent-id',
  parentSessionKey: 'optional-parent-session-key',
  sessionKey: key,
  runtimePath: 'plugin',
}
const PROMPT = {
  harness: 'claude-code',
  userMessage: 'How do I set up dark mode?',
  userPrompt: 'How do I set up dark mode?',
  lastAssistantMessage: 'Earlier we discussed using CSS variables for theme tokens.',
  sessionKey: key,
  transcriptPath: '/tmp/signet/session-transcript.txt',
  runtimePath: 'plugin',
}
const REMEMBER = {
  harness: 'claude-code',
  content: 'User wants dark mode by default',
  sessionKey: key,
  runtimePath: 'plugin',
}
const RECALL = {
  harness: 'claude-code',
  query: 'user UI preferences',
  keywordQuery: '"dark mode" OR theme',
  project,
  limit: 5,
  type: 'preference',
  tags: 'ui,editor',
  who: 'claude-code',
  since: '2026-01-01T00:00:00Z',
  until: '2027-04-01T00:00:00Z',
  sessionKey: key,
  agentId: 'alice',
  includeRecalled: false,
  runtimePath: 'plugin',
}
const BASE = { harness: 'claude-code', sessionKey: key, runtimePath: 'plugin' }

describe('session-start', () => {
  test('records the header with the lineage of the request, for its agent', async (t) => {
    const { post, root, store } = await startApp(t)
    const { status, body } = await post('/api/hooks/session-start', START)
    expect(status).toBe(200)
    expect(body).toEqual({ sessionId: key, inject: '', sources: [] })
    const [header] = eventsOf(forAgent(store, START.agentId).layout.root, key)
    expect(header).toMatchObject({
      type: 'session_header',
      payload: {
        harness: 'claude-code',
        project,
        harness_agent_id: START.harnessAgentId,
        parent_session_key: START.parentSessionKey,
        agent_id: START.agentId,
      },
    })
    expect(root).not.toBe('')
  })

  test('answers with what the last session of the project left', async (t) => {
    const { post, store } = await startApp(t)
    const digest = { sessionSummary: 'The parser is done; its tests are not.', memories: [] }
    await contextCheckpoint(store, { sessionKey: 'before', project, harness: 'x', ...digest })
    const start = { harness: 'claude-code', project, sessionKey: key }
    const { body } = await post('/api/hooks/session-start', start)
    expect(body.inject).toContain('## Session Recovery Context')
    expect(body.inject).toContain('The parser is done')
    expect(body.sources).toHaveLength(1)
    const again = await post('/api/hooks/session-start', start)
    expect(again.body.inject).toBe('')
  })

  test('without a session answers and records nothing', async (t) => {
    const { post, store } = await startApp(t)
    const { body } = await post('/api/hooks/session-start', { harness: 'x' })
    expect(body).toEqual({ sessionId: null, inject: '', sources: [] })
    expect(store.env.fs.existsSync(store.layout.transcripts)).toBe(false)
  })
})

test.each([
  ['session-start', {}],
  ['user-prompt-submit', { userMessage: 'x' }],
  ['session-end', {}],
  ['remember', { content: 'x' }],
  ['recall', { query: 'x' }],
  ['pre-compaction', {}],
  ['compaction-complete', { summary: 'x' }],
  ['session-checkpoint-extract', { sessionKey: 'x' }],
])('%s needs a harness', async (name, body) => {
  const { post } = await startApp({ onTestFinished })
  const { status, body: answer } = await post(`/api/hooks/${name}`, body)
  expect(status).toBe(400)
  expect(answer.error).toMatchObject({ code: 'ERR_ARG', details: { in: 'body', field: 'harness' } })
})

// Requirement: 001-49
test('extraction needs a session key, remember a content, a compaction its summary', async (t) => {
  const { post } = await startApp(t)
  for (const [name, field] of [
    ['session-checkpoint-extract', 'sessionKey'],
    ['remember', 'content'],
    ['compaction-complete', 'summary'],
    ['recall', 'query'],
  ]) {
    const { status, body } = await post(`/api/hooks/${name}`, { harness: 'x' })
    expect([status, body.error.details.field]).toEqual([400, field])
  }
})

describe('the runtime path', () => {
  test.each(['x-signet-runtime-path', 'x-jsonl-session-runtime-path'])(
    'of the header %s keeps the other path out with 409',
    async (name) => {
      const { post, get } = await startApp({ onTestFinished })
      const { runtimePath: _, ...prompt } = PROMPT
      expect(
        (await post('/api/hooks/user-prompt-submit', prompt, { [name]: 'plugin' })).status,
      ).toBe(200)
      const claims = await get('/api/sessions')
      expect(claims.body.sessions[0]).toMatchObject({ key, runtimePath: 'plugin', bypassed: false })
      const calls: [string, object][] = [
        ['session-start', {}],
        ['user-prompt-submit', { userMessage: 'y' }],
        ['remember', { content: 'x' }],
        ['recall', { query: 'x' }],
        ['pre-compaction', {}],
        ['compaction-complete', { summary: 'x' }],
        ['session-checkpoint-extract', {}],
        ['session-end', {}],
      ]
      for (const [hook, fields] of calls) {
        const body = { harness: 'x', sessionKey: key, ...fields }
        // The header wins over the body.
        const answer = await post(
          `/api/hooks/${hook}`,
          { ...body, runtimePath: 'plugin' },
          { [name]: 'legacy' },
        )
        expect([hook, answer.status, answer.body.error.code]).toEqual([hook, 409, 'ERR_CLAIMED'])
      }
      const own = await post('/api/hooks/session-end', BASE)
      expect(own.status).toBe(200)
      const other = await post('/api/hooks/remember', { ...REMEMBER, runtimePath: 'legacy' })
      expect(other.status).toBe(200)
    },
  )

  test('that is no path is refused', async (t) => {
    const { post } = await startApp(t)
    const { status } = await post('/api/hooks/session-start', { ...BASE, runtimePath: '../x' })
    expect(status).toBe(400)
  })
})

describe('user-prompt-submit', () => {
  test('records the reply and the prompt of the document, and injects nothing', async (t) => {
    const { post, root } = await startApp(t)
    const { body } = await post('/api/hooks/user-prompt-submit', PROMPT)
    expect(body).toEqual({ sessionId: key, inject: '', status: 'written' })
    const said = eventsOf(root, key).filter(({ type }) => type === 'user' || type === 'assistant')
    expect(said.map(({ type, payload }) => [type, payload['content']])).toEqual([
      ['assistant', PROMPT.lastAssistantMessage],
      ['user', PROMPT.userMessage],
    ])
  })
})

describe('session-end', () => {
  // Requirement: 001-20
  test('stores an inline transcript, writes a terminator and releases the claim', async (t) => {
    const { post, get, root } = await startApp(t)
    await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'hello' })
    const transcript = 'User: hello\nAssistant: Hi.\nUser: bye\nAssistant: Bye.'
    const { body } = await post('/api/hooks/session-end', { ...BASE, sessionId: key, transcript })
    expect(body).toEqual({ sessionId: key, status: 'written', transcriptMessages: 3 })
    expect(eventsOf(root, key).at(-1)!.type).toBe('session_terminator')
    const { body: state } = await get(`/api/sessions/${key}`)
    expect(state).toMatchObject({ runtimePath: 'unknown', expiresAt: null, active: false })
    const again = await post('/api/hooks/session-end', BASE)
    expect(again.body).toMatchObject({ duplicateSessionEnd: true })
  })

  test('reads a transcript by its path only under the roots of the server', async (t) => {
    const folder = temporaryFolder(t)
    const [inside, outside] = [join(folder, 'in'), join(folder, 'out')]
    mkdirSync(inside)
    mkdirSync(outside)
    for (const place of [inside, outside]) writeFileSync(join(place, 't.txt'), 'User: from a file')
    symlinkSync(join(outside, 't.txt'), join(inside, 'link.txt'))
    const { post, root, store } = await startApp(t, { transcriptRoots: [inside] })
    const end = (transcriptPath: string, sessionKey = key) =>
      post('/api/hooks/session-end', { harness: 'x', sessionKey, transcriptPath })
    const own = join(store.layout.root, 'config.json')
    writeFileSync(own, 'User: of the store')
    const refused = [
      join(outside, 't.txt'),
      join(inside, '../out/t.txt'),
      join(inside, 'link.txt'),
      join(inside, 'none.txt'),
      inside,
      own,
      '/etc/passwd',
      't.txt',
      'in\0side',
    ]
    const answers = await Promise.all(refused.map((path) => end(path)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
    // Whether a file exists is not shown.
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1)
    const { body } = await end(join(inside, 't.txt'))
    expect(body).toMatchObject({ transcriptMessages: 1 })
    expect(eventsOf(root, key).map(({ type }) => type)).toContain('user')
    const none = await startApp(t)
    const path = join(inside, 't.txt')
    const answer = await none.post('/api/hooks/session-end', { ...BASE, transcriptPath: path })
    expect(answer.status).toBe(403)
  })
})

describe('remember', () => {
  test('is a line of the session and part of its next checkpoint', async (t) => {
    const { post, root, store } = await startApp(t)
    await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'hello' })
    const { body } = await post('/api/hooks/remember', REMEMBER)
    expect(body).toMatchObject({ sessionId: key, status: 'written' })
    expect(eventsOf(root, key).at(-1)).toMatchObject({
      type: 'remember',
      uuid: body.uuid,
      payload: { text: REMEMBER.content },
    })
    await post('/api/hooks/pre-compaction', BASE)
    const { checkpoints } = listCheckpoints(store, { session: key })
    expect(checkpoints[0]!.checkpoint.recent_remembers).toEqual([REMEMBER.content])
  })

  test('without a session is stored, and recalled', async (t) => {
    const { post } = await startApp(t)
    const { harness, content } = REMEMBER
    const { body } = await post('/api/hooks/remember', { harness, content })
    expect(body).toMatchObject({ sessionId: null, uuid: null })
    const found = await post('/api/hooks/recall', { harness, query: 'dark' })
    expect(found.body.results).toMatchObject([{ text: content }])
  })
})

describe('recall', () => {
  const EMPTY = {
    sessionId: key,
    results: [],
    memories: [],
    count: 0,
    query: 'user UI preferences',
    method: 'keyword',
    message: 'No matching memories found.',
  }

  // Requirements: 001-31, 001-33
  test('has the shape of the document, also when it finds nothing', async (t) => {
    const { post } = await startApp(t)
    const { status, body } = await post('/api/hooks/recall', RECALL)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...EMPTY,
      meta: { totalReturned: 0, hasSupplementary: false, noHits: true },
    })
  })

  // Requirements: 001-27, 001-33
  test('finds by words and filters, mirrors the results, and once in each context', async (t) => {
    const { post, store } = await startApp(t)
    const alice = forAgent(store, 'alice')
    const memories = [
      { content: 'Dark mode is preferred', memoryType: 'preference', entities: ['ui'] },
      { content: 'A dark mode for printers', memoryType: 'fact', entities: ['ui'] },
      {
        content: 'The theme of the editor is solarized',
        memoryType: 'preference',
        entities: ['vim'],
      },
    ] satisfies Memory[]
    const place = { sessionKey: 'earlier', project, harness: 'claude-code' }
    await contextCheckpoint(alice, { ...place, sessionSummary: 'x', memories })
    const first = await post('/api/hooks/recall', RECALL)
    expect(first.body.results.map(({ text }: { text: string }) => text)).toEqual([
      memories[0]!.content,
    ])
    expect(first.body.memories).toEqual(first.body.results)
    expect(first.body.count).toBe(1)
    expect(first.body.message).toContain('Dark mode is preferred')
    const second = await post('/api/hooks/recall', RECALL)
    expect(second.body).toMatchObject({ count: 0, meta: { leftOut: 1 } })
    const all = await post('/api/hooks/recall', { ...RECALL, includeRecalled: true })
    expect(all.body.count).toBe(1)
    const compacted = { ...BASE, agentId: 'alice', summary: 'all about dark mode' }
    const { body: epoch } = await post('/api/hooks/compaction-complete', compacted)
    expect(epoch).toMatchObject({ success: true, contextEpoch: 1 })
    const third = await post('/api/hooks/recall', RECALL)
    expect(third.body).toMatchObject({ count: 1, contextEpoch: 1 })
    const other = await post('/api/hooks/recall', { ...RECALL, agentId: 'bob' })
    expect(other.body.count).toBe(0)
  })

  test('writes nothing where the server only reads, and answers 501 for an aggregate', async (t) => {
    const { post, store } = await startApp(t, { allowWrite: false })
    expect((await post('/api/hooks/recall', RECALL)).status).toBe(200)
    expect(store.env.fs.readdirSync(store.layout.root)).toEqual([])
    const { status, body } = await post('/api/hooks/recall', { ...RECALL, aggregate: true })
    expect([status, body.error.code]).toEqual([501, 'ERR_NOT_IMPLEMENTED'])
  })

  // Requirement: 001-28
  test('of a bypassed session or an internal call finds nothing, and says why', async (t) => {
    const { post } = await startApp(t)
    await post('/api/hooks/session-start', { harness: 'x', sessionKey: key })
    await post('/api/hooks/remember', { harness: 'x', content: 'user preferences' })
    await post(`/api/sessions/${key}/bypass`, { enabled: true })
    const asked = { harness: 'x', query: 'user UI preferences', sessionKey: key }
    const bypassed = await post('/api/hooks/recall', asked)
    expect(bypassed.body).toMatchObject({ ...EMPTY, bypassed: true })
    const headers = { 'x-signet-no-hooks': '1' }
    const internal = await post('/api/hooks/recall', { ...asked, sessionKey: 'other' }, headers)
    expect(internal.body).toMatchObject({ ...EMPTY, sessionId: 'other', internal: true })
    await post(`/api/sessions/${key}/bypass`, { enabled: false })
    expect((await post('/api/hooks/recall', asked)).body.count).toBe(1)
  })
})

describe('compaction', () => {
  test('stores a checkpoint before it, and its summary after it', async (t) => {
    const { post, get } = await startApp(t)
    await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'hello' })
    const before = await post('/api/hooks/pre-compaction', BASE)
    expect(before.body.instructions.length).toBeGreaterThan(100)
    const { body: checkpoints } = await get(`/api/checkpoints/${key}`)
    expect(checkpoints.checkpoints[0]).toMatchObject({
      id: before.body.checkpointId,
      trigger: 'pre_compaction',
    })
    const summary = 'Session covered dark mode setup and vim configuration...'
    const { body } = await post('/api/hooks/compaction-complete', { ...BASE, summary, project })
    expect(body).toMatchObject({ success: true, contextEpoch: 1 })
    expect(typeof body.memoryId).toBe('string')
    const { body: list } = await get('/api/sessions/summaries')
    expect(list.summaries.map((one: { content: string }) => one.content)).toContain(summary)
  })

  test('without a session keeps the summary in a checkpoint', async (t) => {
    const { post, get } = await startApp(t)
    const request = { harness: 'x', summary: 'The work so far.', project }
    const { body } = await post('/api/hooks/compaction-complete', request)
    expect(body).toMatchObject({ success: true, sessionId: null, contextEpoch: 0 })
    const found = await get(`/api/checkpoints?project=${encodeURIComponent(project)}`)
    expect(found.body.checkpoints[0]).toMatchObject({ id: body.memoryId, digest: request.summary })
  })
})

describe('session-checkpoint-extract', () => {
  const request = { harness: 'openclaw', sessionKey: key, project, runtimePath: 'plugin' }

  test('skips what is too short, and returns each piece once', async (t) => {
    const { post } = await startApp(t)
    const none = await post('/api/hooks/session-checkpoint-extract', request)
    expect(none.body).toMatchObject({ skipped: true })
    await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'short' })
    const short = await post('/api/hooks/session-checkpoint-extract', request)
    expect(short.body).toMatchObject({ skipped: true, reason: 'too_short' })
    const long = 'a long prompt '.repeat(50)
    await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: long })
    const { body } = await post('/api/hooks/session-checkpoint-extract', request)
    expect(body).toMatchObject({ queued: true, sessionId: key })
    expect(body.jobId).toMatch(/^[\da-f-]{36}$/)
    expect(body.text).toContain('a long prompt')
    const again = await post('/api/hooks/session-checkpoint-extract', request)
    expect(again.body).toMatchObject({ skipped: true })
  })

  test('takes an inline transcript, and a file under the roots', async (t) => {
    const folder = temporaryFolder(t)
    const { post } = await startApp(t, { transcriptRoots: [folder] })
    await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'hello' })
    const transcript = `User: ${'inline '.repeat(100)}`
    const inline = await post('/api/hooks/session-checkpoint-extract', { ...request, transcript })
    expect(inline.body).toMatchObject({ queued: true })
    const transcriptPath = join(folder, 'session.txt')
    writeFileSync(transcriptPath, `User: ${'in a file '.repeat(100)}\n`)
    const file = await post('/api/hooks/session-checkpoint-extract', { ...request, transcriptPath })
    expect(file.body).toMatchObject({ queued: true })
    expect(file.body.text).toContain('in a file')
    const other = await post('/api/hooks/session-checkpoint-extract', {
      ...request,
      transcriptPath: '/etc/hostname',
    })
    expect(other.status).toBe(403)
  })
})

test('every hook of a bypassed session, and every internal call, does nothing', async (t) => {
  const { post, root } = await startApp(t)
  await post('/api/hooks/session-start', { harness: 'x', sessionKey: key })
  await post(`/api/sessions/${key}/bypass`, { enabled: true })
  const before = eventsOf(root, key).length
  const calls: [string, object][] = [
    ['session-start', {}],
    ['user-prompt-submit', { userMessage: 'x' }],
    ['remember', { content: 'x' }],
    ['recall', { query: 'x' }],
    ['pre-compaction', {}],
    ['compaction-complete', { summary: 'x' }],
    ['session-checkpoint-extract', {}],
  ]
  for (const [name, fields] of calls) {
    const request = { harness: 'x', sessionKey: key, ...fields }
    const { status, body } = await post(`/api/hooks/${name}`, request)
    expect([name, status, body.bypassed]).toEqual([name, 200, true])
    const headers = { 'x-jsonl-session-no-hooks': '1' }
    const internal = await post(`/api/hooks/${name}`, { ...request, sessionKey: 'new' }, headers)
    expect([name, internal.body.internal]).toEqual([name, true])
  }
  expect(eventsOf(root, key)).toHaveLength(before)
  const end = await post('/api/hooks/session-end', { harness: 'x', sessionKey: key })
  expect(end.body).toMatchObject({ bypassed: true })
})

test('a server that only reads refuses every route that writes', async (t) => {
  const { post, store } = await startApp(t, { allowWrite: false })
  for (const name of ['session-start', 'user-prompt-submit', 'session-end', 'remember']) {
    const { status, body } = await post(`/api/hooks/${name}`, { ...REMEMBER })
    expect([name, status]).toEqual([name, 403])
    expect(body.error.message).toContain('--allow-write')
  }
  expect((await post(`/api/sessions/${key}/bypass`, { enabled: true })).status).toBe(403)
  expect(store.env.fs.readdirSync(store.layout.root)).toEqual([])
})

// Requirement: 001-04
test('hooks need the scope remember, searches recall, and the rest read', async (t) => {
  const scopes = ['read'] as const
  const { post, get } = await startApp(t, { tokens: [{ token: TOKEN, scopes }] })
  expect((await post('/api/hooks/remember', REMEMBER)).status).toBe(403)
  expect((await post('/api/hooks/recall', RECALL)).status).toBe(403)
  expect((await post('/api/sessions/search', { query: 'x' })).status).toBe(403)
  expect((await get('/api/sessions')).status).toBe(200)
})

test('a prompt of a session that another process holds waits in the spool', async (t) => {
  const { post, root, store } = await startApp(t)
  const session = await openSession(store, key, { create: true })
  const { body } = await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'later' })
  expect(body.status).toBe('queued')
  await session.close()
  await post('/api/hooks/user-prompt-submit', { ...BASE, userMessage: 'next' })
  const said = eventsOf(root, key).filter(({ type }) => type === 'user')
  expect(said.map(({ payload }) => payload['content'])).toEqual(['later', 'next'])
})

test('what needs a database of memories answers 501', async (t) => {
  const { post, get } = await startApp(t)
  expect((await get('/api/hooks/synthesis/config')).status).toBe(501)
  for (const path of ['synthesis', 'synthesis/complete']) {
    const { status, body } = await post(`/api/hooks/${path}`, { content: '# Memory' })
    expect([status, body.error.code]).toEqual([501, 'ERR_NOT_IMPLEMENTED'])
  }
})
