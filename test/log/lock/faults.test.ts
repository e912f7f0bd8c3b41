// What others do between two steps of ours, and what a disk answers that rarely does.

import { spawn } from 'node:child_process'
import { mkdirSync, renameSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { acquireLock } from '../../../lib/log/lock/acquire.js'
import { breakLock, breakPathOf } from '../../../lib/log/lock/break-mutex.js'
import {
  judgeLock,
  lockPathOf,
  ownerPathOf,
  readLockDirectory,
} from '../../../lib/log/lock/inspect.js'
import { tryKernelLock } from '../../../lib/log/lock/kernel-lock.js'
import {
  isOwnProcess,
  judgeProcess,
  ownIdentity,
  parentIdentity,
} from '../../../lib/log/lock/process-identity.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'
import { abandonedLock, aLog, at, entriesBeside } from './a-log.js'
import { ADVISORY } from './worker.js'

const LEASE = { mode: 'lease', timeoutMs: 5000, env: systemEnvironment } as const
const AT_ONCE = { mode: 'lease', timeoutMs: 0, env: systemEnvironment } as const
const without = () => false

test('a lock that another one removes first is gone all the same', () => {
  const path = abandonedLock()
  at(path, 'rmdirSync', '.lock', { fault: { code: 'ENOENT' } })
  expect(breakLock(path, without, systemEnvironment)).toBe('gone')
})

test('a dead lock that is filled at this moment is an obstacle, and named', () => {
  const path = abandonedLock()
  at(path, 'rmdirSync', '.lock', { fault: { code: 'ENOTEMPTY', errno: -39 } })
  const code = 'ERR_LOCK_OBSTRUCTED'
  expect(() => breakLock(path, without, systemEnvironment)).toThrow(
    expect.objectContaining({ code }) as Error,
  )
  expect(entriesBeside(path)).toEqual(['a.jsonl.lock'])
})

test('a dead lock that may not be removed is an error, and the mutex is left', () => {
  const path = abandonedLock()
  at(path, 'rmdirSync', '.lock', { fault: { code: 'EACCES', errno: -13 } })
  expect(() => breakLock(path, without, systemEnvironment)).toThrow('EACCES')
  expect(entriesBeside(path)).toEqual(['a.jsonl.lock'])
})

test('a mutex that cannot be made is an error, and leaves nothing', () => {
  const path = abandonedLock()
  at(path, 'openSync', '.break', { fault: { code: 'EACCES', errno: -13 } })
  expect(() => breakLock(path, without, systemEnvironment)).toThrow('EACCES')
  expect(entriesBeside(path)).toEqual(['a.jsonl.lock'])
})

test('a mutex that goes while it is looked at is left to the next attempt', () => {
  const path = abandonedLock()
  at(path, 'openSync', '.break', { fault: { code: 'EEXIST', errno: -17 } })
  expect(breakLock(path, without, systemEnvironment)).toBe('kept')
  expect(breakLock(path, without, systemEnvironment)).toBe('gone')
})

test('a log that is rotated away while its lock is taken is not what is locked', async () => {
  const path = aLog()
  at(path, 'renameSync', '.owner', { meanwhile: () => renameSync(path, `${path}.1`) })
  const lock = await acquireLock(path, LEASE)
  expect(lock.wasCreated).toBe(true)
  expect(entriesBeside(path)).toContain('a.jsonl')
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl', 'a.jsonl.1'])
})

test('a log that is replaced again and again is an error, not a loop', async () => {
  const path = aLog()
  let count = 0
  const after = ({ name, to = '' }: FileCall) => {
    if (name === 'renameSync' && to.endsWith('.owner')) renameSync(path, `${path}.${++count}`)
  }
  onTestFinished(watchFiles(dirname(path), { after }))
  await expect(acquireLock(path, LEASE)).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
})

test('an advisory lock that was taken for a dead one before it was signed is not ours', async () => {
  const path = aLog()
  const replace = () => {
    rmdirSync(lockPathOf(path))
    mkdirSync(join(dirname(path), 'takes the inode'))
    mkdirSync(lockPathOf(path))
  }
  at(path, 'renameSync', '.owner', { meanwhile: replace })
  await expect(
    acquireLock(path, { ...AT_ONCE, ...ADVISORY, env: systemEnvironment }),
  ).rejects.toMatchObject({
    code: 'ERR_LOCKED',
  })
  expect(statSync(lockPathOf(path)).isDirectory(), 'it is another’s').toBe(true)
})

test('tries again when a lock directory is removed right after it was made, or before it is judged', async () => {
  const path = aLog()
  at(path, 'mkdirSync', '.lock', { meanwhile: () => rmdirSync(lockPathOf(path)) })
  ;(await acquireLock(path, LEASE)).release()
  at(path, 'mkdirSync', '.lock', { fault: { code: 'EEXIST', errno: -17 } })
  ;(await acquireLock(path, LEASE)).release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

// Found by the stops of the soak: whoever sleeps here for long is taken for dead.
// Requirement: 003-30
test.for(['lstatSync', 'utimesSync'])(
  'a lock directory that is taken from us before the lock is ours is tried again: after %s',
  async (step) => {
    const path = aLog()
    at(path, step, '.lock', { meanwhile: () => rmdirSync(lockPathOf(path)) })
    const lock = await acquireLock(path, LEASE)
    expect(statSync(lockPathOf(path)).isDirectory()).toBe(true)
    lock.release()
    expect(entriesBeside(path)).toEqual(['a.jsonl'])
  },
)

test('a record that cannot be written is an error, and the lock is released', async () => {
  const path = aLog()
  at(path, 'renameSync', '.owner', { fault: { code: 'ENOSPC', errno: -28 } })
  await expect(acquireLock(path, LEASE)).rejects.toThrow()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
  ;(await acquireLock(path, AT_ONCE)).release()
})

test('a record that changes while its writer is judged dead protects the lock', () => {
  const path = aLog()
  mkdirSync(lockPathOf(path))
  const dir = readLockDirectory(path, systemEnvironment.fs)!.identity
  const since = new Date().toISOString()
  const record = {
    ...ownIdentity(systemEnvironment),
    boot: 'another',
    since,
    kernel: false,
    mode: 'lease',
    dir,
  }
  const write = (changes: object) =>
    writeFileSync(ownerPathOf(path), JSON.stringify({ ...record, ...changes }))
  write({})
  expect(judgeLock(path, systemEnvironment, without)).toMatchObject({
    verdict: 'abandoned',
    ownerState: 'dead',
  })
  for (const changes of [{ pid: record.pid + 1 }, { since: 'later' }, { dir: 'another' }]) {
    write({})
    at(path, 'lstatSync', '.lock', { meanwhile: () => write(changes) })
    expect(judgeLock(path, systemEnvironment, without).verdict).toBe('held')
  }
})

test('the process that started this one is known, and is not this one', () => {
  const parent = parentIdentity()
  expect(judgeProcess(parent, systemEnvironment)).toBe('alive')
  expect(isOwnProcess(parent, systemEnvironment)).toBe(false)
  expect(isOwnProcess(ownIdentity(systemEnvironment), systemEnvironment)).toBe(true)
  for (const changes of [{ pid: 1 }, { start: '1' }, { ns: 'other' }, { host: 'other' }]) {
    expect(isOwnProcess({ ...ownIdentity(systemEnvironment), ...changes }, systemEnvironment)).toBe(
      false,
    )
  }
})

test('a mutex that was taken for a dead one’s and removed is not removed again', () => {
  const path = abandonedLock()
  at(path, 'rmdirSync', '.lock', { meanwhile: () => unlinkSync(breakPathOf(path)) })
  expect(breakLock(path, without, systemEnvironment)).toBe('gone')
  expect(entriesBeside(path)).toEqual([])
})

test('a dead lock that another one is about to remove is left to them', async () => {
  const path = abandonedLock()
  writeFileSync(breakPathOf(path), JSON.stringify(ownIdentity(systemEnvironment)))
  await expect(acquireLock(path, AT_ONCE)).rejects.toMatchObject({ code: 'ERR_LOCKED' })
})

test('an invalid descriptor cannot be locked', () => {
  expect(() => tryKernelLock(2 ** 20)).toThrow(/bad file descriptor/)
})

test('skips one shell on the way to the process that started it, and nothing else', async () => {
  const start = (command: string) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return new Promise<number>((resolve) => child.stdout.once('data', () => resolve(child.pid!)))
  }
  const shell = await start('echo; read line < /dev/zero; true')
  expect(isOwnProcess(parentIdentity(shell), systemEnvironment)).toBe(true)
  const program = await start('echo; exec sleep 60')
  await vi.waitFor(() => expect(parentIdentity(program)).toMatchObject({ pid: program }))
  expect(parentIdentity(2 ** 22 + 1)).toMatchObject({ pid: 2 ** 22 + 1, start: null })
})
