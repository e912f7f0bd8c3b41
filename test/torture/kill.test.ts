// kill -9. What a process reported on its pipe before it died was acknowledged, so it must be in the
// file; what it was about to write may be missing or partial, and must not affect other lines.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { projectLog } from '../../lib/chain/index.js'
import { type LogOptions, openLog, readLogSync } from '../../lib/log/index.js'
import { hasKernelLock } from '../../lib/log/lock/kernel-lock.js'
import { AT_ONCE_MS } from '../helpers/at-once.js'
import { inSoak, runs } from '../helpers/effort.js'
import { type Random, seededRandom } from '../helpers/random.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { type Ack, AppendOnlyWitness, countProblems, exceptDamage, problemsOf } from './check.js'
import type { Child } from './child.js'
import { startChild, startWriter } from './start-child.js'

type Options = Pick<LogOptions, 'durability' | 'lockTimeoutMs' | 'useKernelLock'>

// The bytes of a killed process are in the kernel already; only a power cut would need a sync.
const KILLED: Options = { durability: 'none', lockTimeoutMs: 30_000 }
const LIFE_MS_MAX = 25
const DURABILITIES = ['none', 'turn', 'always'] as const

// Requirements: 003-18, 003-44, 003-69, 003-76, 003-79, T6
test.for([
  { name: 'with the kernel lock', rounds: runs(40), options: KILLED },
  { name: 'without it', rounds: runs(10), options: { ...KILLED, useKernelLock: false } },
])(
  'a writer that is killed repeatedly loses no acknowledged event, and the next one takes over within a second: $name',
  async ({ rounds, options }, t) => {
    const random = seededRandom(t)
    const path = join(temporaryFolder(t), 's.jsonl')
    const witness = new AppendOnlyWitness(path)
    const acks: Ack[] = []
    const takeoverMs: number[] = []
    const kinds = new Set<string>()
    const newWriter = (round: number) =>
      startWriter({ path, how: 'lease', name: `r${round}`, sizes: sizesOf(random), options })
    let next = newWriter(0)
    for (let round = 0; round < rounds; round++) {
      const writer = next
      // It has loaded everything before this one dies, and opens the log immediately afterwards.
      next = newWriter(round + 1)
      await Promise.all([writer.ready(), next.ready()])
      writer.go()
      const { lockKind, tookMs } = await writer.opened()
      kinds.add(lockKind)
      takeoverMs.push(tookMs)
      await writer.ackCount(1)
      await sleep(random.below(LIFE_MS_MAX))
      await writer.kill()
      acks.push(...writer.acks)
      witness.look()
    }
    const problems = problemsOf(path, acks)
    expect(exceptDamage(problems)).toEqual([])
    expect(countProblems(problems).damaged ?? 0).toBeLessThanOrEqual(rounds)
    expect(witness.changes()).toEqual([])
    expect(acks.length).toBeGreaterThan(2 * rounds)
    takeoverMs.sort((one, other) => one - other)
    expect(takeoverMs[rounds >> 1]).toBeLessThan(1000)
    expect(takeoverMs.at(-1)).toBeLessThan(AT_ONCE_MS)
    const isKernel = hasKernelLock() && options.useKernelLock !== false
    expect([...kinds]).toEqual([isKernel ? 'kernel' : 'advisory'])
    // No terminator was ever written, and the whole conversation is there.
    expect(conversationOf(path)).toEqual(uuidsOf(path))
  },
)

// Requirements: 003-44, T6
test.for([
  { name: 'with the kernel lock', kernel: [true], kills: runs(10) },
  // Without the kernel lock a process waits ten seconds for a lock directory without an owner.
  { name: 'half of them without it', kernel: [true, false], kills: runs(5, 2) },
])(
  'one-shots are killed at random while others wait, and the others continue: $name',
  async ({ kernel, kills }, t) => {
    const random = seededRandom(t)
    const path = join(temporaryFolder(t), 's.jsonl')
    let started = 0
    const newWriter = () => {
      const useKernelLock = kernel[started % kernel.length]!
      const options = { ...KILLED, useKernelLock }
      const name = `w${started++}`
      return startWriter({ path, how: 'once', name, sizes: sizesOf(random), pauseMs: 3, options })
    }
    const all: Child[] = []
    const living: Child[] = Array.from({ length: 3 }, newWriter)
    all.push(...living)
    let spare = newWriter()
    await Promise.all(living.map((writer) => writer.ready()))
    for (const writer of living) writer.go()
    for (let kill = 0; kill < kills; kill++) {
      const index = random.below(living.length)
      const victim = living[index]!
      await victim.ackCount(1)
      await sleep(random.below(LIFE_MS_MAX))
      await victim.kill()
      await spare.ready()
      spare.go()
      living[index] = spare
      all.push(spare)
      spare = newWriter()
      const others = living.filter((writer) => writer !== living[index])
      // The dead process does not block the others.
      await Promise.all(others.map((writer) => writer.ackCount(writer.acks.length + 1)))
    }
    for (const writer of living) writer.finish()
    for (const writer of living) expect(await writer.ended).toMatchObject({ code: 0, errors: '' })
    const problems = problemsOf(
      path,
      all.flatMap(({ acks }) => acks),
    )
    expect(exceptDamage(problems)).toEqual([])
    expect(countProblems(problems).damaged ?? 0).toBeLessThanOrEqual(kills)
  },
)

// They take no lock, write in pieces, and die between two of them: every kill may leave half a line
// right where ours comes next.
// Requirements: 003-68, T4
test('a process that ignores the lock and is killed in the middle of a line damages no line of ours', async (t) => {
  const random = seededRandom(t)
  const path = join(temporaryFolder(t), 's.jsonl')
  const ours = [true, false].map((useKernelLock) => {
    const options = { ...KILLED, useKernelLock }
    const name = useKernelLock ? 'kernel' : 'advisory'
    return startWriter({ path, how: 'once', name, sizes: [300, 5000], pauseMs: 2, options })
  })
  const newNeighbour = (index: number) =>
    startWriter({ path, how: 'promises', name: `n${index}`, sizes: [700_000], pauseMs: 1 })
  let next = newNeighbour(0)
  await Promise.all(ours.map((writer) => writer.ready()))
  for (const writer of ours) writer.go()
  for (let kill = 1; kill <= runs(8); kill++) {
    const neighbour = next
    next = newNeighbour(kill)
    await Promise.all([neighbour.ready(), next.ready()])
    neighbour.go()
    await neighbour.ackCount(1)
    await sleep(random.below(LIFE_MS_MAX))
    await neighbour.kill()
    await Promise.all(ours.map((writer) => writer.ackCount(writer.acks.length + 1)))
  }
  for (const writer of ours) writer.finish()
  for (const writer of ours) expect(await writer.ended).toMatchObject({ code: 0, errors: '' })
  const acks = ours.flatMap((writer) => writer.acks)
  const { lost, repeated } = countProblems(problemsOf(path, acks))
  expect({ lost, repeated }).toEqual({ lost: undefined, repeated: undefined })
})

test.for([
  { how: 'process.exit', code: 0, durabilities: DURABILITIES },
  { how: 'a thrown error', code: 1 },
  { how: 'a rejected promise', code: 1 },
  { how: 'an exit from uncaughtException', code: 3 },
  { how: 'the end of the script', code: 0 },
])('an append that was not awaited is written at $how', async ({ how, code, durabilities }, t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const chars = [60, 700_000, 300]
  for (const durability of durabilities ?? (inSoak ? DURABILITIES : ['none'])) {
    const child = startChild('leave', { path, how, chars, options: { durability } })
    await child.ready()
    child.go()
    expect(await child.ended).toMatchObject({ code, signal: null })
    const acks = chars.map((_, index) => ({ uuid: `left-${index}` }))
    expect(problemsOf(path, acks), durability).toEqual([])
    // The lock was released with the process, so no takeover is needed.
    await using log = await openLog(path)
    expect(log.tip).toBe('left-2')
    rmSync(path)
  }
})

/** Mostly short lines, and one in ten long enough to be torn. */
function sizesOf(random: Random): number[] {
  return Array.from({ length: 50 }, () => {
    return random.below(10) === 0 ? random.between(20_000, 200_000) : random.between(100, 3000)
  })
}

function conversationOf(path: string): string[] {
  const events = [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? [entry] : []))
  return projectLog(events, { file: path }).path.map(({ event }) => event.uuid)
}

function uuidsOf(path: string): string[] {
  return [...readLogSync(path)].flatMap((entry) =>
    entry.kind === 'event' ? [entry.event.uuid] : [],
  )
}
