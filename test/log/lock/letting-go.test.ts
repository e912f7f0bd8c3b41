// Whoever has a lock, or does not get it, leaves nothing behind and nothing open.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { environmentFrom, systemEnvironment } from '../../../lib/environment/index.js'
import { acquireLock, tryAcquireLock } from '../../../lib/log/lock/acquire.js'
import { lockPathOf, ownerPathOf, writeOwnerRecord } from '../../../lib/log/lock/inspect.js'
import { releaseKernelLock, tryKernelLock } from '../../../lib/log/lock/kernel-lock.js'
import { tryPortableLock } from '../../../lib/log/lock/portable-lock.js'
import { parentIdentity, parseIdentity } from '../../../lib/log/lock/process-identity.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'
import { aLog, entriesBeside } from './a-log.js'
import { ADVISORY, temporaryFolder } from './worker.js'

const LEASE = { mode: 'lease', timeoutMs: 0, env: systemEnvironment } as const
const ONCE = { mode: 'once', timeoutMs: 0, env: systemEnvironment } as const

const openCount = () => readdirSync('/proc/self/fd').length

/** Whether somebody else could have the kernel lock at this moment. */
function isKernelFree(path: string): boolean {
  const fd = openSync(path, 'a+')
  const isFree = tryKernelLock(fd) === 'locked'
  if (isFree) releaseKernelLock(fd)
  closeSync(fd)
  return isFree
}

describe.runIf(process.platform === 'linux')('descriptors', () => {
  test('a refused attempt closes its file, and gives the kernel lock back', async () => {
    const path = aLog()
    mkdirSync(lockPathOf(path))
    writeFileSync(path, '')
    const before = openCount()
    await expect(acquireLock(path, ONCE)).rejects.toMatchObject({ code: 'ERR_LOCKED' })
    expect(tryAcquireLock(path, ONCE)).toBeUndefined()
    expect(openCount()).toBe(before)
    expect(isKernelFree(path)).toBe(true)
  })

  test('an attempt that ends in an error closes its file', async () => {
    const path = aLog()
    writeFileSync(path, '')
    writeFileSync(lockPathOf(path), '')
    const before = openCount()
    expect(() => tryAcquireLock(path, ONCE)).toThrow(
      expect.objectContaining({ code: 'ERR_LOCK_OBSTRUCTED' }) as Error,
    )
    await expect(acquireLock(path, ONCE)).rejects.toMatchObject({ code: 'ERR_LOCK_OBSTRUCTED' })
    expect(openCount()).toBe(before)
    expect(isKernelFree(path)).toBe(true)
  })

  test('a log replaced again and again leaves none of its files open', async () => {
    const path = aLog()
    const before = openCount()
    let count = 0
    const after = ({ name, to = '' }: FileCall) => {
      if (name === 'renameSync' && to.endsWith('.owner')) renameSync(path, `${path}.${++count}`)
    }
    onTestFinished(watchFiles(dirname(path), { after }))
    await expect(acquireLock(path, LEASE)).rejects.toMatchObject({ code: 'ERR_FILE_REPLACED' })
    expect(count).toBe(8)
    expect(openCount()).toBe(before)
  })
})

test('reports a file as created to the first lock only', async () => {
  const path = aLog()
  for (const wasCreated of [true, false]) {
    const lock = await acquireLock(path, ONCE)
    expect(lock.wasCreated).toBe(wasCreated)
    lock.release()
  }
})

test('the record goes first, then the directory, and the kernel lock last', async () => {
  const path = aLog()
  const lock = await acquireLock(path, LEASE)
  const seen: string[] = []
  const after = ({ name, path: at }: FileCall) => {
    if (name === 'unlinkSync')
      seen.push(`record, directory stands: ${existsSync(lockPathOf(path))}`)
    if (name !== 'rmdirSync' || at !== lockPathOf(path)) return
    seen.push(`directory, record stands: ${existsSync(ownerPathOf(path))}`)
    seen.push(`kernel lock is free: ${isKernelFree(path)}`)
  }
  const stop = watchFiles(dirname(path), { after })
  onTestFinished(stop)
  lock.release()
  expect(seen).toEqual([
    'record, directory stands: true',
    'directory, record stands: false',
    'kernel lock is free: false',
  ])
  stop()
  expect(isKernelFree(path)).toBe(true)
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test('a descriptor that the caller keeps is closed by the caller', async () => {
  const path = aLog()
  const lock = await acquireLock(path, LEASE)
  let close: (() => void) | undefined
  lock.release((later) => {
    close = later
  })
  expect(isKernelFree(path)).toBe(true)
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
  expect(() => closeSync(openSync(`/proc/self/fd/${lock.fd}`, 'r'))).not.toThrow()
  close?.()
  expect(() => openSync(`/proc/self/fd/${lock.fd}`, 'r')).toThrow()
})

test('a lock that is held when the process exits is released then', async () => {
  const path = aLog()
  const atExit: (() => void)[] = []
  const onExit = (listener: () => void) => {
    atExit.push(listener)
    return () => {}
  }
  const env = environmentFrom({ host: { onExit } })
  const lease = await acquireLock(path, { ...LEASE, env })
  expect(atExit).toHaveLength(1)
  atExit[0]!()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
  lease.release()
})

describe('the portable lock', () => {
  const claim = (path: string) => ({
    path,
    isKernel: false,
    holdsKernelLock: () => false,
    env: systemEnvironment,
  })

  test('is ours until it is released, and never another’s', () => {
    const path = aLog()
    const lock = tryPortableLock(claim(path))
    expect(lock?.isOurs()).toBe(true)
    expect(lock?.isCompromised()).toBe(false)
    expect(tryPortableLock(claim(path))).toBeUndefined()
    lock?.release()
    expect(lock?.isOurs()).toBe(false)
    expect(entriesBeside(path)).toEqual([])
    lock?.release()
  })

  test('that was replaced is not ours, and its release is silent', () => {
    const path = aLog()
    const lock = tryPortableLock(claim(path))
    rmdirSync(lockPathOf(path))
    expect(lock?.isOurs()).toBe(false)
    mkdirSync(join(dirname(path), 'takes the inode'))
    mkdirSync(lockPathOf(path))
    expect(lock?.isOurs()).toBe(false)
    lock?.release()
    expect(existsSync(lockPathOf(path))).toBe(true)
  })

  test('of a missing folder is an error, not a held lock', () => {
    const path = join(temporaryFolder(), 'missing', 'a.jsonl')
    expect(() => tryPortableLock(claim(path))).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^ERR_/) as string }) as Error,
    )
  })
})

test('a once-lock without the kernel lock is signed, and a lease always', async () => {
  for (const [options, expected] of [
    [{ ...ONCE, ...ADVISORY }, true],
    [ONCE, false],
    [LEASE, true],
    [{ ...LEASE, ...ADVISORY }, true],
  ] as const) {
    const path = aLog()
    const lock = await acquireLock(path, options)
    expect(existsSync(ownerPathOf(path))).toBe(expected)
    lock.release()
    expect(existsSync(ownerPathOf(path))).toBe(false)
  }
})

test('a record of another directory stays when a lock goes', async () => {
  const path = aLog()
  const lock = await acquireLock(path, LEASE)
  writeOwnerRecord(path, { kernel: true, mode: 'lease', dir: 'another' }, systemEnvironment)
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl', 'a.jsonl.lock.owner'])
})

test('an incomplete identity is rejected', () => {
  const whole = { pid: 1, start: '1', boot: 'b', ns: 'n', host: 'h' }
  expect(parseIdentity({ ...whole, more: 1 })).toEqual(whole)
  for (const field of ['start', 'boot', 'ns']) {
    expect(parseIdentity({ ...whole, [field]: null })).toEqual({ ...whole, [field]: null })
    expect(parseIdentity({ ...whole, [field]: 5 })).toBeUndefined()
    expect(parseIdentity({ ...whole, [field]: undefined })).toBeUndefined()
  }
  for (const changes of [{ host: null }, { host: undefined }, { pid: '1' }, { pid: 2 ** 53 }]) {
    expect(parseIdentity({ ...whole, ...changes })).toBeUndefined()
  }
})

test.runIf(process.platform === 'linux')('of the parent process comes from /proc', () => {
  expect(parentIdentity(1)).toMatchObject({
    pid: 1,
    start: expect.stringMatching(/^\d+$/) as string,
  })
})
