// The index of uuids as a few thousand of them see it, and what is known of a log by it.

import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import type { BatchLine } from '../../../lib/log/log-handle.js'
import { UuidIndex } from '../../../lib/log/uuid-index.js'
import { KnownUuids } from '../../../lib/log/write/uuid-lookup.js'
import { foreignLine, line } from '../../helpers/lines.js'
import { type Random, seededRandom } from '../../helpers/random.js'
import { temporaryFolder } from '../../helpers/temporary.js'

test('finds each of thousands of similar uuids, and no other', () => {
  const index = new UuidIndex()
  const uuids = Array.from({ length: 5000 }, (_, n) => `uuid-${n}`)
  for (const [n, uuid] of uuids.entries()) index.add(uuid, n * 3_000_000)
  expect(index.size).toBe(5000)
  for (const [n, uuid] of uuids.entries()) expect(index.find(uuid)).toBe(n * 3_000_000)
  for (let n = 5000; n < 6000; n++) expect(index.find(`uuid-${n}`)).toBeUndefined()
  expect(index.byteLength / index.size).toBeLessThan(60)
})

test('a letter more, less or changed anywhere makes another uuid', () => {
  const base = '0123456789abcdefghij'
  const others = [...base].flatMap((_, at) => [
    base.slice(0, at) + base.slice(at + 1),
    `${base.slice(0, at)}x${base.slice(at)}`,
    `${base.slice(0, at)}x${base.slice(at + 1)}`,
    `${base.slice(0, at)}é${base.slice(at + 1)}`,
  ])
  const index = new UuidIndex()
  for (const [n, uuid] of others.entries()) index.add(uuid, n)
  expect(index.find(base)).toBeUndefined()
  expect(index.size).toBe(new Set(others).size)
})

test('a uuid is the same as text and as bytes, of any length and anywhere', () => {
  for (const uuid of [
    'a',
    'abcd',
    'abcde',
    'é',
    'abé',
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(257),
  ]) {
    for (const before of [0, 1, 3, 4]) {
      const index = new UuidIndex()
      const bytes = Buffer.from(`${'?'.repeat(before)}${uuid}??`)
      index.addBytes(bytes, before, bytes.length - 2, 7)
      expect(index.find(uuid)).toBe(7)
      index.add(uuid, 9)
      expect([index.find(uuid), index.size]).toEqual([9, 1])
    }
  }
})

test('an index with a given expected size does not grow on the way', () => {
  const told = new UuidIndex({ expected: 3000 })
  const { byteLength } = told
  expect(byteLength).toBeGreaterThanOrEqual((3000 / 0.6) * 16)
  for (let n = 0; n < 3000; n++) told.add(String(n), n)
  expect(told.byteLength).toBe(byteLength)
  expect(new UuidIndex({ expected: 1 }).byteLength).toBe(new UuidIndex().byteLength)
})

function knownOf(uuids: readonly string[], reachBytes: number, isWhole = true) {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  const lines = uuids.map((uuid) => line('user', { uuid }))
  writeFileSync(path, Buffer.concat(lines))
  const fd = openSync(path, 'r')
  onTestFinished(() => closeSync(fd))
  const { size } = fstatSync(fd)
  const known = new KnownUuids(
    { path, fd, size, fs: systemEnvironment.fs },
    { isWhole, reachBytes, environment: systemEnvironment },
  )
  return { known, size, lengths: lines.map(({ length }) => length) }
}

test('uuids are known with their offsets, also those before the part that is indexed', () => {
  const { known, size, lengths } = knownOf(['a', 'b', 'c', 'd'], 1000)
  const [a = 0, b = 0, c = 0] = lengths
  expect(known.find('c', size)).toMatchObject({ event: { uuid: 'c' }, byte_offset: a + b })
  expect(known.find('a', size)).toMatchObject({ byte_offset: 0 })
  expect(known.find('x', size)).toBeUndefined()
  const short = knownOf(['a', 'b', 'c', 'd'], c + 10)
  expect(short.known.find('d', short.size)).toMatchObject({ byte_offset: a + b + c })
  expect(short.known.find('a', short.size)).toMatchObject({ byte_offset: 0 })
  expect(short.known.find('x', short.size)).toBeUndefined()
})

test('where only the end is asked for, what is before the indexed part is not searched', () => {
  const [, , , d = 0] = knownOf(['a', 'b', 'c', 'd'], 1000).lengths
  const { known, size } = knownOf(['a', 'b', 'c', 'd'], d, false)
  expect(known.find('d', size)).toMatchObject({ event: { uuid: 'd' } })
  expect(known.find('a', size)).toBeUndefined()
})

// Words that lines are full of, spellings that other programs escape, and plain ones.
const UUIDS = ['user', 'uuid', 'content', 'a/b', 'ä', 'say "x"', ...Array.from('abcdefgh')]

test('the last event of a uuid is found wherever it is and however it is spelled', (t) => {
  const random = seededRandom(t)
  for (let round = 0; round < 60; round++) {
    const lines = Array.from({ length: random.between(1, 150) }, () => randomLine(random))
    const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
    writeFileSync(path, Buffer.concat([line('session_header', { uuid: 'head' }), ...lines]))
    const fd = openSync(path, 'r')
    const { size } = fstatSync(fd)
    const expected = new Map<string, number>()
    for (const entry of readLogSync(path)) {
      if (entry.kind === 'event') expected.set(entry.event.uuid, entry.byte_offset)
    }
    const reachBytes = random.below(size)
    // Fewer uuids are searched one by one, more are indexed.
    const asked = UUIDS.slice(random.below(UUIDS.length))
    const log = { path, fd, size, fs: systemEnvironment.fs }
    const known = new KnownUuids(log, { isWhole: true, reachBytes, environment: systemEnvironment })
    const found = asked.map((uuid) => known.find(uuid, size)?.byte_offset)
    expect(found).toEqual(asked.map((uuid) => expected.get(uuid)))
    closeSync(fd)
  }
})

function randomLine(random: Random): Buffer {
  const uuid = random.pick(UUIDS)
  const payload = { content: random.pick(UUIDS).repeat(random.below(20)) }
  const own = line('user', { uuid, prev_uuid: random.pick(UUIDS), payload })
  const kind = random.below(8)
  if (kind === 0)
    return foreignLine({ type: 'user', ts: '2026-01-01', uuid, prev_uuid: null, payload })
  if (kind === 1) {
    const escaped = [...uuid].map((it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const isPlain = /^[a-z]+$/.test(uuid)
    const spelled = isPlain ? uuid : escaped.join('')
    return Buffer.from(
      `{"uuid": "${spelled}", "type": "user", "ts": "2026-01-01", "payload": {}}\n`,
    )
  }
  // A changed line is damage and has no uuid.
  if (kind === 2) return Buffer.from(own.toString().replace('"content"', '"contend"'))
  if (kind === 3) return Buffer.concat([own.subarray(0, -1), own])
  return own
}

test('what grows is known as far as it is asked for', () => {
  const { known, size, lengths } = knownOf(['a', 'b'], 1000)
  const [a = 0] = lengths
  expect(known.find('a', a)).toMatchObject({ byte_offset: 0 })
  expect(known.find('b', a)).toBeUndefined()
  expect(known.find('b', size)).toMatchObject({ byte_offset: a })
})

test('lines that were just written are known, also where those before were never seen', () => {
  const { known, size, lengths } = knownOf(['a', 'b'], 1000)
  const [a = 0] = lengths
  const written = [{ uuid: 'b', receipt: { uuid: 'b', byteOffset: a } }] as unknown as BatchLine[]
  known.addLines(written, size)
  expect(known.find('a', size)).toMatchObject({ byte_offset: 0 })
  expect(known.find('b', size)).toMatchObject({ byte_offset: a })
  const other = knownOf(['a', 'b'], 1000)
  expect(other.known.find('a', a)).toMatchObject({ byte_offset: 0 })
  other.known.addLines(written, other.size)
  other.known.addLines([], other.size)
  expect(other.known.find('b', other.size)).toMatchObject({ byte_offset: a })
})

test('the result of another scan is used, and the file is not scanned again', () => {
  const { known, size } = knownOf(['a', 'b'], 1000)
  const index = new UuidIndex()
  index.add('b', 0)
  known.take(index, size)
  expect(known.find('a', size)).toBeUndefined()
  // An index is a hint: the line itself says that it is another one.
  expect(known.find('b', size)).toBeUndefined()
})
