// Checkpoints are found by project and by session, newest first, from the shards alone.

import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  appendCheckpoint,
  CheckpointIndex,
  deleteCheckpoint,
  findCheckpoint,
  findNewestCheckpoint,
  listCheckpoints,
  relocateProject,
} from '../../lib/store/index.js'
import { foreignLine, id } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'
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

function folder(): string {
  return realpathSync.native(temporaryFolder({ onTestFinished }))
}

/** What one who starts now and one who has been there all the time say, which must be the same. */
function listed(index: CheckpointIndex, root: string, query: object = {}): number[] {
  const cold = listCheckpoints({ root, ...clock, ...query })
  expect(index.list(query)).toEqual(cold)
  return numbersOf(cold.checkpoints)
}

function newest(root: string, query: object = {}): number | undefined {
  const cold = findNewestCheckpoint({ root, ...clock, ...query })
  const index = new CheckpointIndex({ root, ...clock })
  index.list({ ...query, limit: 1 })
  expect(index.findNewest(query).newest).toEqual(cold.newest)
  return cold.newest && numbersOf([cold.newest])[0]
}

test('newest is by place in the file, whatever the clocks said (000-12)', () => {
  const root = folder()
  const index = new CheckpointIndex({ root, ...clock })
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 0 }),
    checkpointLine({ number: 2, ageMs: HOUR_MS }),
    checkpointLine({ number: 3, ageMs: HOUR_MS }),
  ])
  expect(listed(index, root, { project: APP })).toEqual([3, 2, 1])
  expect(newest(root, { project: APP })).toBe(3)
})

test('over several projects newest is by time (000-14)', () => {
  const root = folder()
  const index = new CheckpointIndex({ root, ...clock })
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
  expect(listed(index, root)).toEqual([5, 4, 3, 2, 1])
  expect(listed(index, root, { limit: 2 })).toEqual([5, 4])
  expect(newest(root)).toBe(5)
})

test('of a project ten are listed unless more are asked for, of a session all (000-35)', () => {
  const root = folder()
  const index = new CheckpointIndex({ root, ...clock })
  const numbers = Array.from({ length: 30 }, (_, at) => at + 1)
  saveShard(
    root,
    APP,
    numbers.map((number) => checkpointLine({ number, session: number % 2 === 0 ? 'even' : 'odd' })),
  )
  expect(listed(index, root, { project: APP })).toEqual(numbers.toReversed().slice(0, 10))
  expect(listed(index, root, { project: APP, limit: 3 })).toEqual([30, 29, 28])
  expect(listed(index, root, { project: APP, limit: 0 })).toEqual([])
  const even = numbers.filter((number) => number % 2 === 0).toReversed()
  expect(listed(index, root, { session: 'even' })).toEqual(even)
  expect(listed(index, root, { session: 'session: even ', limit: 1 })).toEqual([30])
  expect(() => index.list({ project: APP, limit: -1 })).toThrow(/limit/)
  expect(() => index.list({ project: APP, session: 'even' })).toThrow(/not for both/)
})

test('the latest inside a time window is one lookup, and the edge is outside (000-33)', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 4 * HOUR_MS - 1 }),
    checkpointLine({ number: 2, ageMs: 4 * HOUR_MS }),
  ])
  expect(newest(root, { project: APP, withinMs: 4 * HOUR_MS })).toBe(1)
  expect(newest(root, { project: APP, withinMs: 4 * HOUR_MS + 1 })).toBe(2)
  expect(newest(root, { project: APP, withinMs: HOUR_MS })).toBeUndefined()
  expect(newest(root, { project: '/work/unknown' })).toBeUndefined()
})

test('the same lookup works by session, with and without a transcript (000-34)', () => {
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
  expect(numbersOf(listCheckpoints({ root, ...clock, session: 'a' }).checkpoints)).toEqual([1])
})

test('sessions can be passed over', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, session: 'crashed' }),
    checkpointLine({ number: 2, session: 'living' }),
  ])
  const isSkipped = (session: string) => session === 'living'
  expect(newest(root, { project: APP, isSkipped })).toBe(1)
})

test('a project is found by a link to it, and after it is gone (000-13, 000-29)', async () => {
  const root = folder()
  const project = join(root, 'project')
  mkdirSync(project)
  symlinkSync(project, join(root, 'link'))
  const said = { session_key: 's1', trigger: 'explicit', harness: 'test', digest: 'd' } as const
  const { id } = await appendCheckpoint({ ...said, prompt_count: 1, project }, { root })
  const found = (spelling: string) =>
    findNewestCheckpoint({ root, project: join(root, spelling) }).newest?.checkpoint.id
  expect(found('link')).toBe(id)
  rmSync(project, { recursive: true })
  expect(found('project')).toBe(id)
  expect(found('project/../project/')).toBe(id)
})

test('checkpoints of a project that moved are found by its new name', async () => {
  const root = folder()
  saveShard(root, '/work/old', [checkpointLine({ number: 1, project: '/work/old' })])
  saveShard(root, '/work/new', [
    checkpointLine({ number: 2, project: '/work/new', session: 's2', ageMs: HOUR_MS }),
  ])
  expect(newest(root, { project: '/work/new' })).toBe(2)
  await relocateProject({ root, from: '/work/old', to: '/work/new' })
  expect(newest(root, { project: '/work/new' })).toBe(1)
  expect(numbersOf(listCheckpoints({ root, ...clock, project: '/work/new' }).checkpoints)).toEqual([
    1, 2,
  ])
  expect(newest(root, { project: '/work/old' })).toBe(1)
})

test('a shard is looked up by its name and believed by what is inside', () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1 }),
    checkpointLine({ number: 2, project: '/of/the/same/hash', session: 's2' }),
  ])
  expect(newest(root, { project: APP })).toBe(1)
})

test('a checkpoint that is damaged is reported, and the one before it is taken', () => {
  const root = folder()
  const damaged = checkpointLine({ number: 3, ageMs: 8 * DAY_MS })
  damaged[damaged.indexOf('Session Checkpoint')]! ^= 1
  const path = saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 9 * DAY_MS, session: 'other' }),
    checkpointLine({ number: 2, ageMs: 9 * DAY_MS }),
    damaged,
  ])
  const { newest, diagnostics } = findNewestCheckpoint({ root, ...clock, project: APP })
  // Also as the newest of its session, which may be older than seven days.
  expect(numbersOf([newest!])).toEqual([2])
  expect(diagnostics).toMatchObject([{ code: 'crc_mismatch', uuid: id(3), file: path }])
  const list = listCheckpoints({ root, ...clock, project: APP })
  expect(numbersOf(list.checkpoints)).toEqual([2, 1])
  expect(list.diagnostics).toMatchObject([{ code: 'crc_mismatch', uuid: id(3) }])
})

test('bad lines are reported and cost only themselves', () => {
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
  const index = new CheckpointIndex({ root, ...clock })
  expect(listed(index, root, { project: APP })).toEqual([5, 3, 4, 1])
  const codes = index.list({ project: APP }).diagnostics.map(({ code }) => code)
  expect(codes).toEqual(
    expect.arrayContaining(['bad_line', 'nul_padding', 'bad_payload', 'unverified']),
  )
  expect(codes).toContain('unterminated_tail')
})

test.each([
  ['of one session', (number: number) => ({ number })],
  ['of several', (number: number) => ({ number, session: `s${number}`, ageMs: 8 * DAY_MS })],
])('any changed byte costs at most its own line, and is told: lines %s', (_, told) => {
  const root = folder()
  const lines = [1, 2, 3].map((number) => checkpointLine(told(number)))
  const path = saveShard(root, APP, lines)
  const bytes = readFileSync(path)
  const start = lines[0]!.length
  for (let at = start; at < start + lines[1]!.length; at++) {
    // One digit becomes another, and a letter is none any more.
    for (const flip of [0x01, 0x80]) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= flip
      writeFileSync(path, damaged)
      const { checkpoints, diagnostics } = listCheckpoints({ root, ...clock, project: APP })
      const numbers = numbersOf(checkpoints)
      const where = `byte ${at - start} ^ ${flip}`
      expect(
        [3, 1].every((number) => numbers.includes(number)),
        where,
      ).toBe(true)
      expect(diagnostics.length, where).toBeGreaterThan(0)
      const { newest } = findNewestCheckpoint({ root, ...clock, project: APP })
      expect(newest?.checkpoint.id, where).toBe(id(3))
    }
  }
})

test('records that stand on one line are all found', () => {
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
  const index = new CheckpointIndex({ root, ...clock })
  expect(listed(index, root, { project: APP })).toEqual([5, 4, 2, 1, 9])
})

test('a shard that cannot be opened is reported and hides no other', () => {
  const root = folder()
  saveShard(root, APP, [checkpointLine({ number: 1 })])
  mkdirSync(join(root, '.checkpoints', 'folder-0123456789abcdef.jsonl'))
  const list = listCheckpoints({ root, ...clock })
  expect(numbersOf(list.checkpoints)).toEqual([1])
  expect(list.diagnostics).toMatchObject([{ code: 'unreadable_file' }])
})

test('a store without checkpoints has none', () => {
  const root = join(folder(), 'nowhere')
  expect(listCheckpoints({ root })).toEqual({ checkpoints: [], diagnostics: [] })
  expect(findNewestCheckpoint({ root, project: APP }).newest).toBeUndefined()
  expect(findCheckpoint('x', { root })).toBeUndefined()
})

test('a checkpoint is found by its id, and it is told whether anybody is shown it', async () => {
  const root = folder()
  saveShard(root, APP, [
    checkpointLine({ number: 1, ageMs: 8 * DAY_MS }),
    checkpointLine({ number: 2 }),
    checkpointLine({ number: 3 }),
    tombstoneLine(4, 2),
  ])
  const visible = (number: number) => findCheckpoint(id(number), { root, ...clock })?.isVisible
  expect([1, 2, 3, 4].map(visible)).toEqual([false, false, true, undefined])
  expect(findCheckpoint('-', { root, ...clock })).toBeUndefined()
})

test('a deleted checkpoint is hidden by one more line, and its bytes stay', async () => {
  const root = folder()
  const path = saveShard(root, APP, [checkpointLine({ number: 1 }), checkpointLine({ number: 2 })])
  const before = readFileSync(path)
  await deleteCheckpoint(id(2), { root, reason: 'wrong' })
  expect(newest(root, { project: APP })).toBe(1)
  expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
  const unknown = deleteCheckpoint(id(9), { root, reason: 'wrong' })
  await expect(unknown).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('a shard is read anew when it was replaced, cut or changed in place', () => {
  const root = folder()
  const index = new CheckpointIndex({ root, ...clock })
  const query = { project: APP }
  const path = saveShard(root, APP, [checkpointLine({ number: 1 }), checkpointLine({ number: 2 })])
  expect(listed(index, root, query)).toEqual([2, 1])
  writeFileSync(`${path}.new`, checkpointLine({ number: 3 }))
  renameSync(`${path}.new`, path)
  expect(listed(index, root, query)).toEqual([3])
  writeFileSync(path, checkpointLine({ number: 4 }))
  utimesSync(path, 1, 1)
  expect(listed(index, root, query)).toEqual([4])
  const other = checkpointLine({ number: 9 })
  writeFileSync(path, other)
  utimesSync(path, 2, 2)
  expect(listed(index, root, query)).toEqual([9])
  writeFileSync(path, Buffer.concat([5, 6, 7].map((number) => checkpointLine({ number }))))
  expect(listed(index, root, query)).toEqual([7, 6, 5])
  writeFileSync(path, '')
  expect(listed(index, root, query)).toEqual([])
  rmSync(path)
  expect(listed(index, root, query)).toEqual([])
  appendFileSync(path, checkpointLine({ number: 8 }))
  expect(listed(index, root, query)).toEqual([8])
})

test('what is visible changes with the time alone', () => {
  const root = folder()
  let now = NOW
  const index = new CheckpointIndex({ root, environment: { now: () => now } })
  saveShard(root, APP, [checkpointLine({ number: 1 }), checkpointLine({ number: 2 })])
  expect(numbersOf(index.list({ project: APP }).checkpoints)).toEqual([2, 1])
  now += 7 * DAY_MS
  expect(numbersOf(index.list({ project: APP }).checkpoints)).toEqual([2, 1])
  now += 1
  expect(numbersOf(index.list({ project: APP }).checkpoints)).toEqual([2])
})
