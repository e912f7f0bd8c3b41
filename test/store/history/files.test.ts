// A reader of the history meets rotations on its way. Here they come at every possible moment: a
// part of one, a whole one or two of them, right before each single call of the file system.

import fs, { renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { readHistory } from '../../../lib/index.js'
import { bareLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const FILES = 4
const LOOKS = ['openSync', 'statSync', 'readdirSync', 'fstatSync'] as const

/** The oldest file holds the prompts 0 and 1, the live one the last two. */
function newHistory(t: TestContext): string {
  const home = temporaryFolder(t)
  for (let age = 0; age < FILES; age++) {
    const first = 2 * (FILES - 1 - age)
    writeFileSync(pathOf(home, age), Buffer.concat([lineOf(first), lineOf(first + 1)]))
  }
  return home
}

const pathOf = (home: string, number: number) =>
  join(home, number === 0 ? 'history.jsonl' : `history.jsonl.${number}`)
const lineOf = (prompt: number) =>
  bareLine({ ts: '2026-01-31T12:00:00.000Z', prompt: String(prompt), session_id: 's' })

/** The single steps of so many rotations, each followed by a prompt. */
function rotationSteps(home: string, rotations: number): (() => void)[] {
  return Array.from({ length: rotations }, (_, done) => {
    const top = FILES + done
    const moves = Array.from({ length: top }, (_, index) => () => {
      renameSync(pathOf(home, top - 1 - index), pathOf(home, top - index))
    })
    return [...moves, () => writeFileSync(pathOf(home, 0), lineOf(2 * FILES + done))]
  }).flat()
}

/** Runs some of the steps right before the call of that number; returns the number of calls. */
async function readDisturbed(
  home: string,
  { call, steps, order }: { call: number; steps: readonly (() => void)[]; order: 'asc' | 'desc' },
) {
  const real = Object.fromEntries(LOOKS.map((name) => [name, fs[name]]))
  let calls = 0
  const watched = (name: (typeof LOOKS)[number]) =>
    function (this: unknown, ...args: unknown[]) {
      if (String(args[0]).startsWith(home) || typeof args[0] === 'number') {
        if (calls++ === call) for (const step of steps) step()
      }
      return (real[name] as (...args: unknown[]) => unknown).apply(this, args)
    }
  for (const name of LOOKS) Object.assign(fs, { [name]: watched(name) })
  syncBuiltinESMExports()
  try {
    const entries = await readHistory({ home, order, limit: Number.POSITIVE_INFINITY })
    const numbers = entries.map(({ prompt }) => Number(prompt))
    return { calls, numbers: order === 'desc' ? numbers.toReversed() : numbers }
  } finally {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  }
}

test.for(['asc', 'desc'] as const)(
  'a rotation at any moment makes no prompt vanish or appear twice (order %s)',
  async (order, t) => {
    const stepCount = rotationSteps('', 2).length
    const untouched = { call: -1, steps: [], order }
    const { calls, numbers } = await readDisturbed(newHistory(t), untouched)
    expect(numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(calls).toBeGreaterThan(15)
    for (let call = 0; call < calls; call++) {
      for (let count = 1; count <= stepCount; count++) {
        const home = newHistory(t)
        const steps = rotationSteps(home, 2).slice(0, count)
        const seen = await readDisturbed(home, { call, steps, order })
        // What came after the first look may be seen or not, but without a gap.
        const expected = Array.from(seen.numbers, (_, index) => index)
        const what = `${count} steps before call ${call}: ${seen.numbers.join(' ')}`
        expect(seen.numbers, what).toEqual(expected)
        expect(seen.numbers.length, what).toBeGreaterThanOrEqual(2 * FILES)
      }
    }
  },
)

test('a sweep during a read loses at most what it removes', async (t) => {
  const untouched = { call: -1, steps: [], order: 'desc' as const }
  const { calls } = await readDisturbed(newHistory(t), untouched)
  for (let call = 0; call < calls; call++) {
    const home = newHistory(t)
    const steps = [3, 2].map((number) => () => fs.rmSync(pathOf(home, number)))
    const { numbers } = await readDisturbed(home, { call, steps, order: 'desc' })
    expect(numbers.slice(-4), `before call ${call}`).toEqual([4, 5, 6, 7])
  }
})
