// Somebody else holds the session: a hook does not wait for them, and its event is not lost.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, type TestContext } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { eventsOf, hookCli, rowsIn, tell } from './telling.js'

const HOLDER = fileURLToPath(new URL('children/holder.mjs', import.meta.url))

interface Holder {
  readonly child: ChildProcessWithoutNullStreams
  say(text: string): Promise<string>
  heard(): Promise<string>
}

async function hold(
  t: TestContext,
  root: string,
  how: 'lease' | 'once' | 'claims',
): Promise<Holder> {
  const child = spawn(process.execPath, [HOLDER, root, 'demo', how])
  t.onTestFinished(() => void child.kill('SIGKILL'))
  child.stderr.pipe(process.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const heard = async () => (await lines.next()).value as string
  expect(await heard()).toBe('held')
  return {
    child,
    heard,
    say: (text) => {
      child.stdin.write(`${text}\n`)
      return heard()
    },
  }
}

const spooled = (root: string) =>
  readdirSync(join(root, '.spool')).filter((name) => name.endsWith('.jsonl'))
const typesOf = (root: string) => eventsOf(root, 'demo').map(({ type }) => type)

// Requirement: T69
it('an event of a session that a handle holds waits, and the handle takes it over', async (t) => {
  const root = temporaryFolder(t)
  await tell({ session_id: 'demo', prompt: 'before' }, { root, event: 'UserPromptSubmit' })
  const { say, child } = await hold(t, root, 'lease')
  const prompt = { session_id: 'demo', prompt: 'meanwhile', prompt_id: 'p1' }
  const told = await hookCli(prompt, root, ['UserPromptSubmit'])
  expect(told).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  await hookCli(prompt, root, ['UserPromptSubmit'])
  expect(spooled(root)).toHaveLength(2)
  expect(typesOf(root)).not.toContain('turn_end')
  expect(await say('append')).toBe('appended')
  // Said once, although it was told twice.
  expect(typesOf(root).filter((type) => type === 'user')).toHaveLength(2)
  expect(spooled(root)).toEqual([])
  const history = rowsIn(join(root, 'history.jsonl')).map((line) => line['prompt'])
  expect(history).toEqual(['before', 'meanwhile'])
  child.stdin.write('free\n')
  await once(child, 'close')
})

// Requirement: T69
it('an end under a lock that is not given free is queued, and written by the next hook', async (t) => {
  const root = temporaryFolder(t)
  await tell({ session_id: 'demo', prompt: 'before' }, { root, event: 'UserPromptSubmit' })
  const { child } = await hold(t, root, 'once')
  // The lock is still held when this returns.
  const end = await tell({ session_id: 'demo', reason: 'other' }, { root, event: 'SessionEnd' })
  expect(end.answer).toMatchObject({ status: 'queued' })
  expect(child.exitCode).toBeNull()
  expect(spooled(root)).toHaveLength(1)
  child.kill('SIGKILL')
  await once(child, 'close')
  // A hook of another session: none of its own will come any more.
  await tell({ session_id: 'next', source: 'startup' }, { root, event: 'SessionStart' })
  expect(typesOf(root).at(-1)).toBe('session_terminator')
  expect(spooled(root)).toEqual([])
})

it('an event without an id that is reported twice at the same time is spooled once', async (t) => {
  const root = temporaryFolder(t)
  const now = () => Date.UTC(2026, 0, 1, 12)
  await tell({ session_id: 'demo', prompt: 'before' }, { root, event: 'UserPromptSubmit', now })
  const { say, child } = await hold(t, root, 'lease')
  const later = { root, event: 'UserPromptSubmit', now: () => now() + 60_000 }
  await Promise.all([0, 1].map(() => tell({ session_id: 'demo', prompt: 'yes' }, later)))
  await tell({ session_id: 'demo', prompt: 'yes' }, { ...later, now: () => now() + 90_000 })
  await say('append')
  const users = eventsOf(root, 'demo').filter(({ type }) => type === 'user')
  expect(users.map(({ payload }) => payload['content'])).toEqual(['before', 'yes', 'yes'])
  child.stdin.write('free\n')
  await once(child, 'close')
})

it('what waits for a session is not taken for that of one whose name begins alike', async (t) => {
  const root = temporaryFolder(t)
  for (const session_id of ['demo', 'demo--x']) {
    await tell({ session_id, prompt: 'before' }, { root, event: 'UserPromptSubmit' })
  }
  const { child } = await hold(t, root, 'once')
  await tell({ session_id: 'demo', prompt: 'for demo' }, { root, event: 'UserPromptSubmit' })
  child.kill('SIGKILL')
  await once(child, 'close')
  await tell({ session_id: 'demo--x', prompt: 'for x' }, { root, event: 'UserPromptSubmit' })
  expect(spooled(root)).toHaveLength(1)
  await tell({ session_id: 'demo', prompt: 'again' }, { root, event: 'UserPromptSubmit' })
  const users = eventsOf(root, 'demo').filter(({ type }) => type === 'user')
  expect(users.map(({ payload }) => payload['content'])).toEqual(['before', 'for demo', 'again'])
})

it('while the claim cannot be read, events are recorded all the same', async (t) => {
  const root = temporaryFolder(t)
  const path = { root, runtimePath: 'plugin' }
  const first = { ...path, event: 'UserPromptSubmit', now: () => Date.UTC(2026, 0, 1, 12) }
  await tell({ session_id: 'demo', prompt: 'before' }, first)
  const { child } = await hold(t, root, 'claims')
  // A day later the claim has expired, and would be written anew.
  const later = { ...first, now: () => Date.UTC(2026, 0, 2, 12) }
  const told = await tell({ session_id: 'demo', prompt: 'meanwhile' }, later)
  expect(told).toEqual({ answer: { inject: '', status: 'written' }, stdout: '', words: '' })
  const end = { session_id: 'demo', reason: 'other' }
  const ended = await tell(end, { ...later, event: 'SessionEnd' })
  expect(ended).toEqual({ answer: { inject: '', status: 'written' }, stdout: '', words: '' })
  expect(typesOf(root)).toEqual(['session_header', 'user', 'user', 'session_terminator'])
  expect(child.exitCode).toBeNull()
})
