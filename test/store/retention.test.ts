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
import { createSession, forkSession, resumeSession } from '../../lib/session/index.js'
import {
  claimSession,
  layoutOf,
  listRetired,
  listSessions,
  pruneSessions,
  restoreSessions,
  retireSessions,
  spoolEvent,
} from '../../lib/store/index.js'
import { contentsOf, eventsIn } from '../cli/stored.js'
import { temporaryFolder } from '../helpers/temporary.js'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 5, 1)
const HERE = fileURLToPath(new URL('children/', import.meta.url))

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

const ids = (sessions: readonly { session_id: string }[]) =>
  sessions.map(({ session_id }) => session_id).sort()
const stored = ({ root, home }: Store) => ids(listSessions({ root, home, all: true }).sessions)
const lines = ({ root }: Store) => eventsIn(join(root, 'retention.jsonl'))

/** Contents by the name of the file alone, wherever it lies. */
function bytesOf({ root }: Store): Record<string, string> {
  const entries = Object.entries(contentsOf(root)).filter(
    ([path]) => !/retention|\.lock/.test(path),
  )
  return Object.fromEntries(entries.map(([path, hash]) => [basename(path), hash]))
}

test('without apply it is a plan and changes nothing', async (t) => {
  const at = newStore(t)
  await store(at, 'old', 100)
  await store(at, 'young', 10)
  const before = contentsOf(at.root)
  const report = await retireSessions({ ...at, to: 'archive', olderThanMs: 30 * DAY_MS })
  expect(report).toMatchObject({
    isApplied: false,
    sessions: [{ session_id: 'old', from: 'store', to: 'archive', files: 1 }],
    kept: [],
  })
  expect(contentsOf(at.root)).toEqual(before)
})

test('a session moves as a whole, byte for byte, with one line of account, and comes back', async (t) => {
  const at = newStore(t)
  const environment = { now: () => NOW - 100 * DAY_MS }
  const project = realpathSync(temporaryFolder(t))
  const session = await createSession({ ...at, environment, id: 'old', project, continuity: false })
  writeFileSync(join(project, 'a.txt'), 'saved')
  await session.snapshotFiles(['a.txt'])
  const child = await session.spawn({ task_id: 'task', prompt: 'look' })
  await child.finish({ status: 'completed', summary: 'seen' })
  await session.close()
  const before = bytesOf(at)
  const options = { ...at, to: 'archive', olderThanMs: 30 * DAY_MS, apply: true } as const
  const report = await retireSessions(options)
  expect(report.sessions).toMatchObject([{ session_id: 'old', files: 4 }])
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
  const { sessions } = await restoreSessions({ ...at, from: 'archive', sessions: ['old'] })
  expect(sessions).toMatchObject([{ session_id: 'old', from: 'archive', to: 'store' }])
  expect(bytesOf(at)).toEqual(before)
  expect(stored(at)).toEqual(['old'])
  expect(lines(at)).toMatchObject([{}, { payload: { command: 'restore', to: 'store' } }])
  expect(readdirSync(join(at.root, 'file-history/old'))).toHaveLength(2)
})

test('age is what stands in the file; the clock of the disk has no say', async (t) => {
  const at = newStore(t)
  const young = await store(at, 'young', 1)
  const old = await store(at, 'old', 100)
  utimesSync(young, 0, 0)
  utimesSync(old, NOW / 1000, NOW / 1000)
  const report = await retireSessions({ ...at, to: 'trash', olderThanMs: 30 * DAY_MS })
  expect(ids(report.sessions)).toEqual(['old'])
})

test('one that somebody has open stays, whoever names it', async (t) => {
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

test('one that is claimed, that events wait for, or whose checkpoint may be recovered stays', async (t) => {
  const at = newStore(t)
  for (const id of ['claimed', 'awaited', 'fresh']) await store(at, id, 100)
  await claimSession('claimed', { ...at, runtimePath: 'plugin' })
  const title = { type: 'session_meta', payload: { title: 'x' } }
  await spoolEvent(layoutOf(at), 'awaited', title)
  const { session } = await resumeSession({ ...at, id: 'fresh', mode: 'append' })
  await session!.checkpoint({ digest: 'left off here' })
  await session!.release()
  const sessions = ['claimed', 'awaited', 'fresh']
  const { kept } = await retireSessions({ ...at, to: 'trash', sessions, apply: true })
  expect(Object.fromEntries(kept.map(({ session_id, code }) => [session_id, code]))).toEqual({
    claimed: 'open',
    awaited: 'queued',
    fresh: 'checkpoint',
  })
})

test('one that another session goes on from or is a fork of stays, unless that one goes as well', async (t) => {
  const at = newStore(t)
  await store(at, 'base', 100)
  const next = await resumeSession({ ...at, id: 'base', newId: 'next', continuity: false })
  await next.session!.close()
  forkSession('base', { ...at, newId: 'fork' })
  const alone = await retireSessions({ ...at, to: 'archive', sessions: ['base'], apply: true })
  expect(alone).toMatchObject({ sessions: [], kept: [{ session_id: 'base', code: 'needed' }] })
  const all = ['base', 'next', 'fork']
  const together = await retireSessions({ ...at, to: 'archive', sessions: all, apply: true })
  expect(ids(together.sessions)).toEqual(['base', 'fork', 'next'])
  const back = await restoreSessions({ ...at, from: 'archive', sessions: ['next'] })
  expect(ids(back.sessions)).toEqual(['base', 'next'])
  const inspected = await resumeSession({ ...at, id: 'next', mode: 'inspect' })
  expect(inspected.degraded).toBe(false)
})

test('prune drops what lies in the trash and nothing else, and keeps a line of it', async (t) => {
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

test('prune keeps what a session needs that stays, wherever it lies', async (t) => {
  const at = newStore(t)
  await store(at, 'base', 100)
  const next = await resumeSession({ ...at, id: 'base', newId: 'next', continuity: false })
  await next.session!.close()
  await retireSessions({ ...at, to: 'trash', sessions: ['base', 'next'], apply: true })
  const options = { ...at, sessions: ['base'], apply: true }
  expect(await pruneSessions(options)).toMatchObject({ sessions: [], kept: [{ code: 'needed' }] })
})

test('a second session of that id is never overwritten, neither there nor here', async (t) => {
  const at = newStore(t)
  await store(at, 'twin', 100)
  const options = { ...at, to: 'trash', sessions: ['twin'], apply: true } as const
  await retireSessions(options)
  await store(at, 'twin', 50)
  const before = bytesOf(at)
  expect(await retireSessions(options)).toMatchObject({ sessions: [], kept: [{ code: 'taken' }] })
  const back = await restoreSessions({ ...at, from: 'trash', sessions: ['twin'] })
  expect(back).toMatchObject({ sessions: [], kept: [{ code: 'taken' }] })
  expect(bytesOf(at)).toEqual(before)
})

test('saved files that another store with the same home uses stay where they are', async (t) => {
  const at = newStore(t)
  await store(at, 'same', 100, { files: true })
  const other = { ...at, root: temporaryFolder(t) }
  await store(other, 'same', 100, { files: true })
  await retireSessions({ ...at, to: 'trash', sessions: ['same'], apply: true })
  expect(existsSync(join(at.home, 'file-history/same'))).toBe(true)
})

test('half a move is finished by the next call, and told once', async (t) => {
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
  await restoreSessions({ ...at, from: 'archive', sessions: ['half'] })
  expect(stored(at)).toEqual(['half'])
  const again = await pruneSessions({ ...at, olderThanMs: 0, apply: true })
  expect(again.finished).toEqual([])
})

test('killed in the middle, no session is lost or split for good, and the next call ends it', async (t) => {
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
  const told = lines(at).map(({ payload }) => payload as { session_id: string })
  expect(ids(told)).toEqual(names)
  expect(bytesOf(at)).toEqual(before)
  expect(readFileSync(sessions[0]!.path, 'utf8')).toContain('I am session-00')
})

test('without a name or an age nothing is chosen', async (t) => {
  const at = newStore(t)
  await expect(retireSessions({ ...at, to: 'trash' })).rejects.toMatchObject({ code: 'ERR_ARG' })
  const unknown = retireSessions({ ...at, to: 'trash', sessions: ['nobody'] })
  await expect(unknown).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('an age that is none is refused, and of a project only its sessions are chosen', async (t) => {
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
  expect((await retireSessions(here)).sessions).toMatchObject([{ session_id: 'old' }])
})

test('one that does not tell how old it is stays until it is named', async (t) => {
  const at = newStore(t)
  const { transcripts } = layoutOf(at)
  mkdirSync(transcripts, { recursive: true })
  writeFileSync(join(transcripts, 'undated.jsonl'), '{"type":"user","uuid":"u1","payload":{}}\n')
  const byAge = await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS, apply: true })
  expect(byAge).toMatchObject({ sessions: [], kept: [{ code: 'undated' }] })
  const byName = await retireSessions({ ...at, to: 'archive', sessions: ['undated'], apply: true })
  expect(byName.sessions).toMatchObject([{ session_id: 'undated', lastActivity: null }])
  await store(at, 'dated', 100)
  await retireSessions({ ...at, to: 'archive', sessions: ['dated'], apply: true })
  const { sessions } = await listRetired('archive', at)
  expect(sessions.map(({ session_id }) => session_id)).toEqual(['undated', 'dated'])
})

test('a session is as young as its subagents, as far as those can be read', async (t) => {
  const at = newStore(t)
  await store(at, 'parent', 100)
  const { sidechains } = layoutOf(at)
  mkdirSync(sidechains, { recursive: true })
  const child = (task_id: string, parent_session_id: string | undefined, ts: string) =>
    `${JSON.stringify({ type: 'sidechain_header', ts, uuid: task_id, prev_uuid: null, payload: { task_id, parent_session_id, start_ts: ts } })}\n`
  const young = new Date(NOW - 1000).toISOString()
  writeFileSync(join(sidechains, 'nobodys.jsonl'), child('nobodys', undefined, young))
  mkdirSync(join(sidechains, 'folder.jsonl'))
  const before = await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS })
  expect(before.sessions).toMatchObject([{ session_id: 'parent', files: 1 }])
  writeFileSync(join(sidechains, 'k1.jsonl'), child('k1', 'parent', young))
  const after = await retireSessions({ ...at, to: 'archive', olderThanMs: DAY_MS })
  expect(after.sessions).toEqual([])
})

test('what has the name of a transcript and is none is told, and stays', async (t) => {
  const at = newStore(t)
  await store(at, 'old', 100)
  const folder = join(layoutOf(at).transcripts, 'folder.jsonl')
  mkdirSync(folder)
  const { sessions, skipped } = await retireSessions({
    ...at,
    to: 'archive',
    olderThanMs: DAY_MS,
    apply: true,
  })
  expect(sessions).toMatchObject([{ session_id: 'old' }])
  expect(skipped).toMatchObject([{ path: folder }])
  expect(existsSync(folder)).toBe(true)
})

test('lines of the account that say nothing are passed over', async (t) => {
  const at = newStore(t)
  const path = await store(at, 'old', 100)
  const odd = [
    '{"type":"session_moved","uuid":"m1","payload":null}',
    '{"type":"session_moved","uuid":"m2","payload":{"session_id":"old"}}',
    '{"type":"other","uuid":"m3","payload":{}}',
    '{"type":',
  ]
  writeFileSync(layoutOf(at).retentionPath, `${odd.join('\n')}\n`)
  await retireSessions({ ...at, to: 'trash', sessions: ['old'], apply: true })
  expect(existsSync(path)).toBe(false)
  await restoreSessions({ ...at, from: 'trash', sessions: ['old'] })
  expect(existsSync(path)).toBe(true)
})

test('the children that are brought back bring back what they go on from, each once', async (t) => {
  const at = newStore(t)
  await store(at, 'root', 100)
  for (const newId of ['left', 'right']) {
    const { session } = await resumeSession({ ...at, id: 'root', newId, continuity: false })
    await session!.append({ type: 'user', payload: { content: newId } })
    await session!.close()
  }
  const all = ['root', 'left', 'right']
  await retireSessions({ ...at, to: 'archive', sessions: all, apply: true })
  const back = await restoreSessions({ ...at, from: 'archive', sessions: ['left', 'right'] })
  expect(back.sessions.map(({ session_id }) => session_id).sort()).toEqual([...all].sort())
})
