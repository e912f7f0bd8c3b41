// Clocks are set back, jump ahead and stop. The order is that of the lines, and no lock is judged by
// its time alone.

import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession, resumeSession } from '../../lib/free-functions.js'
import { openLog, readLogSync } from '../../lib/log/index.js'
import { lockPathOf } from '../../lib/log/lock/inspect.js'

import { findCheckpoint, openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { problemsOf } from './check.js'
import { startWriter } from './start-child.js'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 1)
const JUMPS = [0, -5 * 365, +50 * 365, -20 * 365, -20 * 365, 1, 0.5, -0.25]

// Requirement: 003-64
test('a clock that jumps by years loses nothing and changes no order', async (t) => {
  const root = temporaryFolder(t)
  let now = NOW
  const environment = { now: () => now }
  const options = { root, home: root, project: root, environment }
  const session = await createSession({ ...options, id: 's' })
  const acks = []
  const checkpoints: string[] = []
  for (const [index, days] of JUMPS.entries()) {
    now = NOW + days * DAY_MS
    acks.push(await session.prompt(`prompt ${index}`))
    acks.push(await session.append({ type: 'assistant', payload: { content: `reply ${index}` } }))
    checkpoints.push((await session.checkpoint({ digest: `Checkpoint ${index}` })).id)
  }
  await session.close()
  expect(problemsOf(session.path, acks)).toEqual([])
  const uuids = acks.map(({ uuid }) => uuid)
  now = NOW - 3 * DAY_MS
  const resumed = await resumeSession({ ...options, id: 's', mode: 'append' })
  expect(resumed.messages.map(({ uuid }) => uuid)).toEqual(uuids)
  await resumed.session!.append({ type: 'user', uuid: 'later', payload: { content: 'later' } })
  await resumed.session!.close()
  const order = [...readLogSync(session.path)].flatMap((entry) =>
    entry.kind === 'event' && [...uuids, 'later'].includes(entry.event.uuid)
      ? [entry.event.uuid]
      : [],
  )
  expect(order).toEqual([...uuids, 'later'])
  // Old checkpoints are hidden from lists, but stored.
  for (const id of checkpoints)
    expect(findCheckpoint(openContext(options), id)?.checkpoint.id).toBe(id)
})

// Requirements: 003-44, T6
test.for([
  { name: 'a year ahead', time: NOW + 10 * 365 * DAY_MS },
  { name: 'in 1970', time: 1000 },
])(
  'the lock of a dead process is taken over immediately, that of a live one never, whatever its time: $name',
  async ({ time }, t) => {
    for (const useKernelLock of [true, false]) {
      const path = join(temporaryFolder(t), 's.jsonl')
      const options = { durability: 'none', lockTimeoutMs: 3000, useKernelLock } as const
      const writer = startWriter({
        path,
        how: 'lease',
        name: 'w',
        sizes: [100],
        pauseMs: 2,
        options,
      })
      await writer.ready()
      writer.go()
      await writer.ackCount(2)
      utimesSync(lockPathOf(path), new Date(time), new Date(time))
      const impatient = { ...options, lockTimeoutMs: 50 }
      await expect(openLog(path, impatient)).rejects.toMatchObject({ code: 'ERR_LOCKED' })
      await writer.kill()
      utimesSync(lockPathOf(path), new Date(time), new Date(time))
      await using log = await openLog(path, options)
      const receipt = await log.append({ type: 'user', payload: { content: 'next' } })
      expect(problemsOf(path, [...writer.acks, receipt])).toEqual([])
    }
  },
)
