// The listing of a store: newest first, and no bad file hides a good one.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog } from '../../../lib/log/index.js'
import { findNewestSession, listSessions, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const idsOf = (list: ReturnType<typeof listSessions>) =>
  list.sessions.map(({ sessionId }) => sessionId)

test('a store that does not exist yet has no sessions', (t) => {
  const root = join(temporaryFolder(t), 'none')
  expect(listSessions(openContext({ root }))).toEqual({ sessions: [], skipped: [] })
  expect(findNewestSession(openContext({ root }))).toBeUndefined()
})

test('sorts sessions by latest activity, not by file date', (t) => {
  const root = temporaryFolder(t)
  const old = new Transcript('old', 100).say('a').save(root)
  new Transcript('middle', 200).say('a').save(root)
  const recent = new Transcript('recent', 300).say('a').save(root)
  utimesSync(old, 2e9, 2e9)
  utimesSync(recent, 1e9, 1e9)
  expect(idsOf(listSessions(openContext({ root })))).toEqual(['recent', 'middle', 'old'])
  expect(idsOf(listSessions(openContext({ root }), { limit: 2 }))).toEqual(['recent', 'middle'])
  expect(idsOf(listSessions(openContext({ root }), { limit: 0 }))).toEqual([])
})

test('empty, headless and subagent sessions are listed on request', (t) => {
  const root = temporaryFolder(t)
  new Transcript('person', 0).say('a').save(root)
  new Transcript('empty', 10).save(root)
  new Transcript('headless', 20, { kind: 'headless' }).say('a').save(root)
  new Transcript('subagent', 30, { kind: 'subagent' }).say('a').save(root)
  expect(idsOf(listSessions(openContext({ root })))).toEqual(['person'])
  expect(idsOf(listSessions(openContext({ root }), { all: true }))).toHaveLength(4)
  expect(idsOf(listSessions(openContext({ root }), { kinds: ['headless'] }))).toEqual(['headless'])
})

test('sessions of one project are found by any spelling of its path', (t) => {
  const root = temporaryFolder(t)
  const project = join(root, 'project')
  mkdirSync(project)
  symlinkSync(project, join(root, 'link'))
  new Transcript('a', 1, { project, project_normalized: project }).say('a').save(root)
  new Transcript('b', 2, { project: join(root, 'link') }).say('a').save(root)
  new Transcript('c', 3, { cwd: project }).say('a').save(root)
  new Transcript('d', 4, { project: root, project_normalized: root }).say('a').save(root)
  for (const spelling of [project, `${project}/`, join(root, 'link')]) {
    expect(idsOf(listSessions(openContext({ root }), { project: spelling }))).toEqual([
      'c',
      'b',
      'a',
    ])
  }
})

test('sessions of a removed project are found by the recorded path', (t) => {
  const root = temporaryFolder(t)
  const project = join(root, 'gone')
  new Transcript('s', 0, { project, project_normalized: project }).say('a').save(root)
  expect(idsOf(listSessions(openContext({ root }), { project }))).toEqual(['s'])
})

test('active sessions are those that a process has open', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('closed').say('a').save(root)
  const log = await openLog(new Transcript('open').say('a').save(root))
  expect(idsOf(listSessions(openContext({ root }), { active: true }))).toEqual(['open'])
  await log.close()
  expect(idsOf(listSessions(openContext({ root }), { active: true }))).toEqual([])
})

test('counts events on request if the terminator does not have the number', (t) => {
  const root = temporaryFolder(t)
  new Transcript('told', 0).say('a').end({ events: 42 }).save(root)
  new Transcript('silent', 10).say('a').reply().raw('torn').save(root)
  new Transcript('unsure', 20).say('a').end({ events: null }).save(root)
  const eventsOf = (counts: boolean) =>
    listSessions(openContext({ root }), { counts }).sessions.map(({ sessionId, events }) => [
      sessionId,
      events,
    ])
  expect(Object.fromEntries(eventsOf(false))).toEqual({ told: 42, silent: null, unsure: null })
  expect(Object.fromEntries(eventsOf(true))).toEqual({ told: 42, silent: 3, unsure: 3 })
})

test('an invalid file is reported, and the others are listed', (t) => {
  const root = temporaryFolder(t)
  new Transcript('good').say('a').save(root)
  const folder = join(root, '.transcripts')
  writeFileSync(join(folder, 'zero.jsonl'), '')
  writeFileSync(join(folder, 'binary.jsonl'), Buffer.alloc(200_000, 0xfe))
  writeFileSync(join(folder, 'text.jsonl'), 'hello\nworld\n')
  symlinkSync(join(folder, 'nothing'), join(folder, 'dangling.jsonl'))
  symlinkSync(join(folder, 'loop.jsonl'), join(folder, 'loop.jsonl'))
  mkdirSync(join(folder, 'folder.jsonl'))
  execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
  const { sessions, skipped } = listSessions(openContext({ root }))
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['good'])
  const reasons = skipped.map(({ path, reason }) => [path.slice(folder.length + 1), reason])
  expect(Object.fromEntries(reasons)).toEqual({
    'binary.jsonl': 'no event in it',
    'text.jsonl': 'no event in it',
    'dangling.jsonl': 'a link to nothing',
    'loop.jsonl': 'cannot be read (ELOOP)',
    'folder.jsonl': 'a directory',
    'pipe.jsonl': 'not a regular file',
  })
})

test('a file that this user may not read is reported', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('secret').say('a').save(root)
  chmodSync(path, 0)
  const { sessions, skipped } = listSessions(openContext({ root }))
  // Nothing is forbidden to root.
  if (process.getuid?.() === 0) expect(sessions).toHaveLength(1)
  else expect(skipped).toEqual([{ path, reason: 'permission denied (EACCES)' }])
})

test('locks, hidden files and other names are not sessions', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('good').say('a').save(root)
  mkdirSync(`${path}.lock`)
  for (const name of ['.hidden.jsonl', 'notes.txt', 'good.jsonl.lock.owner', 'good.jsonl.bak']) {
    writeFileSync(join(root, '.transcripts', name), 'x')
  }
  expect(listSessions(openContext({ root }))).toMatchObject({ sessions: [{ path }], skipped: [] })
})

// Requirement: 003-44
test('a crashed session does not hide others', (t) => {
  const root = temporaryFolder(t)
  new Transcript('crashed', 0).say('a').raw('{"type":"assis').save(root)
  new Transcript('next', 10).say('b').save(root)
  expect(idsOf(listSessions(openContext({ root })))).toEqual(['next', 'crashed'])
})

test('the newest session is the one with the newest message', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('spoken', 10).say('a').save(root)
  // Renamed later, but nothing was said in it since.
  new Transcript('renamed', 0).say('a').rename('T', 'user').save(root)
  new Transcript('looked-at', 50).save(root)
  new Transcript('subagent', 60, { kind: 'subagent' }).say('a').save(root)
  const log = await openLog(new Transcript('just-opened', 70).save(root))
  expect(findNewestSession(openContext({ root }))?.sessionId).toBe('spoken')
  await log.close()
})

test('finds the newest session per project', (t) => {
  const root = temporaryFolder(t)
  new Transcript('here', 0, { project: '/nowhere/a' }).say('a').save(root)
  new Transcript('there', 10, { project: '/nowhere/b' }).say('a').save(root)
  expect(findNewestSession(openContext({ root }), { project: '/nowhere/a' })?.sessionId).toBe(
    'here',
  )
  expect(findNewestSession(openContext({ root }), { project: '/nowhere/c' })).toBeUndefined()
})

test('equal ids of two agents are two sessions', (t) => {
  const root = temporaryFolder(t)
  new Transcript('s').say('of the default agent').save(root)
  new Transcript('s').say('of the reviewer').save(join(root, 'agents', 'reviewer'))
  const titles = (agent?: string) =>
    listSessions(openContext({ root, agent })).sessions.map((s) => s.title)
  expect(titles()).toEqual(['of the default agent'])
  expect(titles('reviewer')).toEqual(['of the reviewer'])
})

test('rejects a limit that is not a whole number', (t) => {
  const root = temporaryFolder(t)
  expect(() => listSessions(openContext({ root }), { limit: -1 })).toThrow(/limit/)
  expect(() => listSessions(openContext({ root }), { limit: Number.NaN })).toThrow(/limit/)
  expect(() => listSessions(openContext({ root }), { limit: '1' as never })).toThrow(TypeError)
})

test('the title of another writer is found, however much follows it', (t) => {
  const root = temporaryFolder(t)
  const folder = join(root, '.transcripts')
  mkdirSync(folder)
  const foreign = (type: string, number: number, payload: object) => {
    const uuid = `e${number}`
    const prev_uuid = number === 0 || type === 'session_meta' ? null : `e${number - 1}`
    return `${JSON.stringify({ type, ts: '2026-01-01T00:00:00.000Z', uuid, prev_uuid, payload })}\n`
  }
  const said = Array.from({ length: 40 }, (_, index) =>
    foreign('user', index + 1, { content: 'x'.repeat(10_000) }),
  )
  said.splice(20, 0, foreign('session_meta', 99, { title: 'Mine', title_source: 'user' }))
  const header = foreign('session_header', 0, { format: 1, session_id: 'other' })
  writeFileSync(join(folder, 'other.jsonl'), [header, ...said].join(''))
  const { sessions } = listSessions(openContext({ root }))
  expect(sessions).toMatchObject([{ sessionId: 'other', title: 'Mine', titleSource: 'user' }])
})
