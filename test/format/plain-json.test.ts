// What JSON.stringify would lose is refused, with the path to it.

import { expect, it } from 'vitest'
import {
  assertNoPermissionState,
  NEVER_WRITTEN,
  shownJson,
  stringifyPayload,
  tolerantJson,
  toPlainLines,
  WRITE_LINE_BYTES_MAX,
  withinDepth,
} from '../../lib/format/index.js'

const refusal = (payload: object) => {
  try {
    stringifyPayload(payload)
    return undefined
  } catch (error) {
    return error as Error & { code: string }
  }
}

it.each([
  ['undefined in an array', { a: [1, undefined] }, /a.*1/],
  ['a function', { a: { b: () => {} } }, /a\.b/],
  ['NaN', { a: [{ b: Number.NaN }] }, /NaN/],
  ['an invalid Date', { at: new Date(Number.NaN) }, /invalid Date/],
  ['a Map', { map: new Map() }, /Map/],
  ['an instance of a class without a name', { x: new (class {})() }, /a class/],
  ['a cycle', cycle(), /nesting/],
])('%s is refused', (_, payload, message) => {
  expect(refusal(payload)).toMatchObject({
    code: 'ERR_SERIALIZE',
    message: expect.stringMatching(message) as string,
  })
})

it('a permission ledger is refused at any depth, by its own name', () => {
  class Ledger {
    readonly [NEVER_WRITTEN] = true
  }
  expect(refusal({ a: [{ ledger: new Ledger() }] })).toMatchObject({ code: 'ERR_PERMISSION_STATE' })
})

it('a value that throws when it is serialised is reported with its cause', () => {
  const inner = {}
  const toJSON = () => {
    throw new Error('no')
  }
  Object.defineProperty(inner, 'toJSON', { enumerable: false, value: toJSON })
  expect(refusal({ inner })).toMatchObject({ code: 'ERR_SERIALIZE', cause: { message: 'no' } })
})

// Requirement: 003-86
it('a payload that would be written as something else than its own fields is refused', () => {
  const payload = { content: 'x' }
  Object.defineProperty(payload, 'toJSON', { value: () => ({ permissions: ['all'] }) })
  expect(refusal(payload)).toMatchObject({ code: 'ERR_SERIALIZE' })
})

it('text beyond what a line may hold is refused before it is copied', () => {
  const text = 'x'.repeat(WRITE_LINE_BYTES_MAX)
  expect(refusal({ text, more: 'x' })?.code).toBe('ERR_LINE_TOO_LARGE')
  expect(refusal({ list: ['x', text] })?.code).toBe('ERR_LINE_TOO_LARGE')
})

it('absent members, dates and objects without a prototype are plain', () => {
  const bare = Object.assign(Object.create(null) as object, { a: 1 })
  const at = new Date(0)
  expect(stringifyPayload({ none: undefined, at, bare, yes: true, no: null })).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","bare":{"a":1},"yes":true,"no":null}',
  )
})

it('permission state is refused however many other keys were seen before', () => {
  for (let number = 0; number < 1100; number++)
    assertNoPermissionState('t', { [`key_${number}`]: 1 })
  for (const key of ['permissions', 'allowedTools', 'trust_level']) {
    expect(() => assertNoPermissionState('t', { [key]: 1 })).toThrow(/never written/)
  }
  expect(() => assertNoPermissionState('approval_given', {})).toThrow(/never written/)
  expect(() => assertNoPermissionState('tool_result', {})).not.toThrow()
})

it('plain lines keep their indentation and lose blank ends', () => {
  expect(toPlainLines('\n\n  a\u0007\n\n\tb  \r\n\n')).toEqual(['  a', '', '\tb'])
  expect(toPlainLines(' \n\u200b\n')).toEqual([])
})

it('of a value of any depth something is shown, and only its depth is forgiven', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  expect(shownJson(deep)).toBe('[nested too deep to show]')
  expect(shownJson({ a: [1] })).toBe('{"a":[1]}')
  expect(shownJson(undefined)).toBe('')
  expect(() => shownJson(cycle())).toThrow(TypeError)
})

it('JSON for programs is whole, but for words where it nests deeper than the stack', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  const value = { a: [1, null], __proto__: null, deep }
  const told = tolerantJson(value)
  expect(told.match(/nested too deep to show/g)).toHaveLength(1)
  expect(JSON.parse(told)).toMatchObject({ a: [1, null] })
  expect(tolerantJson({ a: { b: 1 } })).toBe('{"a":{"b":1}}')
  expect(() => tolerantJson(cycle())).toThrow(TypeError)
})

it('what a writer takes is within the depth, and the same object; what is deeper is copied', () => {
  const deepest: object = JSON.parse(`{"payload":${'['.repeat(512)}${']'.repeat(512)}}`)
  expect(withinDepth(deepest)).toBe(deepest)
  const deep = { a: { b: [{ c: 1 }] }, d: [] }
  expect(withinDepth(deep, 3)).toEqual({ a: { b: ['[nested too deep to show]'] }, d: [] })
  expect(deep.a.b).toEqual([{ c: 1 }])
  expect(withinDepth(deep, 4)).toBe(deep)
})

function cycle(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}
