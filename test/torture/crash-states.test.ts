// The calls of a writer to the disk are recorded, and every state is built in which a crash at any
// moment could leave the file.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { line } from '../helpers/lines.js'
import { Random, seededRandom } from '../helpers/random.js'
import { memoryFolder } from '../helpers/temporary.js'
import { checkStates, tryCrashes } from './crash-check.js'
import { CRASH_WAYS, tryWay } from './crash-ways.js'
import { KNOWN_SEEDS } from './known-seeds.js'
import type { Step } from './trace.js'

const LOGS_BY_CHANCE = 2

// Requirements: 003-64, 003-69, T4
test('in every state that a crash may leave, acknowledged events are there and unaltered', async (t) => {
  const random = seededRandom(t)
  const folder = memoryFolder(t)
  let states = 0
  const byChance = Array.from({ length: LOGS_BY_CHANCE }, () => random.below(2 ** 31))
  for (const seed of [...KNOWN_SEEDS.crashStates, ...byChance]) {
    const result = await tryCrashes(folder, seed)
    states += result.states
    expect(result.findings).toEqual([])
  }
  expect(states).toBeGreaterThan(1000)
})

for (const way of CRASH_WAYS) {
  // Requirements: 003-64, T4
  test(`synced events are there in every state that a crash may leave ${way.name}`, async (t) => {
    const { states, owed, findings } = await tryWay(memoryFolder(t), way)
    expect(findings).toEqual([])
    expect(states).toBeGreaterThan(100)
    // Where nothing survives a power cut, the death of the process alone still loses nothing.
    expect(owed).toBeGreaterThan(0)
  })
}

// The writers below are faulty on purpose, and the check must find them.
const first: Step = { kind: 'write', bytes: line('user', { uuid: 'a' }) }
const second: Step = { kind: 'write', bytes: line('user', { uuid: 'b', prev_uuid: 'a' }) }
const ackOf = (uuid: string): Step => ({ kind: 'ack', uuid, isOwed: true })
const create: Step = { kind: 'create' }
const name: Step = { kind: 'name' }
const sync: Step = { kind: 'sync' }

test.for([
  { name: 'acknowledges before the sync', steps: [first, ackOf('a'), sync], isFound: true },
  // The kernel forgot the failed pages, so the second sync says yes and covers nothing.
  { name: 'asks again after a failed sync', steps: [first, ackOf('a'), second], isFound: true },
  { name: 'acknowledges before the write', steps: [ackOf('a'), first, sync], isFound: true },
  {
    name: 'forgets the name of a new file',
    steps: [create, first, sync, ackOf('a')],
    isFound: true,
  },
  {
    name: 'does it in the right order',
    steps: [create, first, sync, name, ackOf('a'), second],
    isFound: false,
  },
])('the check finds a faulty writer: one that $name ($isFound)', async ({ steps, isFound }, t) => {
  const path = join(memoryFolder(t), 's.jsonl')
  const { findings } = await checkStates(path, steps, new Random(1))
  expect(findings.length > 0).toBe(isFound)
})
