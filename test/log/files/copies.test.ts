// Copies are byte for byte, however long; times and places are told as they are.

import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment, toIso } from '../../../lib/environment/index.js'
import { formatCursor, parseCursor } from '../../../lib/log/cursor.js'
import { copyLog, copyRange } from '../../../lib/log/files/copy-log.js'
import { openLog, readLogSync } from '../../../lib/log/index.js'
import { ForwardLines } from '../../../lib/log/read/forward-lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const MIB = 1024 * 1024
const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

/** Bytes that tell their place. */
function numbered(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(at | 0x80, at)
  return bytes
}

function copied(source: Buffer, range: { byte_offset: number; length: number }): Buffer {
  const path = newPath()
  writeFileSync(path, source)
  const [from, to] = [openSync(path, 'r'), openSync(`${path}.copy`, 'w')]
  copyRange({ path, fd: from, size: source.length, fs: systemEnvironment.fs }, to, range)
  closeSync(from)
  closeSync(to)
  return readFileSync(`${path}.copy`)
}

test('a range of several chunks is copied byte for byte, with a newline where none ends it', () => {
  const source = numbered(2 * MIB + 1000)
  for (const range of [
    { byte_offset: 0, length: source.length },
    { byte_offset: 3, length: MIB },
    { byte_offset: 100, length: 2 * MIB + 1 },
  ]) {
    const end = range.byte_offset + range.length
    const wanted = Buffer.concat([source.subarray(range.byte_offset, end), Buffer.from('\n')])
    expect(copied(source, range).equals(wanted)).toBe(true)
  }
  const ended = Buffer.concat([numbered(MIB), Buffer.from('\nx')])
  const whole = { byte_offset: 0, length: MIB + 1 }
  expect(copied(ended, whole).equals(ended.subarray(0, -1))).toBe(true)
})

test('a copied log begins with its opening, and has the ranges that follow', () => {
  const from = newPath()
  writeFileSync(from, 'one\ntwo\nthree\nfour')
  const to = join(dirname(from), 'folder', 'copy.jsonl')
  const later = [{ byte_offset: 8, length: 5 }]
  copyLog({ from, to, opening: Buffer.from('opening\n'), end: 4, later }, systemEnvironment)
  expect(readFileSync(to, 'utf8')).toBe('opening\none\nthree\n')
  const code = 'ERR_EXISTS'
  expect(() =>
    copyLog({ from, to, opening: Buffer.alloc(0), end: 0, later: [] }, systemEnvironment),
  ).toThrow(expect.objectContaining({ code }) as Error)
})

test('a time is that of its moment, whatever was asked before', () => {
  const moments = [0, 1, 0, 1, 1, Date.UTC(2026, 0, 1)]
  expect(moments.map(toIso)).toEqual(moments.map((ms) => new Date(ms).toISOString()))
})

test('events have the time of their writing', async () => {
  const path = newPath()
  let now = Date.UTC(2026, 0, 1)
  const log = await openLog(path, { environment: { now: () => now } })
  for (const minutes of [0, 1, 1, 5]) {
    now = Date.UTC(2026, 0, 1, 0, minutes)
    await log.append({ type: 'assistant', payload: { content: 'x' } })
  }
  await log.close()
  const times = [...readLogSync(path)].map((entry) => entry.kind === 'event' && entry.event.ts)
  expect(times.map((ts) => String(ts).slice(14, 16))).toEqual(['00', '01', '01', '05'])
})

test('a cursor says how much of a line was read only where that is something', () => {
  const place = { byte_offset: 36, check: 0xab }
  expect(formatCursor({ ...place, entriesRead: 0 })).toBe('1-10-000000ab')
  expect(formatCursor({ ...place, entriesRead: 2 })).toBe('1-10-000000ab-2')
  expect(parseCursor('1-10-000000ab')).toEqual({ ...place, entriesRead: 0 })
})

test('lines that are passed over are counted where lines are counted', () => {
  const file = Buffer.from('a\nbb\nccc\ndddd\n')
  const numbersOf = (range: { from: number; linesBefore?: number }) => {
    const lines = new ForwardLines({ ...range, to: file.length })
    const request = lines.request()!
    file.copy(lines.bytes, request.at, request.position, request.position + request.length)
    lines.accept(request)
    expect(lines.next()).toBe(true)
    const passed: number[] = []
    lines.skipLines(lines.bytes.length, (start, end) => {
      if (end - start < 4) passed.push(end - start)
      return end - start < 4
    })
    expect(lines.next()).toBe(true)
    return [passed, lines.line_number, lines.bytes.toString('latin1', lines.start, lines.end)]
  }
  expect(numbersOf({ from: 0 })).toEqual([[2, 3], 4, 'dddd'])
  expect(numbersOf({ from: 2, linesBefore: 1 })).toEqual([[3], 4, 'dddd'])
  expect(numbersOf({ from: 2 })).toEqual([[3], undefined, 'dddd'])
})
