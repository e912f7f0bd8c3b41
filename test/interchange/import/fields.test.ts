// Times, contents and lines of other programs, in whatever spelling they come.

import { expect, test } from 'vitest'
import { plainText, toContent } from '../../../lib/interchange/import/content.js'
import { decodeForeign } from '../../../lib/interchange/import/decode-foreign.js'
import { toTime } from '../../../lib/interchange/import/fields.js'
import { linesOf } from '../../contracts/foreign-files.js'

test.each([
  ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T14:00:00+02:00', '2026-01-31T12:00:00.000Z'],
  [1_769_860_800, '2026-01-31T12:00:00.000Z'],
  [1_769_860_800_000, '2026-01-31T12:00:00.000Z'],
  ['soon', undefined],
  [0, undefined],
  [-1, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [1e300, undefined],
  ['+012026-01-31T12:00:00.000Z', undefined],
  [true, undefined],
])('toTime(%j) is %j', (value, ours) => {
  expect(toTime(value)).toBe(ours)
})

test.each([
  ['hi', 'hi'],
  [undefined, ''],
  [null, ''],
  [{ text: 'hi' }, [{ type: 'text', text: 'hi' }]],
  [{ type: 'image', url: 'x' }, [{ type: 'image', url: 'x' }]],
  [
    ['hi', { type: 'image' }],
    [{ type: 'text', text: 'hi' }, { type: 'image' }],
  ],
  [[7, { n: 1 }], [7, { n: 1 }].map((value) => ({ type: 'unknown', value }))],
])('toContent(%j) is %j', (value, ours) => {
  expect(toContent(value)).toEqual(ours)
})

test('plainText joins the texts of a content', () => {
  expect(plainText(['one', { type: 'image' }, 7, { type: 'text', text: 'two' }])).toBe('one\ntwo')
  expect(plainText({ text: 'not a list' })).toBe('')
})

test('a byte order mark before the first record is not damage, and other bytes are', () => {
  const decoded = (...bytes: readonly number[]) =>
    decodeForeign(linesOf(Buffer.from([...bytes, ...Buffer.from('{"a":1}')]))[0]!, () => true)
  const marked = decoded(0xef, 0xbb, 0xbf)
  expect(marked.isDamaged).toBe(false)
  expect(marked.records).toMatchObject([{ value: { a: 1 }, byteOffset: 3, length: 7 }])
  for (const other of [decoded(0xef), decoded(0xef, 0xbb), decoded(0xef, 0xbb, 0xbe)]) {
    expect(other).toMatchObject({ isDamaged: true, records: [{ value: { a: 1 } }] })
  }
})
