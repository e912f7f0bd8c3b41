import { expect, test } from 'vitest'
import { type RecoverOptions, recover } from '../../lib/continuity/index.js'
import { createSession } from '../../lib/session/index.js'
import { appendCheckpoint, CheckpointIndex, relocateProject } from '../../lib/store/index.js'
import { id } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { checkpointLine, clock, NOW, saveShard, type Told } from '../store/checkpoint-lines.js'

const PROJECT = '/work/app'
const HOUR = 60 * 60 * 1000

function stored(t: Parameters<typeof temporaryFolder>[0], ...told: Told[]): string {
  const root = temporaryFolder(t)
  const projects = new Set(told.map(({ project = PROJECT }) => project))
  for (const project of projects) {
    const ofProject = told.filter((it) => (it.project ?? PROJECT) === project)
    saveShard(root, project, ofProject.map(checkpointLine))
  }
  return root
}

function found(root: string, options: RecoverOptions = {}) {
  const recovery = recover({ root, ...clock, ...options })
  return recovery && [recovery.checkpoint.id, recovery.matchedBy]
}

test('the session itself comes before the one it follows, and that before the project (000-49)', (t) => {
  const root = stored(
    t,
    { number: 1, session: 'own', ageMs: 3000 },
    { number: 2, session: 'before', ageMs: 2000 },
    { number: 3, session: 'neighbour', ageMs: 1000 },
  )
  const all = { sessionKey: 'own', previousSessionKey: 'before', project: PROJECT }
  expect(found(root, { ...all, source: 'resume' })).toEqual([id(1), 'session'])
  expect(found(root, { ...all, source: 'compact' })).toEqual([id(1), 'session'])
  expect(found(root, { ...all, source: 'fork' })).toEqual([id(1), 'session'])
  expect(found(root, { ...all, source: 'startup' })).toEqual([id(2), 'lineage'])
  expect(found(root, { sessionKey: 'own', project: PROJECT })).toEqual([id(3), 'project'])
  expect(found(root, { ...all, sessionKey: 'none', previousSessionKey: 'gone' })).toEqual([
    id(3),
    'project',
  ])
  expect(found(root, { project: '/work/other' })).toBeUndefined()
  expect(found(root)).toBeUndefined()
})

test('a project counts only strictly inside of 4 hours, lineage at any age (T49, 000-33, 000-34)', (t) => {
  const at = (ageMs: number) => stored(t, { number: 1, ageMs })
  const byProject = { project: PROJECT }
  expect(found(at(4 * HOUR), byProject)).toBeUndefined()
  expect(found(at(4 * HOUR - 1), byProject)).toEqual([id(1), 'project'])
  expect(found(at(2000), { ...byProject, withinMs: 2000 })).toBeUndefined()
  const byLineage = { previousSessionKey: 's1' }
  expect(found(at(99 * HOUR), byLineage)).toEqual([id(1), 'lineage'])
  expect(found(at(2000), { ...byLineage, lineageWithinMs: 2000 })).toBeUndefined()
})

test('at the same time the later line of the file counts', (t) => {
  const root = stored(t, { number: 1 }, { number: 2, session: 's2' })
  expect(found(root, { project: PROJECT })).toEqual([id(2), 'project'])
})

test('after clear nothing comes back (T53)', (t) => {
  const root = stored(t, { number: 1 })
  const all = { sessionKey: 's1', previousSessionKey: 's1', project: PROJECT }
  expect(found(root, { ...all, source: 'clear' })).toBeUndefined()
  expect(found(root, { ...all, source: 'resume' })).toEqual([id(1), 'session'])
})

test('a session that starts does not get its own checkpoint as news of the project', (t) => {
  const root = stored(t, { number: 1, session: 'own' })
  expect(found(root, { sessionKey: 'own', project: PROJECT })).toBeUndefined()
  expect(found(root, { sessionKey: 'session: own', project: PROJECT })).toBeUndefined()
  expect(found(root, { project: PROJECT })).toEqual([id(1), 'project'])
})

test('sessions that others are working in are passed over unless asked for (T51)', (t) => {
  const root = stored(t, { number: 1, session: 'dead', ageMs: 9 }, { number: 2, session: 'live' })
  const isLive = (key: string) => key === 'live'
  const options = { project: PROJECT, isLive }
  expect(found(root, options)).toEqual([id(1), 'project'])
  expect(found(root, { ...options, excludeLive: false })).toEqual([id(2), 'project'])
  expect(found(root, { ...options, previousSessionKey: 'live' })).toEqual([id(2), 'lineage'])
})

test('the header of a session names the one it follows, and its project', async (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  const tell = (session_key: string, digest: string) =>
    appendCheckpoint(
      { session_key, trigger: 'explicit', harness: 'test', prompt_count: 0, digest, project },
      { root, ...clock },
    )
  await tell('before', 'named')
  const later = { now: () => NOW + 1000 }
  await appendCheckpoint(
    {
      session_key: 'neighbour',
      trigger: 'explicit',
      harness: 'test',
      prompt_count: 0,
      digest: 'newer',
      project,
    },
    { root, environment: later },
  )
  const start = async (key: string, facts: object) => {
    const session = await createSession({ root, id: key, project, ...facts })
    await session.release()
    return recover({ root, sessionKey: key, environment: later })?.checkpoint.digest
  }
  expect(await start('follows', { previousSessionKey: 'before' })).toBe('named')
  expect(await start('alone', {})).toBe('newer')
})

test('what was recorded before a project moved is found where it is now', async (t) => {
  const root = stored(t, { number: 1 })
  await relocateProject({ root, from: PROJECT, to: '/elsewhere/app' })
  expect(found(root, { project: '/elsewhere/app' })).toEqual([id(1), 'project'])
})

test('the room for recovery is set aside in full, however short its text (000-51, 000-65)', (t) => {
  const root = stored(t, { number: 1 })
  const look = (options: RecoverOptions) => recover({ root, ...clock, ...options })
  const main = (options: RecoverOptions) => look({ project: PROJECT, ...options })?.mainBudget
  expect(main({ totalBudget: 16_000 })).toBe(14_000)
  expect(main({ totalBudget: 16_000, budgetChars: 500 })).toBe(15_500)
  expect(main({ totalBudget: 16_000, budgetChars: 1 })).toBe(15_800)
  expect(main({ totalBudget: 16_000, budgetChars: 1e6 })).toBe(6000)
  expect(main({ totalBudget: 100 })).toBe(0)
  expect(main({})).toBeUndefined()
  expect(look({ project: '/work/other', totalBudget: 16_000 })).toBeUndefined()
})

test('text and checkpoint are redacted, ids and times are not', (t) => {
  const more = { session_summary: 'secret', memories: [{ content: 'secret', memoryType: 'fact' }] }
  const root = stored(t, { number: 1, more: { digest: 'the secret', ...more } })
  const redact = (text: string) => text.replaceAll('secret', '[REDACTED]').replaceAll('s1', '!')
  const recovery = recover({ root, ...clock, project: PROJECT, redact })!
  expect(recovery.text).toContain('the [REDACTED]')
  expect(JSON.stringify(recovery)).not.toContain('secret')
  expect(recovery.checkpoint).toMatchObject({ session_key: 's1', harness: 'test' })
})

test('its age is told, and damage that was met on the way', (t) => {
  const root = temporaryFolder(t)
  const broken = checkpointLine({ number: 2 })
  broken[broken.indexOf('digest') + 15] = 0x7e
  saveShard(root, PROJECT, [checkpointLine({ number: 1, ageMs: 61_000 }), broken])
  const recovery = recover({ root, ...clock, project: PROJECT })!
  expect(recovery).toMatchObject({ ageMs: 61_000, checkpoint: { id: id(1) } })
  expect(recovery.diagnostics).toMatchObject([{ code: 'crc_mismatch', uuid: id(2) }])
})

test('an index that is held answers the same', (t) => {
  const root = stored(t, { number: 1 })
  const index = new CheckpointIndex({ root, ...clock })
  expect(found(root, { project: PROJECT, index })).toEqual([id(1), 'project'])
})

test('a source nobody knows is refused', (t) => {
  const root = temporaryFolder(t)
  expect(() => found(root, { source: 'reboot' as never })).toThrow(/^source is startup, resume/)
})
