import { expect, test } from 'vitest'
import { type RecoverOptions, recover } from '../../../lib/continuity/index.js'
import { createSession } from '../../../lib/free-functions.js'

import { appendCheckpoint, openContext, relocateProject } from '../../../lib/store/index.js'
import { id } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import {
  type CheckpointFields,
  checkpointLine,
  clock,
  NOW,
  saveShard,
} from '../../store/checkpoints/checkpoint-lines.js'

const PROJECT = '/work/app'
const HOUR = 60 * 60 * 1000

function stored(t: Parameters<typeof temporaryFolder>[0], ...fields: CheckpointFields[]): string {
  const root = temporaryFolder(t)
  const projects = new Set(fields.map(({ project = PROJECT }) => project))
  for (const project of projects) {
    const ofProject = fields.filter((it) => (it.project ?? PROJECT) === project)
    saveShard(root, project, ofProject.map(checkpointLine))
  }
  return root
}

function found(root: string, options: RecoverOptions = {}) {
  const recovery = recover(openContext({ root, ...clock }), options)
  return recovery && [recovery.checkpoint.id, recovery.matchedBy]
}

// Requirement: 000-49
test('prefers the session itself, then the session it follows, then the project', (t) => {
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

// Requirements: T49, 000-33, 000-34
test('a checkpoint of the project must be younger than 4 hours; one of the previous session may have any age', (t) => {
  const at = (ageMs: number) => stored(t, { number: 1, ageMs })
  const byProject = { project: PROJECT }
  expect(found(at(4 * HOUR), byProject)).toBeUndefined()
  expect(found(at(4 * HOUR - 1), byProject)).toEqual([id(1), 'project'])
  expect(found(at(2000), { ...byProject, withinMs: 2000 })).toBeUndefined()
  const byLineage = { previousSessionKey: 's1' }
  expect(found(at(99 * HOUR), byLineage)).toEqual([id(1), 'lineage'])
})

test('of two checkpoints with the same time the later line wins', (t) => {
  const root = stored(t, { number: 1 }, { number: 2, session: 's2' })
  expect(found(root, { project: PROJECT })).toEqual([id(2), 'project'])
})

// Requirement: T53
test('nothing is recovered after a clear', (t) => {
  const root = stored(t, { number: 1 })
  const all = { sessionKey: 's1', previousSessionKey: 's1', project: PROJECT }
  expect(found(root, { ...all, source: 'clear' })).toBeUndefined()
  expect(found(root, { ...all, source: 'resume' })).toEqual([id(1), 'session'])
})

test('a session that starts does not get its own checkpoint as the newest of the project', (t) => {
  const root = stored(t, { number: 1, session: 'own' })
  expect(found(root, { sessionKey: 'own', project: PROJECT })).toBeUndefined()
  expect(found(root, { sessionKey: 'session: own', project: PROJECT })).toBeUndefined()
  expect(found(root, { project: PROJECT })).toEqual([id(1), 'project'])
})

// Requirement: T51
test('a session that a live process has open is skipped, unless it is named', async (t) => {
  const root = stored(t, { number: 1, session: 'dead', ageMs: 9 }, { number: 2, session: 'live' })
  const options = { project: PROJECT }
  const live = await createSession({ root, home: root, id: 'live', project: PROJECT })
  expect(found(root, options)).toEqual([id(1), 'project'])
  expect(found(root, { ...options, previousSessionKey: 'live' })).toEqual([id(2), 'lineage'])
  await live.release()
  expect(found(root, options)).toEqual([id(2), 'project'])
})

test('the previous session and the project default to those in the header of the session', async (t) => {
  const root = temporaryFolder(t)
  const project = temporaryFolder(t)
  const tell = (session_key: string, digest: string) =>
    appendCheckpoint(openContext({ root, ...clock }), {
      session_key,
      trigger: 'explicit',
      harness: 'test',
      prompt_count: 0,
      digest,
      project,
    })
  await tell('before', 'named')
  const later = { now: () => NOW + 1000 }
  await appendCheckpoint(openContext({ root, environment: later }), {
    session_key: 'neighbour',
    trigger: 'explicit',
    harness: 'test',
    prompt_count: 0,
    digest: 'newer',
    project,
  })
  const start = async (key: string, facts: object) => {
    const session = await createSession({ root, id: key, project, ...facts })
    await session.release()
    const store = openContext({ root, environment: later })
    return recover(store, { sessionKey: key })?.checkpoint.digest
  }
  expect(await start('follows', { previousSessionKey: 'before' })).toBe('named')
  expect(await start('alone', {})).toBe('newer')
})

test('a checkpoint that was stored before the project moved is found under the new path', async (t) => {
  const root = stored(t, { number: 1 })
  await relocateProject(openContext({ root }), { from: PROJECT, to: '/elsewhere/app' })
  expect(found(root, { project: '/elsewhere/app' })).toEqual([id(1), 'project'])
})

// Requirement: 000-65
test('the budget is clamped to 200 to 10,000 chars, and 2,000 by default', (t) => {
  const root = stored(t, { number: 1, more: { digest: 'x'.repeat(20_000) } })
  const store = openContext({ root, ...clock })
  const chars = (budgetChars?: number) =>
    recover(store, { project: PROJECT, budgetChars })?.text.length
  expect([chars(), chars(500), chars(1), chars(1e6)]).toEqual([2000, 500, 200, 10_000])
  expect(chars(Number.NaN)).toBe(2000)
})

test('redacts the text and the checkpoint, but neither ids nor times', (t) => {
  const more = { session_summary: 'secret', memories: [{ content: 'secret', memoryType: 'fact' }] }
  const root = stored(t, { number: 1, more: { digest: 'the secret', ...more } })
  const redact = (text: string) => text.replaceAll('secret', '[REDACTED]').replaceAll('s1', '!')
  const recovery = recover(openContext({ root, ...clock }), { project: PROJECT, redact })!
  expect(recovery.text).toContain('the [REDACTED]')
  expect(JSON.stringify(recovery)).not.toContain('secret')
  expect(recovery.checkpoint).toMatchObject({ session_key: 's1', harness: 'test' })
})

test('returns the age of the checkpoint and the damage it met', (t) => {
  const root = temporaryFolder(t)
  const broken = checkpointLine({ number: 2 })
  broken[broken.indexOf('digest') + 15] = 0x7e
  saveShard(root, PROJECT, [checkpointLine({ number: 1, ageMs: 61_000 }), broken])
  const recovery = recover(openContext({ root, ...clock }), { project: PROJECT })!
  expect(recovery).toMatchObject({ ageMs: 61_000, checkpoint: { id: id(1) } })
  expect(recovery.diagnostics).toMatchObject([{ code: 'crc_mismatch', uuid: id(2) }])
})

test('rejects an unknown source', (t) => {
  const root = temporaryFolder(t)
  expect(() => found(root, { source: 'reboot' as never })).toThrow(
    /^source must be one of startup, resume/,
  )
})
