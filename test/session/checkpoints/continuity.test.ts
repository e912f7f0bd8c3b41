// A session leaves behind what the next one should know, and no append waits for it.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { createSession, recover, resumeSession } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'
import type { CreateSessionOptions, Session } from '../../../lib/session/index.js'
import type { ContextOptions } from '../../../lib/store/index.js'
import { listCheckpoints, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const CHILD = fileURLToPath(new URL('../children/prompts.mjs', import.meta.url))

async function newSession(t: TestContext, options: ContextOptions & CreateSessionOptions = {}) {
  const root = temporaryFolder(t)
  const session = await createSession({ root, home: root, id: 'demo', project: root, ...options })
  t.onTestFinished(() => session.release().catch(() => {}))
  return { root, session }
}

async function ask(session: Session, count: number) {
  for (let number = 1; number <= count; number++) await session.prompt(`question ${number}`)
}

const checkpointsOf = (root: string) =>
  listCheckpoints(openContext({ root }), { session: 'demo' }).checkpoints.map(
    ({ checkpoint }) => checkpoint,
  )

const typesIn = (path: string) =>
  [...readLogSync(path)].map((entry) => entry.kind === 'event' && entry.event.type)

// Requirements: 003-01, 003-02, 003-51
test('close() returns the history offset and the hash of the last checkpoint', async (t) => {
  const { root, session } = await newSession(t)
  await ask(session, 2)
  const end = await session.close()
  const [shard] = readdirSync(join(root, '.checkpoints'))
  const lines = readFileSync(join(root, '.checkpoints', shard!), 'utf8')
    .trimEnd()
    .split('\n')
  const hash = createHash('sha256').update(lines.at(-1)!).digest('hex')
  expect(end).toMatchObject({
    transcript_path: session.path,
    history_offset: expect.any(Number),
    checkpoint_hash: hash,
    transcript_flushed: true,
    history_appended: true,
  })
  const [latest] = checkpointsOf(root)
  expect(latest).toMatchObject({ trigger: 'session_end', prompt_count: 2, total_prompt_count: 2 })
  expect(latest!.digest).toContain('Total Prompts: 2')
  const references = [...readLogSync(session.path)].flatMap((entry) =>
    entry.kind === 'event' && entry.event.type === 'checkpoint_ref' ? [entry.event.payload] : [],
  )
  expect(references).toEqual([{ checkpoint_id: latest!.id, trigger: 'session_end', sha256: hash }])
  expect(typesIn(session.path).slice(-2)).toEqual(['checkpoint_ref', 'session_terminator'])
})

// Requirements: 000-05, 000-39
test('ten prompts write a checkpoint that no prompt waited for; nine do not', async (t) => {
  const { root, session } = await newSession(t)
  await ask(session, 9)
  await session.prompt('the tenth')
  expect(existsSync(join(root, '.checkpoints'))).toBe(false)
  await session.release()
  expect(checkpointsOf(root)).toMatchObject([
    { trigger: 'periodic', cause: 'prompt_interval', prompt_count: 10 },
  ])
})

test('the sessions of another agent leave checkpoints too, in the store of that agent', async (t) => {
  const found: Diagnostic[] = []
  const { root, session } = await newSession(t, {
    agent: 'reviewer',
    continuity: { promptInterval: 3 },
    onDiagnostic: (diagnostic) => found.push(diagnostic),
  })
  await ask(session, 3)
  await session.checkpoint({ digest: 'In my words.' })
  await ask(session, 1)
  await session.close()
  const { checkpoints } = listCheckpoints(openContext({ root, agent: 'reviewer' }), {
    session: 'demo',
  })
  expect(checkpoints.map(({ checkpoint }) => checkpoint)).toMatchObject([
    { trigger: 'session_end', agent_id: 'reviewer', total_prompt_count: 4 },
    { trigger: 'agent', agent_id: 'reviewer', digest: 'In my words.' },
    { trigger: 'periodic', agent_id: 'reviewer', prompt_count: 3 },
  ])
  expect(found).toEqual([])
  expect(checkpointsOf(root)).toEqual([])
})

// Requirements: 000-24, 000-53, 000-56
test('a checkpoint holds what was remembered and asked, without secrets', async (t) => {
  const { root, session } = await newSession(t)
  await session.prompt('deploy with GITHUB_TOKEN=abcdef123456')
  await session.remember('the port is 8080', { importance: 4 })
  await session.append({ type: 'memory_query', payload: { text: 'which port' } })
  await session.close()
  const [latest] = checkpointsOf(root)
  expect(latest).toMatchObject({
    memory_queries: ['which port'],
    recent_remembers: ['the port is 8080'],
    prompt_snippets: ['deploy with GITHUB_TOKEN=[REDACTED]'],
  })
  expect(latest!.digest).toContain('Remembered: the port is 8080')
  await expect(session.remember('  ')).rejects.toMatchObject({ code: 'ERR_ARG' })
})

// Requirements: 000-07, 000-55, T43
test('before a compaction all that is known is stored', async (t) => {
  const { root, session } = await newSession(t)
  await ask(session, 3)
  await session.compact({ summary: 'three questions', customInstructions: 'keep the port' })
  expect(checkpointsOf(root)).toMatchObject([{ trigger: 'pre_compaction', prompt_count: 3 }])
  expect(checkpointsOf(root)[0]!.digest).toContain('keep the port')
  expect(typesIn(session.path).slice(-3)).toEqual([
    'checkpoint_ref',
    'summary',
    'compaction_boundary',
  ])
})

// Requirements: 000-06, 000-45, 004-20
test('an agent can write a checkpoint itself, and append a turn in one call', async (t) => {
  const { root, session } = await newSession(t)
  await session.ingestTurn({ user: 'how is it?', assistant: 'Half done.' })
  const { id } = await session.checkpoint({ digest: 'Half done; tests are missing.' })
  expect(checkpointsOf(root)).toMatchObject([
    { id, trigger: 'agent', digest: 'Half done; tests are missing.', prompt_count: 1 },
  ])
  expect(session.messages().messages.map(({ type }) => type)).toEqual(['user', 'assistant'])
})

// Requirement: 000-19
test('a resumed session continues its counters', async (t) => {
  const { root, session } = await newSession(t)
  await ask(session, 4)
  await session.release()
  const { session: again } = await resumeSession({ root, home: root, id: 'demo', mode: 'append' })
  await ask(again!, 3)
  await again!.close()
  expect(checkpointsOf(root)[0]).toMatchObject({ prompt_count: 7, total_prompt_count: 7 })
})

// Requirements: 000-79, T50
test('after kill -9 the next session of the project recovers what the last one knew', async (t) => {
  const root = temporaryFolder(t)
  const child = spawn(process.execPath, [CHILD, root, '12'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const recovery = recover({ root, project: root })
  expect(recovery).toMatchObject({ matchedBy: 'project' })
  expect(recovery!.text).toContain('question 10')
  expect(recovery!.text.length).toBeLessThanOrEqual(2000)
})

// Requirement: 000-42
test('a checkpoint that cannot be stored fails no prompt and no end', async (t) => {
  const root = temporaryFolder(t)
  writeFileSync(join(root, '.checkpoints'), 'in the way')
  const told: Diagnostic[] = []
  const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
  const session = await createSession({ root, home: root, id: 'demo', onDiagnostic })
  await ask(session, 11)
  expect(await session.close()).toMatchObject({ checkpoint_hash: null, transcript_flushed: true })
  expect(told.map(({ code }) => code)).toContain('checkpoint_delayed')
  expect(typesIn(session.path).at(-1)).toBe('session_terminator')
})

test('clearing leaves nothing behind, nor does a session without continuity', async (t) => {
  const cleared = await newSession(t)
  await ask(cleared.session, 2)
  await cleared.session.close('clear')
  const without = await newSession(t, { continuity: false })
  await ask(without.session, 12)
  await expect(without.session.checkpoint({ digest: 'x' })).rejects.toMatchObject({
    code: 'ERR_ARG',
  })
  expect((await without.session.close()).checkpoint_hash).toBe(null)
  for (const { root } of [cleared, without]) {
    expect(existsSync(join(root, '.checkpoints'))).toBe(false)
  }
})

test('a session in memory keeps its subagents and its past to itself', async (t) => {
  const { root, session } = await newSession(t, { persist: false })
  await ask(session, 12)
  const child = await session.spawn({ taskId: 'look', prompt: 'Look around.' })
  await child.append({ type: 'assistant', payload: { content: 'Nothing here.' } })
  await child.finish({ status: 'completed', summary: 'Nothing there.' })
  await expect(session.delegate({ prompt: 'Elsewhere.' })).rejects.toMatchObject({
    code: 'ERR_ARG',
  })
  await session.close()
  expect(readdirSync(root)).toEqual([])
})

test.each([true, 10, 'often', null])(
  'rejects continuity: %j before a file is created or a lock is taken',
  async (continuity) => {
    const options = { root: join('/nonexistent', 'store'), id: 'demo', continuity } as never
    await expect(createSession(options)).rejects.toThrow(TypeError)
    await expect(resumeSession(options)).rejects.toThrow(TypeError)
  },
)

test('rejects an invalid maxSidechainBytes before a file is created', async (t) => {
  const root = temporaryFolder(t)
  const options = { root, home: root, id: 'demo', maxSidechainBytes: 0 }
  await expect(createSession(options)).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(readdirSync(root)).toEqual([])
})
