// A search that goes past lines by their ends must stop at the same ones as a look at each of them.

import { closeSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { openForReading, prefilteredLines } from '../../../lib/log/internal.js'
import { runs } from '../../helpers/effort.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFile } from '../../helpers/temporary.js'

const NEEDLE = 'xyx'
const LINE_BYTES_MAX = 300
const OURS = /^\{"type":".*,"crc":"[0-9a-f]{8}"\}$/

const content = fc.array(fc.constantFrom('x', 'y', NEEDLE, 'é', ' '.repeat(40)), { maxLength: 6 })
const ours = content.map((parts) => {
  return line('user', { uuid: id(1), payload: { content: parts.join('') } })
    .toString()
    .slice(0, -1)
})
const one = fc.oneof(
  { weight: 4, arbitrary: ours },
  // Not ours by a digit, by the beginning, by the end, or at all; and one that is too long.
  ours.map((text) => text.replace(/.."\}$/, 'G0"}')),
  ours.map((text) => text.slice(1)),
  ours.map((text) => text.slice(0, -1)),
  content.map((parts) => parts.join('')),
  fc.constantFrom('', '{"type":"', '"}', ',"crc":"01234567"}', '{"type":","crc":"01234567"}'),
  ours.map((text) => text.padStart(LINE_BYTES_MAX + 1, 'x')),
)

test('a search goes past our lines, and stops where the text is and where it may be spelled otherwise', (t) => {
  const property = fc.property(
    fc.array(one, { minLength: 1, maxLength: 12 }),
    fc.boolean(),
    fc.integer({ min: 20, max: 200 }),
    (texts, isEnded, chunkBytes) => {
      const path = temporaryFile(t, 's.jsonl', texts.join('\n') + (isEnded ? '\n' : ''))
      const log = openForReading(path, systemEnvironment)
      const asked: number[] = []
      const found: number[] = []
      const finder = {
        find: (bytes: Buffer, from: number) => bytes.indexOf(NEEDLE, from),
        mayHold: ({ line_number }: { line_number: number | undefined }) => {
          asked.push(line_number!)
          return false
        },
      }
      const sizes = { chunkBytes, lineBytesMax: LINE_BYTES_MAX }
      for (const { line } of prefilteredLines(log, finder, { sizes })) found.push(line.line_number!)
      closeSync(log.fd)
      const lines = isEnded || texts.at(-1) !== '' ? texts : texts.slice(0, -1)
      const numbers = (isWanted: (text: string) => boolean) =>
        lines.flatMap((text, index) => (isWanted(text) ? [index + 1] : []))
      const isLong = (text: string) => Buffer.byteLength(text) > LINE_BYTES_MAX
      const isHit = (text: string) => isLong(text) || text.includes(NEEDLE)
      expect(found).toEqual(numbers(isHit))
      expect(asked).toEqual(numbers((text) => !isHit(text) && !OURS.test(text)))
    },
  )
  fc.assert(property, { numRuns: runs(300) })
})
