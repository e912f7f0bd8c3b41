// One history, many processes, small limits, kill -9: the files are rotated while all of them write,
// and every acknowledged prompt is recorded once.

import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { read_history } from '../../lib/store/index.js'
import { scale } from '../helpers/effort.js'
import { type Random, seededRandom } from '../helpers/random.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { type Child, runTogether } from './child.js'
import { startChild } from './start-child.js'

const SMALL = {
  limits: { entries: 15, bytes: 8000 },
  durability: 'none' as const,
  lockTimeoutMs: 40_000,
}

const PROCESSES = scale(8, 4)
const ALIVE = scale(4, 3)

interface Writer {
  readonly name: string
  readonly child: Child
}

function startWriter(home: string, name: string, task: object = {}): Writer {
  return { name, child: startChild('history', { home, name, options: SMALL, ...task }) }
}

async function readAll(home: string, reverse: boolean) {
  const diagnostics: Diagnostic[] = []
  const entries = await read_history({
    home,
    reverse,
    limit: Number.POSITIVE_INFINITY,
    onDiagnostic: (it) => diagnostics.push(it),
  })
  const oldestFirst = reverse ? entries.toReversed() : entries
  return { prompts: oldestFirst.map(({ prompt }) => prompt), diagnostics }
}

/** The prompts of one writer, and none but them, in the order in which they were given. */
const isInOrder = (prompts: readonly string[], name: string) => {
  const own = prompts.filter((prompt) => prompt.startsWith(`${name} `))
  return own.every((prompt, index) => prompt.startsWith(`${name} ${index} `))
}

// Requirements: 003-08, 003-55
test(`${PROCESSES} processes that write and rotate one history record every prompt once, each in its order`, async (t) => {
  const home = temporaryFolder(t)
  const writers = Array.from({ length: PROCESSES }, (_, index) => {
    // One in four has no kernel lock.
    const options = { ...SMALL, useKernelLock: index % 4 > 0 }
    return startWriter(home, `w${index}`, { count: 60, options, chars: [20, 900, 60] })
  })
  const acks = await runTogether(writers.map(({ child }) => child))
  expect(acks).toHaveLength(PROCESSES * 60)
  const { prompts, diagnostics } = await readAll(home, true)
  expect(diagnostics).toEqual([])
  expect(prompts.toSorted()).toEqual(acks.map(({ uuid }) => uuid).toSorted())
  for (const { name } of writers) expect(isInOrder(prompts, name), name).toBe(true)
  expect(await readAll(home, false)).toEqual({ prompts, diagnostics })
  expect(readdirSync(home).length).toBeGreaterThan(scale(20, 10))
})

// Requirements: 003-08, 003-09, 003-55
test('processes that are killed at random lose and repeat no acknowledged prompt, and readers see all of them in order', async (t) => {
  const random = seededRandom(t)
  const home = temporaryFolder(t)
  const all = Array.from({ length: scale(12, 6) }, (_, index) =>
    startWriter(home, `k${index}`, { chars: charsOf(random), pauseMs: 5 }),
  )
  // All have loaded everything before the first one dies.
  await Promise.all(all.map(({ child }) => child.ready()))
  const living = all.slice(0, ALIVE)
  for (const { child } of living) child.go()
  for (const heir of all.slice(ALIVE)) {
    const [victim] = living.splice(random.below(living.length), 1)
    await victim!.child.ackCount(random.between(1, 8))
    await checkWhileWriting(home, all, random.below(2) === 0)
    await victim!.child.kill()
    heir.child.go()
    living.push(heir)
  }
  for (const { child } of living) child.finish()
  await Promise.all(living.map(({ child }) => child.ended))
  const { prompts } = await readAll(home, true)
  const times = new Map<string, number>()
  for (const prompt of prompts) times.set(prompt, (times.get(prompt) ?? 0) + 1)
  for (const { name, child } of all) {
    const acked = child.acks.map(({ uuid }) => uuid)
    expect(acked.filter((prompt) => times.get(prompt) !== 1)).toEqual([])
    expect(isInOrder(prompts, name), name).toBe(true)
    // The prompt that was being written when it died may be there, and nothing else.
    const own = prompts.filter((prompt) => prompt.startsWith(`${name} `)).length
    expect(own - acked.length, name).toBeLessThanOrEqual(1)
  }
  expect(readdirSync(home).filter((name) => name.startsWith('history')).length).toBeGreaterThan(
    scale(5, 1),
  )
})

/** Every prompt that was acknowledged before is there, once and in order. */
async function checkWhileWriting(
  home: string,
  writers: readonly Writer[],
  reverse: boolean,
): Promise<void> {
  const acked = writers.flatMap(({ child }) => child.acks.map(({ uuid }) => uuid))
  const { prompts } = await readAll(home, reverse)
  const seen = new Set(prompts)
  expect(acked.filter((prompt) => !seen.has(prompt))).toEqual([])
  expect(seen.size).toBe(prompts.length)
  for (const { name } of writers) expect(isInOrder(prompts, name), name).toBe(true)
}

/** Mostly short, and some long enough to be torn. */
function charsOf(random: Random): number[] {
  return Array.from({ length: 20 }, () =>
    random.below(8) === 0 ? random.between(3000, 60_000) : random.between(20, 300),
  )
}
