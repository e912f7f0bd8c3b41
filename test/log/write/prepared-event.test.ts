// What is no event is refused by what is wrong with it.

import { expect, test } from 'vitest'
import { type NewEvent, openMemoryLog } from '../../../lib/log/index.js'

const SAID: NewEvent = { type: 'user', payload: { content: 'x' } }
const log = () => openMemoryLog('x')
const refusal = (changes: object) => {
  try {
    return log().appendSync({ ...SAID, ...changes })
  } catch (error) {
    return error
  }
}

test('a payload is an object', () => {
  for (const payload of [null, undefined, 'text', 5, true, [], () => {}]) {
    expect(refusal({ payload })).toMatchObject({ code: 'ERR_ARG', details: { type: 'user' } })
  }
  class Named {}
  expect(refusal({ payload: new Named() })).toMatchObject({
    code: 'ERR_SERIALIZE',
    message: expect.stringContaining('an instance of Named') as string,
    details: { type: 'user' },
  })
})

test('a payload that is made at its place is checked like any other', () => {
  const placed = (payload: unknown) => refusal({ payloadAt: () => payload })
  expect(placed({ permissions: ['all'] })).toMatchObject({ code: 'ERR_PERMISSION_STATE' })
  expect(placed([])).toMatchObject({ code: 'ERR_ARG' })
  expect(placed({ content: 'y' })).toMatchObject({ byteOffset: 0 })
})

test('a type is a name', () => {
  expect(refusal({ type: 5 })).toBeInstanceOf(TypeError)
  expect((refusal({ type: 5 }) as Error).message).toContain('must be a string')
  for (const type of ['', 'A', 'a b', 'é', '1', 'x'.repeat(65)]) {
    expect(refusal({ type })).toMatchObject({ code: 'ERR_ARG' })
  }
  expect(refusal({ type: 'x'.repeat(64), payload: {} })).toMatchObject({ byteOffset: 0 })
})

test('a uuid, a link and a time are named by their field', () => {
  expect(refusal({ uuid: 'a b' })).toMatchObject({ code: 'ERR_ARG', details: { uuid: 'a b' } })
  expect(refusal({ prev_uuid: 'a b' })).toMatchObject({ details: { prev_uuid: 'a b' } })
  expect(refusal({ ts: 'yesterday' })).toMatchObject({ code: 'ERR_ARG' })
})

test('a type that was refused once is refused again, and one that was taken is taken again', () => {
  for (let round = 0; round < 3; round++) {
    expect(refusal({ type: 'permission_granted' })).toMatchObject({ code: 'ERR_PERMISSION_STATE' })
    expect(refusal({ type: 'of_somebody' })).toMatchObject({ byteOffset: 0 })
  }
})

test('a payload that holds its own offset is written for that offset', () => {
  const memory = log()
  memory.appendSync(SAID)
  const payloadAt = (byteOffset: number) => ({ content: `at ${byteOffset}` })
  const { byteOffset } = memory.appendSync({ ...SAID, payloadAt } as NewEvent)
  expect(byteOffset).toBeGreaterThan(0)
  expect(memory.entries[1]?.event.payload).toEqual({ content: `at ${byteOffset}` })
  const payload = { content: 'the same' }
  memory.appendSync({ ...SAID, payload, payloadAt: () => payload } as NewEvent)
  expect(memory.entries[2]?.event.payload).toEqual(payload)
})
