// How much is read: a query for one project opens that shard alone and reads it once.

import type * as fs from 'node:fs'
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { shardNameOf } from '../../../lib/store/checkpoints/read-shard.js'
import {
  appendCheckpoint,
  findNewestCheckpoint,
  listCheckpoints,
  openContext,
  relocateProject,
} from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'
import { checkpointLine, clock, saveShard } from './checkpoint-lines.js'

const calls = vi.hoisted(() => ({
  opened: [] as string[],
  read: 0,
  listed: 0,
}))

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  const counting = {
    openSync: (path: string, flags: number) => {
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
  return { ...original, ...counting, default: { ...original, ...counting } }
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

// Requirement: 000-14
test('opens one shard for one project', () => {
  const root = store()
  const project = '/work/p7'
  const shard = shardNameOf(project)
  const newest = counted(() => findNewestCheckpoint(openContext({ root, ...clock }), { project }))
  expect(newest).toMatchObject({ opened: [shard], listed: 0 })
  const list = counted(() => listCheckpoints(openContext({ root, ...clock }), { project }))
  expect(new Set(list.opened)).toEqual(new Set([shard]))
  expect(list.listed).toBe(0)
})

test('opens one more shard for a project that moved', async () => {
  const root = store()
  await relocateProject(openContext({ root }), { from: '/work/p7', to: '/work/p8' })
  const newest = counted(() =>
    findNewestCheckpoint(openContext({ root, ...clock }), { project: '/work/p8' }),
  )
  const shards = [shardNameOf('/work/p7'), shardNameOf('/work/p8')]
  expect(newest.opened.toSorted()).toEqual(['relocations.jsonl', ...shards].sort())
})

test('opens the shard that the header of a session names, or all shards without a header', () => {
  const root = store()
  const cold = counted(() =>
    findNewestCheckpoint(openContext({ root, ...clock }), { session: 's7' }),
  )
  expect(cold.opened).toHaveLength(PROJECTS)
  new Transcript('s7', 0, { project_normalized: '/work/p7' }).say('hi').save(root)
  const found = counted(() =>
    findNewestCheckpoint(openContext({ root, ...clock }), { session: 's7' }),
  )
  // For its header, and for references to other shards.
  expect(found.opened).toEqual(['s7.jsonl', 's7.jsonl', shardNameOf('/work/p7')])
  const known = { session: 's7', sessionProject: '/work/p7' }
  const own = counted(() => findNewestCheckpoint(openContext({ root, ...clock }), known))
  expect(own.opened).toEqual([shardNameOf('/work/p7')])
})

test('reads a shard once to find the newest', () => {
  const root = temporaryFolder({ onTestFinished })
  const project = '/work/app'
  const more = { digest: 'x'.repeat(1000) }
  const lines = Array.from({ length: 2000 }, (_, number) => checkpointLine({ number, more }))
  const { size } = statSync(saveShard(root, project, lines))
  const { read } = counted(() => {
    const { newest } = findNewestCheckpoint(openContext({ root, ...clock }), { project })
    expect(newest?.checkpoint.id).toMatch(/1999$/)
  })
  expect(read).toBeLessThan(size + 20 * 1024)
})

// Requirement: 000-31
test('reads only the end of a shard to append', async () => {
  const root = temporaryFolder({ onTestFinished })
  const more = { digest: 'x'.repeat(1000) }
  const lines = Array.from({ length: 2000 }, (_, number) => checkpointLine({ number, more }))
  saveShard(root, '/work/app', lines)
  Object.assign(calls, { read: 0 })
  const said = { session_key: 's1', trigger: 'periodic', harness: 'test', digest: 'd' } as const
  await appendCheckpoint(openContext({ root }), { ...said, prompt_count: 1, project: '/work/app' })
  expect(calls.read).toBeLessThan(300 * 1024)
})
