// What may stand in a line, and what a line that outgrows its buffer looks like.

import { expect, it } from 'vitest'
import {
  assertTime,
  assertUuid,
  decodeLine,
  LineEncoder,
  quoteUuid,
  UUID_CHARS_MAX,
} from '../../lib/format/index.js'
import { id, time } from '../helpers/lines.js'

const RETAINED_BYTES = 2 * 1024 * 1024

const parts = (text: string, type = 'user') => ({
  type,
  ts: time(0),
  uuid: id(1),
  prevJson: 'null',
  payloadJson: JSON.stringify({ text }),
})

function eventsOf(encoder: LineEncoder) {
  const bytes = Buffer.from(encoder.bytes({ isolate: false }))
  const events: unknown[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start)
    for (const part of decodeLine(bytes, start, end)) {
      events.push(part.kind === 'event' && part.checksum === 'valid' ? part.event.payload : part)
    }
    start = end + 1
  }
  return events
}

it('lines that outgrow the buffer are whole, and so are short ones in the larger one', () => {
  const encoder = new LineEncoder()
  const texts = ['short', 'x'.repeat(RETAINED_BYTES), 'é'.repeat(100)]
  for (const text of texts) encoder.addEvent(parts(text))
  expect(eventsOf(encoder)).toEqual(texts.map((text) => ({ text })))
  encoder.reset()
  encoder.addEvent(parts('x'.repeat(RETAINED_BYTES)))
  encoder.backTo(0)
  encoder.addEvent(parts('in the larger buffer'))
  expect(eventsOf(encoder)).toEqual([{ text: 'in the larger buffer' }])
})

it('a line that might not fit is measured, and stays where it is when it does', () => {
  const encoder = new LineEncoder()
  const { buffer } = encoder
  const text = 'x'.repeat(RETAINED_BYTES / 2)
  encoder.addEvent(parts(text))
  expect(encoder.buffer).toBe(buffer)
  expect(eventsOf(encoder)).toEqual([{ text }])
})

it('types without end are spelled right, and the memory of them is not endless', () => {
  const encoder = new LineEncoder()
  for (let number = 0; number < 1100; number++) encoder.addEvent(parts('', `type_${number}`))
  const bytes = Buffer.from(encoder.bytes({ isolate: false })).toString()
  expect(bytes.match(/"type":"type_\d+"/g)).toHaveLength(1100)
  expect(new Set(bytes.match(/"type":"type_\d+"/g))).toHaveProperty('size', 1100)
})

it('a uuid is checked by type and by value', () => {
  const notString = 5 as unknown as string
  expect(() => assertUuid(notString, 'uuid')).toThrow(TypeError)
  for (const wrong of ['', 'a"b', 'a\\b', 'a b', 'é', 'x'.repeat(UUID_CHARS_MAX + 1)]) {
    expect(() => assertUuid(wrong, 'prev_uuid')).toThrow(
      expect.objectContaining({ code: 'ERR_ARG' }),
    )
  }
  expect(() => assertUuid('x'.repeat(UUID_CHARS_MAX), 'uuid')).not.toThrow()
})

it('a time has one spelling', () => {
  expect(() => assertTime(5 as unknown as string)).toThrow(TypeError)
  for (const wrong of ['2026-01-31', '2026-01-31T12:00:00Z', '2026-13-31T12:00:00.000Z', '']) {
    expect(() => assertTime(wrong)).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
  }
  expect(() => assertTime('2026-01-31T12:00:00.000Z')).not.toThrow()
})

it('a time is one of the calendar', () => {
  const days = ['2026-02-29', '2026-02-30', '2026-04-31', '1900-02-29']
  for (const wrong of [...days.map((day) => `${day}T12:00:00.000Z`), '2026-01-31T24:00:00.000Z']) {
    expect(() => assertTime(wrong), wrong).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
  }
  expect(() => assertTime('2024-02-29T23:59:59.999Z')).not.toThrow()
})

it('any uuid of a file can be written again', () => {
  expect(quoteUuid('plain-1')).toBe('"plain-1"')
  for (const uuid of ['a"b', 'é', 'a\u2028b', '\u007f', 'a b']) {
    const json = quoteUuid(uuid)
    expect(JSON.parse(json)).toBe(uuid)
    expect(json).not.toMatch(/[\u007f-\u009f\u2028\u2029]/)
  }
})
