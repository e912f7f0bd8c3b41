// A disk may give less than it was asked for, and a range may end anywhere.

import fs, { closeSync, fstatSync, openSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  indexUuids,
  openMemoryLog,
  readLog,
  readLogBackwardSync,
  readLogSync,
} from '../../../lib/log/index.js'
import { readFullySync } from '../../../lib/log/read/open-for-reading.js'
import { recoverLines } from '../../../lib/log/write/log-file.js'
import { collect } from '../../helpers/collect.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFile } from '../../helpers/temporary.js'

const NUMBERS = Array.from({ length: 40 }, (_, number) => number)
const bytes = Buffer.concat(NUMBERS.map((number) => line('user', { uuid: id(number) })))
const one = line('user').length

function opened(t: TestContext, path: string) {
  const fd = openSync(path, 'r')
  t.onTestFinished(() => closeSync(fd))
  return { path, fd, size: fstatSync(fd).size, fs: systemEnvironment.fs }
}

type Read = (fd: number, buffer: Buffer, at: number, length: number, place: number) => number
type Done = (error: Error | null, count: number) => void

/** No read of this process gives more than so many bytes, or an error. */
function limitReads(t: TestContext, limit: number | Error): void {
  const { readSync, read } = fs
  t.onTestFinished(() => {
    Object.assign(fs, { readSync, read })
    syncBuiltinESMExports()
  })
  const limited: Read = (fd, buffer, at, length, place) => {
    if (limit instanceof Error) throw limit
    return readSync(fd, buffer, at, Math.min(length, limit), place)
  }
  const later = (...[fd, buffer, at, length, place, done]: [...Parameters<Read>, Done]) => {
    if (limit instanceof Error) setImmediate(() => done(limit, 0))
    else read(fd, buffer, at, Math.min(length, limit), place, done)
  }
  Object.assign(fs, { readSync: limited, read: later })
  syncBuiltinESMExports()
}

const uuidsOf = (entries: Iterable<{ kind: string }>) =>
  [...entries].map((entry) => (entry as unknown as { event: { uuid: string } }).event.uuid)

test('a disk that gives little at a time gives the same lines', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', bytes)
  limitReads(t, 13)
  const uuids = NUMBERS.map(id)
  expect(uuidsOf(readLogSync(path))).toEqual(uuids)
  expect(uuidsOf(readLogBackwardSync(path)).reverse()).toEqual(uuids)
  expect(uuidsOf(await collect(readLog(path)))).toEqual(uuids)
  const found = Buffer.alloc(one)
  readFullySync(opened(t, path), found, { at: 0, length: one, position: one })
  expect(found).toEqual(bytes.subarray(one, 2 * one))
})

test('a disk that cannot be read is a typed error, awaited or not', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', bytes)
  limitReads(t, Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', errno: -5 }))
  const failed = expect.objectContaining({ code: 'ERR_IO' }) as Error
  expect(() => [...readLogSync(path)]).toThrow(failed)
  await expect(collect(readLog(path))).rejects.toThrow(failed)
})

test('lines are found in the given range alone, in the given order', (t) => {
  const log = opened(t, temporaryFile(t, 'log.jsonl', bytes))
  const wanted = [id(5), id(3), id(30), id(99)]
  const found = recoverLines(log, wanted, { from: 2 * one, to: 10 * one })
  expect(found.map(String)).toEqual(
    [5, 3].map((number) => String(line('user', { uuid: id(number) }))),
  )
  const cut = recoverLines(log, [id(2), id(9)], { from: 2 * one + 5, to: 10 * one - 1 })
  expect(cut).toEqual([])
})

test('a range ends with the file, and what is no place in it is refused', (t) => {
  const path = temporaryFile(t, 'log.jsonl', bytes)
  expect([...readLogSync(path, { to: 3 * one })]).toHaveLength(3)
  expect([...readLogSync(path, { to: bytes.length * 2 })]).toHaveLength(40)
  const refused = (details: object) =>
    expect.objectContaining({ code: 'ERR_ARG', details }) as Error
  expect(() => [...readLogSync(path, { to: -1 })]).toThrow(refused({ to: -1 }))
  expect(() => [...readLogSync(path, { from: 1.5 })]).toThrow(refused({ from: 1.5 }))
  expect(indexUuids(path, { from: 2 * one, to: 4 * one }).size).toBe(2)
  expect(indexUuids(path, { to: bytes.length * 2 }).size).toBe(40)
  expect(indexUuids(path, { from: bytes.length * 2 }).size).toBe(0)
})

test('a memory log returns the offset of a repeated event', async () => {
  const log = openMemoryLog('memory:log', { lineNumbers: true })
  await log.append({ type: 'user', payload: { content: 'x' } })
  const first = await log.append({ type: 'user', uuid: 'mine', payload: { content: 'y' } })
  await log.append({ type: 'user', payload: { content: 'z' } })
  const again = await log.append({ type: 'user', uuid: 'mine', payload: { content: 'y' } })
  expect(first.lineNumber).toBe(2)
  expect(again).toEqual({ ...first, duplicate: true })
  expect(log.size).toBeGreaterThan(first.byteOffset)
  await log.close()
})
