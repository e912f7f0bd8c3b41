// What the next session is told.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, type TestContext } from 'vitest'
import { listActiveSessions, openContext } from '../../lib/store/index.js'
import { BINARY } from '../cli/command-line.js'
import { CLAIM, Clock, MINUTE } from '../helpers/clock.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { eventsOf, hookCli, tell } from './telling.js'

const HARNESS = fileURLToPath(new URL('children/harness.mjs', import.meta.url))

const start = (session_id: string, source = 'startup') => ({
  hook_event_name: 'SessionStart',
  session_id,
  source,
  cwd: '/home/ada/shop',
})

function textOf(stdout: string): string {
  if (stdout === '') return ''
  const { hookSpecificOutput } = JSON.parse(stdout) as Record<string, Record<string, string>>
  expect(hookSpecificOutput!['hookEventName']).toBe('SessionStart')
  return hookSpecificOutput!['additionalContext']!
}

/** A session about a well has ended. */
async function afterAWell(t: TestContext) {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = { root, ...clock.environment }
  await tell({ ...start('first'), hook_event_name: 'UserPromptSubmit', prompt: 'dig a well' }, at)
  await tell({ ...start('first'), hook_event_name: 'SessionEnd', reason: 'exit' }, at)
  clock.pass(MINUTE)
  return { root, at }
}

// Requirements: T50, T51, T68, 001-03, 004-22
it('of a killed harness its session appears in the next start, and not while it lives', async (t) => {
  const root = temporaryFolder(t)
  const events = [
    start('first'),
    { ...start('first'), hook_event_name: 'UserPromptSubmit', prompt: 'paint the fence green' },
    { ...start('first'), hook_event_name: 'PreCompact', trigger: 'auto' },
  ]
  const env = { PATH: process.env['PATH'], JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root }
  const args = [HARNESS, BINARY, ...events.map((event) => JSON.stringify(event))]
  const harness = spawn(process.execPath, args, { env })
  t.onTestFinished(() => void harness.kill('SIGKILL'))
  harness.stderr.pipe(process.stderr)
  await once(harness.stdout, 'data')
  const neighbour = await hookCli(start('neighbour'), root)
  expect(neighbour).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  harness.kill('SIGKILL')
  await once(harness, 'close')
  const next = await hookCli(start('next'), root)
  const text = textOf(next.stdout)
  expect(text).toContain('paint the fence green')
  expect(text.length).toBeLessThanOrEqual(2000)
  expect(next.stdout.length).toBeLessThan(10_000)
  expect(eventsOf(root, 'next').at(-1)).toMatchObject({ type: 'recovery_injected' })
})

// Requirement: 000-48
it('a start creates the session, then finds a checkpoint, then injects it', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = { root, ...clock.environment }
  await tell(start('first'), at)
  await tell({ ...start('first'), hook_event_name: 'UserPromptSubmit', prompt: 'dig a well' }, at)
  await tell({ ...start('first'), hook_event_name: 'SessionEnd', reason: 'exit' }, at)
  clock.pass(MINUTE)
  const { stdout } = await tell(start('next'), at)
  expect(textOf(stdout)).toContain('dig a well')
  expect(eventsOf(root, 'next').map(({ type }) => type)).toEqual([
    'session_header',
    'recovery_injected',
  ])
  // With nothing to tell, the session is there all the same.
  await tell({ ...start('other'), cwd: '/elsewhere' }, at)
  expect(eventsOf(root, 'other').map(({ type }) => type)).toEqual(['session_header'])
})

// Requirements: T52, 000-07, 001-44
it('after a compaction the session gets its own checkpoint, once', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = { root, ...clock.environment }
  await tell(start('demo'), at)
  await tell({ ...start('demo'), hook_event_name: 'UserPromptSubmit', prompt: 'dig a well' }, at)
  clock.pass(MINUTE)
  const instructions = 'the pump comes on Monday'
  const before = { ...start('demo'), hook_event_name: 'PreCompact', trigger: 'manual' }
  const compacting = await tell({ ...before, custom_instructions: instructions }, at)
  expect(compacting.stdout).toBe('')
  clock.pass(MINUTE)
  const after = { ...start('demo'), hook_event_name: 'PostCompact', trigger: 'manual' }
  await tell({ ...after, compact_summary: 'A well is being dug.' }, at)
  const first = await tell(start('demo', 'compact'), at)
  expect(textOf(first.stdout)).toContain(instructions)
  expect(textOf(first.stdout)).toContain('dig a well')
  clock.pass(MINUTE)
  expect((await tell(start('demo', 'compact'), at)).stdout).toBe('')
})

// Requirement: T53
it('nothing is injected into a session that is cleared, or resumed without news', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = { root, ...clock.environment }
  await tell({ ...start('demo'), hook_event_name: 'UserPromptSubmit', prompt: 'dig a well' }, at)
  await tell({ ...start('demo'), hook_event_name: 'PreCompact', trigger: 'auto' }, at)
  clock.pass(MINUTE)
  const stop = { hook_event_name: 'Stop', session_id: 'demo', last_assistant_message: 'Dug.' }
  await tell(stop, at)
  await tell({ ...start('demo'), hook_event_name: 'SessionEnd', reason: 'clear' }, at)
  clock.pass(MINUTE)
  expect((await tell(start('fresh', 'clear'), at)).stdout).toBe('')
  expect((await tell(start('demo', 'resume'), at)).stdout).toBe('')
  expect(eventsOf(root, 'demo').at(-1)).toMatchObject({
    type: 'session_resumed',
    payload: { source: 'resume', gap_ms: MINUTE },
  })
  expect(textOf((await tell(start('new'), at)).stdout)).toBe('')
})

it('a hook without a runtime path claims its session until one with a path does', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = { root, ...clock.environment }
  await tell(start('demo'), at)
  expect(
    listActiveSessions(openContext({ root, home: root, ...{ environment: clock.environment } })),
  ).toMatchObject({
    count: 1,
    sessions: [{ sessionId: 'demo', runtimePath: 'hooks' }],
  })
  const prompt = { session_id: 'demo', prompt: 'hello', prompt_id: 'p1' }
  const plugin = { ...at, event: 'UserPromptSubmit', runtimePath: 'plugin' }
  expect((await tell(prompt, plugin)).answer).toEqual({ inject: '', status: 'written' })
  // From here on the plugin speaks for it: others are told so, those without a name are not asked.
  const legacy = { ...plugin, runtimePath: 'legacy' }
  expect((await tell({ ...prompt, prompt_id: 'p2' }, legacy)).answer).toEqual({
    inject: '',
    skipped: true,
    duplicateRuntimePath: true,
    claimedBy: 'plugin',
  })
  const nameless = { ...at, event: 'UserPromptSubmit' }
  expect((await tell({ ...prompt, prompt_id: 'p3' }, nameless)).answer.status).toBe('written')
  // No call of the plugin for as long as its claim lasts.
  clock.pass(CLAIM)
  expect((await tell({ ...prompt, prompt_id: 'p4' }, legacy)).answer.status).toBe('written')
  const users = eventsOf(root, 'demo').filter(({ type }) => type === 'user')
  expect(users.map(({ payload }) => payload['prompt_id'])).toEqual(['p1', 'p3', 'p4'])
})

it('a text that the harness did not read is injected at the next start', async (t) => {
  const { at } = await afterAWell(t)
  const write = () => Promise.reject(new Error('EPIPE: broken pipe'))
  const deaf = await tell(start('next'), { ...at, write })
  expect(deaf).toEqual({ answer: { inject: '' }, stdout: '', words: 'EPIPE: broken pipe' })
  expect(textOf((await tell(start('next'), at)).stdout)).toContain('dig a well')
  expect((await tell(start('next'), at)).stdout).toBe('')
})

it('a start from an unknown source is a startup', async (t) => {
  const { at } = await afterAWell(t)
  expect(textOf((await tell(start('next', 'teleport'), at)).stdout)).toContain('dig a well')
})

it('a resumed session gets nothing of another session', async (t) => {
  const { root, at } = await afterAWell(t)
  expect((await tell(start('next', 'resume'), at)).stdout).toBe('')
  expect(eventsOf(root, 'next').map(({ type }) => type)).toEqual([
    'session_header',
    'session_resumed',
  ])
})

it('a session resumed after a compaction gets the checkpoint before it', async (t) => {
  const root = temporaryFolder(t)
  const clock = new Clock()
  const at = { root, ...clock.environment }
  await tell({ ...start('demo'), hook_event_name: 'UserPromptSubmit', prompt: 'dig a well' }, at)
  await tell({ ...start('demo'), hook_event_name: 'PreCompact', trigger: 'auto' }, at)
  clock.pass(MINUTE)
  const after = { ...start('demo'), hook_event_name: 'PostCompact', trigger: 'auto' }
  await tell({ ...after, compact_summary: 'A well.' }, at)
  clock.pass(MINUTE)
  expect(textOf((await tell(start('demo', 'resume'), at)).stdout)).toContain('dig a well')
})

it('a session begins although the earlier one that it names has no name', async (t) => {
  const root = temporaryFolder(t)
  const nameless = { ...start('demo'), previous_session_key: 'session:' }
  const { stdout, words } = await tell(nameless, { root })
  expect(stdout).toBe('')
  expect(words).toMatch(/^recovery_failed: ERR_ARG: A session id must not be empty/)
  expect(eventsOf(root, 'demo').map(({ type }) => type)).toEqual(['session_header'])
})
