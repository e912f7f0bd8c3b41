import { closeSync, openSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import { checkBefore, checkOfBytes, formatCursor, parseCursor } from '../../lib/log/cursor.js'
import { temporaryFile } from '../helpers/temporary.js'

test('a cursor is read back as it was written', () => {
  const cursor = fc.record({
    byte_offset: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    entriesRead: fc.nat({ max: 1_000_000 }),
    check: fc.nat({ max: 0xffff_ffff }),
  })
  fc.assert(
    fc.property(cursor, (cursor) => {
      expect(parseCursor(formatCursor(cursor))).toEqual(cursor)
    }),
  )
})

test('a cursor is short and fit for a shell', () => {
  const cursor = { byte_offset: 3 * 1024 ** 4, entriesRead: 0, check: 0xffff_ffff }
  expect(formatCursor(cursor)).toMatch(/^[0-9a-z-]{1,24}$/)
})

test('rejects an invalid cursor', () => {
  for (const text of [
    '',
    '1',
    '2-0-00000000',
    '1-zzzzzzzzzzz-00000000',
    '1-0-0',
    '1-0-00000000-x',
  ]) {
    expect(() => parseCursor(text), text).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
  }
  expect(() => parseCursor(7 as never)).toThrow(TypeError)
})

test('the check of bytes in memory is the check of the file', (t) => {
  const bytes = Buffer.from(Array.from({ length: 500 }, (_, n) => n % 251))
  const fd = openSync(temporaryFile(t, 'file', bytes), 'r')
  for (let end = 0; end <= bytes.length; end++) {
    const inMemory = checkOfBytes(bytes, 0, end)
    if (end < 64) expect(inMemory).toBe(undefined)
    else expect(inMemory).toBe(checkBefore(fd, end, systemEnvironment.fs))
  }
  expect(checkBefore(fd, 0, systemEnvironment.fs)).toBe(0)
  closeSync(fd)
})
