// What comes back of a session that was killed: the end of its transcript, and its checkpoints.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import {
  checkpointSession,
  contextCheckpoint,
  createSession,
  recover,
  recoverOnce,
  resumeSession,
  sessionStart,
} from '../../../lib/free-functions.js'
import { openContext } from '../../../lib/store/index.js'
import { BINARY, runCli } from '../../cli/command-line.js'
import { contentsOf, eventsIn } from '../../cli/stored.js'
import { Clock, HOUR, MINUTE } from '../../helpers/clock.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { hookCli } from '../../hooks/telling.js'

const TURNS = fileURLToPath(new URL('../children/turns.mjs', import.meta.url))
const HARNESS = fileURLToPath(new URL('../../hooks/children/harness.mjs', import.meta.url))

function newPlace(t: TestContext) {
  const root = temporaryFolder(t)
  return { root, home: root, project: realpathSync(temporaryFolder(t)) }
}

async function killedIn(t: TestContext, args: readonly string[], env = process.env) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  t.onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** A session with a prompt, an open call and no end; the clock moves on. */
async function leave(
  place: ReturnType<typeof newPlace>,
  clock: Clock,
  id: string,
  prompt: string,
  kind: 'interactive' | 'subagent' = 'interactive',
) {
  const { environment } = clock
  const session = await createSession({ ...place, id, kind, environment })
  await session.append({ type: 'user', payload: { content: prompt } })
  const call = { tool_call_id: id, name: 'Bash', input: { command: `make ${id}` } }
  await session.append({ type: 'tool_call', payload: call })
  await session.release()
  clock.pass(MINUTE)
}

test('killed in turn one: its prompt and its calls come back', async (t) => {
  const place = newPlace(t)
  await killedIn(t, [TURNS, place.root, place.project, 'killed', '0'])
  const before = contentsOf(place.root)
  const found = recover(place)!
  expect(found).toMatchObject({
    matchedBy: 'project',
    checkpoint: { session_key: 'killed', cause: 'transcript', project_normalized: place.project },
    from: [{ kind: 'transcript', sessionKey: 'killed' }],
  })
  expect(found.text).toContain('[The end of the transcript of session killed, unfinished at 20')
  expect(found.text).toContain('Prompts:\n- Turn 1: repair the parser')
  expect(found.text).toContain('Tool calls:\n- Read lib/1.ts\n- Bash npm test (no result)')
  expect(found.text.length).toBeLessThanOrEqual(2000)
  // Looked at, and nothing stored.
  expect(contentsOf(place.root)).toEqual(before)
})

test('killed in turn two: the digest of turn one and what turn two did come back', async (t) => {
  const place = newPlace(t)
  await killedIn(t, [TURNS, place.root, place.project, 'killed', '1'])
  const { text, from, checkpoint } = recover(place)!
  expect(from).toMatchObject([
    { kind: 'checkpoint', trigger: 'agent', id: checkpoint.id },
    { kind: 'transcript', sessionKey: 'killed' },
  ])
  expect(checkpoint.digest).toBe('Digest of turn 1')
  expect(text).toContain('Digest of turn 1')
  expect(text).toContain('- Turn 2: repair the parser')
  expect(text).toContain('- Bash npm test (no result)')
  // The checkpoint covers what was before it.
  expect(text).not.toContain('Turn 1: repair')
})

test('the same comes from recoverOnce, sessionStart, the command line and the hook of the next start', async (t) => {
  const place = newPlace(t)
  const { root, project } = place
  await killedIn(t, [TURNS, root, project, 'killed', '0'])
  const { text } = recover(place)!
  const once = recoverOnce('next', place)!
  expect(once).toMatchObject({ text, alreadyInjected: false })
  const answer = await sessionStart({ ...place, sessionKey: 'next' })
  expect(answer.recovery).toMatchObject({ text, matchedBy: 'project' })
  const at = { cwd: project, env: { JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root } }
  const shown = await runCli(['recover', '--json'], at)
  expect(JSON.parse(shown.stdout)).toMatchObject({ text, from: [{ kind: 'transcript' }] })
  const start = { hook_event_name: 'SessionStart', session_id: 'next', source: 'startup' }
  const hook = await hookCli({ ...start, cwd: project }, root)
  expect(JSON.parse(hook.stdout).hookSpecificOutput.additionalContext).toBe(text)
  // Injected once: the newest event of the transcript identifies it.
  expect(recoverOnce('next', place)).toMatchObject({ text: '', alreadyInjected: true })
})

test('a harness that is killed in turn one: the next start gets the prompt and the call', async (t) => {
  const { root, project } = newPlace(t)
  const event = { session_id: 'first', cwd: project }
  const events = [
    { ...event, hook_event_name: 'SessionStart', source: 'startup' },
    { ...event, hook_event_name: 'UserPromptSubmit', prompt: 'paint the fence green' },
    {
      ...event,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_use_id: 't1',
      tool_input: { command: 'paint --green' },
    },
  ]
  const env = { PATH: process.env['PATH'], JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root }
  await killedIn(t, [HARNESS, BINARY, ...events.map((it) => JSON.stringify(it))], env)
  const next = { hook_event_name: 'SessionStart', session_id: 'next', source: 'startup' }
  const { stdout } = await hookCli({ ...next, cwd: project }, root)
  const text: string = JSON.parse(stdout).hookSpecificOutput.additionalContext
  expect(text).toContain('- paint the fence green')
  expect(text).toContain('- Bash paint --green (no result)')
})

test('a digest stored just before close() is not hidden by the record of the end', async (t) => {
  const place = newPlace(t)
  const session = await createSession({ ...place, id: 'done' })
  await session.prompt('dig a well')
  await session.checkpoint({ digest: 'The pump comes on Monday' })
  await session.close()
  const { checkpoint, text, from } = recover(place)!
  expect(checkpoint).toMatchObject({ trigger: 'agent', digest: 'The pump comes on Monday' })
  expect(text).toContain('The pump comes on Monday')
  expect(from).toHaveLength(1)
})

test('own words stay first when later checkpoints gathered more, and both are shown', async (t) => {
  const place = newPlace(t)
  const session = await createSession({ ...place, id: 'done' })
  await session.prompt('dig a well')
  await session.checkpoint({ digest: 'The pump comes on Monday' })
  await session.prompt('and a fence')
  await session.close()
  // A trivial session in between.
  const trivial = await createSession({ ...place, id: 'trivial' })
  await trivial.prompt('hi')
  await trivial.close()
  const { checkpoint, text, from } = recover(place)!
  expect(checkpoint.digest).toBe('The pump comes on Monday')
  expect(from.map(({ sessionKey, trigger }) => [sessionKey, trigger])).toEqual([
    ['done', 'agent'],
    ['trivial', 'session_end'],
  ])
  expect(text.indexOf('The pump comes on Monday')).toBeLessThan(text.indexOf('- hi'))
})

test('a session that was continued is not unfinished, nor is one that is open or has ended', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const at = { ...place, environment: clock.environment }
  await leave(place, clock, 'first', 'dig a well')
  expect(recover(at)?.text).toContain('dig a well')
  const { session } = await resumeSession({ ...at, id: 'first' })
  await session!.append({ type: 'user', payload: { content: 'deeper' } })
  expect(recover(at)).toBeUndefined()
  await session!.close()
  expect(recover(at)?.from.map(({ kind }) => kind)).toEqual(['checkpoint'])
})

test('the unfinished session of a subagent is not what the next session of the project continues', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const { environment } = clock
  await leave(place, clock, 'child', 'Search the logs.', 'subagent')
  expect(recover({ ...place, environment })).toBeUndefined()
  await leave(place, clock, 'main', 'Fix the port.')
  expect(recover({ ...place, environment })?.from).toMatchObject([{ sessionKey: 'main' }])
})

test('the newest unfinished session counts, and an older one too while the newest did nothing yet', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const at = { ...place, environment: clock.environment }
  await leave(place, clock, 'one', 'dig a well')
  await leave(place, clock, 'two', 'build a fence')
  expect(recover(at)?.from).toMatchObject([{ sessionKey: 'two' }])
  const three = await createSession({ ...at, id: 'three' })
  await three.append({ type: 'user', payload: { content: 'and a gate' } })
  await three.release()
  expect(recover(at)?.from).toMatchObject([{ sessionKey: 'three' }, { sessionKey: 'two' }])
  expect(recover({ ...at, sessionKey: 'three' })?.from).toMatchObject([{ sessionKey: 'two' }])
})

test('the window limits what is recovered of a project, and neither the named session nor memories', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const at = { ...place, environment: clock.environment }
  await leave(place, clock, 'old', 'dig a well')
  const memories = [{ content: 'The port is 8080', memoryType: 'constraint' as const }]
  await contextCheckpoint({ ...at, sessionKey: 'other', sessionSummary: 'Fenced', memories })
  clock.pass(4 * HOUR)
  expect(recover(at)).toBeUndefined()
  const { sessionContext, recovery } = await sessionStart(at)
  expect(recovery).toBeNull()
  expect(sessionContext.constraints).toMatchObject([{ text: 'The port is 8080' }])
  expect(recover({ ...at, withinMs: 5 * HOUR })?.text).toContain('dig a well')
  expect(recover({ ...at, previousSessionKey: 'old' })).toMatchObject({ matchedBy: 'lineage' })
  expect(recover({ ...at, sessionKey: 'old', source: 'resume' })).toMatchObject({
    matchedBy: 'session',
    text: expect.stringContaining('Bash make old (no result)'),
  })
})

test('of a branch that was left by a rewind nothing comes back', async (t) => {
  const place = newPlace(t)
  const session = await createSession({ ...place, id: 'one' })
  const say = (uuid: string, content: string) =>
    session.append({ type: 'user', uuid, payload: { content } })
  await say('u1', 'dig a well')
  await say('u2', 'a wrong turn')
  await session.rewind({ to: 'u1' })
  await say('u3', 'a better turn')
  await session.release()
  const { text } = recover(place)!
  expect(text).toContain('- dig a well\n- a better turn')
  expect(text).not.toContain('wrong')
})

test('reads the end of a long transcript only, and redacts it', async (t) => {
  const place = newPlace(t)
  const session = await createSession({ ...place, id: 'long' })
  const secret = `ghp_${'a1B2'.repeat(9)}`
  await session.append({ type: 'user', payload: { content: 'the very first prompt' } })
  for (let index = 0; index < 40; index++) {
    await session.append({ type: 'assistant', payload: { content: 'x'.repeat(10_000) } })
  }
  await session.append({ type: 'user', payload: { content: `use ${secret} now` } })
  await session.remember('the port is 8080')
  await session.release()
  const { text, checkpoint } = recover(place)!
  expect(text).not.toContain('very first')
  expect(text).toContain('Remembered:\n- the port is 8080')
  expect(JSON.stringify([text, checkpoint])).not.toContain(secret)
})

test('what else was shown is recorded, and a new end of the transcript is news', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const at = { ...place, environment: clock.environment }
  const { project } = place
  const text = { sessionKey: 'older', digest: 'What was', project }
  await checkpointSession({ ...at, ...text })
  clock.pass(MINUTE)
  await leave(place, clock, 'one', 'dig a well')
  const first = recoverOnce('next', at)!
  expect(first.from.map(({ kind }) => kind)).toEqual(['checkpoint', 'transcript'])
  await first.commit()
  const path = openContext(place).layout.transcriptPath('next')
  expect(eventsIn(path).filter(({ type }) => type === 'recovery_injected')).toMatchObject([
    { payload: { checkpoint_id: first.checkpoint.id, sources: [first.from[1]!.id] } },
  ])
  expect(recoverOnce('next', at)).toMatchObject({ alreadyInjected: true, text: '' })
  const { session } = await resumeSession({ ...at, id: 'one', mode: 'append' })
  await session!.append({ type: 'user', payload: { content: 'deeper' } })
  await session!.release()
  expect(recoverOnce('next', at)).toMatchObject({ alreadyInjected: false })
})

test('0.1.0 reads a session that was given the end of a transcript without findings', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const at = { ...place, environment: clock.environment }
  const { root, project } = place
  await checkpointSession({ ...at, sessionKey: 'older', digest: 'What was', project })
  await leave(place, clock, 'one', 'dig a well')
  await recoverOnce('next', at)!.commit()
  const path = openContext(place).layout.transcriptPath('next')
  expect(eventsIn(path).at(-1)).toMatchObject({ payload: { sources: [expect.any(String)] } })
  expect(await release010.verifyLog(path)).toMatchObject({ findings: [] })
  const seen = await release010.resumeSession({ root, id: 'next', mode: 'inspect' })
  expect(seen).toMatchObject({ messages: [], degraded: false, diagnostics: [] })
})

test('the checkpoint of a killed session comes back although a later session stored another', async (t) => {
  const place = newPlace(t)
  const clock = new Clock()
  const { environment } = clock
  const at = { ...place, environment }
  const killed = await createSession({ ...at, id: 'killed' })
  await killed.prompt('dig a well')
  await killed.checkpointBeforeCompaction('The well is ten metres deep.')
  clock.pass(MINUTE)
  await killed.append({ type: 'assistant', payload: { content: 'Now the pump.' } })
  await killed.release()
  clock.pass(MINUTE)
  const trivial = await createSession({ ...at, id: 'trivial' })
  await trivial.prompt('what is 2 + 2?')
  await trivial.close()
  clock.pass(MINUTE)
  const { text, from } = recover(at)!
  expect(from).toMatchObject([
    { sessionKey: 'trivial', trigger: 'session_end' },
    { sessionKey: 'killed', kind: 'transcript' },
    { sessionKey: 'killed', trigger: 'pre_compaction' },
  ])
  expect(text).toContain('ten metres deep')
  expect(text).toContain('Now the pump.')
})

test('the prompt of a long turn comes back from far behind its last calls', async (t) => {
  const place = newPlace(t)
  const session = await createSession({ ...place, id: 'long' })
  await session.prompt('dig a well')
  for (const number of [1, 2, 3]) {
    const payload = {
      tool_call_id: `t${number}`,
      name: 'Bash',
      input: { command: `dig ${number}` },
    }
    await session.append({ type: 'tool_call', payload })
    const content = 'x'.repeat(150_000)
    await session.append({
      type: 'tool_result',
      payload: { tool_call_id: `t${number}`, name: 'Bash', content, is_error: false },
    })
  }
  await session.release()
  const { text } = recover(place)!
  expect(text).toContain('Prompts:\n- dig a well')
  expect(text).toContain('- Bash dig 3')
})
