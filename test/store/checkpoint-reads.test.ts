// How much is read: a process that has just started and asks for one project opens that shard
// alone, reads its end for the newest, and later only what was added.

import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { shardNameOf } from '../../lib/store/checkpoint-shard.js'
import {
  appendCheckpoint,
  CheckpointIndex,
  findNewestCheckpoint,
  listCheckpoints,
  relocateProject,
} from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'
import { checkpointLine, clock, numbersOf, saveShard } from './checkpoint-lines.js'

const calls = vi.hoisted(() => ({
  opened: [] as string[],
  read: 0,
  listed: 0,
  beforeOpening: (_: string) => {},
}))

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  return {
    ...original,
    openSync: (path: string, flags: number) => {
      calls.beforeOpening(path)
      const fd = original.openSync(path, flags)
      calls.opened.push(path)
      return fd
    },
    readSync: (fd: number, buffer: Buffer, at: number, length: number, position: number) => {
      const count = original.readSync(fd, buffer, at, length, position)
      calls.read += count
      return count
    },
    readdirSync: (path: string) => {
      calls.listed++
      return original.readdirSync(path)
    },
  }
})

function counted(step: () => void): Pick<typeof calls, 'opened' | 'read' | 'listed'> {
  Object.assign(calls, { opened: [], read: 0, listed: 0 })
  step()
  return { ...calls, opened: calls.opened.map((path) => basename(path)) }
}

const PROJECTS = 100

function store(): string {
  const root = temporaryFolder({ onTestFinished })
  for (let number = 0; number < PROJECTS; number++) {
    const project = `/work/p${number}`
    const lines = Array.from({ length: 20 }, (_, at) =>
      checkpointLine({ number: number * 100 + at, project, session: `s${number}` }),
    )
    saveShard(root, project, lines)
  }
  return root
}

test('one project is one shard, however many there are (000-14)', () => {
  const root = store()
  const project = '/work/p7'
  const shard = shardNameOf(project)
  const newest = counted(() => findNewestCheckpoint({ root, ...clock, project }))
  expect(newest).toMatchObject({ opened: [shard], listed: 0 })
  const list = counted(() => listCheckpoints({ root, ...clock, project }))
  expect(new Set(list.opened)).toEqual(new Set([shard]))
  expect(list.listed).toBe(0)
})

test('a project that moved is one shard more', async () => {
  const root = store()
  await relocateProject({ root, from: '/work/p7', to: '/work/p8' })
  const newest = counted(() => findNewestCheckpoint({ root, ...clock, project: '/work/p8' }))
  const shards = [shardNameOf('/work/p7'), shardNameOf('/work/p8')]
  expect(newest.opened.toSorted()).toEqual(['relocations.jsonl', ...shards].sort())
})

test('one session is the shard of its header, or all of them when there is none', () => {
  const root = store()
  const cold = counted(() => findNewestCheckpoint({ root, ...clock, session: 's7' }))
  expect(cold.opened).toHaveLength(PROJECTS)
  new Transcript('s7', 0, { project_normalized: '/work/p7' }).say('hi').save(root)
  const found = counted(() => findNewestCheckpoint({ root, ...clock, session: 's7' }))
  expect(found.opened).toEqual(['s7.jsonl', shardNameOf('/work/p7')])
})

test('the newest is found from the end, whatever the size of the shard', () => {
  const root = temporaryFolder({ onTestFinished })
  const project = '/work/app'
  const more = { digest: 'x'.repeat(1000) }
  const lines = Array.from({ length: 2000 }, (_, number) => checkpointLine({ number, more }))
  saveShard(root, project, lines)
  const { read } = counted(() => {
    const { newest } = findNewestCheckpoint({ root, ...clock, project })
    expect(newest?.checkpoint.id).toMatch(/1999$/)
  })
  expect(read).toBeLessThan(20 * 1024)
})

test('appending reads the end of a shard, whatever its size (000-31)', async () => {
  const root = temporaryFolder({ onTestFinished })
  const more = { digest: 'x'.repeat(1000) }
  const lines = Array.from({ length: 2000 }, (_, number) => checkpointLine({ number, more }))
  saveShard(root, '/work/app', lines)
  Object.assign(calls, { read: 0 })
  const said = { session_key: 's1', trigger: 'periodic', harness: 'test', digest: 'd' } as const
  await appendCheckpoint({ ...said, prompt_count: 1, project: '/work/app' }, { root })
  expect(calls.read).toBeLessThan(300 * 1024)
})

test('an index that is kept up reads what was added and nothing else', () => {
  const root = temporaryFolder({ onTestFinished })
  const project = '/work/app'
  const lines = Array.from({ length: 1000 }, (_, number) => checkpointLine({ number }))
  const path = saveShard(root, project, lines)
  const index = new CheckpointIndex({ root, ...clock })
  const query = { project, limit: 1 }
  const size = fs.statSync(path).size
  expect(counted(() => index.list(query)).read).toBeGreaterThan(size)
  const line = lines[0]!.length
  expect(counted(() => index.list(query)).read).toBeLessThan(2 * line)
  fs.appendFileSync(path, checkpointLine({ number: 1000 }))
  expect(counted(() => index.list(query)).read).toBeLessThan(4 * line)
  expect(index.list(query).checkpoints[0]?.checkpoint.id).toMatch(/1000$/)
  expect(join(root, '.checkpoints', shardNameOf(project))).toBe(path)
})

test('a shard that is replaced between choosing and loading is looked at again', (t) => {
  const root = temporaryFolder(t)
  const path = saveShard(
    root,
    '/work/app',
    [1, 2, 3].map((number) => checkpointLine({ number })),
  )
  const pruned = Buffer.concat([2, 3, 4].map((number) => checkpointLine({ number })))
  let opened = 0
  calls.beforeOpening = (name) => {
    if (name !== path || ++opened !== 2) return
    fs.writeFileSync(`${path}.new`, pruned)
    fs.renameSync(`${path}.new`, path)
  }
  t.onTestFinished(() => {
    calls.beforeOpening = () => {}
  })
  const { checkpoints, diagnostics } = listCheckpoints({ root, ...clock, project: '/work/app' })
  expect(numbersOf(checkpoints)).toEqual([4, 3, 2])
  expect(diagnostics).toEqual([])
  expect(opened).toBe(4)
})
