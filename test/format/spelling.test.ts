// How a line is spelled where it is hard to: at the end of the buffer, at the limit, and with
// characters that other tools take for the end of a line.

import { describe, expect, it } from 'vitest'
import {
  assertTime,
  decodeVerified,
  LineEncoder,
  measureLine,
  spellText,
  WRITE_LINE_BYTES_MAX,
} from '../../lib/format/index.js'
import { id, time } from '../helpers/lines.js'

const RETAINED_BYTES = 2 * 1024 * 1024
const RAW = /[\u007f-\u009f\u2028\u2029]/

const partsOf = (text: string) => ({
  type: 'user',
  ts: time(0),
  uuid: id(1),
  prevJson: 'null',
  payloadJson: JSON.stringify({ text }),
})

/** The members of every line, in order; each must prove itself. */
function provenLines(encoder: LineEncoder): unknown[] {
  const bytes = encoder.bytes({ isolate: false })
  const lines: unknown[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start)
    lines.push(decodeVerified(bytes, start, end, { bare: true }))
    start = end + 1
  }
  return lines
}

describe('at the end of the buffer', () => {
  // {"a":" before the text, ","crc":"xxxxxxxx"} and a newline behind it.
  const FRAME_BYTES = 6 + 1 + 18 + 1
  const room = RETAINED_BYTES - 1

  it.each([
    ['x', 1],
    ['é', 2],
    ['日', 3],
  ])('a line of %s that ends a few bytes before it or behind it is whole', (character, width) => {
    const most = Math.floor((room - FRAME_BYTES) / width)
    for (const chars of [most - 7, most - 1, most, most + 1, most + 7]) {
      const a = character.repeat(chars)
      const encoder = new LineEncoder()
      const length = encoder.addBare(JSON.stringify({ a }))
      expect(length).toBe(FRAME_BYTES + chars * width)
      expect(provenLines(encoder)[0]).toHaveProperty('a.length', chars)
      expect(encoder.buffer.length === RETAINED_BYTES).toBe(chars <= most)
    }
  })

  it('a line that does not fit behind others takes them along', () => {
    const encoder = new LineEncoder()
    const [first, second, third] = ['a', 'b'.repeat(RETAINED_BYTES - 200), '日'.repeat(2_000_000)]
    for (const text of [first, second, third]) encoder.addBare(JSON.stringify({ text }))
    const found = provenLines(encoder) as { text: string }[]
    expect(found.map(({ text }) => [text[0], text.length])).toEqual([
      ['a', 1],
      ['b', RETAINED_BYTES - 200],
      ['日', 2_000_000],
    ])
  })
})

it('a line may be as long as the limit, and not a byte longer', () => {
  const encoder = new LineEncoder()
  const text = (chars: number) => `{"a":"${'x'.repeat(chars)}"}`
  const most = WRITE_LINE_BYTES_MAX - (6 + 1 + 18)
  const first = encoder.addBare('{"a":1}')
  const details = { lineBytes: WRITE_LINE_BYTES_MAX + 1, lineBytesMax: WRITE_LINE_BYTES_MAX }
  expect(() => encoder.addBare(text(most + 1))).toThrow(
    expect.objectContaining({ code: 'ERR_LINE_TOO_LARGE', details }),
  )
  expect(encoder.byteLength).toBe(first)
  expect(encoder.addBare(text(most))).toBe(WRITE_LINE_BYTES_MAX + 1)
})

describe('characters that other tools take for the end of a line', () => {
  const texts = [
    '\u007f',
    'é\u007f',
    '\u0080',
    '\u0085',
    '\u009f',
    'a\u2028b',
    '日\u2029',
    'é~\u00a0',
  ]

  it.each(texts.map((text) => ({ text })))('are escaped, and read as they were: %j', ({ text }) => {
    const encoder = new LineEncoder()
    const length = encoder.addEvent(partsOf(text))
    encoder.addEvent(partsOf(text))
    const line = encoder.bytes({ isolate: false }).toString()
    expect(line).not.toMatch(RAW)
    expect(line.length).toBeLessThan(length * 2 + 1)
    expect(provenLines(encoder)).toMatchObject([{ payload: { text } }, { payload: { text } }])
  })

  it.each(texts.map((text) => ({ text })))('between quotes: %j', ({ text }) => {
    const spelled = spellText(`"${text}"`)
    expect(spelled).not.toMatch(RAW)
    expect(spelled.startsWith('\\"')).toBe(true)
    expect(JSON.parse(`"${spelled}"`)).toBe(`"${text}"`)
  })
})

it('a line is as long as it was measured, and dropping it leaves those before', () => {
  for (const text of [
    '',
    'x',
    'é',
    '日本',
    '\u2028',
    '\u007f',
    'x'.repeat(10_000),
    '\ud83d\ude00',
  ]) {
    const encoder = new LineEncoder()
    const length = encoder.addEvent(partsOf('before'))
    expect(encoder.addEvent(partsOf(text))).toBe(measureLine(partsOf(text)))
    expect(encoder.byteLength).toBe(length + measureLine(partsOf(text)))
    encoder.backTo(length)
    expect(provenLines(encoder)).toMatchObject([{ payload: { text: 'before' } }])
  }
})

it('a time with any character changed or missing, or more around it, is refused', () => {
  const good = '2026-01-31T12:34:56.789Z'
  const wrong = { code: 'ERR_ARG' }
  expect(() => assertTime(good)).not.toThrow()
  for (let at = 0; at < good.length; at++) {
    const [before, after] = [good.slice(0, at), good.slice(at + 1)]
    for (const bad of [`${before}x${after}`, before + after, `${before}0${good.slice(at)}`]) {
      expect(() => assertTime(bad), bad).toThrow(expect.objectContaining(wrong))
    }
  }
  for (const bad of [`0${good}`, `${good} `, `\n${good}`, `${good}\n`]) {
    expect(() => assertTime(bad), bad).toThrow(expect.objectContaining(wrong))
  }
})
