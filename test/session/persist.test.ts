// With persist: false a session works as any other, and nothing of it is ever written anywhere.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  append_transcript,
  createSession,
  forkSession,
  resumeSession,
} from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import { collect } from '../helpers/collect.js'
import { temporaryFolder } from '../helpers/temporary.js'

const NOWHERE = { root: '/nonexistent/root', home: '/nonexistent/home' }
const ephemeral = fileURLToPath(new URL('children/ephemeral.mjs', import.meta.url))

const newSession = (id = 'secret') => createSession({ ...NOWHERE, id, persist: false })
const seen = (session: Session) => session.messages().messages.map(({ uuid }) => uuid)

async function say(session: Session, ...uuids: readonly string[]): Promise<void> {
  for (const [index, uuid] of uuids.entries()) {
    const type = index % 2 === 0 ? 'user' : 'assistant'
    await session.append({ type, uuid, payload: { content: uuid } })
  }
}

test('it works as any other session: append, compact, rewind, rename, close', async () => {
  const session = await newSession()
  await say(session, 'm1', 'm2', 'm3', 'm4')
  expect(seen(session)).toEqual(['m1', 'm2', 'm3', 'm4'])
  const { summaryUuid } = await session.compact({ summary: 'so far', keepFrom: 'm4' })
  expect(seen(session)).toEqual([summaryUuid, 'm4'])
  await say(session, 'm5', 'm6')
  await session.rewind({ to: 'm5' })
  expect(seen(session)).toEqual([summaryUuid, 'm4', 'm5'])
  await session.rewind({ to: 'm2' })
  expect(seen(session)).toEqual(['m1', 'm2'])
  await say(session, 'm7')
  expect(seen(session)).toEqual(['m1', 'm2', 'm7'])
  await expect(session.rewind({ to: 'nobody' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  expect(() => session.projectionAt('nobody')).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
  await session.rename('Secret')
  expect(session.diagnostics).toEqual([])
  expect(session.interruption).toMatchObject({ kind: 'no_reply' })
  const end = await session.close()
  expect(end).toEqual({
    transcript_path: 'memory:secret',
    history_offset: null,
    checkpoint_hash: null,
    transcript_flushed: false,
    history_appended: false,
    terminator_uuid: expect.any(String),
  })
  await expect(say(session, 'late')).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(existsSync('/nonexistent')).toBe(false)
})

test('raw() yields what is in memory, as a file would have it', async (t) => {
  const run = async (options: { persist?: boolean; root: string }) => {
    let count = 0
    const environment = { now: () => Date.UTC(2026, 0, 1), newUuid: () => `u${count++}` }
    const session = await createSession({
      ...NOWHERE,
      id: 's',
      environment,
      continuity: false,
      ...options,
    })
    await say(session, 'm1', 'm2')
    await session.compact({ summary: 'both' })
    await session.rename('Title')
    await session.close()
    return (await collect(session.raw())).map((entry) => entry.kind === 'event' && entry.event)
  }
  const inMemory = await run({ persist: false, root: NOWHERE.root })
  expect(inMemory).toEqual(await run({ root: temporaryFolder(t) }))
  expect(inMemory).toHaveLength(8)
})

test('it reports that it is not persistent, and that cannot be changed', async () => {
  const session = await newSession()
  expect([session.path, session.persist]).toEqual(['memory:secret', false])
  expect(() => Object.assign(session, { persist: true })).toThrow(TypeError)
  expect(session.persist).toBe(false)
  await session.close()
})

test('resuming or forking it fails with the reason', async () => {
  const session = await newSession()
  for (const name of ['secret', 'session:secret', session.path]) {
    await expect(resumeSession({ ...NOWHERE, id: name })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      message: expect.stringContaining('in memory only (persist: false)'),
    })
    expect(() => forkSession(name, NOWHERE)).toThrow('in memory only (persist: false)')
  }
  await session.close()
  await expect(resumeSession({ ...NOWHERE, id: 'secret' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
    message: expect.stringContaining('No session "secret"'),
  })
})

test('a session of the same id on the disk is found all the same', async (t) => {
  const root = temporaryFolder(t)
  const session = await newSession('twin')
  const event = { type: 'user', payload: { content: 'on disk' } } as const
  await append_transcript({ session_id: 'twin', event }, { root })
  const { messages } = await resumeSession({ root, id: 'twin', mode: 'inspect' })
  expect(messages).toHaveLength(1)
  await session.close()
})

test('a stored session can be continued in memory; its file does not change', async (t) => {
  const root = temporaryFolder(t)
  const stored = await createSession({ root, id: 'stored' })
  await say(stored, 'm1', 'm2')
  await stored.close()
  const bytes = readFileSync(stored.path)
  const { session } = await resumeSession({ root, id: 'stored', persist: false })
  await say(session!, 'm3')
  expect(seen(session!)).toEqual(['m1', 'm2', 'm3'])
  await session!.rewind({ to: 'm1' })
  expect(seen(session!)).toEqual(['m1'])
  await session!.close()
  expect(readFileSync(stored.path).equals(bytes)).toBe(true)
  expect(readdirSync(join(root, '.transcripts'))).toEqual(['stored.jsonl'])
  await expect(
    resumeSession({ root, id: 'stored', mode: 'append', persist: false }),
  ).rejects.toMatchObject({ code: 'ERR_ARG' })
})

test('creates no folder, file, lock or history', (t) => {
  const folder = temporaryFolder(t)
  const cwd = join(folder, 'cwd')
  const temporary = join(folder, 'tmp')
  mkdirSync(cwd)
  mkdirSync(temporary)
  const args = [ephemeral, join(folder, 'root'), join(folder, 'home')]
  const env = { ...process.env, TMPDIR: temporary, HOME: join(folder, 'user') }
  const said = JSON.parse(spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' }).stdout)
  expect(said).toMatchObject({
    first: { historyOffset: null },
    messages: ['summary', 'assistant'],
    end: { transcript_path: 'memory:secret', transcript_flushed: false },
  })
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['cwd', 'tmp'])
})

const hasStrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0

test.skipIf(!hasStrace)('makes no system call that creates or changes a file', (t) => {
  const folder = temporaryFolder(t)
  const trace = join(folder, 'trace')
  const calls = 'trace=/^(open|creat|mkdir|rename|link|symlink|unlink|mknod|truncate|write)'
  const args = ['-f', '-s', '200', '-e', calls, '-o', trace, process.execPath, ephemeral]
  const child = spawnSync('strace', [...args, join(folder, 'root'), join(folder, 'home')])
  expect(child.status).toBe(0)
  const lines = readFileSync(trace, 'utf8').split('\n')
  const begin = lines.findIndex((line) => line.includes('write(2, "begin'))
  expect(begin).toBeGreaterThan(0)
  const changes = lines
    .slice(begin + 1)
    .filter((line) =>
      /O_(?:CREAT|WRONLY|RDWR|TRUNC|APPEND)|\b(?:mk|rename|link|sym|unlink)/.test(line),
    )
  expect(changes).toEqual([])
  expect(readdirSync(folder)).toEqual(['trace'])
})
