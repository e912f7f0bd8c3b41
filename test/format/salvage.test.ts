// Lines in which records ran together, and the checksum that tells whole ones from others: each
// asked in the middle of a buffer, because that is where lines stand.

import { expect, test } from 'vitest'
import { checkChecksum, hasChecksumShape } from '../../lib/format/checksum.js'
import { decodeLine, decodePrefix, decodeVerified } from '../../lib/format/decode.js'
import { UUID_CHARS_MAX } from '../../lib/format/limits.js'
import { bareLine, record } from '../helpers/lines.js'

const BEFORE = Buffer.from('{"type":"before",')
const AFTER = Buffer.from('}{"type":"after","ts":"1","uuid":"after"}')

const A = record('user', { uuid: 'a' })
const B = record('assistant', { uuid: 'b', prev_uuid: 'a', payload: { text: 'quote " and }{ \\' } })
const plain = (uuid: string, more = '') => `{"type":"user","ts":"123","uuid":"${uuid}"${more}}`

/** The parts of a line, by what they are and by the bytes they cover. */
function partsOf(...pieces: readonly (string | Buffer)[]): string[] {
  const line = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
  const bytes = Buffer.concat([BEFORE, line, AFTER])
  const [start, end] = [BEFORE.length, BEFORE.length + line.length]
  return decodeLine(bytes, start, end).map((part) => {
    const covered = `${part.start - start}-${part.end - start}`
    if (part.kind === 'damage') return `${part.code} ${covered}`
    const notes = part.notes.length === 0 ? '' : ` (${part.notes.join(' ')})`
    return `${part.event.uuid} ${part.checksum} ${covered}${notes}`
  })
}

test('records glued end to end are read one by one, each with its own proof', () => {
  expect(partsOf(A, B)).toEqual([
    `a valid 0-${A.length} (concatenated_records)`,
    `b valid ${A.length}-${A.length + B.length} (concatenated_records)`,
  ])
  expect(partsOf(plain('x'), A, plain('y'))).toEqual([
    'x absent 0-37 (concatenated_records)',
    `a valid 37-${37 + A.length} (concatenated_records)`,
    `y absent ${37 + A.length}-${74 + A.length} (concatenated_records)`,
  ])
})

test('zeros and spaces between records belong to none of them', () => {
  expect(partsOf(plain('x'), '\0\0 ', plain('y'))).toEqual([
    'x absent 0-37 (concatenated_records)',
    'y absent 40-77 (concatenated_records)',
  ])
  expect(partsOf('\0 ', plain('x'), '\0', plain('y'), ' \0')).toEqual([
    'x absent 2-39 (nul_padding concatenated_records)',
    'y absent 40-77 (concatenated_records)',
  ])
})

test('a record that was cut short costs itself, and not the whole one behind it', () => {
  expect(partsOf('{"type":"user","ts":"1","uu', A)).toEqual([
    'interrupted_record 0-27',
    `a valid 27-${27 + A.length} (interrupted_record)`,
  ])
  expect(partsOf('{"type":"user","ts":"1","uuid":"half', plain('x'), plain('y'))).toEqual([
    'interrupted_record 0-36',
    'x absent 36-73 (interrupted_record)',
    'y absent 73-110 (interrupted_record)',
  ])
})

test('what follows the last whole record is damage', () => {
  expect(partsOf(plain('x'), plain('y'), '{"type":"us')).toEqual([
    'x absent 0-37 (concatenated_records)',
    'y absent 37-74 (concatenated_records)',
    'interrupted_record 74-85',
  ])
})

test('a record in the place of a value stays damage, also behind a space', () => {
  for (const opening of ['{"a":', '{"a": ', '{"a":[', '{"a":[1,', '{"b":"x","a":']) {
    expect(partsOf(opening, A), opening).toEqual([`bad_line 0-${opening.length + A.length}`])
  }
  // Inside a string a quote would be escaped, so this one is not part of it.
  expect(partsOf('{"a":"open, ', A)).toEqual([
    'interrupted_record 0-12',
    `a valid 12-${12 + A.length} (interrupted_record)`,
  ])
})

test('a record inside another one, with more of that behind it, stays damage', () => {
  expect(partsOf('x', plain('y'), 'z')).toEqual(['bad_line 0-39'])
  expect(partsOf('x', plain('y'), '\0 ')).toEqual([
    'interrupted_record 0-1',
    'y absent 1-38 (nul_padding interrupted_record)',
  ])
})

test('only what begins like a line of a log is looked for', () => {
  expect(partsOf('x{"uuid":"y","type":"user"}')).toEqual(['bad_line 0-27'])
  expect(partsOf('x{"type":"user","uuid":"y"}')).toEqual(['bad_line 0-27'])
  const long = (length: number) => `{"type":"${'t'.repeat(length)}","ts":"1","uuid":"y"}`
  expect(partsOf('x', long(64))).toHaveLength(2)
  expect(partsOf('x', long(65))).toEqual([`bad_line 0-${1 + long(65).length}`])
})

test('braces and quotes inside strings end no record', () => {
  const tricky = plain('x', ',"payload":{"a":"}\\\\","b":"\\"}{","c":{}}')
  expect(partsOf(tricky, plain('y'))).toEqual([
    `x absent 0-${tricky.length} (concatenated_records)`,
    `y absent ${tricky.length}-${tricky.length + 37} (concatenated_records)`,
  ])
})

test('a line that holds many false starts is given up, and a few are not', () => {
  const start = '{"type":"user","ts":1 '
  expect(partsOf(start.repeat(14), A).at(-1)).toMatch(/^a valid/)
  expect(partsOf(start.repeat(16), A)).toEqual([`bad_line 0-${16 * start.length + A.length}`])
})

test('what is not an object of type and uuid is no event', () => {
  for (const text of ['5', '"x"', 'null', '[]', '{}', '{"type":"user"}', '{"uuid":"x"}']) {
    expect(partsOf(text)).toEqual([`bad_line 0-${text.length}`])
  }
  for (const wrong of [
    '{"type":"","uuid":"x"}',
    '{"type":"user","uuid":""}',
    '{"type":5,"uuid":"x"}',
  ]) {
    expect(partsOf(wrong)).toEqual([`bad_line 0-${wrong.length}`])
  }
  const uuid = (length: number) => `{"type":"user","uuid":"${'u'.repeat(length)}"}`
  expect(partsOf(uuid(UUID_CHARS_MAX))).toEqual([
    `${'u'.repeat(UUID_CHARS_MAX)} absent 0-${uuid(UUID_CHARS_MAX).length}`,
  ])
  expect(partsOf(uuid(UUID_CHARS_MAX + 1))).toEqual([
    `bad_line 0-${uuid(UUID_CHARS_MAX + 1).length}`,
  ])
  expect(partsOf(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual(['bad_line 0-3'])
})

test('ignores blanks around a line, reports zeros, and ignores an empty line', () => {
  expect(partsOf(' \t', plain('x'), '\r')).toEqual(['x absent 2-39'])
  expect(partsOf('\0', plain('x'))).toEqual(['x absent 1-38 (nul_padding)'])
  expect(partsOf(plain('x'), '\0')).toEqual(['x absent 0-37 (nul_padding)'])
  expect(partsOf(' \t\r')).toEqual([])
  expect(partsOf('')).toEqual([])
  expect(partsOf('\0 \0')).toEqual(['nul_padding 0-3'])
})

test('a byte order mark is passed over at the start of a file, whole, and only there', () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf])
  const line = Buffer.concat([mark, Buffer.from(plain('x'))])
  expect(decodeLine(line, 0, line.length, { isFirst: true })).toMatchObject([
    { start: 3, end: 40, notes: ['byte_order_mark'] },
  ])
  expect(decodeLine(line, 0, line.length)[0]).toMatchObject({ code: 'interrupted_record', end: 3 })
  for (const part of [[0xef], [0xef, 0xbb], [0xbb, 0xbf], [0xef, 0x20, 0xbf]]) {
    const bytes = Buffer.concat([Buffer.from(part), Buffer.from(plain('x'))])
    const [first] = decodeLine(bytes, 0, bytes.length, { isFirst: true })
    expect(first?.kind === 'event' && first.notes.includes('byte_order_mark')).toBe(false)
  }
})

test('a checksum is the last eighteen bytes, all of them, and of all bytes before', () => {
  const bytes = Buffer.concat([BEFORE, A, AFTER])
  const [start, end] = [BEFORE.length, BEFORE.length + A.length]
  expect(checkChecksum(bytes, start, end)).toBe('valid')
  expect(checkChecksum(bytes, start + 1, end)).toBe('wrong')
  expect(checkChecksum(bytes, start, end - 1)).toBe('absent')
  expect(checkChecksum(bytes, start, end + 1)).toBe('absent')
  for (let at = start; at < end; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 0x40
    const isDigit = at >= end - 10 && at < end - 2
    const expected = at < end - 18 || (isDigit && isHex(changed[at]!)) ? 'wrong' : 'absent'
    expect(checkChecksum(changed, start, end), `byte ${at - start}`).toBe(expected)
    expect(hasChecksumShape(changed, start, end)).toBe(expected === 'wrong')
    expect(decodeVerified(changed, start, end)).toBeUndefined()
  }
  expect(checkChecksum(A, A.length - 18, A.length)).toBe('wrong')
  expect(checkChecksum(A, A.length - 17, A.length)).toBe('absent')
})

test('a line without an envelope is proven where such lines are meant', () => {
  const bare = bareLine({ n: 1 }).subarray(0, -1)
  expect(decodeVerified(bare, 0, bare.length)).toBeUndefined()
  expect(decodeVerified(bare, 0, bare.length, { bare: true })).toMatchObject({ n: 1 })
  expect(decodeLine(bare, 0, bare.length, { bare: true })).toMatchObject([{ checksum: 'valid' }])
  const glued = Buffer.concat([bare, Buffer.from('{"n":2}')])
  expect(decodeLine(glued, 0, glued.length, { bare: true })).toMatchObject([
    { event: { n: 1 } },
    { event: { n: 2 } },
  ])
})

test('the beginning of a line is read within its bounds', () => {
  const text = '{"type":"user","ts":"1","uuid":"x","prev_uuid":"w","payload":{"a":1'
  const bytes = Buffer.concat([BEFORE, Buffer.from(text), AFTER])
  const start = BEFORE.length
  expect(decodePrefix(bytes, start, start + text.length)).toEqual({
    type: 'user',
    ts: '1',
    uuid: 'x',
    prev_uuid: 'w',
    payload: null,
  })
  expect(decodePrefix(bytes, start, start + 49)).toBeUndefined()
  expect(decodePrefix(bytes, start + 1, start + text.length)).toBeUndefined()
  const wrong = Buffer.from('{"type":"user","ts":1.2.3,"uuid":"x","prev_uuid":null,')
  expect(decodePrefix(wrong, 0, wrong.length)).toBeUndefined()
})

function isHex(byte: number): boolean {
  return /[0-9a-f]/.test(String.fromCharCode(byte))
}
