// Progress on a terminal, with fake timers.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Notes } from '../../../lib/cli/output/notes.js'
import { withCounter, withProgress } from '../../../lib/cli/output/progress.js'
import { environmentFrom } from '../../../lib/environment/index.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watched(isWatched = true) {
  const said: string[] = []
  const notes = { isWatched, sayInPlace: (text: string) => said.push(text) }
  return {
    said,
    call: { notes: notes as unknown as Notes, env: environmentFrom({ now: () => Date.now() }) },
  }
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

test('work of less than a second shows nothing', async () => {
  const { call, said } = watched()
  expect(await withProgress(call, 'Searching', async () => 'found')).toBe('found')
  const count = withCounter(call, async (report) => {
    report('1 of 2')
    await pass(900)
    report('2 of 2')
    return 2
  })
  expect(await count).toBe(2)
  expect(said).toEqual([])
})

test('longer work shows the time each second and leaves no trace', async () => {
  const { call, said } = watched()
  await withProgress(call, 'Searching', () => pass(2500))
  expect(said).toEqual(['Searching … 1 s', 'Searching … 2 s', ''])
})

test('a counter shows its last value, not every step', async () => {
  const { call, said } = watched()
  await withCounter(call, async (report) => {
    report('1 of 9')
    await pass(1000)
    for (let step = 2; step <= 8; step++) {
      await pass(40)
      report(`${step} of 9`)
    }
  })
  expect(said).toEqual(['1 of 9', '4 of 9', '7 of 9', ''])
})

test('a step that fails leaves no trace either', async () => {
  const { call, said } = watched()
  const failing = withCounter(call, async (report) => {
    report('1 of 9')
    await pass(1000)
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(said).toEqual(['1 of 9', ''])
})

test('nothing is shown without a terminal', async () => {
  const { call, said } = watched(false)
  await withProgress(call, 'Searching', () => pass(2500))
  await withCounter(call, async (report) => {
    await pass(2500)
    report('1 of 1')
  })
  expect(said).toEqual([])
})
