// What a harness tells through its hooks, where it tells it twice, too late, or of nothing.

import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { createSession, renameSession } from '../../lib/session/index.js'
import { beforeCompactionTold, compactTold } from '../../lib/session/told-compaction.js'
import { endTold } from '../../lib/session/told-end.js'
import { promptTold } from '../../lib/session/told-prompt.js'
import { takeWaiting } from '../../lib/session/told-waiting.js'
import { layoutOf, listCheckpoints, listSessions, spoolEvent } from '../../lib/store/index.js'
import { eventsIn } from '../cli/stored.js'
import { Clock } from '../helpers/clock.js'
import { temporaryFolder } from '../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

function newStore(t: Context) {
  const clock = new Clock()
  const root = temporaryFolder(t)
  const store = { root, home: root, environment: clock.environment }
  return { clock, store, path: join(root, '.transcripts', 'demo.jsonl') }
}

type Store = ReturnType<typeof newStore>['store']

const say = (store: Store, content: string) =>
  promptTold({ session_id: 'demo', source: 'UserPromptSubmit', content }, store)

const typesIn = (path: string) => eventsIn(path).map(({ type }) => type)

test('a summary that is told again within a moment is one compaction, and later it is another', async (t) => {
  const { clock, store, path } = newStore(t)
  await say(store, 'first')
  await beforeCompactionTold({ session_id: 'demo' }, store)
  const told = { session_id: 'demo', source: 'PostCompact', summary: 'All of it.' } as const
  const compact = () => compactTold({ ...told, trigger: 'auto' }, store)
  expect(await compact()).toMatchObject({ status: 'written' })
  expect(await compact()).toEqual({ status: 'duplicate' })
  clock.pass(10_000)
  await say(store, 'second')
  await beforeCompactionTold({ session_id: 'demo' }, store)
  expect(await compact()).toMatchObject({ status: 'written' })
  expect(typesIn(path).filter((type) => type === 'compaction_boundary')).toHaveLength(2)
})

test('the same summary later is another compaction, also where nobody told that it would come', async (t) => {
  const { clock, store, path } = newStore(t)
  const told = { session_id: 'demo', source: 'PostCompact', summary: 'All of it.' } as const
  const compact = () => compactTold({ ...told, trigger: 'auto' }, store)
  await say(store, 'first')
  const both = await Promise.all([compact(), compact()])
  expect(both.map(({ status }) => status).sort()).toEqual(['duplicate', 'written'])
  clock.pass(10_000)
  await say(store, 'second')
  expect(await compact()).toMatchObject({ status: 'written' })
  expect(typesIn(path).filter((type) => type === 'compaction_boundary')).toHaveLength(2)
})

test('a checkpoint before a compaction takes the last words along, and passes over damage', async (t) => {
  const { store, path } = newStore(t)
  for (const letter of ['a', 'b', 'c']) await say(store, letter.repeat(1500))
  appendFileSync(path, '{"type":\n')
  await beforeCompactionTold({ session_id: 'demo' }, store)
  const { checkpoints } = listCheckpoints({ ...store, session: 'demo' })
  const [newest] = checkpoints
  expect(newest?.checkpoint.trigger).toBe('pre_compaction')
  const text = JSON.stringify(newest?.checkpoint)
  expect(text).toContain('c'.repeat(100))
  expect(text).not.toContain('a'.repeat(1500))
})

test('a session ends once, however often its end is told, and leaves one checkpoint of it', async (t) => {
  const { clock, store, path } = newStore(t)
  expect(await endTold({ session_id: 'demo', reason: 'exit' }, store)).toBeUndefined()
  expect(existsSync(path)).toBe(false)
  await say(store, 'hello')
  expect(await endTold({ session_id: 'demo', reason: 'exit' }, store)).toMatchObject({
    status: 'written',
  })
  clock.pass(10_000)
  expect(await endTold({ session_id: 'demo', reason: 'exit' }, store)).toEqual({
    status: 'duplicate',
  })
  expect(typesIn(path).filter((type) => type === 'session_terminator')).toHaveLength(1)
  expect(listCheckpoints({ ...store, session: 'demo' }).checkpoints).toHaveLength(1)
})

test('a prompt is recorded although the history cannot be written, and that is told', async (t) => {
  const { store, path } = newStore(t)
  mkdirSync(join(store.root, 'history.jsonl'))
  const told: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => told.push(it)
  const prompt = { session_id: 'demo', source: 'UserPromptSubmit', content: 'hello' }
  expect(await promptTold(prompt, { ...store, onDiagnostic })).toMatchObject({ status: 'written' })
  expect(told).toMatchObject([{ code: 'history_not_written' }])
  expect(typesIn(path)).toEqual(['session_header', 'user'])
})

test('what waits is brought in where nobody writes, and stays where there is no session or a writer', async (t) => {
  const { store, path } = newStore(t)
  const layout = layoutOf(store)
  await say(store, 'hello')
  const event = { type: 'remember', payload: { text: 'The port is 8080.' } }
  await spoolEvent(layout, 'demo', event)
  await spoolEvent(layout, 'nobody', event)
  const held = await createSession({ ...store, id: 'held', continuity: false })
  t.onTestFinished(() => held.release())
  await spoolEvent(layout, 'held', event)
  await takeWaiting({ ...store, lockTimeoutMs: 0 })
  expect(typesIn(path).at(-1)).toBe('remember')
  expect(typesIn(held.path)).toEqual(['session_header'])
  expect(existsSync(layout.transcriptPath('nobody'))).toBe(false)
  expect(readdirSync(layout.spool)).toHaveLength(2)
})

test('what waits and is refused stays, and keeps no other event from being written', async (t) => {
  const { store, path } = newStore(t)
  await say(store, 'hello')
  const layout = layoutOf(store)
  const [, prompt] = eventsIn(path)
  // The name of an event that is there, with another content.
  const uuid = String(prompt!['uuid'])
  await spoolEvent(layout, 'demo', { type: 'remember', uuid, payload: { text: 'other' } })
  expect(await say(store, 'and now?')).toMatchObject({ status: 'written' })
  expect(typesIn(path)).toEqual(['session_header', 'user', 'user'])
  expect(readdirSync(layout.spool)).toHaveLength(1)
})

test('a title is found behind any number of events that hooks tell (A7)', async (t) => {
  const { clock, store } = newStore(t)
  await say(store, 'first')
  await renameSession('demo', 'The title', store)
  for (let index = 0; index < 12; index++) {
    clock.pass(10_000)
    expect(await say(store, `${index} `.padEnd(9000, 'x'))).toMatchObject({ status: 'written' })
    expect(listSessions(store).sessions).toMatchObject([{ title: 'The title' }])
  }
})

test('a session of another agent leaves its checkpoints before a compaction and at its end', async (t) => {
  const { store } = newStore(t)
  const options = { ...store, agent: 'reviewer' }
  await say(options, 'first')
  await beforeCompactionTold({ session_id: 'demo' }, options)
  await say(options, 'second')
  await endTold({ session_id: 'demo', reason: 'exit' }, options)
  const { checkpoints } = listCheckpoints({ ...options, session: 'demo' })
  expect(checkpoints.map(({ checkpoint }) => checkpoint)).toMatchObject([
    { trigger: 'session_end', agent_id: 'reviewer', total_prompt_count: 2 },
    { trigger: 'pre_compaction', agent_id: 'reviewer', prompt_count: 1 },
  ])
})
