// Pruning drops bytes that nobody is shown, and nothing else, whatever happens meanwhile.

import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lineSchemaOf } from '../../../lib/format/schemas.js'
import { verifyLog } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'
import { shardPathOf } from '../../../lib/store/checkpoints/read-shard.js'
import {
  appendCheckpoint,
  type CheckpointList,
  findCheckpoint,
  listCheckpoints,
  openContext,
  pruneCheckpoints,
} from '../../../lib/store/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { foreignLine, id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { startWorker } from '../../log/lock/worker.js'
import {
  type CheckpointFields,
  checkpoint,
  checkpointLine,
  clock,
  DAY_MS,
  NOW,
  numbersOf,
  saveShard,
  tombstoneLine,
} from './checkpoint-lines.js'
import { CheckpointProcess } from './checkpoint-process.js'

const APP = '/work/app'
const OLD = { ageMs: 30 * DAY_MS }

function folder(): string {
  return realpathSync.native(temporaryFolder({ onTestFinished }))
}

function visibleIn(root: string): CheckpointList['checkpoints'] {
  const all = { limit: Number.POSITIVE_INFINITY }
  return listCheckpoints(openContext({ root, ...clock }), all).checkpoints
}

/** What they say, wherever they lie. */
const saidIn = (root: string) =>
  visibleIn(root).map(({ checkpoint, sha256 }) => ({ checkpoint, sha256 }))

const force = { apply: true, force: true, ...clock }

/** Old checkpoints of one session and one young of another. */
function mostlyOld(count: number, more: Partial<CheckpointFields> = {}): Buffer[] {
  const old = Array.from({ length: count }, (_, at) =>
    checkpointLine({ number: at + 1, session: 'old', ...OLD, ...more }),
  )
  return [...old, checkpointLine({ number: count + 1, session: 'new' })]
}

test('without apply it is a plan, and no byte and no file changes', async () => {
  const root = folder()
  const path = saveShard(root, APP, mostlyOld(10))
  const before = { bytes: readFileSync(path), mtime: statSync(path).mtimeMs }
  const report = await pruneCheckpoints(openContext({ root, ...clock }), { force: true })
  const length = checkpointLine({ number: 1, session: 'old', ...OLD }).length
  expect(report).toEqual({
    applied: false,
    shards: [
      {
        path,
        bytes: before.bytes.length,
        bytesDropped: 9 * length,
        recordsDropped: 9,
        due: true,
      },
    ],
    skipped: [],
  })
  expect({ bytes: readFileSync(path), mtime: statSync(path).mtimeMs }).toEqual(before)
  expect(readdirSync(root)).toEqual(['.checkpoints'])
})

// Requirement: 000-77
test('applied, it drops only what is hidden; every query returns the same as before', async () => {
  const root = folder()
  const path = saveShard(root, APP, [...mostlyOld(10), tombstoneLine(100, 11)])
  const before = saidIn(root)
  expect(numbersOf(visibleIn(root))).toEqual([10])
  await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(saidIn(root)).toEqual(before)
  expect([...readLogSync(path)]).toHaveLength(1)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  for (const log of [path, join(root, 'retention.jsonl')]) {
    expect(await verifyLog(log)).toMatchObject({ events: 1, findings: [] })
  }
  expect((await pruneCheckpoints(openContext({ root, ...force }), force)).shards).toMatchObject([
    { due: false },
  ])
})

test('a shard is left alone while it is small, or most of it is shown', async () => {
  const root = folder()
  const digest = 'x'.repeat(20_000)
  const due = async () => {
    const { shards } = await pruneCheckpoints(openContext({ root, ...clock }), { apply: true })
    return shards.map(({ due }) => due)
  }
  saveShard(root, APP, mostlyOld(50))
  expect(await due()).toEqual([false])
  const young = Array.from({ length: 40 }, (_, at) =>
    checkpointLine({ number: 1000 + at, session: 'young', more: { digest } }),
  )
  const path = saveShard(root, APP, [...mostlyOld(30, { more: { digest } }), ...young])
  expect(await due()).toEqual([false])
  saveShard(root, APP, mostlyOld(80, { more: { digest } }))
  expect(await due()).toEqual([true])
  expect(statSync(path).size).toBeLessThan(2 * digest.length + 2000)
  expect(await due()).toEqual([false])
})

test('what was dropped is accounted for, in a line of the format', async () => {
  const root = folder()
  const path = saveShard(root, APP, mostlyOld(10))
  const { size } = statSync(path)
  const { shards } = await pruneCheckpoints(openContext({ root, ...force }), force)
  const [entry, ...others] = readLogSync(join(root, 'retention.jsonl'))
  if (entry?.kind !== 'event' || others.length > 0) throw new Error('not one event')
  expect(lineSchemaOf('retention')?.safeParse(entry.event).error?.issues).toBeUndefined()
  expect(entry.event.payload).toEqual({
    command: 'checkpoints prune',
    path: path.slice(root.length + 1),
    records_dropped: 9,
    bytes_dropped: shards[0]!.bytesDropped,
    bytes_kept: size - shards[0]!.bytesDropped,
  })
  expect(statSync(path).size).toBe(size - shards[0]!.bytesDropped)
})

test('where the account cannot be written nothing is dropped', async () => {
  const root = folder()
  const path = saveShard(root, APP, mostlyOld(10))
  const before = readFileSync(path)
  const disk = new FaultyDisk()
  disk.fail({ call: 'writeSync', code: 'ENOSPC', isSticky: true })
  const environment = { ...disk.environment, now: () => NOW }
  const report = await pruneCheckpoints(openContext({ root, ...force, environment }), force)
  expect(report.skipped).toMatchObject([{ path, reason: expect.stringMatching(/ENOSPC/) }])
  expect(readFileSync(path)).toEqual(before)
  expect(readdirSync(join(root, '.checkpoints'))).toEqual([path.split('/').at(-1)])
})

test('drops only checksum-verified lines: damage, foreign lines and unknown types stay', async () => {
  const root = folder()
  const event = { type: 'checkpoint', ts: 'x', uuid: 'f' }
  const foreign = foreignLine({ ...event, payload: checkpoint({ number: 50, ...OLD }) })
  const damaged = checkpointLine({ number: 51, session: 'old', ...OLD })
  damaged[300]! ^= 1
  const later = line('later.type', { uuid: id(52) })
  const glued = Buffer.concat([
    checkpointLine({ number: 53, session: 'old', ...OLD }).subarray(0, -1),
    checkpointLine({ number: 54, session: 'old', ...OLD }),
  ])
  const kept = [foreign, damaged, later, glued, Buffer.from('oops\n')]
  const path = saveShard(root, APP, [...kept, ...mostlyOld(10), Buffer.from('{"torn')])
  await pruneCheckpoints(openContext({ root, ...force }), force)
  const bytes = readFileSync(path)
  for (const part of kept) expect(bytes.includes(part)).toBe(true)
  expect(bytes.toString()).toMatch(/\n\{"torn\n$/)
  expect(numbersOf(visibleIn(root))).toEqual([11, 10, 50])
})

test('a tombstone stays as long as what it hides, or as long as a line is unreadable', async () => {
  const root = folder()
  const target = foreignLine({
    type: 'checkpoint',
    ts: 'x',
    uuid: 'f',
    payload: checkpoint({ number: 50 }),
  })
  const path = saveShard(root, APP, [target, ...mostlyOld(3), tombstoneLine(60, 50)])
  const numbers = () => numbersOf(visibleIn(root))
  expect(numbers()).toEqual([4, 3])
  await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(numbers()).toEqual([4, 3])
  const damaged = [Buffer.from('oops\n'), ...mostlyOld(3), tombstoneLine(60, 99)]
  saveShard(root, APP, damaged)
  await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(readFileSync(path, 'utf8')).toMatch(/checkpoint_tombstone/)
  saveShard(root, APP, damaged.slice(1))
  await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(readFileSync(path, 'utf8')).not.toMatch(/checkpoint_tombstone/)
})

test('what a visible checkpoint names is not dropped, nor what that names', async () => {
  const root = folder()
  const lines = mostlyOld(10)
  lines[2] = checkpointLine({
    number: 3,
    session: 'old',
    ...OLD,
    more: { structured: { after: [{ checkpoint: id(2) }] } },
  })
  const naming = checkpointLine({ number: 20, session: 'new', more: { cause: id(3) } })
  saveShard(root, APP, [...lines, naming])
  const { shards } = await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(shards).toMatchObject([{ recordsDropped: 7 }])
  const found = [1, 2, 3, 4].map((number) =>
    findCheckpoint(openContext({ root, ...clock }), id(number)),
  )
  expect(found.map((it) => it?.visible)).toEqual([undefined, false, false, undefined])
})

test('a shard that another process writes is skipped, and the others are pruned', async () => {
  const root = folder()
  const busy = saveShard(root, APP, mostlyOld(10))
  const idle = saveShard(root, '/work/b', mostlyOld(10, { project: '/work/b' }))
  const worker = startWorker()
  await worker.ask('acquire', { path: busy, options: { mode: 'lease', timeoutMs: 1000 } })
  const report = await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(report.skipped).toMatchObject([{ path: busy, reason: expect.stringMatching(/locked/) }])
  expect(report.shards).toMatchObject([{ path: idle, due: true }])
})

test('lists the same before and after a prune', async () => {
  const root = folder()
  saveShard(root, APP, mostlyOld(10))
  const store = openContext({ root, ...clock })
  const ids = () => numbersOf(listCheckpoints(store, { project: APP }).checkpoints)
  expect(ids()).toEqual([11, 10])
  await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(ids()).toEqual([11, 10])
  appendFileSync(shardPathOf(openContext({ root }), APP), checkpointLine({ number: 12 }))
  expect(ids()).toEqual([12, 11, 10])
})

test('killed at any moment, a prune loses nothing, and the next one cleans up', async () => {
  const root = folder()
  const digest = 'x'.repeat(10_000)
  const path = saveShard(root, APP, mostlyOld(400, { more: { digest } }))
  const original = readFileSync(path)
  const before = saidIn(root)
  let killedInside = 0
  for (let round = 0; round < 12; round++) {
    saveShard(root, APP, [original])
    const pruner = new CheckpointProcess({ root, how: 'prune', now: NOW, count: 1 })
    await pruner.ready()
    pruner.go()
    // Watched without a pause: the new file is there for a few milliseconds only.
    const folderPath = join(root, '.checkpoints')
    const isInside = () => readdirSync(folderPath).some((name) => name.endsWith('.tmp'))
    const deadline = performance.now() + 20_000
    while (!isInside() && pruner.said.length === 0 && performance.now() < deadline) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (isInside()) killedInside++
    await pruner.kill()
    expect(saidIn(root)).toEqual(before)
  }
  expect(killedInside).toBeGreaterThan(0)
  saveShard(root, APP, [original])
  await pruneCheckpoints(openContext({ root, ...force }), force)
  expect(saidIn(root)).toEqual(before)
  expect(readdirSync(join(root, '.checkpoints'))).toEqual([path.split('/').at(-1)])
  expect(existsSync(`${path}.lock`)).toBe(false)
})

// K has the kernel lock, A has not: of the pruner, and of those who write meanwhile.
test.each([
  ['K, K', true, true],
  ['A, K', false, true],
  ['K, A', true, false],
])(
  'checkpoints that arrive while a shard is pruned again and again are all there: %s',
  async (_, useKernelLock, isKernel) => {
    const root = folder()
    const count = 40
    const task = { root, how: 'append', project: APP, count, useKernelLock: isKernel } as const
    const writers = ['a', 'b'].map((name) => new CheckpointProcess({ ...task, name }))
    await Promise.all(writers.map((it) => it.ready()))
    for (const it of writers) it.go()
    let isOver = false
    const ended = Promise.all(writers.map((it) => it.ends())).finally(() => {
      isOver = true
    })
    const options = { root, useKernelLock, maxCheckpointsPerSession: 500 }
    const said = { session_key: 'old', trigger: 'periodic', harness: 'test', digest: 'd' } as const
    const created_at = '2020-01-01T00:00:00.000Z'
    let replaced = 0
    // At least twice, also where the writers end quickly.
    while (!isOver || replaced < 2) {
      // Something to drop in every round: of two old ones only the newer is shown.
      for (let copy = 0; copy < 2; copy++) {
        await appendCheckpoint(
          openContext(options),
          { ...said, prompt_count: 1, project: APP, created_at },
          options,
        )
      }
      const { shards } = await pruneCheckpoints(openContext(options), {
        ...options,
        apply: true,
        force: true,
      })
      replaced += shards.filter(({ due }) => due).length
      // None of this waits when nobody is in the way, and then the end would never be heard of.
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await ended).toEqual([0, 0])
    expect(replaced).toBeGreaterThan(1)
    const acknowledged = writers.flatMap((it) => it.said.map(({ id }) => id!))
    const query = { project: APP, limit: Number.POSITIVE_INFINITY }
    const { checkpoints } = listCheckpoints(openContext(options), { ...options, ...query })
    const stored = new Set(checkpoints.map(({ checkpoint }) => checkpoint.id))
    expect(acknowledged).toHaveLength(2 * count)
    expect(acknowledged.filter((it) => !stored.has(it))).toEqual([])
  },
)
