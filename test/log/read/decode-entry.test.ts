// What a line is worth: proven, unverified, damaged or torn; and that judging it takes no longer
// than reading it.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnverified } from '../../../lib/log/read/decode-entry.js'
import { readLogBackwardSync, readLogSync } from '../../../lib/log/read/read-log.js'
import { runs } from '../../helpers/effort.js'
import { foreignLine, id, line, record } from '../../helpers/lines.js'
import { memoryFolder, temporaryFile } from '../../helpers/temporary.js'

const event = { type: 'user', ts: '2026-01-01T00:00:00.000Z', prev_uuid: null, payload: {} }

test('a checksum-verified line is an entry without diagnostics', (t) => {
  const path = temporaryFile(t, 'log.jsonl', line('user', { uuid: 'a' }))
  const [entry] = readLogSync(path)
  expect(Object.keys(entry!)).toEqual(['kind', 'byte_offset', 'length', 'line_number', 'event'])
  expect(entry).toMatchObject({ event: { type: 'user', uuid: 'a', prev_uuid: null, payload: {} } })
})

// Requirement: A12
test('the mark of an unverified event follows the event', (t) => {
  const path = temporaryFile(
    t,
    'log.jsonl',
    Buffer.concat([line('user'), foreignLine({ ...event, uuid: 'x' })]),
  )
  const marks = [...readLogSync(path)].map(
    (entry) => entry.kind === 'event' && isUnverified(entry.event),
  )
  expect(marks).toEqual([false, true])
})

test('a diagnostic names file, line, bytes and uuid', (t) => {
  const first = line('user')
  const foreign = foreignLine({ ...event, uuid: 'x' })
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([first, foreign]))
  expect([...readLogSync(path)][1]!.diagnostics).toEqual([
    {
      code: 'unverified',
      severity: 'warning',
      message: expect.any(String),
      file: path,
      line_number: 2,
      byte_offset: first.length,
      length: foreign.length - 1,
      uuid: 'x',
    },
  ])
})

// Requirement: A12
test('a wrong checksum is damage if any line before or after is checksum-verified', (t) => {
  const wrong = foreignLine({ ...event, uuid: 'x', crc: '0badcafe' })
  const proven = line('user')
  const glued = Buffer.concat([record('user'), proven])
  const path = join(memoryFolder(t), 'log.jsonl')
  const read = (...pieces: Buffer[]) => {
    writeFileSync(path, Buffer.concat(pieces))
    const kinds = [...readLogSync(path)].map(({ kind }) => kind)
    expect([...readLogBackwardSync(path)].map(({ kind }) => kind).reverse()).toEqual(kinds)
    return kinds
  }
  expect(read(wrong, wrong)).toEqual(['event', 'event'])
  expect(read(wrong, proven)).toEqual(['damage', 'event'])
  expect(read(proven, wrong)).toEqual(['event', 'damage'])
  expect(read(wrong, glued)).toEqual(['damage', 'event', 'event'])
  expect(read(wrong, Buffer.from('\0\0'), proven)).toEqual(['damage', 'event'])
  expect(read(wrong, record('user'))).toEqual(['damage', 'event'])
})

// Requirements: A12, T11
test('no event whose bytes changed is handed out without a mark', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  const events = [1, 2, 3].map((n) => line('user', { uuid: id(n), payload: { content: `m ${n}` } }))
  const bytes = Buffer.concat(events)
  const originals = new Set(events.map((one) => JSON.stringify(JSON.parse(String(one)))))
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, flip) => {
      const copy = Buffer.from(bytes)
      copy[place]! ^= flip
      writeFileSync(path, copy)
      for (const entry of readLogSync(path)) {
        if (entry.kind !== 'event' || entry.unverified) continue
        expect(originals).toContain(JSON.stringify(entry.event))
      }
    }),
    { numRuns: runs(600) },
  )
})

test('two hundred glued records are two hundred events', (t) => {
  const records = Array.from({ length: 200 }, (_, n) => record('user', { uuid: id(n) }))
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([...records, Buffer.from('\n')]))
  const entries = [...readLogSync(path)]
  expect(entries).toHaveLength(200)
  expect(entries[199]).toMatchObject({ event: { uuid: id(199) } })
})

test('a cut line that holds thousands of records as values costs no more than its length', (t) => {
  const inner = JSON.parse(String(line('user')))
  const outer = record('tool_result', { payload: { log: Array(20_000).fill(inner) } })
  const path = temporaryFile(
    t,
    'log.jsonl',
    Buffer.concat([outer.subarray(0, -40), Buffer.from('\n')]),
  )
  const start = performance.now()
  expect([...readLogSync(path)]).toMatchObject([{ kind: 'damage', reason: 'bad_line' }])
  expect(performance.now() - start).toBeLessThan(10_000)
})
