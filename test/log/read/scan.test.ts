// A scan reads bytes where a reader parses, and must come to the same answer.

import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { checkChecksum } from '../../../lib/format/index.js'
import type { LogEntry } from '../../../lib/log/entry.js'
import { readLogSync } from '../../../lib/log/read/read-log.js'
import { countNewlines, indexUuids, type ScanOptions, scanLog } from '../../../lib/log/read/scan.js'
import { damagedFile, SMALL_LINE_BYTES_MAX } from '../../helpers/damaged-files.js'
import { runs } from '../../helpers/effort.js'
import { foreignLine, id, line, record, time } from '../../helpers/lines.js'
import { memoryFolder, temporaryFile } from '../../helpers/temporary.js'

const chunk = fc.integer({ min: 16, max: 1000 })

test('a verifying scan is what a reader yields, on any file', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  fc.assert(
    fc.property(damagedFile, chunk, (bytes, chunkBytes) => {
      writeFileSync(path, bytes)
      const sizes = { chunkBytes, lineBytesMax: SMALL_LINE_BYTES_MAX }
      expect(scanned(path, { verify: true, sizes })).toEqual(
        [...readLogSync(path, { sizes })].map(linkOf),
      )
    }),
    { numRuns: runs(400) },
  )
})

test('a scan differs from a reader at most where a line begins and ends as ours and was changed', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  fc.assert(
    fc.property(damagedFile, chunk, (bytes, chunkBytes) => {
      writeFileSync(path, bytes)
      const isChanged = changedLinesOf(bytes)
      const keep = ({ byte_offset }: { byte_offset: number }) => !isChanged(byte_offset)
      const sizes = { chunkBytes, lineBytesMax: SMALL_LINE_BYTES_MAX }
      expect(scanned(path, { sizes }).filter(keep)).toEqual(
        [...readLogSync(path, { sizes })].map(linkOf).filter(keep),
      )
    }),
    { numRuns: runs(400) },
  )
})

test('a line as ours is read by its bytes, any other is decoded', (t) => {
  const event = { type: 'user', ts: time(1), uuid: 'x', prev_uuid: null, payload: {} }
  const cases: [Buffer, boolean][] = [
    [line('user', { uuid: id(1), prev_uuid: id(2) }), true],
    [line('acme.note', { uuid: 'x', payload: { uuid: 'y' } }), true],
    [line('user', { ts: '2026-01-01T00:00:00Z' }), false],
    [foreignLine(event), false],
    [foreignLine({ ...event, crc: '0BADCAFE' }), false],
    [foreignLine({ uuid: 'x', type: 'user', ts: time(1), payload: {}, crc: '0badcafe' }), false],
    [foreignLine({ ...event, uuid: 'é', crc: '0badcafe' }), false],
    [foreignLine({ ...event, uuid: '"', crc: '0badcafe' }), false],
    [Buffer.concat([Buffer.alloc(3), line('user')]), false],
    [Buffer.concat([Buffer.from('\ufeff'), line('user')]), false],
    [Buffer.concat([record('user'), Buffer.from('\r\n')]), false],
    [record('user'), false],
  ]
  for (const [bytes, isCanonical] of cases) {
    const path = temporaryFile(t, 'log.jsonl', bytes)
    const seen: boolean[] = []
    scanLog(path, (line) => seen.push(line.isCanonical))
    expect(seen, String(bytes)).toEqual([isCanonical])
    expect(scanned(path)).toEqual([...readLogSync(path)].map(linkOf))
  }
})

test('a uuid inside another field is not taken for the uuid', (t) => {
  const tricky = `{"type":"user","ts":"1","x":{"y":"01234567890","uuid":"inner","prev_uuid":null,"payload":1},"uuid":"outer","payload":{},"crc":"00000000"}\n`
  const path = temporaryFile(t, 'log.jsonl', tricky)
  expect(scanned(path)).toMatchObject([{ uuid: 'outer' }])
})

test('an index has the last offset of every uuid, by path and by descriptor', (t) => {
  const lines = Array.from({ length: 3000 }, (_, n) => line('user', { uuid: id(n % 2000) }))
  lines.push(foreignLine({ type: 'user', uuid: 'foreign', payload: {} }))
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat(lines))
  const index = indexUuids(path)
  expect(index.size).toBe(2001)
  for (const entry of readLogSync(path)) {
    if (entry.kind !== 'event' || entry.byte_offset < 1000 * lines[0]!.length) continue
    expect(index.find(entry.event.uuid)).toBe(entry.byte_offset)
  }
  const fd = openSync(path, 'r')
  expect(indexUuids(fd, { from: 2999 * lines[0]!.length }).size).toBe(2)
  expect(countNewlines(fd, systemEnvironment, 0, 10 * lines[0]!.length)).toBe(10)
  expect(countNewlines(fd, systemEnvironment)).toBe(3001)
  closeSync(fd)
})

function scanned(path: string, options: ScanOptions = {}): ReturnType<typeof linkOf>[] {
  const seen: ReturnType<typeof linkOf>[] = []
  const onDamage = (entry: LogEntry) => seen.push(linkOf(entry))
  const visit = ({ byte_offset, length, type, uuid, prev_uuid }: Link) => {
    seen.push({ byte_offset, length, type, uuid, prev_uuid })
  }
  scanLog(path, visit, { onDamage, ...options })
  return seen
}

interface Link {
  byte_offset: number
  length: number
  type: string
  uuid?: string | undefined
  prev_uuid?: string | null | undefined
}

function linkOf(entry: LogEntry): Link {
  const { byte_offset, length } = entry
  if (entry.kind !== 'event') return { byte_offset, length, type: entry.reason }
  const { type, uuid, prev_uuid } = entry.event
  return { byte_offset, length, type, uuid, prev_uuid }
}

function changedLinesOf(bytes: Buffer): (offset: number) => boolean {
  const changed: [number, number][] = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline
    if (checkChecksum(bytes, start, end) === 'wrong') changed.push([start, end])
    start = end + 1
  }
  return (offset) => changed.some(([start, end]) => offset >= start && offset < end)
}
