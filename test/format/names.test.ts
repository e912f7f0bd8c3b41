// Keys that become file names, and the beginnings of lines.

import { expect, it } from 'vitest'
import {
  encodeName,
  fileNameOf,
  LineEncoder,
  normalizeSessionKey,
  readEnvelope,
  WRITE_LINE_BYTES_MAX,
} from '../../lib/format/index.js'
import { id, record, time } from '../helpers/lines.js'

it('a key is trimmed, composed, and without its prefix', () => {
  expect(normalizeSessionKey('  session: e\u0301 ')).toBe('é')
  expect(() => normalizeSessionKey(5 as never)).toThrow(TypeError)
  for (const wrong of ['', ' session: ', 'a\ud800']) {
    expect(() => normalizeSessionKey(wrong, 'A task id')).toThrow(/A task id/)
  }
})

it('what a disk would change or refuse is spelled out', () => {
  expect(encodeName('Ab/é')).toBe('%41b%2F%C3%A9')
  expect(encodeName('.hidden.')).toBe('%2Ehidden%2E')
  expect(encodeName('con.x')).toBe('%63on.x')
  expect(encodeName('console')).toBe('console')
})

it('long keys end in a hash, and differ where the keys do', () => {
  expect(fileNameOf('short')).toBe('short')
  const [one, other] = ['a', 'b'].map((end) => fileNameOf(`${'É'.repeat(100)}${end}`))
  expect(one).not.toBe(other)
  expect(one!.length).toBeLessThanOrEqual(180)
  expect(one).toMatch(/^(?:%[0-9A-F]{2})+-[0-9a-f]{16}$/)
})

it('the envelope of a line is read without the line, or not at all', () => {
  const read = (bytes: Buffer) => readEnvelope(bytes, 0, bytes.length)
  expect(read(record('user', { uuid: id(1) }))).toEqual({
    type: 'user',
    ts: time(0),
    uuid: id(1),
    prev_uuid: null,
  })
  expect(read(record('user', { prev_uuid: id(1) }))).toMatchObject({ prev_uuid: id(1) })
  expect(read(Buffer.from('{"type":5}'))).toBeUndefined()
})

it('a line over the limit is refused, and one newline before a line ends a torn one', () => {
  const encoder = new LineEncoder()
  const parts = { type: 'user', ts: time(0), uuid: id(1), prevJson: 'null' }
  const large = `"${'x'.repeat(WRITE_LINE_BYTES_MAX)}"`
  expect(() => encoder.addEvent({ ...parts, payloadJson: large })).toThrow(
    expect.objectContaining({ code: 'ERR_LINE_TOO_LARGE' }),
  )
  encoder.reset()
  encoder.addEvent({ ...parts, payloadJson: '{}' })
  expect(encoder.bytes({ isolate: true }).subarray(1)).toEqual(encoder.bytes({ isolate: false }))
  expect(encoder.bytes({ isolate: true })[0]).toBe(0x0a)
})
