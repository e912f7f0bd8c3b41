// Every line has the checksum of its own bytes, and of nothing else.

import { expect, it } from 'vitest'
import { CHECKSUM_BYTES, hasChecksumDigits, writeChecksum } from '../../lib/format/checksum.js'
import { checkChecksum, LineEncoder } from '../../lib/format/index.js'

function proofs(encoder: LineEncoder): string[] {
  const bytes = encoder.bytes({ isolate: false })
  const states: string[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start)
    states.push(checkChecksum(bytes, start, end))
    start = end + 1
  }
  return states
}

it.each([1, 100, 8000, 9000])('lines of one length prove themselves: %i characters', (length) => {
  const encoder = new LineEncoder()
  for (const letters of ['abc', 'd']) {
    encoder.reset()
    for (const letter of letters) encoder.addBare(`{"a":"${letter.repeat(length)}"}`)
    expect(proofs(encoder)).toEqual([...letters].map(() => 'valid'))
  }
})

it('digits of a checksum are eight, and zeros are digits', () => {
  for (const digits of ['00000000', '0123cdef', 'ffffffff']) {
    expect(hasChecksumDigits(Buffer.from(`x${digits}x`), 1)).toBe(true)
  }
  for (const digits of ['0000000x', 'x0000000', '0000g000', 'ABCDEF00']) {
    expect(hasChecksumDigits(Buffer.from(`0${digits}`), 1)).toBe(false)
  }
})

it('a checksum takes its eighteen bytes, and none beside them', () => {
  const target = Buffer.alloc(CHECKSUM_BYTES + 4, '.')
  expect(writeChecksum(target, 2, Buffer.from('x'))).toBe(2 + CHECKSUM_BYTES)
  expect(target.toString()).toMatch(/^\.\.,"crc":"[0-9a-f]{8}"\}\.\.$/)
})
