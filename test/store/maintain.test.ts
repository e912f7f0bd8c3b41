// The periodic work: what it may rewrite, and what it never touches.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../lib/index.js'
import { readLogSync } from '../../lib/log/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { checkpointLine, clock, DAY_MS, saveShard } from './checkpoints/checkpoint-lines.js'

const MIB = 1024 * 1024

/** One visible checkpoint, and old ones of the same session of at least so many bytes. */
function shardOf(root: string, project: string, bytes: number): string {
  const more = { digest: 'x'.repeat(10_000) }
  const old = Array.from({ length: Math.ceil(bytes / 10_000) }, (_, number) =>
    checkpointLine({ number: number + 1, project, ageMs: 30 * DAY_MS, more }),
  )
  return saveShard(root, project, [...old, checkpointLine({ number: 9_000, project })])
}

test('maintain drops hidden checkpoints of large shards and records it', async (t) => {
  const root = temporaryFolder(t)
  const store = openStore({ root, home: root, ...clock })
  const session = await store.createSession({ id: 's', continuity: false })
  await session.prompt('hello')
  await session.close()
  const transcript = readFileSync(session.path)
  const large = shardOf(root, '/work/large', MIB)
  const small = shardOf(root, '/work/small', MIB / 2)
  const before = readFileSync(small)

  const { history, checkpoints } = await store.maintenance.maintain()
  expect(history).toBeNull()
  expect(checkpoints).toMatchObject({ applied: true, shards: [{ path: large }], skipped: [] })
  expect(statSync(large).size).toBeLessThan(1000)
  expect(readFileSync(small).equals(before)).toBe(true)
  expect(readFileSync(session.path)).toEqual(transcript)
  const kept = store.checkpoints.list({ project: '/work/large' }).checkpoints
  expect(kept.map(({ checkpoint }) => checkpoint.id.slice(-4))).toEqual(['9000'])
  const [record] = Array.from(readLogSync(join(root, 'retention.jsonl')))
  expect(record).toMatchObject({ event: { type: 'retention' } })
  expect(await store.maintenance.maintain()).toEqual({ history: null, checkpoints: null })
})

test('maintain keeps as many days as it is asked to, and creates nothing', async (t) => {
  const root = temporaryFolder(t)
  const store = openStore({ root, home: root, ...clock })
  const shard = shardOf(root, '/work/app', MIB)
  const before = readFileSync(shard)
  const names = readdirSync(root)
  expect(
    await store.maintenance.maintain({ retentionDays: 90, maxCheckpointsPerSession: 500 }),
  ).toEqual({ history: null, checkpoints: null })
  expect(readFileSync(shard).equals(before)).toBe(true)
  expect(readdirSync(root)).toEqual(names)
})
