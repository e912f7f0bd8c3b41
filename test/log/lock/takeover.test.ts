// The moment after a holder's death, when all who waited judge the same directory. Eight processes
// wait, the holder is killed, and each of the eight must be alone inside. The last test proves that
// this harness would see it otherwise: proper-lockfile as it comes lets two in.

import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockPathOf } from '../../../lib/log/lock/inspect.js'
import { AT_ONCE_MS } from '../../helpers/at-once.js'
import { runs } from '../../helpers/effort.js'
import { type Mix, runRound, WAITERS } from './takeover-round.js'
import { ADVISORY, KERNEL, startWorker, temporaryFolder, Worker } from './worker.js'

const ROUNDS = runs(25)
const CANARY_ROUNDS_MAX = 150

const MIXES: readonly (Mix & { readonly name: string })[] = [
  { name: '8K', holders: [KERNEL], kernelWaiters: 8 },
  { name: '4K + 4A', holders: [KERNEL, ADVISORY], kernelWaiters: 4 },
  { name: '8A', holders: [ADVISORY], kernelWaiters: 0 },
]

let waiters: readonly Worker[] = []
beforeAll(() => {
  waiters = Array.from({ length: WAITERS }, () => new Worker())
})
afterAll(() => Promise.all(waiters.map((waiter) => waiter.kill())))

// Requirements: 003-44, T6
test.for(MIXES)('of $name no two processes hold the lock together', async (mix) => {
  const folder = temporaryFolder()
  const delays: number[] = []
  let next = startWorker()
  for (let round = 0; round < ROUNDS; round++) {
    const holder = next
    // It starts while this round runs.
    next = startWorker()
    const path = join(folder, `${round}.jsonl`)
    const { killedAt, visits } = await runRound(path, { holder, waiters }, mix, round)
    expect(visits.filter(({ isAlone }) => !isAlone)).toEqual([])
    delays.push(Math.min(...visits.map(({ enteredAt }) => enteredAt)) - killedAt)
    expect(readdirSync(folder)).toHaveLength(round + 1)
  }
  delays.sort((one, other) => one - other)
  expect(delays[ROUNDS >> 1]).toBeLessThan(1000)
  expect(delays.at(-1)).toBeLessThan(AT_ONCE_MS)
})

test('proper-lockfile alone lets two in', async () => {
  const folder = temporaryFolder()
  let isOverlapSeen = false
  for (let round = 0; round < CANARY_ROUNDS_MAX && !isOverlapSeen; round++) {
    const path = join(folder, `${round}.jsonl`)
    mkdirSync(lockPathOf(path))
    utimesSync(lockPathOf(path), new Date(0), new Date(0))
    const visits = await Promise.all(waiters.map((waiter) => waiter.ask('enterPlain', { path })))
    isOverlapSeen = visits.some(({ isAlone }) => !isAlone)
  }
  expect(isOverlapSeen).toBe(true)
})
