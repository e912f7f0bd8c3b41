// One target, one context: a rewind, a fork and a resume at the same event give the model what it saw
// when that event was the newest. And a compaction can be undone in place.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  createSession,
  extractDelta,
  forkSession,
  resumeSession,
  storeStats,
  verifyLog,
} from '../../../lib/free-functions.js'
import type { Session } from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { type Context, newSession, seen, talk } from '../talking.js'

const texts = (messages: readonly { type: string; uuid: string }[]) =>
  messages.map(({ type, uuid }) => (type === 'summary' ? 'S' : uuid))

/** Two compactions; a message arrives while the second summary is made. */
async function compactedTwice(t: Context) {
  const { root, session } = await newSession(t)
  const then = new Map<string, readonly string[]>()
  const say = async (from: number, to: number) => {
    for (let number = from; number <= to; number++) {
      await talk(session, number, number)
      then.set(`m${number}`, seen(session))
    }
  }
  await say(1, 6)
  await session.compact({ summary: 'first', keepFrom: 'm5' })
  await say(7, 9)
  await say(10, 10)
  await session.compact({ summary: 'second', keepFrom: 'm8' })
  await say(11, 12)
  return { root, session, then }
}

async function copyOf(t: Context, root: string, newId: string): Promise<Session> {
  forkSession('s', { root, newId })
  const { session } = await resumeSession({ root, id: newId, mode: 'append', quiet: true })
  t.onTestFinished(() => session!.release().catch(() => {}))
  return session!
}

// Requirements: T25, 18-9
test('rewind, fork and resume to the same message give what the model saw then', async (t) => {
  const { root, session, then } = await compactedTwice(t)
  expect(seen(session)).toEqual(['S', 'm8', 'm9', 'm10', 'm11', 'm12'])
  for (const [to, expected] of then) {
    const rewound = await copyOf(t, root, `rewound-${to}`)
    await rewound.rewind({ to })
    expect(seen(rewound), `rewind to ${to}`).toEqual(expected)
    await rewound.release()
    const again = await resumeSession({ root, id: `rewound-${to}`, mode: 'inspect' })
    expect(texts(again.messages), `rewind to ${to}, read again`).toEqual(expected)
    forkSession('s', { root, at: to, newId: `forked-${to}` })
    const forked = await resumeSession({ root, id: `forked-${to}`, mode: 'inspect' })
    expect(texts(forked.messages), `fork at ${to}`).toEqual(expected)
    const resumed = await resumeSession({ root, id: 's', at: to, mode: 'inspect' })
    expect(texts(resumed.messages), `resume at ${to}`).toEqual(expected)
  }
})

// Requirement: 18-9
test.for([
  ['m9', ['S', 'm8', 'm9']],
  ['m12', ['S', 'm8', 'm9', 'm10', 'm11', 'm12']],
] as const)('keepCompaction keeps the summary before %s', async ([to, expected], t) => {
  const { session } = await compactedTwice(t)
  await session.rewind({ to, keepCompaction: true })
  expect(seen(session)).toEqual(expected)
})

// Requirement: 18-9
test('a message of the parent behind a compaction: the error names fork, keepCompaction works', async (t) => {
  const { root, session } = await newSession(t)
  await talk(session, 1, 6)
  await session.compact({ summary: 'first', keepFrom: 'm5' })
  await talk(session, 7, 8)
  await session.close()
  const { session: child } = await resumeSession({ root, id: 's' })
  t.onTestFinished(() => child!.release())
  await talk(child!, 9, 10)
  const size = child!.size
  await expect(child!.rewind({ to: 'm5' })).rejects.toMatchObject({
    code: 'ERR_ARG',
    message: expect.stringContaining('fork s --at m5'),
  })
  expect(() => child!.checkRewind({ to: 'm5' })).toThrow('fork s --at m5')
  expect(child!.size).toBe(size)
  await child!.rewind({ to: 'm7' })
  expect(seen(child!)).toEqual(['S', 'm5', 'm6', 'm7'])
  await child!.rewind({ to: 'm5', keepCompaction: true })
  expect(seen(child!)).toEqual(['S', 'm5'])
  forkSession('s', { root, at: 'm5', newId: 'f' })
  const forked = await resumeSession({ root, id: 'f', mode: 'inspect' })
  expect(texts(forked.messages)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
})

/** The uuid of what a message repeats, else its own. */
const origins = (session: Session) =>
  session.messages().messages.map(({ type, uuid, payload }) => {
    const { copied_from } = payload as { copied_from?: string }
    return type === 'summary' ? 'S' : (copied_from ?? uuid)
  })

// Requirement: 18-9
test('uncompact shows everything again, what came after the boundary as copies', async (t) => {
  const { root, session } = await newSession(t)
  await talk(session, 1, 6)
  const { boundaryUuid } = await session.compact({ summary: 'short', keepFrom: 'm5' })
  await session.append({ type: 'user', uuid: 'u', payload: { content: 'run it' } })
  await session.append({
    type: 'tool_call',
    uuid: 'call',
    payload: { tool_call_id: 't1', name: 'Bash', input: { command: 'ls' } },
  })
  await session.append({
    type: 'tool_result',
    uuid: 'result',
    payload: { tool_call_id: 't1', content: 'README.md', is_error: false },
  })
  await session.append({ type: 'assistant', uuid: 'a', payload: { content: 'done' } })
  await session.append({ type: 'turn_end', payload: {} })
  const before = readFileSync(session.path)
  const tip = session.tip!
  const result = await session.uncompact()
  expect(result).toMatchObject({ boundaryUuid, targetUuid: 'm6', copied: 4 })
  const all = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'u', 'call', 'result', 'a']
  expect(origins(session)).toEqual(all)
  expect(session.projection.contextEpoch).toBe(0)
  expect(session.interruption.found).toEqual([])
  expect(readFileSync(session.path).subarray(0, before.length)).toEqual(before)
  await talk(session, 7, 7)
  await session.release()

  const reopened = await resumeSession({ root, id: 's', mode: 'append', quiet: true })
  expect(reopened).toMatchObject({ degraded: false, diagnostics: [] })
  expect(origins(reopened.session!)).toEqual([...all, 'm7'])
  // Another rewind brings the compaction back.
  await reopened.session!.rewind({ to: tip })
  expect(seen(reopened.session!)).toEqual(['S', 'm5', 'm6', 'u', 'call', 'result', 'a'])
  await reopened.session!.release()
})

// Requirement: 18-9
test('0.1.0 shows an undone compaction as this version does, and finds no damage', async (t) => {
  const { root, session } = await newSession(t)
  await talk(session, 1, 6)
  await session.compact({ summary: 'short', keepFrom: 'm5' })
  await talk(session, 7, 10)
  await session.uncompact()
  await session.close()
  const { messages } = await resumeSession({ root, id: 's', mode: 'inspect' })
  const old = await release010.resumeSession({ root, id: 's', mode: 'inspect' })
  expect(old.messages).toHaveLength(10)
  expect(old.messages.map(({ uuid, payload }) => ({ uuid, payload }))).toEqual(
    messages.map(({ uuid, payload }) => ({ uuid, payload })),
  )
  expect(old.degraded).toBe(false)
  expect(old.diagnostics).toEqual([])
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
  expect(await verifyLog(session.path)).toMatchObject({ findings: [] })
})

// Requirement: 18-9
test('uncompact undoes one compaction at a time, and only where the end of the file was read', async (t) => {
  const { root, session } = await compactedTwice(t)
  await session.release()
  const { session: open } = await resumeSession({ root, id: 's', mode: 'append', quiet: true })
  t.onTestFinished(() => open!.release())
  await open!.uncompact()
  expect(origins(open!)).toEqual(['S', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11', 'm12'])
  await open!.uncompact()
  const twelve = Array.from({ length: 12 }, (_, index) => `m${index + 1}`)
  expect(open!.messages().messages).toHaveLength(twelve.length)
  await expect(open!.uncompact()).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

// Requirement: 18-9
test('a rewind that kept the compaction still holds after uncompact', async (t) => {
  const { session } = await newSession(t)
  await talk(session, 1, 6)
  await session.compact({ summary: 'short', keepFrom: 'm4' })
  await talk(session, 7, 8)
  await session.rewind({ to: 'm5', keepCompaction: true })
  await talk(session, 9, 9)
  expect(seen(session)).toEqual(['S', 'm4', 'm5', 'm9'])
  await session.uncompact()
  expect(origins(session)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm9'])
})

// Requirement: 18-9
test('a compaction of the parent is not undone here: the error names the fork that can', async (t) => {
  const { root, session } = await newSession(t)
  await talk(session, 1, 6)
  await session.compact({ summary: 'short', keepFrom: 'm5' })
  await session.close()
  const { session: child } = await resumeSession({ root, id: 's' })
  t.onTestFinished(() => child!.release())
  await talk(child!, 7, 8)
  await expect(child!.uncompact()).rejects.toMatchObject({
    code: 'ERR_ARG',
    message: expect.stringContaining('fork s --at m6'),
  })
})

// Requirement: 18-9
test('a session in memory can be uncompacted, too', async () => {
  const session = await createSession({ persist: false, id: 'memory-only' })
  await talk(session, 1, 6)
  await session.compact({ summary: 'short', keepFrom: 'm5' })
  await talk(session, 7, 7)
  await session.uncompact()
  expect(origins(session)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'])
  await session.close()
})

// Requirement: 18-9
test('copies are not counted, extracted or reported as work a second time', async (t) => {
  const { root, session } = await newSession(t)
  await talk(session, 1, 4)
  await session.compact({ summary: 'short', keepFrom: 'm4' })
  const usage = { input_tokens: 100, output_tokens: 10 }
  await session.append({ type: 'user', payload: { content: 'the only question' } })
  await session.append({ type: 'assistant', payload: { content: 'the only answer', usage } })
  await session.uncompact()
  await session.close()
  const { total } = await storeStats({ root })
  expect(total.tokens).toMatchObject({ input: 100, output: 10 })
  const delta = await extractDelta('s', { root, minChars: 0 })
  const text = 'text' in delta ? delta.text : ''
  expect(text.split('the only question')).toHaveLength(2)
  const copies = [...readLogSync(session.path)].filter(
    (entry) => entry.kind === 'event' && JSON.stringify(entry.event).includes('"copied_from"'),
  )
  expect(copies).toHaveLength(2)
})
