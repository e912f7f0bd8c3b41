// Checkpoints are found by project and by session, newest first, from the shards alone.

import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  appendCheckpoint,
  deleteCheckpoint,
  findCheckpoint,
  findNewestCheckpoint,
  listCheckpoints,
  openContext,
  relocateProject,
} from '../../../lib/store/index.js'
import { inSoak } from '../../helpers/effort.js'
import { foreignLine, id } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'
import {
  checkpoint,
  checkpointLine,
  clock,
  DAY_MS,
  NOW,
  numbersOf,
  saveShard,
  tombstoneLine,
} from './checkpoint-lines.js'

const HOUR_MS = 60 * 60 * 1000
const APP = '/work/app'
// Every byte in the soak.
const BYTE_STEP = inSoak ? 1 : 5

function folder(): string {
  return realpathSync.native(temporaryFolder({ onTestFinished }))
}

function listed(root: string, query: object = {}): number[] {
  return numbersOf(listCheckpoints(openContext({ root, ...clock }), query).checkpoints)
}

function newest(root: string, query: object = {}): number | undefined {
  const { newest } = findNewestCheckpoint(openContext({ root, ...clock }), query)
  return newest && numbersOf([newest])[0]
}

// Requirement: 000-12
test('newest means the latest time, then the last in the file', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 0 }),
    checkpointLine({ number: 2, ageMs: 3 * HOUR_MS }),
    checkpointLine({ number: 3, ageMs: 3 * HOUR_MS }),
    checkpointLine({ number: 4, ageMs: 9 * HOUR_MS }),
  ])
  expect(listed(root, { project: APP })).toEqual([1, 3, 2, 4])
  expect(listed(root, { session: 's1', limit: 2 })).toEqual([1, 3])
  expect(newest(root, { project: APP })).toBe(1)
})

// Requirement: 000-12
test('a wrong clock hides no checkpoint that was stored later', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: HOUR_MS }),
    checkpointLine({ number: 2, ageMs: -DAY_MS }),
    checkpointLine({ number: 3, ageMs: 1 }),
  ])
  expect(listed(root, { project: APP })).toEqual([3, 2, 1])
  expect(newest(root, { project: APP })).toBe(3)
})

// Requirement: 000-14
test('over several shards, newest means the latest time', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 5 * HOUR_MS }),
    checkpointLine({ number: 2, ageMs: 2 * HOUR_MS }),
    checkpointLine({ number: 3, ageMs: 9 * HOUR_MS }),
  ])
  const other = { project: '/work/b', session: 's2' }
  saveShard(root, '/work/b', [
    checkpointLine({ number: 4, ageMs: 3 * HOUR_MS, ...other }),
    checkpointLine({ number: 5, ageMs: HOUR_MS, ...other }),
  ])
  expect(listed(root)).toEqual([5, 2, 4, 1, 3])
  expect(listed(root, { limit: 2 })).toEqual([5, 2])
  expect(newest(root)).toBe(5)
})

// Requirement: 000-35
test('lists ten of a project by default, and all of a session', () => {
  const root = folder()
  const numbers = Array.from({ length: 30 }, (_, at) => at + 1)
  saveShard(
    root,
    APP,
    numbers.map((number) => checkpointLine({ number, session: number % 2 === 0 ? 'even' : 'odd' })),
  )
  expect(listed(root, { project: APP })).toEqual(numbers.toReversed().slice(0, 10))
  expect(listed(root, { project: APP, limit: 3 })).toEqual([30, 29, 28])
  expect(listed(root, { project: APP, limit: 0 })).toEqual([])
  const even = numbers.filter((number) => number % 2 === 0).toReversed()
  expect(listed(root, { session: 'even' })).toEqual(even)
  expect(listed(root, { session: 'session: even ', limit: 1 })).toEqual([30])
  expect(() =>
    listCheckpoints(openContext({ root, ...clock }), { project: APP, limit: -1 }),
  ).toThrow(/limit/)
  expect(() =>
    listCheckpoints(openContext({ root, ...clock }), { project: APP, session: 'even' }),
  ).toThrow(/not for both/)
})

// Requirement: 000-33
test('finds the newest inside a time window, edge excluded', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 4 * HOUR_MS - 1 }),
    checkpointLine({ number: 2, ageMs: 4 * HOUR_MS }),
  ])
  expect(newest(root, { project: APP, withinMs: 4 * HOUR_MS })).toBe(1)
  expect(newest(root, { project: APP, withinMs: 4 * HOUR_MS + 1 })).toBe(1)
  expect(newest(root, { project: APP, withinMs: HOUR_MS })).toBeUndefined()
  expect(newest(root, { project: '/work/unknown' })).toBeUndefined()
})

// Requirement: 000-34
test('finds the newest of a session, with and without a transcript', () => {
  const root = folder()
  saveShard(root, APP, [checkpointLine({ number: 1, session: 'a' })])
  saveShard(root, '/work/b', [
    checkpointLine({ number: 2, session: 'a', project: '/work/b' }),
    checkpointLine({ number: 3, session: 'b', project: '/work/b', ageMs: DAY_MS }),
  ])
  expect(newest(root, { session: 'b' })).toBe(3)
  expect(newest(root, { session: 'b', withinMs: HOUR_MS })).toBeUndefined()
  new Transcript('a', 0, { project: APP, project_normalized: APP }).say('hi').save(root)
  expect(newest(root, { session: 'a' })).toBe(1)
  expect(
    numbersOf(listCheckpoints(openContext({ root, ...clock }), { session: 'a' }).checkpoints),
  ).toEqual([1])
})

test('sessions can be excluded', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, session: 'crashed' }),
    checkpointLine({ number: 2, session: 'living' }),
  ])
  const excludeSession = (session: string) => session === 'living'
  expect(newest(root, { project: APP, excludeSession })).toBe(1)
})

// Requirements: 000-13, 000-29
test('finds a project by a link to it, and after it was removed', async () => {
  const root = folder()
  const project = join(root, 'project')
  mkdirSync(project)
  symlinkSync(project, join(root, 'link'))
  const said = { session_key: 's1', trigger: 'explicit', harness: 'test', digest: 'd' } as const
  const { id } = await appendCheckpoint(openContext({ root }), {
    ...said,
    prompt_count: 1,
    project,
  })
  const found = (spelling: string) =>
    findNewestCheckpoint(openContext({ root }), { project: join(root, spelling) }).newest
      ?.checkpoint.id
  expect(found('link')).toBe(id)
  rmSync(project, { recursive: true })
  expect(found('project')).toBe(id)
  expect(found('project/../project/')).toBe(id)
})

test('finds checkpoints of a moved project by its new name', async () => {
  const root = folder()
  saveShard(root, '/work/old', [checkpointLine({ number: 1, project: '/work/old' })])
  saveShard(root, '/work/new', [
    checkpointLine({ number: 2, project: '/work/new', session: 's2', ageMs: HOUR_MS }),
  ])
  expect(newest(root, { project: '/work/new' })).toBe(2)
  await relocateProject(openContext({ root }), { from: '/work/old', to: '/work/new' })
  expect(newest(root, { project: '/work/new' })).toBe(1)
  expect(
    numbersOf(
      listCheckpoints(openContext({ root, ...clock }), { project: '/work/new' }).checkpoints,
    ),
  ).toEqual([1, 2])
  expect(newest(root, { project: '/work/old' })).toBe(1)
})

test('ignores checkpoints of another project in the same shard', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1 }),
    checkpointLine({ number: 2, project: '/of/the/same/hash', session: 's2' }),
  ])
  expect(newest(root, { project: APP })).toBe(1)
})

test('reports a damaged checkpoint and returns the one before it', () => {
  const root = folder()
  const damaged = checkpointLine({ number: 3, ageMs: 8 * DAY_MS })
  damaged[damaged.indexOf('Session Checkpoint')]! ^= 1
  const path = saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 9 * DAY_MS, session: 'other' }),
    checkpointLine({ number: 2, ageMs: 9 * DAY_MS }),
    damaged,
  ])
  const { newest, diagnostics } = findNewestCheckpoint(openContext({ root, ...clock }), {
    project: APP,
  })
  // Also as the newest of its session, which may be older than seven days.
  expect(numbersOf([newest!])).toEqual([2])
  expect(diagnostics).toMatchObject([{ code: 'crc_mismatch', uuid: id(3), file: path }])
  const list = listCheckpoints(openContext({ root, ...clock }), { project: APP })
  expect(numbersOf(list.checkpoints)).toEqual([2, 1])
  expect(list.diagnostics).toMatchObject([{ code: 'crc_mismatch', uuid: id(3) }])
})

test('reports bad lines and loses nothing else', () => {
  const root = folder()
  const { id: _, ...nameless } = checkpoint({ number: 9 })
  const foreign = { type: 'checkpoint', ts: 'x', uuid: 'f', payload: checkpoint({ number: 4 }) }
  saveShard(root, APP, [
    checkpointLine({ number: 1 }),
    Buffer.from('not json\n\n\0\0\n'),
    foreignLine({ ...foreign, uuid: 'n', payload: nameless }),
    foreignLine(foreign),
    checkpointLine({ number: 2 }).subarray(0, 200),
    checkpointLine({ number: 3 }),
    foreignLine({ type: 'later.type', ts: 'x', uuid: 'l', payload: {} }),
    checkpointLine({ number: 5 }).subarray(0, -1),
  ])
  expect(listed(root, { project: APP })).toEqual([5, 3, 4, 1])
  const codes = listCheckpoints(openContext({ root, ...clock }), { project: APP }).diagnostics.map(
    ({ code }) => code,
  )
  expect(codes).toEqual(
    expect.arrayContaining(['bad_line', 'nul_padding', 'bad_payload', 'unverified']),
  )
  expect(codes).toContain('missing_newline')
})

test.each([
  ['of one session', (number: number) => ({ number })],
  ['of several', (number: number) => ({ number, session: `s${number}`, ageMs: 8 * DAY_MS })],
])('any changed byte loses at most its own line, and is reported: lines %s', (_, toInput) => {
  const root = folder()
  const lines = [1, 2, 3].map((number) => checkpointLine(toInput(number)))
  const path = saveShard(root, APP, lines)
  const bytes = readFileSync(path)
  const start = lines[0]!.length
  for (let at = start; at < start + lines[1]!.length; at += BYTE_STEP) {
    // One digit becomes another, and a letter is none any more.
    for (const flip of [0x01, 0x80]) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= flip
      writeFileSync(path, damaged)
      const { checkpoints, diagnostics } = listCheckpoints(openContext({ root, ...clock }), {
        project: APP,
      })
      const numbers = numbersOf(checkpoints)
      const where = `byte ${at - start} ^ ${flip}`
      expect(
        [3, 1].every((number) => numbers.includes(number)),
        where,
      ).toBe(true)
      expect(diagnostics.length, where).toBeGreaterThan(0)
      const { newest } = findNewestCheckpoint(openContext({ root, ...clock }), { project: APP })
      expect(newest?.checkpoint.id, where).toBe(id(3))
    }
  }
})

test('finds all records of one line', () => {
  const root = folder()
  const glued = [1, 2].map((number) => checkpointLine({ number }).subarray(0, -1))
  const torn = checkpointLine({ number: 3 }).subarray(0, 300)
  saveShard(root, APP, [
    checkpointLine({ number: 9, session: 's1' }),
    ...glued,
    Buffer.from('\n'),
    torn,
    checkpointLine({ number: 4 }),
    checkpointLine({ number: 5 }),
  ])
  expect(listed(root, { project: APP })).toEqual([5, 4, 2, 1, 9])
})

test('reports a shard that cannot be opened and reads the others', () => {
  const root = folder()
  saveShard(root, APP, [checkpointLine({ number: 1 })])
  mkdirSync(join(root, '.checkpoints', 'folder-0123456789abcdef.jsonl'))
  const list = listCheckpoints(openContext({ root, ...clock }))
  expect(numbersOf(list.checkpoints)).toEqual([1])
  expect(list.diagnostics).toMatchObject([{ code: 'unreadable_file' }])
})

test('a store without checkpoints has no checkpoints', () => {
  const root = join(folder(), 'nowhere')
  expect(listCheckpoints(openContext({ root }))).toEqual({ checkpoints: [], diagnostics: [] })
  expect(findNewestCheckpoint(openContext({ root }), { project: APP }).newest).toBeUndefined()
  expect(findCheckpoint(openContext({ root }), 'x')).toBeUndefined()
})

test('finds a checkpoint by its id and says whether it is visible', async () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 8 * DAY_MS }),
    checkpointLine({ number: 2 }),
    checkpointLine({ number: 3 }),
    tombstoneLine(4, 2),
  ])
  const visible = (number: number) =>
    findCheckpoint(openContext({ root, ...clock }), id(number))?.visible
  expect([1, 2, 3, 4].map(visible)).toEqual([false, false, true, undefined])
  expect(findCheckpoint(openContext({ root, ...clock }), '-')).toBeUndefined()
})

test('deleting a checkpoint appends a tombstone and keeps its bytes', async () => {
  const root = folder()
  const path = saveShard(root, APP, [checkpointLine({ number: 1 }), checkpointLine({ number: 2 })])
  const before = readFileSync(path)
  await deleteCheckpoint(openContext({ root }), id(2), { reason: 'wrong' })
  expect(newest(root, { project: APP })).toBe(1)
  expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
  const unknown = deleteCheckpoint(openContext({ root }), id(9), { reason: 'wrong' })
  await expect(unknown).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('what is visible depends on the time', () => {
  const root = folder()
  let now = NOW
  const store = openContext({ root, environment: { now: () => now } })
  saveShard(root, APP, [checkpointLine({ number: 1 }), checkpointLine({ number: 2 })])
  expect(numbersOf(listCheckpoints(store, { project: APP }).checkpoints)).toEqual([2, 1])
  now += 7 * DAY_MS
  expect(numbersOf(listCheckpoints(store, { project: APP }).checkpoints)).toEqual([2, 1])
  now += 1
  expect(numbersOf(listCheckpoints(store, { project: APP }).checkpoints)).toEqual([2])
})
