// The listing of a store: newest first, and no bad file hides a good one.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog } from '../../lib/log/index.js'
import { findNewestSession, listSessions } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const idsOf = (list: ReturnType<typeof listSessions>) =>
  list.sessions.map(({ session_id }) => session_id)

test('a store that does not exist yet has no sessions', (t) => {
  const root = join(temporaryFolder(t), 'none')
  expect(listSessions({ root })).toEqual({ sessions: [], skipped: [] })
  expect(findNewestSession({ root })).toBeUndefined()
})

test('sessions come with the latest activity first, whatever the dates of the files', (t) => {
  const root = temporaryFolder(t)
  const old = new Transcript('old', 100).say('a').save(root)
  new Transcript('middle', 200).say('a').save(root)
  const recent = new Transcript('recent', 300).say('a').save(root)
  utimesSync(old, 2e9, 2e9)
  utimesSync(recent, 1e9, 1e9)
  expect(idsOf(listSessions({ root }))).toEqual(['recent', 'middle', 'old'])
  expect(idsOf(listSessions({ root, limit: 2 }))).toEqual(['recent', 'middle'])
  expect(idsOf(listSessions({ root, limit: 0 }))).toEqual([])
})

test('empty, headless and subagent sessions are shown when asked for', (t) => {
  const root = temporaryFolder(t)
  new Transcript('person', 0).say('a').save(root)
  new Transcript('empty', 10).save(root)
  new Transcript('headless', 20, { kind: 'headless' }).say('a').save(root)
  new Transcript('subagent', 30, { kind: 'subagent' }).say('a').save(root)
  expect(idsOf(listSessions({ root }))).toEqual(['person'])
  expect(idsOf(listSessions({ root, all: true }))).toHaveLength(4)
  expect(idsOf(listSessions({ root, kinds: ['headless'] }))).toEqual(['headless'])
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
    expect(idsOf(listSessions({ root, project: spelling }))).toEqual(['c', 'b', 'a'])
  }
})

test('sessions of a project that is gone are found by the name they recorded', (t) => {
  const root = temporaryFolder(t)
  const project = join(root, 'gone')
  new Transcript('s', 0, { project, project_normalized: project }).say('a').save(root)
  expect(idsOf(listSessions({ root, project }))).toEqual(['s'])
})

test('active sessions are those that somebody has open', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('closed').say('a').save(root)
  const log = await openLog(new Transcript('open').say('a').save(root))
  expect(idsOf(listSessions({ root, active: true }))).toEqual(['open'])
  await log.close()
  expect(idsOf(listSessions({ root, active: true }))).toEqual([])
})

test('events are counted on request where the file does not tell them', (t) => {
  const root = temporaryFolder(t)
  new Transcript('told', 0).say('a').end({ events: 42 }).save(root)
  new Transcript('silent', 10).say('a').reply().raw('torn').save(root)
  new Transcript('unsure', 20).say('a').end({ events: null }).save(root)
  const eventsOf = (counts: boolean) =>
    listSessions({ root, counts }).sessions.map(({ session_id, events }) => [session_id, events])
  expect(Object.fromEntries(eventsOf(false))).toEqual({ told: 42, silent: null, unsure: null })
  expect(Object.fromEntries(eventsOf(true))).toEqual({ told: 42, silent: 3, unsure: 3 })
})

test('a bad file is told and hides no other', (t) => {
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
  const { sessions, skipped } = listSessions({ root })
  expect(sessions.map(({ session_id }) => session_id)).toEqual(['good'])
  const reasons = skipped.map(({ path, reason }) => [path.slice(folder.length + 1), reason])
  expect(Object.fromEntries(reasons)).toEqual({
    'zero.jsonl': 'empty file',
    'binary.jsonl': 'no event in it',
    'text.jsonl': 'no event in it',
    'dangling.jsonl': 'a link to nothing',
    'loop.jsonl': 'could not be read (ELOOP)',
    'folder.jsonl': 'a directory',
    'pipe.jsonl': 'not a regular file',
  })
})

test('a file that this user may not read is told', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('secret').say('a').save(root)
  chmodSync(path, 0)
  const { sessions, skipped } = listSessions({ root })
  // Nothing is forbidden to root.
  if (process.getuid?.() === 0) expect(sessions).toHaveLength(1)
  else expect(skipped).toEqual([{ path, reason: 'this user may not read it (EACCES)' }])
})

test('locks, hidden files and other names are no sessions', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('good').say('a').save(root)
  mkdirSync(`${path}.lock`)
  for (const name of ['.hidden.jsonl', 'notes.txt', 'good.jsonl.lock.owner', 'good.jsonl.bak']) {
    writeFileSync(join(root, '.transcripts', name), 'x')
  }
  expect(listSessions({ root })).toMatchObject({ sessions: [{ path }], skipped: [] })
})

test('a crashed session does not stand in the way of others (003-44)', (t) => {
  const root = temporaryFolder(t)
  new Transcript('crashed', 0).say('a').raw('{"type":"assis').save(root)
  new Transcript('next', 10).say('b').save(root)
  expect(idsOf(listSessions({ root }))).toEqual(['next', 'crashed'])
})

test('the newest session is the one in which somebody last spoke', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('spoken', 10).say('a').save(root)
  // Renamed later, but nothing was said in it since.
  new Transcript('renamed', 0).say('a').rename('T', 'user').save(root)
  new Transcript('looked-at', 50).save(root)
  new Transcript('subagent', 60, { kind: 'subagent' }).say('a').save(root)
  const log = await openLog(new Transcript('just-opened', 70).save(root))
  expect(findNewestSession({ root })?.session_id).toBe('spoken')
  await log.close()
})

test('the newest session of a project is not that of another', (t) => {
  const root = temporaryFolder(t)
  new Transcript('here', 0, { project: '/nowhere/a' }).say('a').save(root)
  new Transcript('there', 10, { project: '/nowhere/b' }).say('a').save(root)
  expect(findNewestSession({ root, project: '/nowhere/a' })?.session_id).toBe('here')
  expect(findNewestSession({ root, project: '/nowhere/c' })).toBeUndefined()
})

test('equal ids of two agents are two sessions', (t) => {
  const root = temporaryFolder(t)
  new Transcript('s').say('of the default agent').save(root)
  new Transcript('s').say('of the reviewer').save(join(root, 'agents', 'reviewer'))
  const titles = (agent?: string) => listSessions({ root, agent }).sessions.map((s) => s.title)
  expect(titles()).toEqual(['of the default agent'])
  expect(titles('reviewer')).toEqual(['of the reviewer'])
})

test('a limit that is no whole number is refused', (t) => {
  const root = temporaryFolder(t)
  expect(() => listSessions({ root, limit: -1 })).toThrow(/limit/)
  expect(() => listSessions({ root, limit: Number.NaN })).toThrow(/limit/)
  expect(() => listSessions({ root, limit: '1' as never })).toThrow(TypeError)
})
