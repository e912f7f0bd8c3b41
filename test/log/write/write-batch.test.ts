// Lookups by uuid inside one batch: their cost must not grow with the square of its length.

import { expect, onTestFinished, test, vi } from 'vitest'
import { openMemoryLog } from '../../../lib/log/index.js'
import { WriteBatch } from '../../../lib/log/write/write-batch.js'

const COUNT = 500

test('a batch reads the uuid of each line a bounded number of times, however often it is asked', () => {
  const batch = new WriteBatch()
  batch.reset(null, 'null')
  let reads = 0
  for (let n = 0; n < COUNT; n++) {
    expect(batch.find(`u${n}`)).toBeUndefined()
    batch.add(
      lineOf(n, () => reads++),
      true,
    )
    expect(batch.find(`u${n}`)?.receipt.uuid).toBe(`u${n}`)
  }
  expect(reads).toBeLessThan(10 * COUNT)
})

test('a batch forgets the lines that are taken back, and nothing else', () => {
  const batch = new WriteBatch()
  batch.reset(null, 'null')
  batch.add(lineOf(0), true)
  const { byteLength, tip, tipJson } = batch
  batch.add(lineOf(1), true)
  expect(batch.find('u1')).toBeDefined()
  batch.backTo(1, byteLength, tip, tipJson)
  expect([batch.find('u0')?.uuid, batch.find('u1')]).toEqual(['u0', undefined])
  batch.add(lineOf(1), true)
  expect(batch.find('u1')).toBe(batch.lines[1])
  batch.reset(null, 'null')
  expect([batch.find('u0'), batch.find('u1')]).toEqual([undefined, undefined])
})

test('appendAll with uuids and links of the caller searches no list once per event', async () => {
  const log = openMemoryLog('bulk')
  const find = vi.spyOn(Array.prototype, 'find')
  onTestFinished(() => find.mockRestore())
  const events = Array.from({ length: COUNT }, (_, n) => ({
    type: 'user',
    uuid: `u${n}`,
    // Not the tip, so that each link has to be looked up.
    prev_uuid: n === 0 ? undefined : 'u0',
    payload: { content: 'x' },
  }))
  const receipts = await log.appendAll(events)
  expect(receipts.map(({ uuid }) => uuid)).toEqual(events.map(({ uuid }) => uuid))
  expect(find.mock.calls.length).toBeLessThan(COUNT)
})

function lineOf(n: number, onRead: () => void = () => {}) {
  const uuid = `u${n}`
  return {
    type: 'user',
    ts: '2026-01-01T00:00:00.000Z',
    get uuid() {
      onRead()
      return uuid
    },
    prevJson: 'null',
    payloadJson: '{}',
    receipt: { uuid, byteOffset: 0 },
  }
}
