// A sign of life for whoever waits at a terminal, on a clock of the test's own.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Notes } from '../../lib/cli/notes.js'
import { withCounter, withProgress } from '../../lib/cli/progress.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watched(isWatched = true) {
  const said: string[] = []
  const notes = { isWatched, sayInPlace: (text: string) => said.push(text) }
  return { said, notes: notes as unknown as Notes }
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

test('work of less than a second is done without a word', async () => {
  const { notes, said } = watched()
  expect(await withProgress(notes, 'Searching', async () => 'found')).toBe('found')
  const count = withCounter(notes, async (tell) => {
    tell('1 of 2')
    await pass(900)
    tell('2 of 2')
    return 2
  })
  expect(await count).toBe(2)
  expect(said).toEqual([])
})

test('longer work says so each second, and leaves no trace', async () => {
  const { notes, said } = watched()
  await withProgress(notes, 'Searching', () => pass(2500))
  expect(said).toEqual(['Searching … 1 s', 'Searching … 2 s', ''])
})

test('what counts is shown by what it said last, not at every step', async () => {
  const { notes, said } = watched()
  await withCounter(notes, async (tell) => {
    tell('1 of 9')
    await pass(1000)
    for (let step = 2; step <= 8; step++) {
      await pass(40)
      tell(`${step} of 9`)
    }
  })
  expect(said).toEqual(['1 of 9', '4 of 9', '7 of 9', ''])
})

test('a step that fails leaves no trace either', async () => {
  const { notes, said } = watched()
  const failing = withCounter(notes, async (tell) => {
    tell('1 of 9')
    await pass(1000)
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(said).toEqual(['1 of 9', ''])
})

test('nobody is told where nobody watches', async () => {
  const { notes, said } = watched(false)
  await withProgress(notes, 'Searching', () => pass(2500))
  await withCounter(notes, async (tell) => {
    await pass(2500)
    tell('1 of 1')
  })
  expect(said).toEqual([])
})
