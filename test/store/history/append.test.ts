// Prompts into the history: what a line looks like, what is refused, and what is written only once.

import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { historyLineSchema } from '../../../lib/format/schemas.js'
import { readHistory, rotateHistory } from '../../../lib/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { bareLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { append } from './history-functions.js'

const NOON = Date.UTC(2026, 0, 31, 12)
const environment = { now: () => NOON }

const liveOf = (home: string) => join(home, 'history.jsonl')
const linesOf = (home: string) => readFileSync(liveOf(home), 'utf8').trimEnd().split('\n')
const promptsOf = async (home: string) =>
  (await readHistory({ home, limit: Number.POSITIVE_INFINITY })).map(({ prompt }) => prompt)

// Requirements: 003-36, 003-55
test('a prompt is one line of time, prompt and session, with the checksum', async (t) => {
  const home = temporaryFolder(t)
  const receipt = await append('say "hi"\nüber 漢字', ' session:demo ', {
    home,
    environment,
  })
  expect(receipt).toEqual({ offset: 0, file: liveOf(home), lineNumber: 1 })
  const [line, ...others] = linesOf(home)
  expect(others).toEqual([])
  expect(line).toMatch(
    /^\{"ts":"2026-01-31T12:00:00\.000Z","prompt":"say \\"hi\\"\\nüber 漢字","session_id":"demo","crc":"[0-9a-f]{8}"\}$/,
  )
  expect(historyLineSchema.safeParse(JSON.parse(line!)).success).toBe(true)
})

// Requirements: 003-08, 003-55
test('every prompt of every session is in the one file of this user', async (t) => {
  const home = temporaryFolder(t)
  const root = temporaryFolder(t)
  const receipts = []
  for (const [index, agent] of ['default', 'bob', 'default'].entries()) {
    receipts.push(await append(`p${index}`, `s${index}`, { home, root, agent }))
  }
  expect(await promptsOf(home)).toEqual(['p2', 'p1', 'p0'])
  expect(receipts.map((receipt) => receipt?.lineNumber)).toEqual([1, 2, 3])
  for (const [index, receipt] of receipts.entries()) {
    const line = readFileSync(liveOf(home)).subarray(receipt!.offset).toString().split('\n')[0]!
    expect(JSON.parse(line).prompt).toBe(`p${index}`)
  }
  expect(existsSync(join(root, '.transcripts'))).toBe(false)
})

// Requirement: 003-85
test('the history is readable by its owner only, and so is its folder', async (t) => {
  const home = join(temporaryFolder(t), 'new', 'home')
  await append('secret', 's', { home, limits: { entries: 1 } })
  await append('secret', 's', { home, limits: { entries: 1 } })
  for (const name of ['history.jsonl', 'history.jsonl.1']) {
    expect(statSync(join(home, name)).mode & 0o777).toBe(0o600)
  }
  expect(statSync(home).mode & 0o777).toBe(0o700)
})

test('does not record a blank prompt, and creates no file for it', async (t) => {
  const home = join(temporaryFolder(t), 'home')
  for (const blank of ['', '  ', '\n\t\u00a0']) {
    expect(await append(blank, 's', { home })).toBeNull()
  }
  expect(existsSync(home)).toBe(false)
})

test('stores every spelling of a project as one path', async (t) => {
  const home = temporaryFolder(t)
  const folder = temporaryFolder(t)
  await mkdir(join(folder, 'app'))
  await symlink(join(folder, 'app'), join(folder, 'link'))
  await append('a', 's', { home, project: join(folder, 'link', '..', 'link') })
  await append('b', 's', { home, project: `${join(folder, 'app')}/` })
  const projects = (await readHistory({ home })).map(({ project }) => project)
  expect(new Set(projects)).toEqual(new Set([join(folder, 'app')]))
  expect(await readHistory({ home, project: join(folder, 'link') })).toHaveLength(2)
})

test('records the prompt of an event once, and returns its old position', async (t) => {
  const home = temporaryFolder(t)
  await append('before', 's', { home })
  const first = await append('a', 's', { home, eventUuid: 'e1' })
  const size = statSync(liveOf(home)).size
  const again = await append('a', 's', { home, eventUuid: 'e1' })
  expect(again).toEqual({ ...first, duplicate: true })
  expect(statSync(liveOf(home)).size).toBe(size)
  await append('a', 's', { home, eventUuid: 'e2' })
  expect(await promptsOf(home)).toEqual(['a', 'a', 'before'])
})

test('a rotation between two attempts does not record the prompt twice', async (t) => {
  const home = temporaryFolder(t)
  const first = await append('a', 's', { home, eventUuid: 'e1' })
  await rotateHistory({ home })
  const again = await append('a', 's', { home, eventUuid: 'e1' })
  expect(again).toEqual({ ...first, file: `${liveOf(home)}.1`, duplicate: true })
  expect(await promptsOf(home)).toEqual(['a'])
})

test('a text that looks like a field is not a duplicate', async (t) => {
  const home = temporaryFolder(t)
  await append('"event_uuid":"e1"', 's', { home })
  expect(await append('a', 's', { home, eventUuid: 'e1' })).not.toHaveProperty('duplicate')
})

test('records a prompt although a rotated file cannot be read', async (t) => {
  const home = temporaryFolder(t)
  await mkdir(`${liveOf(home)}.1`)
  expect(await append('a', 's', { home, eventUuid: 'e1' })).toMatchObject({ offset: 0 })
})

test('records the same event again after 64 KiB', async (t) => {
  const home = temporaryFolder(t)
  await append('a', 's', { home, eventUuid: 'e1' })
  await append('x'.repeat(64 * 1024), 's', { home })
  expect(await append('a', 's', { home, eventUuid: 'e1' })).not.toHaveProperty('duplicate')
})

test('isolates a partial last line, and reads both neighbours', async (t) => {
  const home = temporaryFolder(t)
  await append('one', 's', { home })
  appendFileSync(liveOf(home), '{"ts":"2026-01-31T12:00:00.000Z","prom')
  const receipt = await append('two', 's', { home })
  expect(receipt).toMatchObject({ lineNumber: 3 })
  const diagnostics: Diagnostic[] = []
  const entries = await readHistory({ home, onDiagnostic: (it) => diagnostics.push(it) })
  expect(entries.map(({ prompt, offset }) => [prompt, offset])).toEqual([
    ['two', receipt!.offset],
    ['one', 0],
  ])
  expect(diagnostics.map(({ code }) => code)).toEqual(['bad_line'])
})

test('line numbers stay correct while other processes write', async (t) => {
  const home = temporaryFolder(t)
  await append('one', 's', { home })
  appendFileSync(liveOf(home), bareLine({ ts: 'x', prompt: 'theirs', session_id: 's' }))
  expect(await append('three', 's', { home })).toMatchObject({ lineNumber: 3 })
  expect(await append('four', 's', { home, lineNumbers: false })).not.toHaveProperty('lineNumber')
  await rotateHistory({ home })
  writeFileSync(liveOf(home), bareLine({ ts: 'x', prompt: 'theirs', session_id: 's' }), {
    mode: 0o600,
  })
  expect(await append('two', 's', { home })).toMatchObject({ lineNumber: 2 })
})

test('a failed write may lose its prompt, and the next one is valid', async (t) => {
  const home = temporaryFolder(t)
  await append('one', 's', { home })
  const disk = new FaultyDisk()
  disk.fail({ call: 'writeSync', code: 'ENOSPC', takes: 20 })
  await expect(append('two', 's', { home, environment: disk.environment })).rejects.toMatchObject({
    code: 'ERR_NO_SPACE',
  })
  await append('three', 's', { home })
  expect(await promptsOf(home)).toEqual(['three', 'one'])
})

test('a prompt is synced unless durability is none', async (t) => {
  const home = temporaryFolder(t)
  for (const [durability, syncs] of [
    ['none', 0],
    ['turn', 1],
    ['always', 1],
  ] as const) {
    const disk = new FaultyDisk()
    await append('a', 's', { home, durability, environment: disk.environment })
    expect(disk.calls.filter((call) => call === 'fdatasyncSync')).toHaveLength(syncs)
  }
})

test.for([
  ['a prompt that is no string', () => append(1 as never, 's'), TypeError],
  ['no session', () => append('a', undefined as never), TypeError],
  ['an empty session', () => append('a', ' '), { code: 'ERR_ARG' }],
  ['a time in another spelling', () => append('a', 's', { ts: 'now' }), { code: 'ERR_ARG' }],
  ['a bad uuid', () => append('a', 's', { eventUuid: 'a b' }), { code: 'ERR_ARG' }],
] as const)('rejects %s before writing anything', async ([, call, expected]) => {
  const refused = call()
  if (typeof expected === 'function') await expect(refused).rejects.toBeInstanceOf(expected)
  else await expect(refused).rejects.toMatchObject(expected)
})

test('rejects a prompt over 32 MiB, and keeps the history as it is', async (t) => {
  const home = temporaryFolder(t)
  await append('one', 's', { home })
  await expect(append('x'.repeat(32 * 1024 * 1024), 's', { home })).rejects.toMatchObject({
    code: 'ERR_LINE_TOO_LARGE',
  })
  expect(linesOf(home)).toHaveLength(1)
})
