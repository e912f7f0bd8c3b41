// Lines that are nearly right.

import { expect, it } from 'vitest'
import { decodeLine, decodePrefix, decodeVerified, LineEncoder } from '../../lib/format/index.js'
import { foreignLine, id, record } from '../helpers/lines.js'

const eventOf = (bytes: Buffer) => decodeLine(bytes, 0, bytes.length)[0]

it('a checksum-verified line that is not JSON is not an event', () => {
  const encoder = new LineEncoder()
  encoder.addBare('{nonsense}')
  const bytes = Buffer.from(encoder.bytes({ isolate: false })).subarray(0, -1)
  expect(decodeVerified(bytes, 0, bytes.length)).toBeUndefined()
  expect(eventOf(bytes)).toMatchObject({ kind: 'damage', code: 'bad_line' })
})

it('bytes that are not UTF-8 make a line damage, the replacement character does not', () => {
  const said = record('user', { uuid: id(1), payload: { text: 'a\ufffdb' } })
  expect(eventOf(said)).toMatchObject({ kind: 'event', event: { payload: { text: 'a\ufffdb' } } })
  const bytes = foreignLine({ type: 'user', ts: 't', uuid: 'u', payload: { text: 'a#b' } })
  expect(eventOf(bytes)).toMatchObject({ kind: 'event' })
  bytes[bytes.indexOf('#')] = 0xff
  expect(eventOf(bytes)).toMatchObject({ kind: 'damage', code: 'bad_line' })
})

it('an event whose link is not a uuid is invalid', () => {
  const base = { type: 'user', ts: 't', uuid: 'u', payload: {} }
  for (const prev_uuid of [5, {}, true]) {
    expect(eventOf(foreignLine({ ...base, prev_uuid }))).toMatchObject({ kind: 'damage' })
  }
  expect(eventOf(foreignLine(base))).toMatchObject({ kind: 'event', event: { prev_uuid: null } })
})

it('numeric times are seconds or milliseconds; an invalid one stays readable', () => {
  const timeOf = (ts: number) => {
    const part = eventOf(foreignLine({ type: 'user', ts, uuid: 'u', payload: {} }))
    return part?.kind === 'event' ? part.event.ts : undefined
  }
  expect(timeOf(1_767_225_600)).toBe('2026-01-01T00:00:00.000Z')
  expect(timeOf(1_767_225_600_000)).toBe('2026-01-01T00:00:00.000Z')
  expect(timeOf(1e300)).toBe('1e+300')
})

it('the beginning of a line says what it is, or nothing', () => {
  const whole = record('assistant', { uuid: id(2), prev_uuid: id(1), payload: { text: 'x' } })
  expect(decodePrefix(whole, 0, whole.length - 30)).toMatchObject({
    type: 'assistant',
    uuid: id(2),
    prev_uuid: id(1),
    payload: null,
  })
  const bad = Buffer.from('{"type":"a","ts":1.2.3,"uuid":"u","prev_uuid":null,"payload":')
  expect(decodePrefix(bad, 0, bad.length)).toBeUndefined()
  expect(decodePrefix(Buffer.from('{"ts":1}'), 0, 8)).toBeUndefined()
})

it('what only begins like a record inside a damaged line is left as damage', () => {
  const bytes = Buffer.from(`garbage {"type":"${'x'.repeat(300)}`)
  expect(decodeLine(bytes, 0, bytes.length)).toMatchObject([{ kind: 'damage' }])
})
