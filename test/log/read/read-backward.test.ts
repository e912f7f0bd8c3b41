// Backwards must be forwards in reverse, whatever the file holds and wherever the chunks fall.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../../lib/log/entry.js'
import {
  readLogBackward,
  readLogBackwardSync,
  readLogSync,
} from '../../../lib/log/read/read-log.js'
import { collect } from '../../helpers/collect.js'
import { damagedFile, SMALL_LINE_BYTES_MAX } from '../../helpers/damaged-files.js'
import { runs } from '../../helpers/effort.js'
import { id, line } from '../../helpers/lines.js'
import { memoryFolder, temporaryFile } from '../../helpers/temporary.js'

const chunk = fc.integer({ min: 16, max: 4096 })

test('backwards is forwards in reverse, on any file, with any chunk size', async (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  const lineBytesMax = fc.constantFrom(undefined, SMALL_LINE_BYTES_MAX)
  await fc.assert(
    fc.asyncProperty(damagedFile, chunk, chunk, lineBytesMax, async (bytes, a, b, lineBytesMax) => {
      writeFileSync(path, bytes)
      const forward = [...readLogSync(path, { sizes: { chunkBytes: a, lineBytesMax } })]
      const sizes = { chunkBytes: b, lineBytesMax }
      const backward = [...readLogBackwardSync(path, { sizes })]
      expect(backward.reverse()).toEqual(forward.map(withoutLineNumbers))
      expect((await collect(readLogBackward(path, { sizes }))).reverse()).toEqual(backward)
    }),
    { numRuns: runs(500) },
  )
})

test('lazily parsed payloads equal eagerly parsed ones, on any file', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  fc.assert(
    fc.property(damagedFile, chunk, (bytes, chunkBytes) => {
      writeFileSync(path, bytes)
      const sizes = { chunkBytes }
      const atOnce = [...readLogBackwardSync(path, { sizes })]
      // All of the file is read before the first payload is looked at.
      const later = [...readLogBackwardSync(path, { sizes, lazyPayloads: true })]
      expect(later.map(withoutExtras)).toEqual(atOnce.map(withoutExtras))
    }),
    { numRuns: runs(500) },
  )
})

test('a payload is parsed once, and a spread or stringified event holds it', (t) => {
  const path = temporaryFile(t, 'log.jsonl', line('user', { payload: { content: 'ä' } }))
  const [entry] = readLogBackwardSync(path, { lazyPayloads: true })
  if (entry?.kind !== 'event') throw new Error('No event')
  expect(entry.event.payload).toBe(entry.event.payload)
  expect({ ...entry.event }.payload).toEqual({ content: 'ä' })
  expect(JSON.parse(JSON.stringify(entry.event)).payload).toEqual({ content: 'ä' })
})

test('a part of a file is the same part in both directions', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  const share = fc.double({ min: 0, max: 1.1, noNaN: true })
  fc.assert(
    fc.property(damagedFile, chunk, share, share, fc.boolean(), (...drawn) => {
      const [bytes, chunkBytes, start, stop, isAtLine] = drawn
      writeFileSync(path, bytes)
      // Half of the time exactly where a line starts, which chance alone would seldom hit.
      const inside = Math.floor(bytes.length * start)
      const from = isAtLine ? bytes.lastIndexOf(0x0a, inside) + 1 : inside
      const to = Math.floor(bytes.length * stop)
      const options = { from, to, sizes: { chunkBytes, lineBytesMax: SMALL_LINE_BYTES_MAX } }
      const forward = [...readLogSync(path, options)]
      expect([...readLogBackwardSync(path, options)].reverse()).toEqual(
        forward.map(withoutLineNumbers),
      )
    }),
    { numRuns: runs(500) },
  )
})

test('only the end is read when only the end is wanted', (t) => {
  const lines = Array.from({ length: 5000 }, (_, n) => line('user', { uuid: id(n) }))
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat(lines))
  const [last] = readLogBackwardSync(path)
  expect(last).toMatchObject({ kind: 'event', event: { uuid: id(4999) } })
  expect(last).not.toHaveProperty('line_number')
})

test('a frozen end hides what was appended after it', (t) => {
  const [a, b] = [line('user', { uuid: 'a' }), line('user', { uuid: 'b' })]
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([a, b]))
  const entries = [...readLogBackwardSync(path, { to: a.length })]
  expect(entries).toMatchObject([{ kind: 'event', event: { uuid: 'a' }, byte_offset: 0 }])
})

/** A backward reader counts no lines, so neither do its diagnostics. */
function withoutLineNumbers({ line_number: _, ...entry }: LogEntry): object {
  if (entry.diagnostics === undefined) return entry
  const diagnostics = entry.diagnostics.map(({ line_number: _, ...rest }) => rest)
  return { ...entry, diagnostics }
}

/** The envelope alone: what else stands on a line is not promised to those who read lazily. */
function withoutExtras(entry: LogEntry): unknown {
  if (entry.kind !== 'event') return entry
  const { type, ts, uuid, prev_uuid, payload } = entry.event
  return { ...entry, event: { type, ts, uuid, prev_uuid, payload } }
}
