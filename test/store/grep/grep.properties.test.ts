// Searching by bytes must find what parsing every line finds: with random lines, spelled by random
// writers, for random patterns.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grepStore } from '../../../lib/free-functions.js'
import type { GrepOptions } from '../../../lib/store/index.js'
import { BytesFinder } from '../../../lib/store/prefilter/find-bytes.js'
import { findRequiredLiteral } from '../../../lib/store/prefilter/required-literal.js'
import { runs } from '../../helpers/effort.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFile } from '../../helpers/temporary.js'

// Few characters, so that patterns occur; among them those that have several spellings.
const character = fc.constantFrom(
  'a',
  'b',
  'B',
  'k',
  '\u212a',
  '"',
  '\\',
  '/',
  '\n',
  'é',
  'É',
  '漢',
  '😀',
  '\u2028',
  '.',
)
const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''))

/** A writer that spells some characters by their numbers, and the slash with a backslash. */
function foreignSpelling(content: string, oddness: number): string {
  let spelled = ''
  for (let at = 0; at < content.length; at++) {
    const unit = content[at]!
    const code = content.charCodeAt(at)
    const isOdd = (code + at + oddness) % 3 === 0
    if (unit === '/' && isOdd) spelled += '\\/'
    else if (isOdd || (code >= 0xd800 && code < 0xe000)) {
      spelled += `\\u${code.toString(16).padStart(4, '0')}`
    } else spelled += JSON.stringify(unit).slice(1, -1)
  }
  return `{"type":"user","uuid":"f","payload":{"content":"${spelled}"}}\n`
}

const written = fc.record({ content: text, oddness: fc.option(fc.nat(2), { nil: undefined }) })

test('searching bytes finds what parsing finds, for any spelling', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { maxLength: 8 }),
      text,
      fc.boolean(),
      async (lines, pattern, ignoreCase) => {
        const bytes = lines.map(({ content, oddness }, index) =>
          oddness === undefined
            ? line('user', { uuid: id(index), payload: { content } })
            : Buffer.from(foreignSpelling(content, oddness)),
        )
        const path = temporaryFile(t, 's.jsonl', Buffer.concat(bytes))
        const found: number[] = []
        const options: GrepOptions = { files: [path], pattern, ignoreCase, syntax: 'literal' }
        for await (const { lineNumber } of grepStore(options)) found.push(lineNumber)
        const fold = (value: string) => (ignoreCase ? value.toLowerCase() : value)
        const expected = lines.flatMap(({ content }, index) =>
          fold(content).includes(fold(pattern)) ? [index + 1] : [],
        )
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('a needle is found where Buffer.indexOf finds it, in common and in rare bytes', () => {
  const bytes = fc.array(fc.constantFrom(97, 98, 99, 10, 200), { minLength: 5000, maxLength: 6000 })
  fc.assert(
    fc.property(
      bytes,
      fc.nat(5000),
      fc.integer({ min: 1, max: 300 }),
      fc.nat(),
      (data, at, length, from) => {
        const buffer = Buffer.from(data)
        const wanted = Buffer.from(buffer.subarray(at, at + length))
        if (wanted.length === 0) return
        // With and without a byte that the data do not have.
        for (const needle of [wanted, Buffer.from([...wanted, 201])]) {
          const start = from % buffer.length
          expect(new BytesFinder(needle).find(buffer, start)).toBe(buffer.indexOf(needle, start))
          expect(new BytesFinder(needle).find(buffer, 0)).toBe(buffer.indexOf(needle))
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test.for([
  ['foo.ts', 'foo'],
  ['a{2,3}bc', 'bc'],
  ['colou?r', 'colo'],
  ['(abc|d)efg', ''],
  ['(abc)efg', 'efg'],
  ['[abc]+ error', ' error'],
  ['[]x]yz', 'yz'],
  ['exit \\d+ of', 'exit '],
  ['a\\.b\\/c', 'a.b/c'],
  ['(?i)abc', ''],
  ['ab+c', 'ab'],
  ['x{,5}y', 'x{,5'],
] as const)('every match of %s contains %j', ([pattern, literal]) => {
  const found = findRequiredLiteral(pattern)
  expect(literal.includes(found)).toBe(true)
  expect(found.length).toBeGreaterThanOrEqual(literal === '' ? 0 : literal.length - 2)
})

test('every match of a random expression contains its required literal', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    'ab',
    '.',
    '[ab]',
    '[^a]',
    '(ab)',
    '(a+b)',
    '\\.',
    '\\w',
    '^',
    '$',
  )
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,1}', '{1,}', '*?', '+?')
  const expression = fc
    .array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.map(([one, times]) => one + ('^$'.includes(one) ? '' : times)).join(''))
  const subject = fc
    .array(fc.constantFrom('a', 'b', '.', 'c'), { maxLength: 12 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(expression, subject, (pattern, value) => {
      const match = new RegExp(pattern).exec(value)
      if (match !== null) expect(match[0]).toContain(findRequiredLiteral(pattern))
    }),
    { numRuns: runs(2000) },
  )
})
