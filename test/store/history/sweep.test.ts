// A sweep removes old files, only on request, or once a month by maintain().

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { maintain, readHistory, sweepHistory } from '../../../lib/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { append } from './history-functions.js'

const DAY_MS = 24 * 60 * 60 * 1000
const liveOf = (home: string) => join(home, 'history.jsonl')
const historyIn = (home: string) =>
  readdirSync(home)
    .filter((name) => name.startsWith('history.jsonl'))
    .sort()

async function fill(home: string, count: number, ts?: string): Promise<void> {
  for (let index = 0; index < count; index++) {
    await append(`p${index}`, 's', { home, ts, limits: { entries: 1 } })
  }
}

const at = (year: number, month: number, day: number) => ({
  now: () => Date.UTC(year, month - 1, day),
})

// Requirements: 003-09, 003-59
test('a sweep without apply returns a plan and changes nothing', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 4)
  const before = readdirSync(home)
  const bytes = statSync(`${liveOf(home)}.2`).size
  expect(await sweepHistory({ home })).toEqual({
    applied: false,
    files: [
      { file: `${liveOf(home)}.2`, bytes, reason: 'rollover' },
      { file: `${liveOf(home)}.3`, bytes, reason: 'rollover' },
    ],
  })
  expect(readdirSync(home)).toEqual(before)
})

// Requirements: 003-58, 003-59, 003-71, T30
test('a sweep with apply removes all but the live file and the one before it', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 4)
  const kept = [liveOf(home), `${liveOf(home)}.1`].map((path) => readFileSync(path))
  const { applied, files } = await sweepHistory({ home, apply: true })
  expect([applied, files.length]).toEqual([true, 2])
  expect(historyIn(home)).toEqual(['history.jsonl', 'history.jsonl.1'])
  expect([liveOf(home), `${liveOf(home)}.1`].map((path) => readFileSync(path))).toEqual(kept)
  expect(await sweepHistory({ home, apply: true })).toEqual({ applied: true, files: [] })
})

// Requirements: 003-59, T30
test('maintain sweeps at most once in a calendar month', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 4)
  const swept = await maintain({ root: home, home, environment: at(2026, 1, 31) })
  expect(swept.history?.files).toHaveLength(2)
  const marker = readFileSync(join(home, 'history.sweep.json'), 'utf8')
  expect(JSON.parse(marker)).toEqual({
    swept_at: '2026-01-31T00:00:00.000Z',
    removed: ['history.jsonl.2', 'history.jsonl.3'],
  })
  expect(statSync(join(home, 'history.sweep.json')).mode & 0o777).toBe(0o600)
  await fill(home, 2)
  expect(await maintain({ root: home, home, environment: at(2026, 1, 31) })).toEqual({
    history: null,
    checkpoints: null,
  })
  expect(historyIn(home)).toHaveLength(4)
  const next = await maintain({ root: home, home, environment: at(2026, 2, 1) })
  expect(next.history?.files).toHaveLength(2)
  expect(historyIn(home)).toEqual(['history.jsonl', 'history.jsonl.1'])
  expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('an explicit sweep runs at any time, and counts for the month', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 3)
  await maintain({ root: home, home, environment: at(2026, 3, 1) })
  await fill(home, 1)
  const { files } = await sweepHistory({ home, apply: true, environment: at(2026, 3, 2) })
  expect(files).toHaveLength(1)
  await fill(home, 1)
  expect(await maintain({ root: home, home, environment: at(2026, 3, 3) })).toEqual({
    history: null,
    checkpoints: null,
  })
})

test('maintain creates nothing without a history, and tolerates a damaged marker', async (t) => {
  const home = join(temporaryFolder(t), 'home')
  expect(await maintain({ root: home, home })).toEqual({ history: null, checkpoints: null })
  expect(existsSync(home)).toBe(false)
  await fill(home, 3)
  for (const damage of ['', '{"swept', '[]\n', '{"swept_at":7}\n']) {
    writeFileSync(join(home, 'history.sweep.json'), damage)
    expect((await maintain({ root: home, home })).history?.files).toHaveLength(1)
    await fill(home, 1)
  }
})

test('only one of several concurrent maintain() calls sweeps', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 5)
  const all = await Promise.all(Array.from({ length: 6 }, () => maintain({ root: home, home })))
  expect(all.filter(({ history }) => history !== null)).toHaveLength(1)
})

// Requirements: 003-28, 003-59
test('HISTORY_RETAIN_DAYS also removes the newest rotated file once all its prompts are older', async (t) => {
  const home = temporaryFolder(t)
  const now = Date.UTC(2026, 5, 15)
  const environment = { now: () => now }
  const ts = (days: number) => new Date(now - days * DAY_MS).toISOString()
  const limits = { entries: 2 }
  // The newest of the two comes first: a clock was set back.
  await append('b', 's', { home, ts: ts(9), limits })
  await append('a', 's', { home, ts: ts(90), limits })
  await append('live and old', 's', { home, ts: ts(99), limits })
  vi.stubEnv('HISTORY_RETAIN_DAYS', '10')
  t.onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  expect(await sweepHistory({ home, environment })).toEqual({ applied: false, files: [] })
  vi.stubEnv('HISTORY_RETAIN_DAYS', '8')
  const { files } = await sweepHistory({ home, environment, apply: true })
  expect(files).toMatchObject([{ file: `${liveOf(home)}.1`, reason: 'retention' }])
  expect(historyIn(home)).toEqual(['history.jsonl'])
  vi.stubEnv('HISTORY_RETAIN_DAYS', undefined)
  expect((await readHistory({ home })).map(({ prompt }) => prompt)).toEqual(['live and old'])
})

test('an invalid HISTORY_RETAIN_DAYS removes nothing and is reported', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 2, '1999-01-01T00:00:00.000Z')
  vi.stubEnv('HISTORY_RETAIN_DAYS', 'never')
  t.onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => diagnostics.push(it)
  expect(await sweepHistory({ home, apply: true, onDiagnostic })).toEqual({
    applied: true,
    files: [],
  })
  expect(diagnostics.map(({ code }) => code)).toEqual(['invalid_setting'])
  expect(historyIn(home)).toHaveLength(2)
})

test('keeps a rotated file without times', async (t) => {
  const home = temporaryFolder(t)
  await fill(home, 1)
  writeFileSync(`${liveOf(home)}.1`, '{"prompt":"when?"}\nnot json\n')
  expect(await sweepHistory({ home, apply: true, retainDays: 1 })).toMatchObject({ files: [] })
})
