// Events that a harness reports through hooks: twice, too late, or for a session without a log.

import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { createSession, renameSession } from '../../../lib/free-functions.js'
import {
  drainSpool,
  recordBeforeCompaction,
  recordCompaction,
  recordPrompt,
  recordSessionEnd,
} from '../../../lib/session/record.js'
import { listCheckpoints, listSessions, openContext, spoolEvent } from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { Clock } from '../../helpers/clock.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

function newStore(t: Context) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  const store = { root, home: root, environment: clock.environment }
  return { clock, store, path: join(root, '.transcripts', 'demo.jsonl') }
}

type Store = ReturnType<typeof newStore>['store']

const say = (store: Store, content: string) =>
  recordPrompt(openContext(store), { sessionId: 'demo', source: 'UserPromptSubmit', content })

const typesIn = (path: string) => eventsIn(path).map(({ type }) => type)

test('a summary that is reported twice within two seconds is one compaction, later it is another', async (t) => {
  const { clock, store, path } = newStore(t)
  await say(store, 'first')
  await recordBeforeCompaction(openContext(store), { sessionId: 'demo' })
  const event = { sessionId: 'demo', source: 'PostCompact', summary: 'All of it.' }
  const compact = () => recordCompaction(openContext(store), { ...event, trigger: 'auto' })
  expect(await compact()).toMatchObject({ status: 'written' })
  expect(await compact()).toEqual({ status: 'duplicate' })
  clock.pass(10_000)
  await say(store, 'second')
  await recordBeforeCompaction(openContext(store), { sessionId: 'demo' })
  expect(await compact()).toMatchObject({ status: 'written' })
  expect(typesIn(path).filter((type) => type === 'compaction_boundary')).toHaveLength(2)
})

test('the same summary later is another compaction, also without a PreCompact hook', async (t) => {
  const { clock, store, path } = newStore(t)
  const event = { sessionId: 'demo', source: 'PostCompact', summary: 'All of it.' }
  const compact = () => recordCompaction(openContext(store), { ...event, trigger: 'auto' })
  await say(store, 'first')
  const both = await Promise.all([compact(), compact()])
  expect(both.map(({ status }) => status).sort()).toEqual(['duplicate', 'written'])
  clock.pass(10_000)
  await say(store, 'second')
  expect(await compact()).toMatchObject({ status: 'written' })
  expect(typesIn(path).filter((type) => type === 'compaction_boundary')).toHaveLength(2)
})

test('a checkpoint before a compaction holds the last messages and skips damaged lines', async (t) => {
  const { store, path } = newStore(t)
  for (const letter of ['a', 'b', 'c']) await say(store, letter.repeat(1500))
  appendFileSync(path, '{"type":\n')
  await recordBeforeCompaction(openContext(store), { sessionId: 'demo' })
  const { checkpoints } = listCheckpoints(openContext(store), { session: 'demo' })
  const [newest] = checkpoints
  expect(newest?.checkpoint.trigger).toBe('pre_compaction')
  const text = JSON.stringify(newest?.checkpoint)
  expect(text).toContain('c'.repeat(100))
  expect(text).not.toContain('a'.repeat(1500))
})

test('a session gets one terminator and one last checkpoint, however often its end is reported', async (t) => {
  const { clock, store, path } = newStore(t)
  expect(
    await recordSessionEnd(openContext(store), { sessionId: 'demo', reason: 'exit' }),
  ).toBeUndefined()
  expect(existsSync(path)).toBe(false)
  await say(store, 'hello')
  expect(
    await recordSessionEnd(openContext(store), { sessionId: 'demo', reason: 'exit' }),
  ).toMatchObject({
    status: 'written',
  })
  clock.pass(10_000)
  expect(
    await recordSessionEnd(openContext(store), { sessionId: 'demo', reason: 'exit' }),
  ).toMatchObject({
    status: 'duplicate',
  })
  expect(typesIn(path).filter((type) => type === 'session_terminator')).toHaveLength(1)
  expect(listCheckpoints(openContext(store), { session: 'demo' }).checkpoints).toHaveLength(1)
})

test('a prompt is recorded although the history cannot be written, and the failure is reported', async (t) => {
  const { store, path } = newStore(t)
  mkdirSync(join(store.root, 'history.jsonl'))
  const reported: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => reported.push(it)
  const result = await say({ ...store, onDiagnostic } as Store, 'hello')
  expect(result).toMatchObject({ status: 'written' })
  expect(reported).toMatchObject([{ code: 'history_not_written' }])
  expect(typesIn(path)).toEqual(['session_header', 'user'])
})

test('spooled events are appended to idle sessions, and stay for held and for missing ones', async (t) => {
  const { store, path } = newStore(t)
  const context = openContext(store)
  const { layout } = context
  await say(store, 'hello')
  const event = { type: 'remember', payload: { text: 'The port is 8080.' } }
  await spoolEvent(context, 'demo', event)
  await spoolEvent(context, 'missing', event)
  const held = await createSession({ ...store, id: 'held', continuity: false })
  t.onTestFinished(() => held.release())
  await spoolEvent(context, 'held', event)
  await drainSpool(openContext(store))
  expect(typesIn(path).at(-1)).toBe('remember')
  expect(typesIn(held.path)).toEqual(['session_header'])
  expect(existsSync(layout.transcriptPath('missing'))).toBe(false)
  expect(readdirSync(layout.spool)).toHaveLength(2)
})

test('a spool that cannot be read keeps no hook from recording', async (t) => {
  const { store, path } = newStore(t)
  const codes: string[] = []
  const context = openContext({ ...store, onDiagnostic: ({ code }) => codes.push(code) })
  writeFileSync(context.layout.spool, 'not a folder')
  await drainSpool(context)
  await recordPrompt(context, { sessionId: 'demo', source: 'UserPromptSubmit', content: 'hello' })
  expect(typesIn(path)).toContain('user')
  expect(new Set(codes)).toEqual(new Set(['spool_unreadable']))
})

test('a spooled event that is refused is set aside, and does not block the next event', async (t) => {
  const { store, path } = newStore(t)
  await say(store, 'hello')
  const context = openContext(store)
  const { layout } = context
  const [, prompt] = eventsIn(path)
  // The uuid of an event that exists, with another content.
  const uuid = String(prompt!['uuid'])
  await spoolEvent(context, 'demo', {
    type: 'remember',
    uuid,
    payload: { text: 'other' },
  })
  expect(await say(store, 'and now?')).toMatchObject({ status: 'written' })
  expect(typesIn(path)).toEqual(['session_header', 'user', 'user'])
  expect(readdirSync(layout.spool)).toEqual(['refused'])
  expect(readdirSync(layout.refused)).toHaveLength(2)
})

// Requirement: A7
test('a title is found after any number of events from hooks', async (t) => {
  const { clock, store } = newStore(t)
  await say(store, 'first')
  await renameSession('demo', 'The title', store)
  for (let index = 0; index < 12; index++) {
    clock.pass(10_000)
    expect(await say(store, `${index} `.padEnd(9000, 'x'))).toMatchObject({ status: 'written' })
    expect(listSessions(openContext(store)).sessions).toMatchObject([{ title: 'The title' }])
  }
})

test('a session of another agent gets checkpoints before a compaction and at its end', async (t) => {
  const { store } = newStore(t)
  const options = { ...store, agent: 'reviewer' }
  await say(options, 'first')
  await recordBeforeCompaction(openContext(options), { sessionId: 'demo' })
  await say(options, 'second')
  await recordSessionEnd(openContext(options), { sessionId: 'demo', reason: 'exit' })
  const { checkpoints } = listCheckpoints(openContext(options), { session: 'demo' })
  expect(checkpoints.map(({ checkpoint }) => checkpoint)).toMatchObject([
    { trigger: 'session_end', agent_id: 'reviewer', total_prompt_count: 2 },
    { trigger: 'pre_compaction', agent_id: 'reviewer', prompt_count: 1 },
  ])
})
