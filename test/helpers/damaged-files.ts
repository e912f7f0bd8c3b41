// Random files made of what is found in the field: whole lines, foreign ones, and every kind of
// damage that crashes, power cuts and careless writers leave behind.

import fc from 'fast-check'
import { foreignLine, line, record } from './lines.js'

/** Small enough that some of the lines below are too long. */
export const SMALL_LINE_BYTES_MAX = 600

const name = fc.constantFrom('a', 'b', 'c-1', 'd:2', 'é', 'long-'.repeat(20))
const plainName = fc.constantFrom('a', 'b', 'c-1', 'd:2', 'long-'.repeat(20))
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '{"type":"user","ts":"x"', '}{', '\u2028', 'x'.repeat(700)),
)
const payload = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: text }) },
  fc.record({ log: fc.constant([JSON.parse(String(line('user')))]), content: text }),
  fc.record({ crc: fc.constant('00000000') }),
)
const type = fc.constantFrom('user', 'assistant', 'session_header', 'acme.note')
const options = fc.record({ uuid: plainName, prev_uuid: fc.option(plainName), payload })

const whole = fc.tuple(type, options).map(([type, options]) => line(type, options))
const unended = fc.tuple(type, options).map(([type, options]) => record(type, options))
const cut = fc
  .tuple(unended, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([bytes, share]) => bytes.subarray(0, Math.floor(bytes.length * share)))
const changed = fc
  .tuple(whole, fc.nat(), fc.integer({ min: 1, max: 255 }))
  .map(([bytes, place, flip]) => {
    const copy = Buffer.from(bytes)
    copy[place % (copy.length - 1)]! ^= flip
    return copy
  })
const foreign = fc
  .tuple(name, fc.option(name), payload, fc.integer({ min: 0, max: 4 }))
  .map(([uuid, prev_uuid, payload, shape]) => {
    const ts = '2026-01-01T00:00:00.000Z'
    if (shape === 0) return foreignLine({ type: 'user', ts, uuid, prev_uuid, payload })
    if (shape === 1) return foreignLine({ uuid, payload, ts, prev_uuid, type: 'user' })
    if (shape === 2) return foreignLine({ type: 'user', ts: 1767225600, uuid, payload })
    const event = { type: 'user', ts, uuid, prev_uuid, payload, crc: '0badcafe' }
    if (shape === 3) return foreignLine(event)
    return Buffer.from(`${JSON.stringify(event, null, 1).replaceAll('\n', '')}\r\n`)
  })
const bytesOf = (...texts: string[]) => fc.constantFrom(...texts.map((text) => Buffer.from(text)))
const debris = fc.oneof(
  bytesOf(
    '\n',
    '\n\n',
    ' \t\r\n',
    '\r',
    '\0\0\0',
    '\0\0\n',
    '\ufeff',
    '{}\n',
    '[]\n',
    'oops\n',
    '{',
  ),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
)

export const damagedFile = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: whole },
      { weight: 2, arbitrary: unended },
      { weight: 2, arbitrary: cut },
      { weight: 2, arbitrary: changed },
      { weight: 2, arbitrary: foreign },
      { weight: 2, arbitrary: debris },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Buffer.concat(pieces))
