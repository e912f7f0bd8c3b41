// Lines of any length out of chunks of any size, without ever holding more than one line.

import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { READ_LINE_BYTES_MAX } from '../../../lib/format/index.js'
import { ForwardLines } from '../../../lib/log/read/forward-lines.js'
import { readLog, readLogBackwardSync, readLogSync } from '../../../lib/log/read/read-log.js'
import { countNewlines, lineStartBefore, scanLog } from '../../../lib/log/read/scan.js'
import { damagedFile } from '../../helpers/damaged-files.js'
import { inSoak, runs, scale } from '../../helpers/effort.js'
import { id, line, record } from '../../helpers/lines.js'
import { memoryFolder, temporaryFolder } from '../../helpers/temporary.js'

const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE
// More than may be held in memory; in a soak also more than a string can have.
const OVERSIZE_MB = scale(600, 300)

test('the size of the chunks changes nothing', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  fc.assert(
    fc.property(damagedFile, fc.integer({ min: 1, max: 300 }), (bytes, chunkBytes) => {
      writeFileSync(path, bytes)
      expect([...readLogSync(path, { sizes: { chunkBytes } })]).toEqual([...readLogSync(path)])
    }),
    { numRuns: runs(500) },
  )
})

test('a line number is that of the physical line, blank ones counted', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  fc.assert(
    fc.property(damagedFile, (bytes) => {
      writeFileSync(path, bytes)
      for (const { byte_offset, line_number } of readLogSync(path)) {
        const before = bytes.subarray(0, byte_offset).filter((byte) => byte === 0x0a).length
        expect(line_number).toBe(before + 1)
        expect(countNewlines(path, systemEnvironment, 0, byte_offset)).toBe(before)
        expect(lineStartBefore(path, byte_offset + 1, systemEnvironment)).toBe(
          bytes.subarray(0, byte_offset).lastIndexOf(0x0a) + 1,
        )
      }
    }),
    { numRuns: runs(200) },
  )
})

// Requirement: T11
test('a line of 40 MB is an event like any other', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const content = 'x'.repeat(30 * MEBIBYTE)
  // Larger than what a writer of ours would write, so the beginning is repeated by hand.
  const big = JSON.stringify({
    type: 'user',
    uuid: id(2),
    payload: { content, more: 'é'.repeat(5e6) },
  })
  writeFileSync(path, Buffer.concat([line('user'), Buffer.from(`${big}\n`), line('user')]))
  const lengths = [...readLogSync(path)].map(({ kind, length }) => [kind, length])
  const small = record('user').length
  expect(Buffer.byteLength(big)).toBeGreaterThan(40_000_000)
  expect(lengths).toEqual([
    ['event', small],
    ['event', Buffer.byteLength(big)],
    ['event', small],
  ])
  const backward = [...readLogBackwardSync(path)].map(({ kind, length }) => [kind, length])
  expect(backward.reverse()).toEqual(lengths)
})

// Requirement: A40
test(`a line of ${OVERSIZE_MB} MB keeps its place in the chain, without payload and without memory`, async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const big = record('tool_result', { uuid: 'big', prev_uuid: 'a', payload: { content: 'x' } })
  const after = line('user', { uuid: 'b', prev_uuid: 'big' })
  const start = line('user', { uuid: 'a' }).length
  const end = start + OVERSIZE_MB * MEBIBYTE
  sparseFile(path, end + 1 + after.length, [
    [line('user', { uuid: 'a' }), 0],
    [big, start],
    [Buffer.from('\n'), end],
    [after, end + 1],
  ])
  const before = process.memoryUsage().rss
  const entries = [...readLogSync(path)]
  expect(entries).toMatchObject([
    { kind: 'event', event: { uuid: 'a' } },
    {
      kind: 'event',
      event: { type: 'tool_result', uuid: 'big', prev_uuid: 'a', payload: null },
      byte_offset: start,
      length: OVERSIZE_MB * MEBIBYTE,
      unverified: true,
      diagnostics: [{ code: 'oversize_line', uuid: 'big' }, { code: 'unverified' }],
    },
    { kind: 'event', event: { uuid: 'b' }, byte_offset: end + 1, line_number: 3 },
  ])
  const uuids = [...readLogBackwardSync(path)].map(
    (entry) => entry.kind === 'event' && entry.event.uuid,
  )
  expect(uuids).toEqual(['b', 'big', 'a'])
  const seen: string[] = []
  scanLog(path, ({ uuid }) => seen.push(uuid))
  expect(seen).toEqual(['a', 'big', 'b'])
  expect(process.memoryUsage().rss - before).toBeLessThan(4 * READ_LINE_BYTES_MAX)
})

test('an endless last line is torn, and a long one without a beginning is damage', (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const length = READ_LINE_BYTES_MAX + 1
  sparseFile(path, 2 * length + 1, [[Buffer.from('\n'), length]])
  const expected = [
    { kind: 'damage', reason: 'oversize_line', byte_offset: 0, length },
    { kind: 'torn', reason: 'partial_tail', byte_offset: length + 1, length },
  ]
  expect([...readLogSync(path)]).toMatchObject(expected)
  expect([...readLogBackwardSync(path)].reverse()).toMatchObject(expected)
})

test('offsets beyond 2 GiB are exact in a file of 3 GB', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const [first, last] = [line('user', { uuid: 'first' }), line('user', { uuid: 'last' })]
  const end = 3 * GIBIBYTE
  sparseFile(path, end + last.length, [
    [first, 0],
    [Buffer.from('\n'), end - 1],
    [last, end],
  ])
  const [newest] = readLogBackwardSync(path)
  expect(newest).toMatchObject({ kind: 'event', event: { uuid: 'last' }, byte_offset: end })
  for await (const entry of readLog(path, { from: end - 10 })) {
    expect(entry).toMatchObject({ kind: 'event', event: { uuid: 'last' }, byte_offset: end })
  }
  // Reads 3 GB.
  if (!inSoak) return
  expect([...readLogSync(path)]).toMatchObject([
    { event: { uuid: 'first' }, byte_offset: 0 },
    { kind: 'damage', reason: 'oversize_line', byte_offset: first.length },
    { event: { uuid: 'last' }, byte_offset: end, line_number: 3 },
  ])
})

function sparseFile(path: string, size: number, pieces: [Buffer, number][]): void {
  const fd = openSync(path, 'w')
  ftruncateSync(fd, size)
  for (const [bytes, position] of pieces) writeSync(fd, bytes, 0, bytes.length, position)
  closeSync(fd)
}

/** With all of the text in its buffer. */
function filled(text: string, from: number): ForwardLines {
  const bytes = Buffer.from(text)
  const lines = new ForwardLines({ from, to: bytes.length })
  const request = lines.request()!
  bytes.copy(lines.bytes, request.at, request.position, request.position + request.length)
  lines.accept(request)
  return lines
}

test('skips no line before the first is found, and counts none if the start is unknown', () => {
  const lines = filled('one\ntwo\nthree\nfour\n', 2)
  const pass = () => lines.skipLines(lines.bytes.length, (start) => lines.bytes[start] !== 0x66)
  pass()
  expect(lines.next()).toBe(true)
  expect(lines).toMatchObject({ byte_offset: 4, line_number: undefined })
  pass()
  expect(lines.next()).toBe(true)
  expect(lines).toMatchObject({ byte_offset: 14, line_number: undefined })
})
