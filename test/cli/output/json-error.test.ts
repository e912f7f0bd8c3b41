import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonError } from '../../../lib/cli/output/json-error.js'

test.each([
  ['', 0],
  ['hello', 0],
  ['{"a": b}', 6],
  ['{"a" 1}', 5],
  ['{"a":1,}', 7],
  ['{a:1}', 1],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{"a":1}}', 7],
  ['{"a":01}', 6],
  ['{"a":"C:\\new\\x"}', 12],
  ['{"a":"one\ntwo"}', 9],
  ["{'a':1}", 1],
  ['{"a":[1}', 7],
])('%j stops being JSON at %i', (text, position) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(findJsonError(text)).toBe(position)
})

test('JSON that was cut is wrong at its end, or where the last word began', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const cut = text.slice(0, at % (text.length + 1))
      if (isJson(cut)) return
      const position = findJsonError(cut)
      // A number, a word or an escape that was cut in the middle has its start, or its first digit.
      expect(cut.length - position).toBeLessThanOrEqual(6)
      expect(cut.slice(position)).toMatch(/^(?:[-+.eE0-9]*|[a-z]{0,5}|\\[u0-9a-fA-F]{0,5})$/)
    }),
  )
})

test('a string of 20 MB is no obstacle on the way to the mistake', () => {
  const before = `{"a":"${'x'.repeat(10e6)}${'\\n'.repeat(5e6)}",`
  expect(findJsonError(`${before}}`)).toBe(before.length)
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
