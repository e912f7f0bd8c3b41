import { expect, test } from 'vitest'
import { decodeLine } from '../../lib/format/index.js'
import { play } from './notation.js'

test('the bytes of a test history decode to its events at the stated offsets', () => {
  const history = play(['m 1..6', 'compact S keep 5..6', 'm 7', 'damage 4', 'copy 2', 'revise S x'])
  const { bytes } = history
  expect(bytes.length).toBe(history.size)
  for (const { event, byte_offset, isDamaged } of history.lines) {
    const [part] = decodeLine(bytes, byte_offset, bytes.indexOf('\n', byte_offset))
    if (isDamaged) expect(part).toMatchObject({ kind: 'damage' })
    else expect(part).toMatchObject({ kind: 'event', checksum: 'valid', event })
  }
})
