// What is found by its bytes in blocks is what is found by looking at each line.

import { closeSync, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { NEWLINE, READ_LINE_BYTES_MAX } from '../../../lib/format/index.js'
import { ChecksumPolicy } from '../../../lib/log/read/decode-entry.js'
import type { Line } from '../../../lib/log/read/forward-lines.js'
import { readEventAt } from '../../../lib/log/read/open-for-reading.js'
import { prefilteredLines } from '../../../lib/log/read/prefiltered-lines.js'
import { KnownUuids } from '../../../lib/log/write/uuid-lookup.js'
import { damagedFile } from '../../helpers/damaged-files.js'
import { runs } from '../../helpers/effort.js'
import { foreignLine, id, line } from '../../helpers/lines.js'
import { memoryFolder, temporaryFile } from '../../helpers/temporary.js'

const NEEDLE = Buffer.from('00000000-0000-4000-8000-0000000000')

function holds({ bytes, start, end }: Pick<Line, 'bytes' | 'start' | 'end'>): boolean {
  return bytes.subarray(start, end).includes(NEEDLE)
}

function openedLog(t: TestContext, path: string) {
  const fd = openSync(path, 'r')
  t.onTestFinished(() => closeSync(fd))
  return { path, fd, size: fstatSync(fd).size, fs: systemEnvironment.fs }
}

/** By looking at each line, one after the other. */
function offsetsByLine(bytes: Buffer): number[] {
  const offsets: number[] = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline === -1 ? bytes.length : newline
    if (holds({ bytes, start, end })) offsets.push(start)
    start = end + 1
  }
  return offsets
}

test('lines are found in any file, with any chunk size, with a finder and without', (t) => {
  const path = join(memoryFolder(t), 'log.jsonl')
  const find = (bytes: Buffer, from: number) => bytes.indexOf(NEEDLE, from)
  fc.assert(
    fc.property(damagedFile, fc.integer({ min: 1, max: 3000 }), (bytes, chunkBytes) => {
      writeFileSync(path, bytes)
      const fd = openSync(path, 'r')
      const log = { path, fd, size: bytes.length, fs: systemEnvironment.fs }
      const expected = offsetsByLine(bytes)
      for (const finder of [{ find, mayHold: holds }, { mayHold: holds }]) {
        const found = [...prefilteredLines(log, finder, { sizes: { chunkBytes } })]
        expect(found.length).toBe(expected.length)
        const offsets: number[] = []
        for (const { line } of prefilteredLines(log, finder, { sizes: { chunkBytes } })) {
          offsets.push(line.byte_offset)
        }
        expect(offsets).toEqual(expected)
      }
      closeSync(fd)
    }),
    { numRuns: runs(200) },
  )
})

test('of lines as ours only the finder is asked, of others the line', (t) => {
  const bytes = Buffer.concat([line('user'), foreignLine({ other: 1 }), line('user')])
  const log = openedLog(t, temporaryFile(t, 'log.jsonl', bytes))
  const asked: number[] = []
  const mayHold = ({ byte_offset }: Line) => asked.push(byte_offset) === 0
  expect([...prefilteredLines(log, { find: () => -1, mayHold })]).toEqual([])
  expect(asked).toEqual([line('user').length])
})

test('a search that is aborted ends with its reason', (t) => {
  const log = openedLog(t, temporaryFile(t, 'log.jsonl', line('user')))
  const signal = AbortSignal.abort(new Error('enough'))
  expect(() => [...prefilteredLines(log, { mayHold: holds }, { signal })]).toThrow('enough')
})

test('an event is read by its place, however long its line is, and from nowhere else', (t) => {
  const long = line('user', { uuid: id(2), payload: { content: 'x'.repeat(50_000) } })
  const torn = Buffer.from('{"type":"user","uu')
  const bytes = Buffer.concat([line('user'), long, Buffer.from('junk\n'), torn])
  const log = openedLog(t, temporaryFile(t, 'log.jsonl', bytes))
  const first = line('user').length
  expect(readEventAt(log, 0)?.uuid).toBe(id(1))
  expect(readEventAt(log, first)?.uuid).toBe(id(2))
  expect(readEventAt(log, first)?.payload).toEqual({ content: 'x'.repeat(50_000) })
  const behind = first + long.length
  for (const nowhere of [1, behind, behind + 5, bytes.length, bytes.length + 1]) {
    expect(readEventAt(log, nowhere)).toBeUndefined()
  }
  // An event without its newline is whole; one that stands behind padding starts later.
  const odd = temporaryFile(t, 'odd.jsonl', line('user').subarray(0, -1))
  expect(readEventAt(openedLog(t, odd), 0)?.uuid).toBe(id(1))
  const padded = temporaryFile(t, 'padded.jsonl', Buffer.concat([Buffer.from(' '), line('user')]))
  expect(readEventAt(openedLog(t, padded), 0)).toBeUndefined()
  expect(readEventAt(openedLog(t, padded), 1)?.uuid).toBe(id(1))
})

test('a uuid is known only while its line says so', (t) => {
  const bytes = Buffer.concat([line('user'), line('user', { uuid: id(2) })])
  const path = temporaryFile(t, 'log.jsonl', bytes)
  const log = openedLog(t, path)
  const known = new KnownUuids(log, {
    isWhole: true,
    reachBytes: Number.POSITIVE_INFINITY,
    environment: systemEnvironment,
  })
  expect(known.find(id(1), log.size)).toMatchObject({ byte_offset: 0, event: { uuid: id(1) } })
  expect(known.find(id(3), log.size)).toBeUndefined()
  writeFileSync(path, Buffer.concat([line('user', { uuid: id(2) }), line('user')]))
  expect(known.find(id(1), log.size)).toBeUndefined()
  const near = new KnownUuids(log, {
    isWhole: true,
    reachBytes: 10 + line('user').length,
    environment: systemEnvironment,
  })
  expect(near.find(id(1), log.size), 'the last line').toMatchObject({
    byte_offset: line('user').length,
  })
  expect(near.find(id(2), log.size), 'before what is indexed').toMatchObject({ byte_offset: 0 })
})

test('a file counts as checksummed from its first checksum-verified line on', (t) => {
  const foreign = foreignLine({ type: 'user', uuid: id(1) })
  const path = temporaryFile(t, 'log.jsonl', foreign)
  const checksums = new ChecksumPolicy(false)
  expect(checksums.isChecksummed(openedLog(t, path))).toBe(false)
  // A torn line is looked at again when it has become whole.
  writeFileSync(path, Buffer.concat([foreign, line('user').subarray(0, 50)]))
  expect(checksums.isChecksummed(openedLog(t, path))).toBe(false)
  writeFileSync(path, Buffer.concat([foreign, line('user')]))
  expect(checksums.isChecksummed(openedLog(t, path))).toBe(true)
  expect(
    checksums.isChecksummed({ path, fd: -1, size: 0, fs: systemEnvironment.fs }),
    'once and for all',
  ).toBe(true)
  const policy = new ChecksumPolicy(false)
  policy.noteValid()
  expect(policy.isChecksummed({ path, fd: -1, size: 0, fs: systemEnvironment.fs })).toBe(true)
  const shrunken = new ChecksumPolicy(false)
  const log = openedLog(t, temporaryFile(t, 'short.jsonl', foreign))
  expect(shrunken.isChecksummed({ ...log, size: 10_000 })).toBe(false)
})

test('a line that no memory should hold proves nothing', (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const fd = openSync(path, 'r+')
  ftruncateSync(fd, READ_LINE_BYTES_MAX + 2)
  closeSync(fd)
  expect(new ChecksumPolicy(false).isChecksummed(openedLog(t, path))).toBe(false)
})
