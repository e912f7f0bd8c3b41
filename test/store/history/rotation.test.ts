// The history begins a new file when the live one is full. Files are renamed and nothing else: at
// every moment, and after every death in between, all prompts are there in their order.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { maintain, readHistory, rotateHistory } from '../../../lib/index.js'
import { HISTORY_LIMITS } from '../../../lib/store/index.js'
import { bareLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { append } from './history-functions.js'

const rotation = fileURLToPath(new URL('../children/rotation.mjs', import.meta.url))

const MEBIBYTE = 1024 * 1024
const liveOf = (home: string) => join(home, 'history.jsonl')
const namesIn = (home: string) => readdirSync(home).sort()
const promptsOf = async (home: string, order: 'asc' | 'desc' = 'desc') =>
  (await readHistory({ home, order, limit: Number.POSITIVE_INFINITY })).map(({ prompt }) => prompt)

function fillLive(home: string, lineCount: number, lineBytes = 100): void {
  const empty = bareLine({ ts: '2026-01-01T00:00:00.000Z', prompt: '', session_id: 's' }).length
  const prompt = 'x'.repeat(lineBytes - empty)
  const line = bareLine({ ts: '2026-01-01T00:00:00.000Z', prompt, session_id: 's' })
  writeFileSync(liveOf(home), Buffer.concat(Array(lineCount).fill(line)), { mode: 0o600 })
}

// Requirements: 003-56, 003-58, 003-71, T28
test('the history rotates at exactly 10 MiB, not a byte before', async (t) => {
  expect(HISTORY_LIMITS.bytes).toBe(10 * MEBIBYTE)
  const home = temporaryFolder(t)
  fillLive(home, 1024, 10 * 1024)
  expect(statSync(liveOf(home)).size).toBe(10 * MEBIBYTE)
  const full = readFileSync(liveOf(home))
  expect(await append('next', 's', { home })).toMatchObject({ offset: 0, lineNumber: 1 })
  expect(namesIn(home)).toEqual(['history.jsonl', 'history.jsonl.1'])
  expect(readFileSync(`${liveOf(home)}.1`).equals(full)).toBe(true)

  const other = temporaryFolder(t)
  fillLive(other, 1024, 10 * 1024)
  const almost = readFileSync(liveOf(other)).subarray(0, -1)
  writeFileSync(liveOf(other), almost)
  await append('next', 's', { home: other })
  expect(namesIn(other)).toEqual(['history.jsonl'])
})

// Requirements: 003-57, 003-58, 003-71, T28
test('the history rotates before entry 10,001', async (t) => {
  expect(HISTORY_LIMITS.entries).toBe(10_000)
  const home = temporaryFolder(t)
  fillLive(home, 9999)
  expect(await append('number 10,000', 's', { home })).toMatchObject({
    lineNumber: 10_000,
  })
  expect(namesIn(home)).toEqual(['history.jsonl'])
  expect(await append('number 10,001', 's', { home })).toMatchObject({ lineNumber: 1 })
  expect(namesIn(home)).toEqual(['history.jsonl', 'history.jsonl.1'])
  expect((await readHistory({ home, limit: 2 })).map(({ prompt }) => prompt)).toEqual([
    'number 10,001',
    'number 10,000',
  ])
})

// Requirement: 003-09
test('does not rotate with rotate: false', async (t) => {
  const home = temporaryFolder(t)
  const limits = { entries: 2 }
  for (const prompt of ['a', 'b', 'c', 'd']) {
    const before = existsSync(liveOf(home)) ? readFileSync(liveOf(home)) : Buffer.alloc(0)
    await append(prompt, 's', { home, limits, rotate: false })
    expect(readFileSync(liveOf(home)).subarray(0, before.length).equals(before)).toBe(true)
  }
  expect(namesIn(home)).toEqual(['history.jsonl'])
})

test('every rotation renames every file, and all are read in order', async (t) => {
  const home = temporaryFolder(t)
  const prompts = Array.from({ length: 11 }, (_, index) => `p${index}`)
  for (const prompt of prompts) await append(prompt, 's', { home, limits: { entries: 3 } })
  expect(namesIn(home)).toEqual(['', '.1', '.2', '.3'].map((end) => `history.jsonl${end}`))
  expect(await promptsOf(home)).toEqual(prompts.toReversed())
  expect(await promptsOf(home, 'asc')).toEqual(prompts)
})

test('notices a rotation by another process, and counts its prompts', async (t) => {
  const home = temporaryFolder(t)
  const limits = { entries: 3 }
  await append('a', 's', { home, limits })
  renameSync(liveOf(home), `${liveOf(home)}.1`)
  fillLive(home, 2)
  // Two of theirs and one of ours make three: only now it is full.
  await append('b', 's', { home, limits })
  expect(namesIn(home)).toEqual(['history.jsonl', 'history.jsonl.1'])
  await append('c', 's', { home, limits })
  expect(namesIn(home)).toEqual(['history.jsonl', 'history.jsonl.1', 'history.jsonl.2'])
})

// Requirements: 003-81, T29
test('warns once at 80 % of either limit', async (t) => {
  for (const limits of [{ entries: 10 }, { bytes: 1000 }]) {
    const home = temporaryFolder(t)
    const warnings: [string, number][] = []
    for (let index = 1; index <= 40; index++) {
      const onDiagnostic = ({ code }: Diagnostic) =>
        warnings.push([code, statSync(liveOf(home)).size])
      await append('x'.repeat(20), 's', { home, limits, onDiagnostic })
    }
    expect(warnings.map(([code]) => code)).toEqual(['history_near_limit'])
    const lineBytes = bareLine({
      ts: 't'.repeat(24),
      prompt: 'x'.repeat(20),
      session_id: 's',
    }).length
    const expected = 'entries' in limits ? 8 * lineBytes : Math.ceil(800 / lineBytes) * lineBytes
    expect(warnings[0]![1]).toBe(expected)
  }
})

test('records the prompt although the rotation fails, and reports it', async (t) => {
  const home = temporaryFolder(t)
  await append('a', 's', { home })
  const { stdout, status } = spawnSync(process.execPath, [rotation, home, '0', 'refuse'])
  expect(status).toBe(0)
  expect(JSON.parse(String(stdout))).toContain('history_not_rotated')
  expect(namesIn(home)).toEqual(['history.jsonl'])
  expect(await promptsOf(home)).toEqual(['despite it', 'a'])
})

test('the next rotation fills a gap in the numbers, and readers skip it', async (t) => {
  const home = temporaryFolder(t)
  for (const prompt of ['a', 'b', 'c']) {
    await append(prompt, 's', { home, limits: { entries: 1 } })
  }
  renameSync(`${liveOf(home)}.2`, `${liveOf(home)}.7`)
  expect(await promptsOf(home)).toEqual(['c', 'b', 'a'])
  expect(await promptsOf(home, 'asc')).toEqual(['a', 'b', 'c'])
  await append('d', 's', { home, limits: { entries: 1 } })
  expect(namesIn(home)).toEqual(['', '.1', '.2', '.7'].map((end) => `history.jsonl${end}`))
  expect(await promptsOf(home)).toEqual(['d', 'c', 'b', 'a'])
})

test.for([0, 1, 2, 3])(
  'a rotation killed after %i renames loses nothing, and the next one continues',
  async (renames, t) => {
    const home = temporaryFolder(t)
    const limits = { entries: 1 }
    for (const prompt of ['a', 'b', 'c']) await append(prompt, 's', { home, limits })
    const child = spawnSync(process.execPath, [rotation, home, String(renames), 'kill'])
    expect(child).toMatchObject({ signal: 'SIGKILL' })
    expect(await promptsOf(home)).toEqual(['c', 'b', 'a'])
    expect(await promptsOf(home, 'asc')).toEqual(['a', 'b', 'c'])
    await append('d', 's', { home, limits })
    await append('e', 's', { home, limits })
    expect(await promptsOf(home)).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(await maintain({ root: home, home })).toMatchObject({ history: { applied: true } })
    expect(await promptsOf(home)).toEqual(['e', 'd'])
  },
)

test('rotateHistory rotates now, and creates nothing without a history', async (t) => {
  const home = join(temporaryFolder(t), 'home')
  expect(await rotateHistory({ home })).toEqual({ rotated: false, file: null })
  expect(existsSync(home)).toBe(false)
  await append('a', 's', { home })
  expect(await rotateHistory({ home })).toEqual({ rotated: true, file: `${liveOf(home)}.1` })
  expect(await rotateHistory({ home })).toEqual({ rotated: false, file: null })
  expect(await promptsOf(home)).toEqual(['a'])
})
