import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  createSession,
  forkSession,
  listRetired,
  pruneSessions,
  restoreSessions,
  resumeSession,
  retireSessions,
} from '../../../lib/free-functions.js'

import {
  claimSession,
  layoutOf,
  listSessions,
  openContext,
  spoolEvent,
} from '../../../lib/store/index.js'
import { contentsOf, eventsIn } from '../../cli/stored.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 5, 1)
const HERE = fileURLToPath(new URL('../children/', import.meta.url))

interface Store {
  readonly root: string
  readonly home: string
  readonly environment: { now: () => number }
}

function newStore(t: Pick<TestContext, 'onTestFinished'>): Store {
  const root = temporaryFolder(t)
  return { root, home: root, environment: { now: () => NOW } }
}

/** A finished session whose last word was said so many days ago. */
async function store(at: Store, id: string, days: number, more: { files?: boolean } = {}) {
  let time = NOW - days * DAY_MS
  const environment = { now: () => time }
  const project = realpathSync(at.root)
  const session = await createSession({ ...at, environment, id, project, continuity: false })
  await session.append({ type: 'user', uuid: `${id}-u1`, payload: { content: `I am ${id}` } })
  if (more.files === true) {
    writeFileSync(join(project, `${id}.txt`), `content of ${id}`)
    await session.snapshotFiles([`${id}.txt`])
  }
  time += 1000
  await session.close()
  return session.path
}

const ids = (sessions: readonly { sessionId: string }[]) =>
  sessions.map(({ sessionId }) => sessionId).sort()
const stored = ({ root, home }: Store) =>
  listSessions(openContext({ root, home }), { all: true })
    .sessions.map(({ sessionId }) => sessionId)
    .sort()
const lines = ({ root }: Store) => eventsIn(join(root, 'retention.jsonl'))

/** Contents by the name of the file alone, wherever it is. */
function bytesOf({ root }: Store): Record<string, string> {
  const entries = Object.entries(contentsOf(root)).filter(
    ([path]) => !/retention|\.lock/.test(path),
  )
  return Object.fromEntries(entries.map(([path, hash]) => [basename(path), hash]))
}

test('returns a plan without apply, and changes nothing', async (t) => {
  const at = newStore(t)
  await store(at, 'old', 100)
  await store(at, 'young', 10)
  const before = contentsOf(at.root)
  const report = await retireSessions({ ...at, to: 'archive', olderThanMs: 30 * DAY_MS })
  expect(report).toMatchObject({
    applied: false,
    sessions: [{ sessionId: 'old', from: 'store', to: 'archive', files: 1 }],
    kept: [],
  })
  expect(contentsOf(at.root)).toEqual(before)
})

test('moves a session with all its files, byte for byte, records it, and moves it back', async (t) => {
  const at = newStore(t)
  const environment = { now: () => NOW - 100 * DAY_MS }
  const project = realpathSync(temporaryFolder(t))
  const session = await createSession({ ...at, environment, id: 'old', project, continuity: false })
  writeFileSync(join(project, 'a.txt'), 'saved')
  await session.snapshotFiles(['a.txt'])
  const child = await session.spawn({ taskId: 'task', prompt: 'look' })
  await child.finish({ status: 'completed', summary: 'seen' })
  await session.close()
  const before = bytesOf(at)
  const options = { ...at, to: 'archive', olderThanMs: 30 * DAY_MS, apply: true } as const
  const report = await retireSessions(options)
  expect(report.sessions).toMatchObject([{ sessionId: 'old', files: 4 }])
  expect(stored(at)).toEqual([])
  expect(existsSync(join(at.root, '.archive/.transcripts/old.jsonl'))).toBe(true)
  expect(existsSync(join(at.root, '.archive/.sidechains/task.jsonl'))).toBe(true)
  expect(readdirSync(join(at.root, '.archive/file-history/old'))).toHaveLength(2)
  expect(readdirSync(join(at.root, '.sidechains'))).toEqual([])
  expect(bytesOf(at)).toEqual(before)
  expect(lines(at)).toMatchObject([
    {
      type: 'session_moved',
      payload: { command: 'archive', session_id: 'old', from: 'store', to: 'archive', files: 4 },
    },
  ])
  const { sessions } = await restoreSessions({
    ...at,
    apply: true,
    from: 'archive',
    sessions: ['old'],
  })
  expect(sessions).toMatchObject([{ sessionId: 'old', from: 'archive', to: 'store' }])
  expect(bytesOf(at)).toEqual(before)
  expect(stored(at)).toEqual(['old'])
  expect(lines(at)).toMatchObject([{}, { payload: { command: 'restore', to: 'store' } }])
  expect(readdirSync(join(at.root, 'file-history/old'))).toHaveLength(2)
})

test('takes the age from the events, not from file times', async (t) => {
  const at = newStore(t)
  const young = await store(at, 'young', 1)
  const old = await store(at, 'old', 100)
  utimesSync(young, 0, 0)
  utimesSync(old, NOW / 1000, NOW / 1000)
  const report = await retireSessions({ ...at, to: 'trash', olderThanMs: 30 * DAY_MS })
  expect(ids(report.sessions)).toEqual(['old'])
})

test('keeps a session that another process has open', async (t) => {
  const at = newStore(t)
  await store(at, 'held', 100)
  const holder = spawn(process.execPath, [join(HERE, 'open.mjs'), at.root, 'held'])
  const ended = once(holder, 'exit')
  await once(holder.stdout, 'data')
  const options = { ...at, to: 'trash', sessions: ['held'], apply: true } as const
  expect(await retireSessions(options)).toMatchObject({ sessions: [], kept: [{ code: 'open' }] })
  expect(stored(at)).toEqual(['held'])
  holder.stdin.end()
  await ended
  expect(ids((await retireSessions(options)).sessions)).toEqual(['held'])
})

test('keeps a session that is claimed, has spooled events, or has a recoverable checkpoint', async (t) => {
  const at = newStore(t)
  for (const id of ['claimed', 'awaited', 'fresh']) await store(at, id, 100)
  await claimSession(openContext(at), 'claimed', { runtimePath: 'plugin' })
  const title = { type: 'session_meta', payload: { title: 'x' } }
  await spoolEvent(openContext(at), 'awaited', title)
  const { session } = await resumeSession({ ...at, id: 'fresh', mode: 'append' })
  await session!.checkpoint({ digest: 'left off here' })
  await session!.release()
  const sessions = ['claimed', 'awaited', 'fresh']
  const { kept } = await retireSessions({ ...at, to: 'trash', sessions, apply: true })
  expect(Object.fromEntries(kept.map(({ sessionId, code }) => [sessionId, code]))).toEqual({
    claimed: 'open',
    awaited: 'queued',
    fresh: 'checkpoint',
  })
})

test('keeps a session that another one continues or was forked from, unless both move', async (t) => {
  const at = newStore(t)
  await store(at, 'base', 100)
  const next = await resumeSession({ ...at, id: 'base', newId: 'next', continuity: false })
  await next.session!.close()
  forkSession('base', { ...at, newId: 'fork' })
  const alone = await retireSessions({ ...at, to: 'archive', sessions: ['base'], apply: true })
  expect(alone).toMatchObject({ sessions: [], kept: [{ sessionId: 'base', code: 'needed' }] })
  const all = ['base', 'next', 'fork']
  const together = await retireSessions({ ...at, to: 'archive', sessions: all, apply: true })
  expect(ids(together.sessions)).toEqual(['base', 'fork', 'next'])
  const back = await restoreSessions({ ...at, apply: true, from: 'archive', sessions: ['next'] })
  expect(ids(back.sessions)).toEqual(['base', 'next'])
  const inspected = await resumeSession({ ...at, id: 'next', mode: 'inspect' })
  expect(inspected.degraded).toBe(false)
})

test('prune removes sessions of the trash only, and records each', async (t) => {
  const at = newStore(t)
  await store(at, 'gone', 100, { files: true })
  await store(at, 'archived', 100)
  await store(at, 'stays', 100)
  await retireSessions({ ...at, to: 'trash', sessions: ['gone'], apply: true })
  await retireSessions({ ...at, to: 'archive', sessions: ['archived'], apply: true })
  const plan = await pruneSessions({ ...at, olderThanMs: 0 })
  expect(ids(plan.sessions)).toEqual(['gone'])
  expect(ids((await listRetired('trash', at)).sessions)).toEqual(['gone'])
  await pruneSessions({ ...at, olderThanMs: 0, apply: true })
  expect((await listRetired('trash', at)).sessions).toEqual([])
  expect(existsSync(join(at.root, '.trash/file-history/gone'))).toBe(false)
  expect(ids((await listRetired('archive', at)).sessions)).toEqual(['archived'])
  expect(stored(at)).toEqual(['stays'])
  expect(lines(at).at(-1)).toMatchObject({
    payload: { command: 'prune', session_id: 'gone', from: 'trash', to: null },
  })
})

test('prune keeps a session that a remaining session needs', async (t) => {
  const at = newStore(t)
  await store(at, 'base', 100)
  const next = await resumeSession({ ...at, id: 'base', newId: 'next', continuity: false })
  await next.session!.close()
  await retireSessions({ ...at, to: 'trash', sessions: ['base', 'next'], apply: true })
  const options = { ...at, sessions: ['base'], apply: true }
  expect(await pruneSessions(options)).toMatchObject({ sessions: [], kept: [{ code: 'needed' }] })
})

test('never overwrites another session of the same id, in either direction', async (t) => {
  const at = newStore(t)
  await store(at, 'twin', 100)
  const options = { ...at, to: 'trash', sessions: ['twin'], apply: true } as const
  await retireSessions(options)
  await store(at, 'twin', 50)
  const before = bytesOf(at)
  expect(await retireSessions(options)).toMatchObject({ sessions: [], kept: [{ code: 'taken' }] })
  const back = await restoreSessions({ ...at, apply: true, from: 'trash', sessions: ['twin'] })
  expect(back).toMatchObject({ sessions: [], kept: [{ code: 'taken' }] })
  expect(bytesOf(at)).toEqual(before)
})

test('leaves saved files in place that another store with the same home uses', async (t) => {
  const at = newStore(t)
  await store(at, 'same', 100, { files: true })
  const other = { ...at, root: temporaryFolder(t) }
  await store(other, 'same', 100, { files: true })
  await retireSessions({ ...at, to: 'trash', sessions: ['same'], apply: true })
  expect(existsSync(join(at.home, 'file-history/same'))).toBe(true)
})

test('the next call finishes an interrupted move, and records it once', async (t) => {
  const at = newStore(t)
  const path = await store(at, 'half', 100, { files: true })
  await store(at, 'other', 100)
  const target = join(at.root, '.archive/.transcripts/half.jsonl')
  mkdirSync(dirname(target), { recursive: true })
  renameSync(path, target)
  const options = { ...at, to: 'archive', sessions: ['other'], apply: true } as const
  expect(await retireSessions(options)).toMatchObject({ finished: ['half'] })
  expect(existsSync(join(at.root, '.archive/file-history/half'))).toBe(true)
  expect(lines(at).map(({ payload }) => (payload as { session_id: string }).session_id)).toEqual([
    'half',
    'other',
  ])
  await restoreSessions({ ...at, apply: true, from: 'archive', sessions: ['half'] })
  expect(stored(at)).toEqual(['half'])
  const again = await pruneSessions({ ...at, olderThanMs: 0, apply: true })
  expect(again.finished).toEqual([])
})

test('a killed process loses no session, and the next call finishes its moves', async (t) => {
  const at = newStore(t)
  const names = Array.from(
    { length: 20 },
    (_, index) => `session-${String(index).padStart(2, '0')}`,
  )
  for (const name of names) await store(at, name, 100, { files: true })
  const before = bytesOf(at)
  const child = spawn(process.execPath, [join(HERE, 'retire.mjs'), at.root, String(NOW)])
  const ended = once(child, 'exit')
  const isReached = () => {
    const folder = join(at.root, '.archive/.transcripts')
    return existsSync(folder) && readdirSync(folder).length > 3
  }
  while (child.exitCode === null && !isReached()) await setImmediate()
  child.kill('SIGKILL')
  await ended
  expect(bytesOf(at)).toEqual(before)
  await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS, apply: true })
  expect(stored(at)).toEqual([])
  const { sessions } = await listRetired('archive', at)
  expect(ids(sessions)).toEqual(names)
  for (const { files } of sessions) expect(files).toBe(3)
  const recorded = lines(at)
    .map(({ payload }) => (payload as { session_id: string }).session_id)
    .sort()
  expect(recorded).toEqual(names)
  expect(bytesOf(at)).toEqual(before)
  expect(readFileSync(sessions[0]!.path, 'utf8')).toContain('I am session-00')
})

test('rejects a selection without a session or an age', async (t) => {
  const at = newStore(t)
  await expect(retireSessions({ ...at, to: 'trash' })).rejects.toMatchObject({ code: 'ERR_ARG' })
  const unknown = retireSessions({ ...at, to: 'trash', sessions: ['unknown'] })
  await expect(unknown).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('rejects an invalid age, and selects by project', async (t) => {
  const at = newStore(t)
  await store(at, 'old', 100)
  for (const olderThanMs of [-1, Number.NaN]) {
    const asking = retireSessions({ ...at, to: 'archive', olderThanMs })
    await expect(asking).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  const chosen = { ...at, to: 'archive', olderThanMs: DAY_MS } as const
  const elsewhere = { ...chosen, project: temporaryFolder(t) }
  expect((await retireSessions(elsewhere)).sessions).toEqual([])
  const here = { ...chosen, project: at.root }
  expect((await retireSessions(here)).sessions).toMatchObject([{ sessionId: 'old' }])
})

test('keeps a session without times until it is named', async (t) => {
  const at = newStore(t)
  const { transcripts } = layoutOf(at, systemEnvironment.host)
  mkdirSync(transcripts, { recursive: true })
  writeFileSync(join(transcripts, 'undated.jsonl'), '{"type":"user","uuid":"u1","payload":{}}\n')
  const byAge = await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS, apply: true })
  expect(byAge).toMatchObject({ sessions: [], kept: [{ code: 'undated' }] })
  const byName = await retireSessions({ ...at, to: 'archive', sessions: ['undated'], apply: true })
  expect(byName.sessions).toMatchObject([{ sessionId: 'undated', lastActivity: null }])
  await store(at, 'dated', 100)
  await retireSessions({ ...at, to: 'archive', sessions: ['dated'], apply: true })
  const { sessions } = await listRetired('archive', at)
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['undated', 'dated'])
})

test('counts the activity of subagents as activity of the session', async (t) => {
  const at = newStore(t)
  await store(at, 'parent', 100)
  const { sidechains } = layoutOf(at, systemEnvironment.host)
  mkdirSync(sidechains, { recursive: true })
  const child = (task_id: string, parent_session_id: string | undefined, ts: string) =>
    `${JSON.stringify({ type: 'sidechain_header', ts, uuid: task_id, prev_uuid: null, payload: { task_id, parent_session_id, start_ts: ts } })}\n`
  const young = new Date(NOW - 1000).toISOString()
  writeFileSync(join(sidechains, 'orphan.jsonl'), child('orphan', undefined, young))
  mkdirSync(join(sidechains, 'folder.jsonl'))
  const before = await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS })
  expect(before.sessions).toMatchObject([{ sessionId: 'parent', files: 1 }])
  writeFileSync(join(sidechains, 'k1.jsonl'), child('k1', 'parent', young))
  const after = await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS })
  expect(after.sessions).toEqual([])
})

test('reports a folder named like a transcript, and leaves it', async (t) => {
  const at = newStore(t)
  await store(at, 'old', 100)
  const folder = join(layoutOf(at, systemEnvironment.host).transcripts, 'folder.jsonl')
  mkdirSync(folder)
  const { sessions, skipped } = await retireSessions({
    ...at,
    to: 'archive',
    olderThanMs: DAY_MS,
    apply: true,
  })
  expect(sessions).toMatchObject([{ sessionId: 'old' }])
  expect(skipped).toMatchObject([{ path: folder }])
  expect(existsSync(folder)).toBe(true)
})

test('skips invalid lines of the journal', async (t) => {
  const at = newStore(t)
  const path = await store(at, 'old', 100)
  const odd = [
    '{"type":"session_moved","uuid":"m1","payload":null}',
    '{"type":"session_moved","uuid":"m2","payload":{"session_id":"old"}}',
    '{"type":"other","uuid":"m3","payload":{}}',
    '{"type":',
  ]
  writeFileSync(layoutOf(at, systemEnvironment.host).retentionPath, `${odd.join('\n')}\n`)
  await retireSessions({ ...at, to: 'trash', sessions: ['old'], apply: true })
  expect(existsSync(path)).toBe(false)
  await restoreSessions({ ...at, apply: true, from: 'trash', sessions: ['old'] })
  expect(existsSync(path)).toBe(true)
})

test('restores the session that two restored sessions continue, once', async (t) => {
  const at = newStore(t)
  await store(at, 'root', 100)
  for (const newId of ['left', 'right']) {
    const { session } = await resumeSession({ ...at, id: 'root', newId, continuity: false })
    await session!.append({ type: 'user', payload: { content: newId } })
    await session!.close()
  }
  const all = ['root', 'left', 'right']
  await retireSessions({ ...at, to: 'archive', sessions: all, apply: true })
  const back = await restoreSessions({
    ...at,
    apply: true,
    from: 'archive',
    sessions: ['left', 'right'],
  })
  expect(back.sessions.map(({ sessionId }) => sessionId).sort()).toEqual([...all].sort())
})

test('restore returns a plan without apply', async (t) => {
  const at = newStore(t)
  await store(at, 'old', 100)
  await retireSessions({ ...at, to: 'trash', sessions: ['old'], apply: true })
  const before = contentsOf(at.root)
  const plan = await restoreSessions({ ...at, from: 'trash', sessions: ['old'] })
  expect(plan).toMatchObject({ applied: false, sessions: [{ sessionId: 'old', to: 'store' }] })
  expect(contentsOf(at.root)).toEqual(before)
  await store(at, 'old', 50)
  const blocked = await restoreSessions({ ...at, from: 'trash', sessions: ['old'] })
  expect(blocked).toMatchObject({ sessions: [], kept: [{ sessionId: 'old', code: 'taken' }] })
})
