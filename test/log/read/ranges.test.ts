// A part of a log is that part for everybody who reads it, and nothing beyond the file.

import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { openMemoryLog, readLogBackwardSync, readLogSync } from '../../../lib/log/index.js'
import { undecodedLines } from '../../../lib/log/read/read-log.js'
import { countNewlines, scanLog } from '../../../lib/log/read/scan.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const lines = ['a', 'b', 'c', 'd'].map((uuid) => line('user', { uuid }))
const { length } = lines[0]!
const path = () => {
  const at = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(at, Buffer.concat(lines))
  return at
}

const RANGES: [object, string][] = [
  [{}, 'abcd'],
  [{ from: 0, to: 2 * length }, 'ab'],
  [{ from: length, to: 3 * length }, 'bc'],
  [{ from: length + 1 }, 'cd'],
  [{ to: 3 * length + 5 }, 'abc'],
  [{ from: 3 * length, to: 100 * length }, 'd'],
  [{ from: 50 * length, to: 100 * length }, ''],
  [{ to: 0 }, ''],
]

test.each(RANGES)('%j', (range, uuids) => {
  const file = path()
  const read = (entries: Iterable<{ kind: string; event?: { uuid: string } }>) =>
    [...entries].flatMap(({ event }) => (event === undefined ? [] : [event.uuid])).join('')
  expect(read(readLogSync(file, range) as Iterable<never>)).toBe(uuids)
  const reversed = [...uuids].reverse().join('')
  expect(read(readLogBackwardSync(file, range) as Iterable<never>)).toBe(reversed)
  let scanned = ''
  scanLog(file, ({ uuid }) => (scanned += uuid), range)
  expect(scanned).toBe(uuids)
  const fd = openSync(file, 'r')
  onTestFinished(() => closeSync(fd))
  const log = { path: file, fd, size: fstatSync(fd).size, fs: systemEnvironment.fs }
  for (const isBackward of [false, true]) {
    const walked = [...undecodedLines(log, { ...range, isBackward })].length
    const cut = 'to' in range && (range.to as number) % length === 5 ? 1 : 0
    expect(walked).toBe(uuids.length + cut)
  }
})

test('newlines are counted in a part, and not beyond the end', () => {
  const file = path()
  const counts = [
    countNewlines(file, systemEnvironment),
    countNewlines(file, systemEnvironment, length),
    countNewlines(file, systemEnvironment, 0, length - 1),
    countNewlines(file, systemEnvironment, length, 3 * length),
    countNewlines(file, systemEnvironment, length, 100 * length),
    countNewlines(file, systemEnvironment, 3 * length, length),
  ]
  expect(counts).toEqual([4, 3, 0, 2, 3, 0])
})

test('reading a log in memory sees what was there when it began', async () => {
  const log = openMemoryLog('x')
  log.appendSync({ type: 'user', payload: { content: 'x' } })
  let count = 0
  for await (const entry of log.read()) {
    expect(entry.kind).toBe('event')
    if (++count < 5) log.appendSync({ type: 'user', payload: { content: 'y' } })
  }
  expect(count).toBe(1)
  await log[Symbol.asyncDispose]()
  expect(() => log.appendSync({ type: 'user', payload: {} as never })).toThrow(
    expect.objectContaining({ code: 'ERR_CLOSED', details: { path: log.path } }) as Error,
  )
})
