// What is no event is refused by what is wrong with it.

import { expect, test } from 'vitest'
import { type NewEvent, openMemoryLog } from '../../../lib/log/index.js'
import { findRefusal } from '../../../lib/log/internal.js'
import { prepareEvent } from '../../../lib/log/write/prepared-event.js'

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

test('where the kind of a log is known, known payloads and names of types are checked', () => {
  const refused = (event: NewEvent) => findRefusal(event, 'transcript')?.message
  expect(refused(SAID)).toBeUndefined()
  expect(refused({ type: 'user', payload: { content: 5 } })).toContain('"user" is invalid: content')
  expect(refused({ type: 'usr', payload: {} })).toContain('as in "acme:usr"')
  expect(refused({ type: 'acme:usr', payload: {} })).toBeUndefined()
  expect(refused({ type: 'claim_release', payload: {} })).toContain('takes no "claim_release"')
  expect(() => findRefusal({ ...SAID, type: 5 as never }, 'transcript')).toThrow(TypeError)
})

test('what was recorded earlier may have another shape, but no newer format', () => {
  const refused = (event: NewEvent) => findRefusal({ ...event, recorded: true }, 'transcript')
  expect(refused({ type: 'user', payload: { content: 5 } })).toBeUndefined()
  expect(refused({ type: 'usr', payload: {} })).toBeUndefined()
  const header = (format: unknown) => refused({ type: 'session_header', payload: { format } })
  expect([header(1), header('2')]).toEqual([undefined, undefined])
  expect(header(2)).toMatchObject({ code: 'ERR_FORMAT_TOO_NEW', details: { format: 2 } })
})

test('a payload that is made at its place must be what its type says, when it is made', () => {
  const prepare = (content: unknown) => {
    const event = { ...SAID, payloadAt: () => ({ content }) }
    return prepareEvent(event, { channel: 'transcript', redact: undefined })
  }
  expect(prepare('y').payloadJsonAt?.(0)).toBe('{"content":"y"}')
  expect(() => prepare(5).payloadJsonAt?.(0)).toThrow('"user" is invalid: content')
})
