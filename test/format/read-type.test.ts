import { expect, test } from 'vitest'
import { readType } from '../../lib/format/recognise.js'

const typeOf = (text: string, end = text.length) => readType(Buffer.from(text), 0, end)

test('the type of a line is read from its first bytes, where it is spelled as we spell it', () => {
  expect(typeOf('{"type":"user","ts"')).toBe('user')
  expect(typeOf('{"ts":"","type":"user"')).toBeUndefined()
  expect(typeOf('{"type":"us\\u0065r","ts"')).toBeUndefined()
  expect(typeOf(`{"type":"${'x'.repeat(500)}","ts"`)).toBeUndefined()
  expect(typeOf('{"type":"user","ts"', 11), 'the line ends in the type').toBeUndefined()
})
