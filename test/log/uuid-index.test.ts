import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UuidIndex } from '../../lib/log/uuid-index.js'

test('an index is a map from uuid to offset, also beyond 32 bits', () => {
  const uuid = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b', 'ü'))
  const entries = fc.array(
    fc.tuple(
      uuid,
      fc.nat().map((n) => n * 4_000_000),
    ),
  )
  fc.assert(
    fc.property(entries, (entries) => {
      const index = new UuidIndex()
      const map = new Map<string, number>()
      for (const [uuid, offset] of entries) {
        index.add(uuid, offset)
        map.set(String(Buffer.from(uuid)), offset)
      }
      for (const [uuid, offset] of map) expect(index.find(uuid)).toBe(offset)
      expect(index.size).toBe(map.size)
      expect(index.find('absent')).toBe(undefined)
    }),
  )
})

test('bytes of a file and the string they spell are the same uuid', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(9), (uuid, before) => {
      const index = new UuidIndex()
      const bytes = Buffer.from(`${'"'.repeat(before)}${uuid}"`)
      index.addBytes(bytes, before, bytes.length - 1, 7)
      expect(index.find(uuid)).toBe(7)
    }),
  )
})

test('of a repeated uuid the last offset counts', () => {
  const index = new UuidIndex()
  index.add('a', 1)
  index.add('a', 0)
  expect([index.find('a'), index.size]).toEqual([0, 1])
})

test('finds each of a hundred thousand uuids and no other, with 34 bytes each', () => {
  const index = new UuidIndex()
  const uuids = Array.from({ length: 100_000 }, () => randomUUID())
  for (const [offset, uuid] of uuids.entries()) index.add(uuid, offset)
  expect(uuids.every((uuid, offset) => index.find(uuid) === offset)).toBe(true)
  expect(uuids.some(() => index.find(randomUUID()) !== undefined)).toBe(false)
  expect(index.byteLength / index.size).toBeLessThan(34)
})

test('counted uuids spread as well as random ones', () => {
  const index = new UuidIndex()
  const start = performance.now()
  for (let n = 0; n < 100_000; n++) index.add(String(n), n)
  expect(index.size).toBe(100_000)
  // A clustered table would take minutes.
  expect(performance.now() - start).toBeLessThan(10_000)
})
