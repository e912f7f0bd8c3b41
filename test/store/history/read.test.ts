// The history read back: its order, its filters, and everything that may be wrong with its files.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { readHistory, recallHistory, rotateHistory } from '../../../lib/index.js'
import { bareLine, foreignLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { append } from './history-functions.js'

const DAY_MS = 24 * 60 * 60 * 1000
const liveOf = (home: string) => join(home, 'history.jsonl')
const words = (entries: readonly { prompt: string }[]) => entries.map(({ prompt }) => prompt)

function write(home: string, ...lines: readonly Buffer[]): void {
  mkdirSync(home, { recursive: true })
  writeFileSync(liveOf(home), Buffer.concat(lines), { mode: 0o600 })
}

const line = (prompt: string, fields: object = {}) =>
  bareLine({ ts: '2026-01-31T12:00:00.000Z', prompt, session_id: 's', ...fields })

// Requirements: 003-26, 003-37
test('returns an empty list without a history file, and creates nothing', async (t) => {
  const home = join(temporaryFolder(t), 'none')
  expect(await readHistory({ home })).toEqual([])
  expect(await readHistory({ home, order: 'asc' })).toEqual([])
  expect(await recallHistory({ home, scope: 'global' })).toEqual([])
  expect(existsSync(home)).toBe(false)
})

// Requirement: 003-24
test('returns prompt, time, session and position of every entry', async (t) => {
  const home = temporaryFolder(t)
  const ts = '2026-01-31T12:00:00.000Z'
  await append('one', 's1', { home, ts })
  const receipt = await append('two', 's2', {
    home,
    ts,
    project: home,
    eventUuid: 'e2',
  })
  const file = liveOf(home)
  expect(await readHistory({ home })).toEqual([
    {
      prompt: 'two',
      ts,
      sessionId: 's2',
      offset: receipt!.offset,
      file,
      project: home,
      eventUuid: 'e2',
    },
    { prompt: 'one', ts, sessionId: 's1', offset: 0, file },
  ])
})

// Requirements: 003-25, 003-39
test('returns the newest 50 by default, or the oldest first with order asc', async (t) => {
  const home = temporaryFolder(t)
  const prompts = Array.from({ length: 60 }, (_, index) => `p${index}`)
  write(home, ...prompts.map((prompt) => line(prompt)))
  expect(words(await readHistory({ home }))).toEqual(prompts.slice(-50).toReversed())
  expect(words(await readHistory({ home, limit: 3 }))).toEqual(['p59', 'p58', 'p57'])
  expect(words(await readHistory({ home, limit: 3, order: 'asc' }))).toEqual(['p0', 'p1', 'p2'])
  expect(await readHistory({ home, limit: 0 })).toEqual([])
  expect(await readHistory({ home, limit: Number.POSITIVE_INFINITY })).toHaveLength(60)
})

// Requirement: 003-38
test('skips blank lines without a diagnostic', async (t) => {
  const home = temporaryFolder(t)
  const blank = Buffer.from('\n  \r\n\t\n')
  write(home, blank, line('a'), blank, line('b'), blank)
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => diagnostics.push(it)
  expect(words(await readHistory({ home, onDiagnostic }))).toEqual(['b', 'a'])
  expect(words(await readHistory({ home, onDiagnostic, order: 'asc' }))).toEqual(['a', 'b'])
  expect(diagnostics).toEqual([])
})

// Requirement: 003-26
test('reading writes nothing, and works in a read-only folder', async (t) => {
  const home = temporaryFolder(t)
  for (const prompt of ['a', 'b', 'c']) {
    await append(prompt, 's', { home, limits: { entries: 1 } })
  }
  const before = snapshot(home)
  chmodSync(home, 0o500)
  for (const name of readdirSync(home)) chmodSync(join(home, name), 0o400)
  t.onTestFinished(() => chmodSync(home, 0o700))
  for (const order of ['asc', 'desc'] as const) {
    expect(await readHistory({ home, order })).toHaveLength(3)
  }
  expect(snapshot(home)).toEqual(before)
})

function snapshot(folder: string): [string, string, number][] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name)
      return [name, readFileSync(path, 'utf8'), statSync(path).mtimeMs]
    })
}

test('reports bad lines with their offset, and returns all others', async (t) => {
  const home = temporaryFolder(t)
  const good = line('one')
  const changed = Buffer.from(String(line('two')).replace('two', 'TWO'))
  const noPrompt = bareLine({ ts: 'x', text: 'of another tool' })
  write(home, good, changed, Buffer.from('{"prompt":\n'), noPrompt, line('three'))
  const diagnostics: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => diagnostics.push(it)
  expect(words(await readHistory({ home, order: 'asc', onDiagnostic }))).toEqual(['one', 'three'])
  expect(diagnostics.map(({ code, file, byte_offset }) => [code, file, byte_offset])).toEqual([
    ['crc_mismatch', liveOf(home), good.length],
    ['bad_line', liveOf(home), good.length + changed.length],
    ['bad_line', liveOf(home), good.length + changed.length + 11],
  ])
})

test('reads lines of other writers: times in seconds, no session, no checksum', async (t) => {
  const home = temporaryFolder(t)
  write(
    home,
    foreignLine({ ts: 1769860800.5, prompt: 'seconds', session_id: 's' }),
    foreignLine({ ts: 1769860800500, prompt: 'milliseconds', session_id: null }),
    foreignLine({ prompt: 'no time' }),
  )
  const entries = await readHistory({ home, order: 'asc' })
  expect(entries.map(({ prompt, ts, sessionId }) => [prompt, ts, sessionId])).toEqual([
    ['seconds', '2026-01-31T12:00:00.500Z', 's'],
    ['milliseconds', '2026-01-31T12:00:00.500Z', null],
    ['no time', '', null],
  ])
})

test('filters by session and by project', async (t) => {
  const home = temporaryFolder(t)
  const said = [
    ['a1', 'A', '/x'],
    ['b1', 'B', '/y'],
    ['a2', 'A', '/y'],
    ['b2', 'B', '/x'],
    ['none', 'C', undefined],
  ] as const
  for (const [prompt, session, project] of said) {
    await append(prompt, session, { home, project })
  }
  expect(words(await readHistory({ home, sessionId: 'A' }))).toEqual(['a2', 'a1'])
  expect(words(await readHistory({ home, project: '/x/' }))).toEqual(['b2', 'a1'])
  expect(words(await readHistory({ home, sessionId: 'B', project: '/y' }))).toEqual(['b1'])
})

test('readHistory returns every line, recallHistory omits direct repetitions', async (t) => {
  const home = temporaryFolder(t)
  for (const prompt of ['a', 'a', 'b', 'a', 'a']) {
    await append(prompt, 's', { home, project: '/x' })
    await append('elsewhere', 'other', { home, project: '/y' })
  }
  expect(words(await readHistory({ home, sessionId: 's' }))).toEqual(['a', 'a', 'b', 'a', 'a'])
  const recall = (options: Parameters<typeof recallHistory>[0]) =>
    recallHistory({ home, ...options }).then(words)
  expect(await recall({ scope: 'session', sessionId: 's' })).toEqual(['a', 'b', 'a'])
  expect(await recall({ project: '/x' })).toEqual(['a', 'b', 'a'])
  expect(await recall({ scope: 'project', project: '/y' })).toEqual(['elsewhere'])
  expect(await recall({ scope: 'global', limit: 3 })).toEqual(['elsewhere', 'a', 'elsewhere'])
  expect(await recall({ scope: 'global', limit: 0 })).toEqual([])
})

test('recallHistory without a project means the working directory', async (t) => {
  const home = temporaryFolder(t)
  await append('here', 's', { home, project: process.cwd() })
  await append('there', 's', { home, project: home })
  expect(words(await recallHistory({ home }))).toEqual(['here'])
})

test.for([
  ['a limit below 0', { limit: -1 }, { code: 'ERR_ARG' }],
  ['half a limit', { limit: 1.5 }, { code: 'ERR_ARG' }],
  ['a limit that is no number', { limit: '5' as never }, TypeError],
  ['days below 1', { retainDays: 0 }, { code: 'ERR_ARG' }],
] as const)('rejects %s', async ([, options, expected], t) => {
  const call = readHistory({ home: temporaryFolder(t), ...options })
  if (typeof expected === 'function') await expect(call).rejects.toBeInstanceOf(expected)
  else await expect(call).rejects.toMatchObject(expected)
})

test('rejects an unknown scope, and the scope session without a session', async () => {
  await expect(recallHistory({ scope: 'all' as never })).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(recallHistory({ scope: 'session' })).rejects.toMatchObject({ code: 'ERR_ARG' })
})

// Requirements: 003-28, T31
test('HISTORY_RETAIN_DAYS hides older prompts and deletes nothing; without it all are returned', async (t) => {
  const home = temporaryFolder(t)
  const now = Date.UTC(2026, 5, 15)
  const at = (days: number, ms = 0) => new Date(now - days * DAY_MS + ms).toISOString()
  await append('old', 's', { home, ts: at(30, -1) })
  await append('on the edge', 's', { home, ts: at(30) })
  await append('new', 's', { home, ts: at(1) })
  appendFileSync(liveOf(home), bareLine({ prompt: 'no time', session_id: 's' }))
  const environment = { now: () => now }
  vi.stubEnv('HISTORY_RETAIN_DAYS', undefined)
  t.onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const read = async () => words(await readHistory({ home, environment }))
  expect(await read()).toEqual(['no time', 'new', 'on the edge', 'old'])
  const bytes = readFileSync(liveOf(home))
  vi.stubEnv('HISTORY_RETAIN_DAYS', '30')
  expect(await read()).toEqual(['no time', 'new', 'on the edge'])
  expect(words(await recallHistory({ home, environment, scope: 'global' }))).toHaveLength(3)
  expect(words(await readHistory({ home, environment, retainDays: 2 }))).toEqual(['no time', 'new'])
  expect(readFileSync(liveOf(home)).equals(bytes)).toBe(true)
})

// Requirements: 003-28, T31
test.for(['0', '-3', '1.5', 'thirty', '1e3', '99999999999999999999'])(
  'the wrong value %j of HISTORY_RETAIN_DAYS is ignored with a warning',
  async (value, t) => {
    const home = temporaryFolder(t)
    await append('ancient', 's', { home, ts: '1999-01-01T00:00:00.000Z' })
    vi.stubEnv('HISTORY_RETAIN_DAYS', value)
    t.onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const diagnostics: Diagnostic[] = []
    const onDiagnostic = (it: Diagnostic) => diagnostics.push(it)
    expect(words(await readHistory({ home, onDiagnostic }))).toEqual(['ancient'])
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['invalid_setting', 'warning'],
    ])
    expect(diagnostics[0]?.message).toContain(`"${value}"`)
  },
)

// Requirements: 003-08, T32
test('reads backward across rotated files with multibyte prompts', async (t) => {
  const home = temporaryFolder(t)
  const prompts = Array.from(
    { length: 40 },
    (_, index) => `${index} ${'漢字é🙂'.repeat(index * 97)}`,
  )
  for (const prompt of prompts) {
    await append(prompt, 's', { home, limits: { bytes: 64 * 1024 } })
  }
  expect(readdirSync(home).length).toBeGreaterThan(5)
  const all = await readHistory({ home, limit: Number.POSITIVE_INFINITY })
  expect(words(all)).toEqual(prompts.toReversed())
  for (const { file, offset, prompt } of all) {
    const text = readFileSync(file).subarray(offset).toString().split('\n')[0]!
    expect(JSON.parse(text).prompt).toBe(prompt)
  }
})

// Requirement: 003-08
test('reads the last prompts of a long history without the rest', async (t) => {
  const home = temporaryFolder(t)
  write(home, ...Array<Buffer>(20_000).fill(line('x'.repeat(900))))
  await rotateHistory({ home })
  write(home, ...Array.from({ length: 100 }, (_, index) => line(`p${index}`)))
  const before = readBytes()
  expect(words(await readHistory({ home, limit: 50 }))).toHaveLength(50)
  const bytes = readBytes() - before
  if (Number.isFinite(bytes)) expect(bytes).toBeLessThan(300_000)
  expect(words(await readHistory({ home, limit: 101 })).at(-1)).toBe('x'.repeat(900))
})

function readBytes(): number {
  const file = '/proc/self/io'
  if (!existsSync(file)) return Number.NaN
  return Number(/^rchar: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1])
}
