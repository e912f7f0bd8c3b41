// The title of a first prompt is the same whether it is read from bytes or decoded.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnreadable, openContext, readSessionInfo } from '../../../lib/store/index.js'
import { runs } from '../../helpers/effort.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('fix', 'the', 'login', 'page!', '{a}', '~', "don't") },
  { weight: 1, arbitrary: fc.constantFrom('"it"', 'a\\b', 'né', '🦜', '\u007f', '\u0007', '日本') },
)
const blank = fc.oneof(
  { weight: 12, arbitrary: fc.constant(' ') },
  { weight: 1, arbitrary: fc.constantFrom('  ', '\n', '\t', '', '\u2028') },
)
const prompt = fc
  .array(fc.tuple(word, blank), { minLength: 1, maxLength: 60 })
  .map((parts) => parts.flat().join(''))

/** The definition of a title. */
function titleOf(text: string): string {
  const characters = [...text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()]
  return characters.length <= 80 ? characters.join('') : `${characters.slice(0, 79).join('')}…`
}

test('the first prompt is the title, however it is spelled', (t) => {
  const root = temporaryFolder(t)
  const check = (text: string) => {
    fc.pre(titleOf(text) !== '')
    const digest = readSessionInfo(openContext(), new Transcript('a').say(text).save(root))
    expect(isUnreadable(digest) || digest.title).toBe(titleOf(text))
  }
  fc.assert(fc.property(prompt, check), { numRuns: runs(2000) })
})

test('a plain prompt of about 80 characters is cut only where it must be', (t) => {
  const root = temporaryFolder(t)
  for (const length of [79, 80, 81, 82, 83]) {
    for (const end of ['x', ' ', ' x', '  ']) {
      const text = `${'word '.repeat(20).slice(0, length - end.length)}${end}`
      const digest = readSessionInfo(openContext(), new Transcript('a').say(text).save(root))
      expect(isUnreadable(digest) || digest.title).toBe(titleOf(text))
    }
  }
})
