import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Line } from '../../../lib/log/read/forward-lines.js'
import { readLog, readLogBackwardSync, readLogSync } from '../../../lib/log/read/read-log.js'
import { collect } from '../../helpers/collect.js'
import { bareLine, foreignLine, id, line, record } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const lines = [1, 2, 3].map((n) => line('user', { uuid: id(n), payload: { content: `né ${n}` } }))
const whole = Buffer.concat(lines)

// Requirements: 003-64, 003-68
test('a log cut at any byte keeps every finished line and calls the rest torn', (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const ends = lines.map((_, n) => Buffer.concat(lines.slice(0, n + 1)).length)
  for (let cut = 0; cut <= whole.length; cut++) {
    writeFileSync(path, whole.subarray(0, cut))
    // Cut right before its newline, a line is whole all the same.
    const finished = ends.filter((end) => end - 1 <= cut).length
    const entries = [...readLogSync(path)]
    const events = entries.filter(({ kind }) => kind === 'event')
    expect(events).toHaveLength(finished)
    const isTorn = cut > (ends[finished - 1] ?? 0)
    expect(entries.length - finished, `cut at ${cut}`).toBe(isTorn ? 1 : 0)
    if (isTorn) expect(entries.at(-1)).toMatchObject({ kind: 'torn', reason: 'partial_tail' })
  }
})

test('reading from any byte starts at the next line', (t) => {
  const path = temporaryFile(t, 'log.jsonl', whole)
  const starts = [0, lines[0]!.length, lines[0]!.length + lines[1]!.length]
  for (let from = 0; from <= whole.length + 5; from++) {
    const offsets = [...readLogSync(path, { from })].map(({ byte_offset }) => byte_offset)
    expect(offsets).toEqual(starts.filter((start) => start >= from))
  }
})

test('line numbers are counted from the beginning only', (t) => {
  const path = temporaryFile(t, 'log.jsonl', whole)
  expect([...readLogSync(path)].map((entry) => entry.line_number)).toEqual([1, 2, 3])
  for (const entry of readLogSync(path, { from: lines[0]!.length })) {
    expect(entry).not.toHaveProperty('line_number')
  }
})

test('what is appended after opening is not read', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', whole)
  const uuids: string[] = []
  for await (const entry of readLog(path, { sizes: { chunkBytes: 64 } })) {
    appendFileSync(path, line('user', { uuid: 'late' }))
    if (entry.kind === 'event') uuids.push(entry.event.uuid)
  }
  expect(uuids).toEqual([id(1), id(2), id(3)])
})

test('strict throws at the first damage, and says where and why', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([lines[0]!, Buffer.from('oops\n')]))
  const details = { file: path, byte_offset: lines[0]!.length, reason: 'bad_line' }
  const failure = { code: 'ERR_DAMAGED', details }
  expect(() => [...readLogSync(path, { strict: true })]).toThrow(expect.objectContaining(failure))
  await expect(collect(readLog(path, { strict: true }))).rejects.toMatchObject(failure)
})

test('strict refuses an unverified line and a torn end, but not a missing newline', (t) => {
  const foreign = foreignLine({ type: 'user', uuid: 'x', payload: {} })
  const path = join(temporaryFolder(t), 'log.jsonl')
  const read = (bytes: Buffer) => {
    writeFileSync(path, bytes)
    return [...readLogSync(path, { strict: true })].map(({ kind }) => kind)
  }
  const refusal = (reason: string) =>
    expect.objectContaining({ details: expect.objectContaining({ file: path, reason }) })
  expect(() => read(foreign)).toThrow(refusal('unverified'))
  expect(() => read(whole.subarray(0, -30))).toThrow(refusal('partial_tail'))
  expect(read(whole.subarray(0, -1))).toEqual(['event', 'event', 'event'])
})

test('a history has no envelopes, and its lines prove themselves all the same', (t) => {
  const [a, b] = [
    { ts: '2026', prompt: 'a' },
    { ts: '2027', prompt: 'b' },
  ]
  const glued = Buffer.concat([bareLine(a).subarray(0, -1), bareLine(b)])
  const path = temporaryFile(t, 'history.jsonl', Buffer.concat([bareLine(a), glued]))
  const entries = [...readLogSync(path, { bare: true })]
  expect(entries).toMatchObject([
    { kind: 'event', event: a },
    { kind: 'event', event: a, diagnostics: [{ code: 'concatenated_records' }] },
    { kind: 'event', event: b, diagnostics: [{ code: 'concatenated_records' }] },
  ])
  expect(entries[0]).not.toHaveProperty('diagnostics')
})

test('a missing log is not found', async (t) => {
  const path = join(temporaryFolder(t), 'none.jsonl')
  const failure = { code: 'ERR_NOT_FOUND' }
  expect(() => [...readLogSync(path)]).toThrow(expect.objectContaining(failure))
  await expect(collect(readLog(path))).rejects.toMatchObject(failure)
})

test('a FIFO, a folder, a socket and a device are refused, and none of them hangs', async (t) => {
  const folder = temporaryFolder(t)
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const socket = join(folder, 'socket')
  const server = createServer().listen(socket)
  await new Promise((resolve) => server.once('listening', resolve))
  t.onTestFinished(() => void server.close())
  for (const path of [fifo, folder, socket, '/dev/zero']) {
    expect(() => [...readLogSync(path)], path).toThrow(
      expect.objectContaining({ code: 'ERR_UNSAFE_PATH' }),
    )
  }
})

test('a wrong type of argument is a TypeError, a wrong offset is ERR_ARG', () => {
  expect(() => [...readLogSync(7 as never)]).toThrow(TypeError)
  expect(() => [...readLogSync('x', { from: '1' as never })]).toThrow(TypeError)
  expect(() => [...readLogSync('x', { from: -1 })]).toThrow(
    expect.objectContaining({ code: 'ERR_ARG' }),
  )
})

test('leaving the loop early closes the file', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', whole)
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let round = 0; round < 50; round++) {
    for await (const _ of readLog(path)) break
    for (const _ of readLogSync(path)) break
    for (const _ of readLogBackwardSync(path)) break
  }
  expect(open()).toBeLessThan(before + 10)
})

test('reading leaves other work its turn', async (t) => {
  const big = line('user', { payload: { content: 'x'.repeat(100_000) } })
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat(Array(100).fill(big)))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  const entries = await collect(readLog(path))
  clearInterval(timer)
  expect(entries).toHaveLength(100)
  expect(turns).toBeGreaterThan(5)
})

test('an abort ends the reading with its reason', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', whole)
  const controller = new AbortController()
  const seen: number[] = []
  const reading = async () => {
    for await (const { byte_offset } of readLog(path, { signal: controller.signal })) {
      seen.push(byte_offset)
      controller.abort(new Error('enough'))
    }
  }
  await expect(reading()).rejects.toThrow('enough')
  expect(seen).toEqual([0])
  await expect(collect(readLog(path, { signal: controller.signal }))).rejects.toThrow('enough')
})

test('a file cut off while it is read is a typed error', (t) => {
  const path = temporaryFile(t, 'log.jsonl', whole)
  const read = () => {
    for (const _ of readLogSync(path, { sizes: { chunkBytes: 64 } })) truncateSync(path, 10)
  }
  expect(read).toThrow(expect.objectContaining({ code: 'ERR_FILE_REPLACED' }))
})

test('reading changes nothing and needs no right to write', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'log.jsonl')
  writeFileSync(path, whole.subarray(0, -10))
  chmodSync(path, 0o400)
  chmodSync(folder, 0o500)
  t.onTestFinished(() => chmodSync(folder, 0o700))
  const before = statSync(path)
  expect([...readLogSync(path)]).toHaveLength(3)
  const after = statSync(path)
  expect([after.mtimeMs, after.size, readFileSync(path)]).toEqual([
    before.mtimeMs,
    before.size,
    whole.subarray(0, -10),
  ])
  expect(readdirSync(folder)).toEqual(['log.jsonl'])
})

test('an event without a newline is the record, not the line', (t) => {
  const path = temporaryFile(t, 'log.jsonl', record('user'))
  expect([...readLogSync(path)]).toMatchObject([{ length: record('user').length }])
})

test('lines that are not wanted are passed over before they are decoded, from either end', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([...lines, Buffer.from('damaged\n')]))
  const seen: unknown[] = []
  const isWanted = ({ byte_offset, length, line_number, isEnded }: Line) => {
    seen.push([byte_offset, length, line_number, isEnded])
    return line_number === undefined || line_number === 2
  }
  const entries = await collect(readLog(path, { isWanted, strict: true }))
  expect(entries).toMatchObject([{ kind: 'event', line_number: 2, event: { uuid: id(2) } }])
  expect(seen).toHaveLength(4)
  expect(seen[0]).toEqual([0, lines[0]!.length - 1, 1, true])
  const backward = [...readLogBackwardSync(path, { isWanted: ({ length }) => length > 7 })]
  expect(backward.map((entry) => entry.kind === 'event' && entry.event.uuid)).toEqual(
    [3, 2, 1].map(id),
  )
})
