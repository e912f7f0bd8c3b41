// What happens in between: files that are cut, locks that are lost, ends that fail.

import fs, {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, type TestContext, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { type Diagnostic, READ_LINE_BYTES_MAX } from '../../../lib/format/index.js'
import { copyRange } from '../../../lib/log/files/copy-log.js'
import { openLogFile, syncFolder } from '../../../lib/log/files/open-file.js'
import { watchFile } from '../../../lib/log/follow/watch-folder.js'
import {
  AtomicFile,
  followLog,
  type LogObserver,
  openIfThere,
  openLog,
  readLog,
  readLogSync,
  writeSmallFileAtomic,
} from '../../../lib/log/index.js'
import { lockPathOf, readLockDirectory } from '../../../lib/log/lock/inspect.js'
import { lockedError } from '../../../lib/log/lock/lock-errors.js'
import { ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { findTip } from '../../../lib/log/write/find-tip.js'
import { History } from '../../chain/history.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { line, record } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'
import { type FileCall, type FileFault, watchFiles } from '../../helpers/watched-files.js'

const coded = (code: string) => expect.objectContaining({ code }) as Error
const SAID = { type: 'user', payload: { content: 'x' } } as const
const THOUGHT = { type: 'assistant', payload: { content: 'x' } } as const

function opened(t: TestContext, path: string) {
  const fd = openSync(path, 'r')
  t.onTestFinished(() => closeSync(fd))
  return { path, fd, size: fstatSync(fd).size, fs: systemEnvironment.fs }
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
  expect(findTip(log, 64 * 1024, systemEnvironment).tip).toBe('2')
  expect(
    findTip(opened(t, temporaryFile(t, 'empty.jsonl', '')), 64 * 1024, systemEnvironment).tip,
  ).toBeNull()
})

test('a stray header at the end moves no tip, and a rewind moves it where it says', (t) => {
  const history = new History()
  const content = 'x'.repeat(4000)
  for (let number = 0; number < 60; number++) {
    history.add({ type: 'user', uuid: `m${number}`, payload: { content } })
  }
  const tipOf = () =>
    findTip(opened(t, temporaryFile(t, 'log.jsonl', history.bytes)), 64 * 1024, systemEnvironment)
      .tip
  history.header('X')
  expect(tipOf()).toBe('m59')
  history.rewind('R', 'm3').m('after')
  expect(tipOf()).toBe('after')
})

test('a whole file is made durable once, and may take the place of another', (t) => {
  const path = join(temporaryFolder(t), 'new', 'file')
  const file = new AtomicFile(path, systemEnvironment, { makeFolder: true })
  file.write(Buffer.from('first'))
  expect(file.size).toBe(5)
  file.seal()
  file.seal()
  file.finish()
  expect(() => new AtomicFile(path, systemEnvironment)).toThrow(
    expect.objectContaining({ code: 'ERR_EXISTS' }) as Error,
  )
  const other = new AtomicFile(path, systemEnvironment, { replace: true })
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
  const { uuid, byteOffset } = log.appendSync({ type: 'assistant', payload })
  await log.append(SAID)
  payload.content = 'changed'
  const [event, offset] = seen[0]!
  expect(offset).toBe(byteOffset)
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

test('close() reports a stat failure and still releases the lock', async (t) => {
  const disk = new FaultyDisk()
  const path = join(temporaryFolder(t), 'log.jsonl')
  const log = await openLog(path, { environment: disk.environment })
  disk.fail({ call: 'statSync', code: 'EACCES', errno: -13 })
  await expect(log.close()).rejects.toThrow()
  await (await openLog(path, { lockTimeoutMs: 0 })).close()
})

test('a path that is not a file is an error, a missing file is undefined', (t) => {
  const folder = temporaryFolder(t)
  expect(openIfThere(join(folder, 'nothing'), systemEnvironment)).toBeUndefined()
  expect(() => openIfThere(folder, systemEnvironment)).toThrow(
    expect.objectContaining({ code: 'ERR_UNSAFE_PATH' }) as Error,
  )
})

test('a lost lease is taken back if free, else its owner is reported', async (t) => {
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
  expect(readLockDirectory(free.path, systemEnvironment.fs)).toBeDefined()
  const { uuid } = await free.log.append(SAID)
  const events = [...readLogSync(free.path)]
  expect(events[0]).toMatchObject({ event: { uuid: free.uuid } })
  expect(events.at(-1)).toMatchObject({ event: { uuid } })
  await free.log.close()
  await taken.log.close()
  expect(readLockDirectory(free.path, systemEnvironment.fs)).toBeUndefined()
})

/** Once, when that call is made on that path. */
function meanwhile(
  t: TestContext,
  path: string,
  name: string,
  what: FileFault | (() => void),
): void {
  let isDone = false
  const isIt = (call: FileCall) => !isDone && call.name === name && (call.to ?? call.path) === path
  const stop = watchFiles(dirname(path), {
    before(call) {
      if (typeof what === 'function' || !isIt(call)) return undefined
      isDone = true
      return what
    },
    after(call) {
      if (typeof what !== 'function' || !isIt(call)) return
      isDone = true
      what()
    },
  })
  t.onTestFinished(stop)
}

test('a file that loses its name while it is opened is opened anew', (t) => {
  const path = temporaryFile(t, 'log.jsonl', 'old')
  meanwhile(t, path, 'openSync', () => unlinkSync(path))
  const { fd, wasCreated } = openLogFile(path, systemEnvironment)
  expect([wasCreated, fstatSync(fd).size, fstatSync(fd).nlink]).toEqual([true, 0, 1])
  closeSync(fd)
})

test('a file that may not be made, or is no file for a moment, is a typed error', (t) => {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const refuse = (code: string, errno: number) => {
    let opens = 0
    const before = ({ name }: FileCall) =>
      name === 'openSync' && ++opens === (code === 'EMFILE' ? 2 : 1) ? { code, errno } : undefined
    return watchFiles(dirname(path), { before })
  }
  const stop = refuse('EMFILE', -24)
  expect(() => openLogFile(path, systemEnvironment)).toThrow(coded('ERR_IO'))
  stop()
  const again = refuse('ELOOP', -40)
  expect(() => openLogFile(path, systemEnvironment)).toThrow(coded('ERR_UNSAFE_PATH'))
  again()
})

test('a folder that cannot be synced by its nature is no error', (t) => {
  const path = join(temporaryFolder(t), 'folder', 'file')
  mkdirSync(dirname(path))
  meanwhile(t, dirname(path), 'fsyncSync', { code: 'EINVAL', errno: -22 })
  expect(() => syncFolder(path, systemEnvironment)).not.toThrow()
})

test('a file that another process creates at the same moment is not reported as created', (t) => {
  const path = temporaryFile(t, 'settings.json', 'old')
  meanwhile(t, path, 'renameSync', () => writeFileSync(path, 'theirs'))
  expect(() => writeSmallFileAtomic(path, 'ours', systemEnvironment)).toThrow(coded('ERR_IO'))
  expect(readFileSync(path, 'utf8')).toBe('theirs')
})

test('a rewind too long to be read is the tip all the same', (t) => {
  const path = temporaryFile(t, 'log.jsonl', line('user', { uuid: 'a' }))
  const rewind = record('rewind', { uuid: 'R', prev_uuid: 'a', payload: { content: 'x' } })
  const fd = openSync(path, 'r+')
  const start = fstatSync(fd).size
  writeSync(fd, rewind, 0, rewind.length, start)
  writeSync(fd, Buffer.from('\n'), 0, 1, start + READ_LINE_BYTES_MAX + 1)
  closeSync(fd)
  expect(findTip(opened(t, path), 64, systemEnvironment).tip).toBe('R')
})

test('a follower continues after the file was cut while it read, and fails with the disk', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat([line('user'), line('user')]))
  const controller = new AbortController()
  const { read } = fs
  t.onTestFinished(() => restore())
  const restore = () => {
    Object.assign(fs, { read })
    syncBuiltinESMExports()
  }
  const answers: (Error | null)[] = [null]
  const failing = (...args: unknown[]) => {
    const done = args.at(-1) as (error: Error | null, count: number) => void
    const answer = answers.shift()
    if (answer === undefined) (read as (...args: unknown[]) => void)(...args)
    else setImmediate(() => done(answer, 0))
  }
  Object.assign(fs, { read: failing })
  syncBuiltinESMExports()
  const entries = followLog(path, { signal: controller.signal, pollMs: 20 })
  expect((await entries.next()).value).toMatchObject({ kind: 'event', byte_offset: 0 })
  controller.abort()
  expect((await entries.next()).done, 'no more after the end').toBe(true)
  answers.push(Object.assign(new Error('EIO'), { code: 'EIO', errno: -5 }))
  await expect(followLog(path).next()).rejects.toThrow(coded('ERR_IO'))
})

test('a hint that came before it was waited for is not waited for', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const hints = watchFile(systemEnvironment, path, { pollMs: 600_000, signal: AbortSignal.abort() })
  await hints.next()
  await hints.close()
})

test('a follower passes a line that is too long to read, and its cursor is after it', async (t) => {
  const path = temporaryFile(t, 'log.jsonl', '')
  const after = line('user', { uuid: 'after' })
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.from('\n'), 0, 1, READ_LINE_BYTES_MAX + 1)
  writeSync(fd, after, 0, after.length, READ_LINE_BYTES_MAX + 2)
  closeSync(fd)
  const entries = followLog(path)
  const { value } = await entries.next()
  await entries.return()
  expect(value).toMatchObject({ kind: 'damage', reason: 'oversize_line' })
  const rest = followLog(path, { cursor: (value as { cursor: string }).cursor })
  expect((await rest.next()).value).toMatchObject({ kind: 'event', event: { uuid: 'after' } })
  await rest.return()
})

test('a log without a chain has no tip, however much is in it', async (t) => {
  const path = temporaryFile(t, 'checkpoints.jsonl', line('checkpoint', { uuid: 'c' }))
  const log = await openLog(path, { channel: 'checkpoint' })
  expect(log.tip).toBeNull()
  await log.close()
})

test('the holder of a lock is named by host and pid, unless it is this process', () => {
  const owner = {
    ...ownIdentity(systemEnvironment),
    since: 'noon',
    kernel: true,
    mode: 'lease',
    dir: '1:1',
  } as const
  const held = (changes: object) =>
    lockedError(
      'log',
      { verdict: 'held', owner: { ...owner, ...changes }, ownerState: 'alive' },
      systemEnvironment,
    )
  expect(held({}).message).toContain('this process since noon')
  expect(held({ pid: 7, host: 'elsewhere' }).message).toContain('pid 7 on elsewhere since noon')
})
