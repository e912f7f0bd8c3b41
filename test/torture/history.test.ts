// One history, many processes, small limits, kill -9: the files move under everybody's hands, and
// whoever was told "recorded" is recorded, once.

import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { type AppendHistoryOptions, read_history } from '../../lib/store/index.js'
import { type Random, seededRandom } from '../helpers/random.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { type Child, runTogether } from './child.js'
import { startChild } from './start-child.js'

const SMALL: AppendHistoryOptions = {
  limits: { entries: 15, bytes: 8000 },
  durability: 'none',
  lockTimeoutMs: 40_000,
}

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

test('8 processes that rotate under each other record every prompt once, in the order of each (003-08, 003-55)', async (t) => {
  const home = temporaryFolder(t)
  const writers = Array.from({ length: 8 }, (_, index) => {
    // Those without the kernel lock are kept out, and keep out, all the same.
    const options = { ...SMALL, useKernelLock: index % 4 > 0 }
    return startWriter(home, `w${index}`, { count: 60, options, chars: [20, 900, 60] })
  })
  const acks = await runTogether(writers.map(({ child }) => child))
  expect(acks).toHaveLength(8 * 60)
  const { prompts, diagnostics } = await readAll(home, true)
  expect(diagnostics).toEqual([])
  expect(prompts.toSorted()).toEqual(acks.map(({ uuid }) => uuid).toSorted())
  for (const { name } of writers) expect(isInOrder(prompts, name), name).toBe(true)
  expect(await readAll(home, false)).toEqual({ prompts, diagnostics })
  expect(readdirSync(home).length).toBeGreaterThan(20)
})

test('killed at random, processes lose no prompt that was acknowledged and repeat none; readers see an unbroken part meanwhile (003-08, 003-09, 003-55)', async (t) => {
  const random = seededRandom(t)
  const home = temporaryFolder(t)
  const all = Array.from({ length: 12 }, (_, index) =>
    startWriter(home, `k${index}`, { chars: charsOf(random), pauseMs: 5 }),
  )
  // All have loaded everything before the first of them dies.
  await Promise.all(all.map(({ child }) => child.ready()))
  const living = all.slice(0, 4)
  for (const { child } of living) child.go()
  for (const heir of all.slice(4)) {
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
    // What was under way when it died may be there, and nothing else.
    const own = prompts.filter((prompt) => prompt.startsWith(`${name} `)).length
    expect(own - acked.length, name).toBeLessThanOrEqual(1)
  }
  expect(readdirSync(home).filter((name) => name.startsWith('history')).length).toBeGreaterThan(5)
})

/** What was acknowledged before the look is there, once and in order. */
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
