// What happens in between: files that are cut, locks that are lost, ends that fail.

import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  truncateSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type TestContext, test, vi } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { copyRange } from '../../lib/log/copy-log.js'
import {
  type LogObserver,
  openIfThere,
  openLog,
  readLog,
  readLogSync,
  WholeFile,
} from '../../lib/log/index.js'
import { lockPathOf, readLockDirectory } from '../../lib/log/lock/lock-directory.js'
import { findTip } from '../../lib/log/tip.js'
import { History } from '../chain/history.js'
import { FaultyDisk } from '../helpers/faulty-disk.js'
import { line } from '../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'

const SAID = { type: 'user', payload: { content: 'x' } } as const
const THOUGHT = { type: 'assistant', payload: { content: 'x' } } as const

function opened(t: TestContext, path: string) {
  const fd = openSync(path, 'r')
  t.onTestFinished(() => closeSync(fd))
  return { path, fd, size: fstatSync(fd).size }
}

test('a file cut off while it is read is a typed error, also where it is awaited', async (t) => {
  const path = temporaryFile(
    t,
    'log.jsonl',
    Buffer.concat(Array.from({ length: 200 }, () => line('user'))),
  )
  const entries = readLog(path, { sizes: { chunkBytes: 1000 } })
  await entries.next()
  truncateSync(path, 100)
  const rest = async () => {
    for await (const entry of entries) expect(entry.kind).toBe('event')
  }
  await expect(rest()).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
})

test('where the end of a log holds nothing of the chain, more of it is looked at', (t) => {
  const history = new History().m('1', '2')
  const content = 'x'.repeat(4000)
  for (let number = 0; number < 100; number++) {
    history.add({ type: 'custom_note', uuid: `n${number}`, prev_uuid: null, payload: { content } })
  }
  const log = opened(t, temporaryFile(t, 'log.jsonl', history.bytes))
  expect(findTip(log, 64 * 1024)).toBe('2')
  expect(findTip(opened(t, temporaryFile(t, 'empty.jsonl', '')), 64 * 1024)).toBeNull()
})

test('a stray header at the end moves no tip, and a rewind moves it where it says', (t) => {
  const history = new History()
  const content = 'x'.repeat(4000)
  for (let number = 0; number < 60; number++) {
    history.add({ type: 'user', uuid: `m${number}`, payload: { content } })
  }
  const tipOf = () => findTip(opened(t, temporaryFile(t, 'log.jsonl', history.bytes)), 64 * 1024)
  history.header('X')
  expect(tipOf()).toBe('m59')
  history.rewind('R', 'm3').m('after')
  expect(tipOf()).toBe('after')
})

test('a whole file is made durable once, and may take the place of another', (t) => {
  const path = join(temporaryFolder(t), 'new', 'file')
  const file = new WholeFile(path, { makeFolder: true })
  file.write(Buffer.from('first'))
  expect(file.size).toBe(5)
  file.seal()
  file.seal()
  file.finish()
  expect(() => new WholeFile(path)).toThrow(
    expect.objectContaining({ code: 'ERR_EXISTS' }) as Error,
  )
  const other = new WholeFile(path, { replace: true })
  other.write(Buffer.from('second'))
  expect(readFileSync(path, 'utf8')).toBe('first')
  other.finish()
  expect(readFileSync(path, 'utf8')).toBe('second')
})

test('a range is copied with a newline at its end, unless it is wanted as it is', (t) => {
  const source = opened(t, temporaryFile(t, 'source', 'abc'))
  const target = join(temporaryFolder(t), 'target')
  const fd = openSync(target, 'w')
  copyRange(source, fd, { byte_offset: 0, length: 3 }, { isVerbatim: true })
  copyRange(source, fd, { byte_offset: 1, length: 2 })
  copyRange(source, fd, { byte_offset: 0, length: 0 })
  closeSync(fd)
  expect(readFileSync(target, 'utf8')).toBe('abcbc\n')
})

test('an observer is handed an event as it was written, whatever becomes of the object', async (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const seen: Parameters<LogObserver['wrote']>[] = []
  const observer = { wrote: (...args) => seen.push(args), foreign: () => {} } as LogObserver
  const log = await openLog(path, { observer })
  const payload = { content: 'x' }
  const { uuid, byte_offset } = log.appendSync({ type: 'assistant', payload })
  await log.append(SAID)
  payload.content = 'changed'
  const [event, offset] = seen[0]!
  expect(offset).toBe(byte_offset)
  expect(event.payload).toEqual({ content: 'x' })
  expect(event.payload).toBe(event.payload)
  expect(JSON.parse(JSON.stringify(event))).toMatchObject({
    type: 'assistant',
    uuid,
    prev_uuid: null,
  })
  expect(seen[1]![0]).toMatchObject({ type: 'user', prev_uuid: uuid })
  await log.close()
})

test('an append without waiting is synced where that is due, and only there', async (t) => {
  const disk = new FaultyDisk()
  const path = join(temporaryFolder(t), 'log.jsonl')
  const log = await openLog(path, { environment: disk.environment })
  log.appendSync(THOUGHT)
  expect(disk.calls).not.toContain('fdatasyncSync')
  log.appendSync(SAID)
  expect(disk.calls.filter((call) => call === 'fdatasyncSync')).toHaveLength(1)
  await log.close()
})

test('an end that cannot look at its file says so, and lets go of the lock', async (t) => {
  const disk = new FaultyDisk()
  const path = join(temporaryFolder(t), 'log.jsonl')
  const log = await openLog(path, { environment: disk.environment })
  disk.fail({ call: 'statSync', code: 'EACCES', errno: -13 })
  await expect(log.close()).rejects.toThrow()
  await (await openLog(path, { lockTimeoutMs: 0 })).close()
})

test('what may not be opened is no file that is not there', (t) => {
  const folder = temporaryFolder(t)
  expect(openIfThere(join(folder, 'nothing'))).toBeUndefined()
  expect(() => openIfThere(folder)).toThrow(
    expect.objectContaining({ code: 'ERR_UNSAFE_PATH' }) as Error,
  )
})

test('a lease taken from outside is had back where it is free, and named where it is not', async (t) => {
  const open = async () => {
    const path = join(temporaryFolder(t), 'log.jsonl')
    const told: Diagnostic[] = []
    const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
    const log = await openLog(path, { useKernelLock: false, onDiagnostic })
    const { uuid } = await log.append(SAID)
    rmdirSync(lockPathOf(path))
    mkdirSync(join(dirname(path), 'takes the inode'))
    return { path, told, log, uuid }
  }
  const [free, taken] = [await open(), await open()]
  const thief = await openLog(taken.path, { useKernelLock: false, lockTimeoutMs: 0 })
  const code = 'ERR_LOCKED'
  await vi.waitFor(
    async () => {
      await expect(taken.log.append(SAID)).rejects.toMatchObject({ code })
    },
    { timeout: 8000, interval: 100 },
  )
  const size = () => [...readLogSync(taken.path)].length
  const before = size()
  await expect(taken.log.append(SAID)).rejects.toMatchObject({ code })
  expect(size(), 'nothing is written without the lock').toBe(before)
  await thief.close()
  await vi.waitFor(
    async () => {
      await free.log.append(THOUGHT)
      expect(free.told.map(({ code }) => code)).toEqual(['lock_compromised'])
    },
    { timeout: 8000, interval: 100 },
  )
  expect(readLockDirectory(free.path)).toBeDefined()
  const { uuid } = await free.log.append(SAID)
  const events = [...readLogSync(free.path)]
  expect(events[0]).toMatchObject({ event: { uuid: free.uuid } })
  expect(events.at(-1)).toMatchObject({ event: { uuid } })
  await free.log.close()
  await taken.log.close()
  expect(readLockDirectory(free.path)).toBeUndefined()
})
