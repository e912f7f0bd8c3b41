// One writer, one file: what an append promises, seen on the real disk.

import {
  appendFileSync,
  chmodSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SessionError } from '../../../lib/errors.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { type LogOptions, openLog, readLogSync } from '../../../lib/log/index.js'
import { AT_ONCE_MS } from '../../helpers/at-once.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { problemsOf } from '../../torture/check.js'

type Context = Parameters<typeof temporaryFolder>[0]

async function newLog(t: Context, options: LogOptions = {}) {
  const path = join(temporaryFolder(t), '.transcripts', 's.jsonl')
  const log = await openLog(path, options)
  t.onTestFinished(() => log.close())
  return { path, log }
}

function counted(): NonNullable<LogOptions['environment']> {
  let uuid = 0
  return { now: () => Date.UTC(2026, 0, 31), newUuid: () => `u${++uuid}` }
}

function eventsOf(path: string) {
  return [...readLogSync(path)].map((entry) => {
    if (entry.kind !== 'event') throw new Error(`${entry.reason} at ${entry.byte_offset}`)
    return entry.event
  })
}

function codeOf(error: unknown): string {
  return error instanceof SessionError ? error.code : String(error)
}

// Requirements: 003-19, T1
test('an append returns the offset of its line', async (t) => {
  const { path, log } = await newLog(t)
  const receipts = [
    await log.append({ type: 'user', payload: { content: 'one' } }),
    await log.append({ type: 'assistant', payload: { content: 'zwei ü' } }),
    await log.append({ type: 'user', payload: { content: 'three' } }),
  ]
  const bytes = readFileSync(path)
  for (const [index, { uuid, byteOffset, lineNumber }] of receipts.entries()) {
    const line = bytes.subarray(byteOffset, bytes.indexOf(10, byteOffset)).toString()
    expect(JSON.parse(line).uuid).toBe(uuid)
    expect(lineNumber).toBe(index + 1)
  }
})

// Requirements: 003-19, T1
test('events that are written together are each at the offset of their receipt', async (t) => {
  const { path, log } = await newLog(t)
  const said = (content: string) => ({ type: 'user', payload: { content } }) as const
  const ofOneTick = ['one', 'zwei ü', 'three'].map((content) => log.append(said(content)))
  const receipts = await Promise.all(ofOneTick)
  receipts.push(...(await log.appendAll([said('four'), said('fünf')])))
  expect(problemsOf(path, receipts)).toEqual([])
  expect(receipts.map(({ lineNumber }) => lineNumber)).toEqual([1, 2, 3, 4, 5])
})

// Requirements: 003-14, 003-34
test('a line is the envelope in its fixed order, compact, with its checksum', async (t) => {
  const { path, log } = await newLog(t, { environment: counted() })
  await log.append({ type: 'user', payload: { content: 'hi' } })
  await log.append({ type: 'note', payload: {} })
  expect(readFileSync(path, 'utf8')).toBe(
    '{"type":"user","ts":"2026-01-31T00:00:00.000Z","uuid":"u1","prev_uuid":null,"payload":{"content":"hi"},"crc":"d216eb5a"}\n' +
      '{"type":"note","ts":"2026-01-31T00:00:00.000Z","uuid":"u2","prev_uuid":"u1","payload":{},"crc":"3873bb66"}\n',
  )
})

// Requirement: 003-06
test('order of calls is order of lines is order of the chain, awaited or not', async (t) => {
  const { path, log } = await newLog(t)
  const calls = Array.from({ length: 500 }, (_, index) =>
    log.append({ type: 'user', payload: { content: `${index}` } }),
  )
  await Promise.all(calls)
  const events = eventsOf(path)
  expect(events.map(({ payload }) => payload)).toEqual(
    calls.map((_, index) => ({ content: `${index}` })),
  )
  expect(events.map(({ prev_uuid }) => prev_uuid)).toEqual([
    null,
    ...events.slice(0, -1).map(({ uuid }) => uuid),
  ])
})

test('off-chain events have no link and do not move the tip', async (t) => {
  const { path, log } = await newLog(t)
  const { uuid } = await log.append({ type: 'user', payload: { content: 'a' } })
  await log.append({ type: 'session_meta', payload: { title: 'T' } })
  await log.append({ type: 'x.note', payload: {}, prev_uuid: null })
  expect(log.tip).toBe(uuid)
  expect(eventsOf(path).map(({ prev_uuid }) => prev_uuid)).toEqual([null, null, null])
})

// Requirements: 003-23, T2
test('the same event appended again is not written again', async (t) => {
  const { path, log } = await newLog(t)
  const event = { type: 'user', uuid: 'mine', payload: { content: 'once', tags: ['a', 'b'] } }
  const first = await log.append(event)
  await log.append({ type: 'assistant', payload: { content: 'reply' } })
  const reordered = { ...event, payload: { tags: ['a', 'b'], content: 'once' } }
  expect(await log.append(reordered)).toEqual({ ...first, duplicate: true })
  const both = await Promise.all([
    log.append({ type: 'user', uuid: 'twin', payload: { content: 'x' } }),
    log.append({ type: 'user', uuid: 'twin', payload: { content: 'x' } }),
  ])
  expect(both[1]).toEqual({ ...both[0], duplicate: true })
  expect(eventsOf(path)).toHaveLength(3)
})

// Requirement: 003-23
test('another event of the same uuid is refused, and nothing is written', async (t) => {
  const { path, log } = await newLog(t)
  await log.append({ type: 'user', uuid: 'mine', payload: { content: 'once' } })
  const before = readFileSync(path)
  const refusals = await Promise.allSettled([
    log.append({ type: 'user', uuid: 'mine', payload: { content: 'other' } }),
    log.append({ type: 'assistant', uuid: 'mine', payload: { content: 'once' } }),
  ])
  expect(refusals.map((it) => it.status === 'rejected' && codeOf(it.reason))).toEqual([
    'ERR_UUID_CONFLICT',
    'ERR_UUID_CONFLICT',
  ])
  expect(readFileSync(path)).toEqual(before)
})

// Requirement: 003-23
test('a uuid written before this writer opened the log is known to it', async (t) => {
  const { path, log } = await newLog(t)
  const first = await log.append({ type: 'user', uuid: 'mine', payload: { content: 'x' } })
  for (let index = 0; index < 300; index++) {
    void log.append({ type: 'tool_result', payload: filler(2000) })
  }
  await log.close()
  await using again = await openLog(path)
  const repeated = await again.append({ type: 'user', uuid: 'mine', payload: { content: 'x' } })
  expect(repeated).toEqual({ ...first, duplicate: true })
})

function filler(chars: number) {
  return { tool_call_id: 't', content: 'x'.repeat(chars), is_error: false }
}

// Requirement: 003-22
test('a link to an event that is not there is refused; to one that is, it is kept', async (t) => {
  const { log, path } = await newLog(t)
  const { uuid } = await log.append({ type: 'user', payload: { content: 'a' } })
  await log.append({ type: 'assistant', payload: { content: 'b' } })
  const refusal = log.append({ type: 'user', prev_uuid: 'nobody', payload: { content: 'c' } })
  await expect(refusal).rejects.toMatchObject({ code: 'ERR_UNKNOWN_PREV' })
  await log.append({ type: 'user', prev_uuid: uuid, payload: { content: 'd' } })
  expect(eventsOf(path).at(-1)?.prev_uuid).toBe(uuid)
})

test('a batch is one write; a refused event in it leaves no trace of the others', async (t) => {
  const { log, path } = await newLog(t)
  const before = await log.append({ type: 'user', uuid: 'a', payload: { content: 'a' } })
  await expect(
    log.appendAll([
      { type: 'assistant', payload: { content: 'b' } },
      { type: 'user', uuid: 'a', payload: { content: 'conflict' } },
    ]),
  ).rejects.toMatchObject({ code: 'ERR_UUID_CONFLICT' })
  const receipts = await log.appendAll([
    { type: 'assistant', payload: { content: 'c' } },
    { type: 'user', payload: { content: 'd' } },
  ])
  expect(receipts.map(({ lineNumber }) => lineNumber)).toEqual([2, 3])
  expect(eventsOf(path)[1]?.prev_uuid).toBe(before.uuid)
})

test.for([
  ['NaN', { a: [1, { b: Number.NaN }] }, 'payload.a[1].b'],
  ['a Map', { m: new Map() }, 'payload.m'],
  ['a Buffer', { b: Buffer.from('x') }, 'payload.b'],
  ['undefined in an array', { list: [1, undefined] }, 'payload.list[1]'],
  ['a function', { f: () => 1 }, 'payload.f'],
  ['a bigint', { n: 1n }, 'payload.n'],
  ['an invalid date', { d: new Date(Number.NaN) }, 'payload.d'],
  ['an error', { e: new Error('x') }, 'payload.e'],
  ['nesting beyond 512', { deep: nested(513) }, 'payload.deep.a'],
] as const)('%s is refused with its path, and nothing moves', async ([, payload, jsonPath], t) => {
  await expectRefusal(t, { type: 'user', payload }, 'ERR_SERIALIZE', jsonPath)
})

test('a throwing getter, a cycle and a class instance are refused, not thrown', async (t) => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const getter = Object.defineProperty({}, 'x', { enumerable: true, get: () => explode() })
  await expectRefusal(t, { type: 'user', payload: cycle }, 'ERR_SERIALIZE')
  await expectRefusal(t, { type: 'user', payload: getter }, 'ERR_SERIALIZE')
  await expectRefusal(t, { type: 'user', payload: new Map() }, 'ERR_SERIALIZE')
  await expectRefusal(t, { type: 'user', payload: [1] }, 'ERR_ARG')
})

function explode(): never {
  throw new RangeError('no')
}

function nested(depth: number): object {
  let value: object = {}
  for (let index = 1; index < depth; index++) value = { a: value }
  return value
}

async function expectRefusal(
  t: Context,
  event: { type: string; payload: object },
  code: string,
  jsonPath?: string,
) {
  const { log, path } = await newLog(t)
  const { uuid } = await log.append({ type: 'user', payload: { content: 'before' } })
  const error = await log.append(event as never).catch((error: unknown) => error)
  expect(codeOf(error)).toBe(code)
  if (jsonPath !== undefined) expect((error as Error).message).toContain(jsonPath)
  expect(log.tip).toBe(uuid)
  await log.append({ type: 'assistant', payload: { content: 'after' } })
  expect(eventsOf(path).map(({ prev_uuid }) => prev_uuid)).toEqual([null, uuid])
}

// Requirements: 003-70, 003-80, 003-86, T8
test('permission-shaped types and fields are refused; nested ones are not judged', async (t) => {
  const { log, path } = await newLog(t)
  const refused = [
    { type: 'permission_grant', payload: {} },
    { type: 'approval', payload: {} },
    { type: 'user', payload: { content: 'x', permissionMode: 'plan' } },
    { type: 'session_meta', payload: { allowed_tools: ['rm'] } },
    { type: 'note', payload: { trust_level: 1 } },
  ]
  for (const event of refused) {
    await expect(log.append(event as never)).rejects.toMatchObject({ code: 'ERR_PERMISSION_STATE' })
  }
  const input = { permissions: '0644' }
  await log.append({ type: 'tool_call', payload: { tool_call_id: 't', name: 'chmod', input } })
  expect(eventsOf(path)).toHaveLength(1)
})

// Requirements: 003-33, T9
test('a channel refuses the records of another', async (t) => {
  const { log } = await newLog(t, { channel: 'transcript' })
  for (const type of ['checkpoint', 'sidechain_header', 'sidechain_terminator']) {
    await expect(log.append({ type, payload: {} } as never)).rejects.toMatchObject({
      code: 'ERR_WRONG_LOG_KIND',
    })
  }
})

test('a header is allowed only at the start', async (t) => {
  const { log } = await newLog(t)
  await log.append({ type: 'user', payload: { content: 'x' } })
  const header = log.append({ type: 'session_header', payload: {} as never })
  await expect(header).rejects.toMatchObject({ code: 'ERR_ARG' })
})

// Requirement: T5
test('separators and controls are escaped, half characters survive', async (t) => {
  const { log, path } = await newLog(t)
  const content = '\u2028 \u2029 \u0085 \u007f \u009f \u0000 \ud800 é 漢'
  await log.append({ type: 'user', payload: { content } })
  const text = readFileSync(path, 'latin1')
  expect(text.slice(0, -1)).not.toMatch(/[\x00-\x1f\x7f]/)
  expect(readFileSync(path, 'utf8')).not.toMatch(/[\u007f-\u009f\u2028\u2029]/)
  expect(eventsOf(path)[0]?.payload).toEqual({ content })
})

// Requirements: 003-35, 003-85
test('files are 0600 and folders 0700 from the first byte', async (t) => {
  const { path } = await newLog(t)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
})

test('a line over the limit is refused before anything is written', async (t) => {
  const { log, path } = await newLog(t)
  const payload = { content: 'é'.repeat(17 * 1024 * 1024) }
  await expect(log.append({ type: 'user', payload })).rejects.toMatchObject({
    code: 'ERR_LINE_TOO_LARGE',
  })
  await expect(
    log.append({ type: 'user', payload: { content: 'x'.repeat(40 * 1024 * 1024) } }),
  ).rejects.toMatchObject({ code: 'ERR_LINE_TOO_LARGE' })
  expect(statSync(path).size).toBe(0)
})

// Requirements: 003-64, T4
test('a file without a last newline gets one before the next line, and both are read', async (t) => {
  const { log, path } = await newLog(t)
  const { uuid } = await log.append({ type: 'user', payload: { content: 'a' } })
  await log.close()
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, -1))
  await using again = await openLog(path)
  const receipt = await again.append({ type: 'assistant', payload: { content: 'b' } })
  expect(receipt).toMatchObject({ byteOffset: whole.length, lineNumber: 2 })
  expect(eventsOf(path).map(({ prev_uuid }) => prev_uuid)).toEqual([null, uuid])
})

test('reads what another process added, and continues the chain from it', async (t) => {
  const diagnostics: Diagnostic[] = []
  const { log, path } = await newLog(t, { onDiagnostic: (it) => diagnostics.push(it) })
  await log.append({ type: 'user', payload: { content: 'a' } })
  const foreign = `{"type":"user","ts":"2026-01-31T00:00:00.000Z","uuid":"theirs","prev_uuid":"${log.tip}","payload":{}}\n`
  appendFileSync(path, foreign)
  await log.sync()
  await log.append({ type: 'user', payload: { content: 'b' } })
  expect(eventsOf(path).at(-1)?.prev_uuid).toBe('theirs')
  await Promise.resolve()
  expect(diagnostics.map(({ code }) => code)).toContain('foreign_writer')
})

// Requirement: 003-68
test('a partial line of another process does not damage ours', async (t) => {
  const { log, path } = await newLog(t, { useKernelLock: false })
  await log.append({ type: 'user', payload: { content: 'a' } })
  for (const half of ['{"type":"user","ts":"2026-01-31T0', '{"type":"x","ts":1,"payload":']) {
    appendFileSync(path, half)
    const receipt = await log.append({ type: 'user', payload: { content: half } })
    const found = [...readLogSync(path)].find(
      (entry) => entry.kind === 'event' && entry.event.uuid === receipt.uuid,
    )
    expect(found).toMatchObject({ byte_offset: receipt.byteOffset })
  }
})

// Requirement: 003-69
test('a file that vanished, shrank or was swapped is a typed error', async (t) => {
  for (const harm of [
    (path: string) => renameSync(path, `${path}.moved`),
    (path: string) => truncateSync(path, 10),
    (path: string) => {
      renameSync(path, `${path}.old`)
      writeFileSync(path, '')
    },
  ]) {
    const { log, path } = await newLog(t)
    await log.append({ type: 'user', payload: { content: 'a' } })
    harm(path)
    await expect(log.append({ type: 'user', payload: { content: 'b' } })).rejects.toMatchObject({
      code: 'ERR_FILE_REPLACED',
    })
    await expect(log.close()).resolves.toBeUndefined()
  }
})

test('links, folders and read-only places are refused by name', async (t) => {
  const { log, path } = await newLog(t)
  await log.close()
  const folder = join(path, '..')
  symlinkSync(path, join(folder, 'link.jsonl'))
  linkSync(path, join(folder, 'hard.jsonl'))
  for (const name of ['link.jsonl', 'hard.jsonl', '.']) {
    await expect(openLog(join(folder, name))).rejects.toMatchObject({ code: 'ERR_UNSAFE_PATH' })
  }
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500)
    await expect(openLog(join(folder, 'new.jsonl'))).rejects.toMatchObject({
      code: 'ERR_READ_ONLY',
    })
    chmodSync(folder, 0o700)
  }
})

// Requirement: 003-52
test('a file of a newer format is not written', async (t) => {
  const { log, path } = await newLog(t)
  const lib = { name: 'x', version: '9', capture: 'native' } as const
  await log.append({
    type: 'session_header',
    payload: {
      format: 2,
      session_id: 's',
      start_ts: '2026-01-31T00:00:00.000Z',
      resumed_from: null,
      lib,
    },
  })
  await log.close()
  await expect(openLog(path)).rejects.toMatchObject({ code: 'ERR_FORMAT_TOO_NEW' })
})

// Requirement: 003-30
test('a second handle is refused immediately, and the error names the holder', async (t) => {
  const { path } = await newLog(t)
  const started = performance.now()
  await expect(openLog(path)).rejects.toMatchObject({
    code: 'ERR_LOCKED',
    details: { pid: process.pid },
  })
  expect(performance.now() - started).toBeLessThan(AT_ONCE_MS)
})

test('close is idempotent, and a closed log refuses', async (t) => {
  const { log } = await newLog(t)
  await Promise.all([log.close(), log.close()])
  await expect(log.append({ type: 'user', payload: { content: 'x' } })).rejects.toMatchObject({
    code: 'ERR_CLOSED',
  })
})
