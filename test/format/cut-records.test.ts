// Several records on one line of which more than one was cut short. A record that is part of the
// payload of another one is no event, also where that other one is not whole.

import { expect, test } from 'vitest'
import { decodeLine } from '../../lib/format/index.js'

const cutInText = '{"type":"user","ts":"1","uuid":"a","prev_uuid":null,"payload":{"text":"op'
const cutInNumber = '{"type":"user","ts":"1","uuid":"a","prev_uuid":null,"payload":{"n":1'
const holding = '{"type":"tool_result","ts":"1","uuid":"b","prev_uuid":null,"payload":'
const whole = (uuid: string, type = 'user') => `{"type":"${type}","ts":"1","uuid":"${uuid}"}`

/** The uuids of events, and the bytes of what is damage. */
function readLine(...pieces: readonly string[]): string[] {
  const bytes = Buffer.from(pieces.join(''))
  return decodeLine(bytes, 0, bytes.length).map((part) =>
    part.kind === 'event' ? part.event.uuid : bytes.toString('utf8', part.start, part.end),
  )
}

test.each([
  ['inside a text', cutInText],
  ['inside a number', cutInNumber],
  ['at once', '{"type":"user","ts":"1",'],
])('a payload of a record that was cut behind it stays damage, after one cut %s', (_, cut) => {
  expect(readLine(cut, holding, whole('inner'))).toEqual([cut + holding + whole('inner')])
  expect(readLine(cut, holding, whole('inner'), whole('c'))).toEqual([
    cut + holding + whole('inner'),
    'c',
  ])
})

test('behind records that were cut inside a text the whole ones are found', () => {
  expect(readLine(cutInText, cutInText, whole('c'))).toEqual([cutInText + cutInText, 'c'])
  expect(readLine(cutInText, cutInNumber, whole('c'), whole('d'))).toEqual([
    cutInText + cutInNumber,
    'c',
    'd',
  ])
})

test('a record whose type has one letter is found as well', () => {
  expect(readLine('half', whole('c', 't'))).toEqual(['half', 'c'])
})
