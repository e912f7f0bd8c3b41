// What a person said: an event of the transcript, and a line of the history of all sessions.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { createSession, resumeSession, verifyLog } from '../../lib/free-functions.js'
import type { CreateSessionOptions, Session } from '../../lib/session/index.js'
import type { ContextOptions } from '../../lib/store/index.js'
import { read_history } from '../../lib/store/index.js'
import { collect } from '../helpers/collect.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { collectUncaught } from '../helpers/uncaught.js'

async function newSession(t: TestContext, options: ContextOptions & CreateSessionOptions = {}) {
  const root = temporaryFolder(t)
  const home = temporaryFolder(t)
  const session = await createSession({ root, home, id: 'demo', ...options })
  t.onTestFinished(() => session.release().catch(() => {}))
  return { root, home, session }
}

const typesOf = async (session: Session) =>
  (await collect(session.raw())).map((entry) => entry.kind === 'event' && entry.event.type)

// Requirements: 003-27, 003-55
test('a prompt is a user event and one line of the history that names it', async (t) => {
  const project = temporaryFolder(t)
  const { home, session } = await newSession(t, { project })
  const receipt = await session.prompt('rename the key', { prompt_id: 'p1' })
  expect(session.messages().messages).toMatchObject([
    { type: 'user', uuid: receipt.uuid, payload: { content: 'rename the key', prompt_id: 'p1' } },
  ])
  const entries = await read_history({ home })
  expect(entries).toEqual([
    {
      prompt: 'rename the key',
      ts: expect.stringMatching(/Z$/),
      session_id: 'demo',
      offset: receipt.historyOffset,
      file: join(home, 'history.jsonl'),
      project,
      event_uuid: receipt.uuid,
    },
  ])
  expect(await typesOf(session)).toEqual(['session_header', 'user'])
})

test('close() returns the history offset of the last prompt', async (t) => {
  const { session } = await newSession(t)
  await session.prompt('one')
  const { historyOffset } = await session.prompt('two')
  expect(historyOffset).toBeGreaterThan(0)
  expect(await session.close()).toMatchObject({
    history_offset: historyOffset,
    history_appended: true,
  })
})

// Requirement: 003-01
test('close() of a resumed session returns what it had recorded before', async (t) => {
  const { root, home, session } = await newSession(t)
  const { historyOffset } = await session.prompt('one')
  const { checkpoint_hash } = await session.close()
  expect(checkpoint_hash).toMatch(/^[0-9a-f]{64}$/)
  const other = await createSession({ root, home, id: 'other' })
  await other.prompt('of somebody else')
  await other.close()
  const left = { history_offset: historyOffset, checkpoint_hash, history_appended: false }
  const goOn = async () =>
    (await resumeSession({ root, home, id: 'demo', mode: 'append' })).session!
  expect(await (await goOn()).close()).toMatchObject(left)
  const atOnce = await goOn()
  atOnce.closeSync()
  expect(await atOnce.close()).toMatchObject(left)
  const more = await goOn()
  const receipt = await more.prompt('two')
  const end = await more.close()
  expect(end).toMatchObject({ history_offset: receipt.historyOffset, history_appended: true })
  expect([null, checkpoint_hash]).not.toContain(end.checkpoint_hash)
})

test('close() works for a resumed session without earlier prompts or a readable history', async (t) => {
  const { root, home, session } = await newSession(t, { continuity: false })
  await session.append({ type: 'user', payload: { content: 'hello' } })
  await session.release()
  const nothing = { history_offset: null, checkpoint_hash: null, history_appended: false }
  const goOn = async () =>
    (await resumeSession({ root, home, id: 'demo', mode: 'append' })).session!
  expect(await (await goOn()).close()).toMatchObject(nothing)
  mkdirSync(join(home, 'history.jsonl'))
  expect(await (await goOn()).close()).toMatchObject(nothing)
})

test('without a prompt nothing was appended to the history', async (t) => {
  const { session } = await newSession(t)
  await session.append({ type: 'user', payload: { content: 'not by prompt()' } })
  expect(await session.close()).toMatchObject({ history_offset: null, history_appended: false })
})

test('records the text blocks of a prompt, and nothing if there are no texts', async (t) => {
  const { home, session } = await newSession(t)
  const image = { type: 'image', source: { data: 'AAAA' } }
  const blocks = [{ type: 'text', text: 'look' }, image, { type: 'text', text: 'at this' }]
  await session.prompt(blocks)
  expect(await session.prompt([image])).toMatchObject({ historyOffset: null })
  expect(await session.prompt('   ')).toMatchObject({ historyOffset: null })
  for (const wrong of [[null], 7]) {
    await expect(session.prompt(wrong as never)).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  expect((await read_history({ home })).map(({ prompt }) => prompt)).toEqual(['look\nat this'])
  expect(session.messages().messages).toHaveLength(3)
  expect(await session.close()).toMatchObject({ history_appended: true })
})

// Requirement: 003-55
test('a prompt that is tried again by its uuid is one event and one line', async (t) => {
  const { home, session } = await newSession(t)
  await session.prompt('once', { uuid: 'p1' })
  expect(await session.prompt('once', { uuid: 'p1' })).toMatchObject({
    uuid: 'p1',
    duplicate: true,
    historyOffset: null,
  })
  expect(await read_history({ home })).toHaveLength(1)
})

test('prompts that were not awaited are recorded in order before close() resolves', async (t) => {
  const { home, session } = await newSession(t)
  const prompts = Array.from({ length: 10 }, (_, index) => `p${index}`)
  const receipts = prompts.map((prompt) => session.prompt(prompt))
  const end = await session.close()
  const entries = await read_history({ home, reverse: false })
  expect(entries.map(({ prompt }) => prompt)).toEqual(prompts)
  expect(end).toMatchObject({ history_offset: entries.at(-1)!.offset, history_appended: true })
  await Promise.all(receipts)
})

// Requirements: 003-42, T33
test.for([
  [
    'garbage',
    (path: string) => writeFileSync(path, '\0\0\0{"ts":\xff\n}{garbage', { mode: 0o600 }),
  ],
  ['a folder in its place', (path: string) => mkdirSync(path)],
  ['a link to nowhere', (path: string) => symlinkSync('/nonexistent/history', path)],
] as const)('a damaged history does not disturb a live session: %s', async ([what, damage], t) => {
  const diagnostics: Diagnostic[] = []
  const { root, home, session } = await newSession(t, {
    onDiagnostic: (it) => diagnostics.push(it),
  })
  damage(join(home, 'history.jsonl'))
  const receipt = await session.prompt('go on')
  await session.append({ type: 'assistant', payload: { content: 'ok' } })
  expect(session.messages().messages).toHaveLength(2)
  const end = await session.close()
  const isWritable = what === 'garbage'
  expect(end.history_appended).toBe(isWritable)
  expect(receipt.historyOffset === null).toBe(!isWritable)
  const codes = diagnostics.map(({ code }) => code)
  expect(codes).toEqual(isWritable ? [] : ['history_not_written'])
  expect((await verifyLog(session.path)).findings).toEqual([])
  const { messages } = await resumeSession({ root, home, id: 'demo', mode: 'inspect' })
  expect(messages).toHaveLength(2)
})

// Requirement: 003-42
test('history_appended is false after one failed history write', async (t) => {
  const { home, session } = await newSession(t)
  const path = join(home, 'history.jsonl')
  mkdirSync(path)
  await session.prompt('missed')
  rmSync(path, { recursive: true })
  await session.prompt('recorded')
  expect(await session.close()).toMatchObject({ history_offset: 0, history_appended: false })
})

// Requirement: 003-27
test('a failing history does not change the transcript', async (t) => {
  const hashes = []
  for (const isBroken of [false, true]) {
    let count = 0
    const environment = { now: () => Date.UTC(2026, 0, 1), newUuid: () => `u${count++}` }
    const { home, session } = await newSession(t, { environment })
    if (isBroken) mkdirSync(join(home, 'history.jsonl'))
    await session.prompt('one')
    await session.prompt('two')
    await session.close()
    hashes.push(createHash('sha256').update(readFileSync(session.path)).digest('hex'))
  }
  expect(hashes[0]).toBe(hashes[1])
})

test('a session resumed in its own file keeps its project in the history', async (t) => {
  const project = temporaryFolder(t)
  const { root, home, session } = await newSession(t, { project })
  await session.release()
  const { session: again } = await resumeSession({ root, home, id: 'demo', mode: 'append' })
  await again!.prompt('still here')
  await again!.close()
  const { session: next } = await resumeSession({ root, home, id: 'demo', newId: 'next' })
  await next!.prompt('and here')
  await next!.close()
  const entries = await read_history({ home, project })
  expect(entries.map(({ prompt, session_id }) => [prompt, session_id])).toEqual([
    ['and here', 'next'],
    ['still here', 'demo'],
  ])
})

test('a listener that throws does not make a written prompt fail', async (t) => {
  const uncaught = collectUncaught(t)
  const bug = new Error('of the listener')
  const warnings: Error[] = []
  const { home, session } = await newSession(t, {
    onDiagnostic: () => {
      throw bug
    },
    onListenerError: (error) => {
      throw error
    },
    environment: { host: { emitWarning: (warning) => warnings.push(warning) } },
  })
  mkdirSync(join(home, 'history.jsonl'))
  const { uuid } = await session.prompt('all the same')
  expect(session.messages().messages).toMatchObject([{ uuid }])
  expect(warnings).toEqual([bug])
  expect(uncaught).toEqual([])
})

test('with redactOnWrite no secret of a prompt reaches the history either', async (t) => {
  const { home, session } = await newSession(t, { redactOnWrite: true })
  await session.prompt('deploy with GITHUB_TOKEN=abcdef123456')
  expect((await read_history({ home }))[0]!.prompt).toBe('deploy with GITHUB_TOKEN=[REDACTED]')
  expect(readFileSync(session.path, 'utf8')).not.toContain('abcdef123456')
})
