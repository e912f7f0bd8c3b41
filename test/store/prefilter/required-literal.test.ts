// The text that every match of a pattern holds. Each row is also tried: what the pattern matches
// must hold the text, or lines would be left out of a search.

import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { findRequiredLiteral } from '../../../lib/store/prefilter/required-literal.js'

const ROWS: readonly [pattern: string, literal: string, matched: string][] = [
  ['needle', 'needle', 'a needle'],
  ['a\\.b', 'a.b', 'a.b'],
  ['ab\\dcde', 'cde', 'ab7cde'],
  ['abc\\', 'abc', ''],
  ['abcd*e', 'abc', 'abce'],
  ['ab{2,3}cde', 'cde', 'abbbcde'],
  ['ab{2}', 'a', 'abb'],
  ['abc{x', 'ab', 'abc{x'],
  ['(optional)?must', 'must', 'must'],
  ['(a\\)b)rest', 'rest', 'a)brest'],
  ['(one(two)three)rest', 'rest', 'onetwothreerest'],
  ['(one[)]two)rest', 'rest', 'one)tworest'],
  ['(never closed', '', ''],
  ['[abc]def', 'def', 'adef'],
  ['[^a]bcd', 'bcd', 'xbcd'],
  ['[]x]bcd', 'bcd', ']bcd'],
  ['[a\\]b]cde', 'cde', ']cde'],
  ['[[:alpha:]_]cde', 'cde', 'xcde'],
  ['[[:alpha', '', ''],
  ['[[x]cde', 'cde', '[cde'],
  ['one|two', '', 'two'],
  ['(?i)one', '', 'ONE'],
  ['\\Qa.b\\E', '', 'a.b'],
]

test.for(ROWS)('%j requires %j', ([pattern, literal, matched]) => {
  expect(findRequiredLiteral(pattern)).toBe(literal)
  if (matched === '') {
    expect(() => RE2JS.compile(pattern)).toThrow()
  } else {
    expect(RE2JS.compile(pattern).matcher(matched).find()).toBe(true)
    expect(matched).toContain(literal)
  }
})
