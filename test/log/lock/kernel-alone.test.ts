// Who says to hold the kernel lock holds it, on the file that the path names.

import { closeSync, openSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { acquireLock, type HeldLock, tryAcquireLock } from '../../../lib/log/lock/acquire.js'
import { hasKernelLock, tryKernelLock } from '../../../lib/log/lock/kernel-lock.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'
import { temporaryFolder } from './worker.js'

const aLog = () => join(temporaryFolder(), 'a.jsonl')

function isKernelFree(path: string): boolean {
  const fd = openSync(path, 'a+')
  const isFree = tryKernelLock(fd) === 'locked'
  closeSync(fd)
  return isFree
}

/** Both claims and truth; the lock is let go. */
function expectHeld(lock: HeldLock | undefined, path: string): void {
  expect(lock?.isKernel).toBe(true)
  expect(isKernelFree(path)).toBe(false)
  lock?.release()
  expect(isKernelFree(path)).toBe(true)
}

describe.runIf(hasKernelLock())('the kernel lock', () => {
  test('of another process keeps all others out, also without a directory', async () => {
    const path = aLog()
    const fd = openSync(path, 'a+')
    expect(tryKernelLock(fd)).toBe('locked')
    expect(
      tryAcquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment }),
    ).toBeUndefined()
    await expect(
      acquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment }),
    ).rejects.toMatchObject({
      code: 'ERR_LOCKED',
    })
    closeSync(fd)
    expectHeld(tryAcquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment }), path)
  })

  test('is acquired by the process that waited for it', async () => {
    const path = aLog()
    const fd = openSync(path, 'a+')
    expect(tryKernelLock(fd)).toBe('locked')
    const waiting = acquireLock(path, { mode: 'lease', timeoutMs: 60_000, env: systemEnvironment })
    await new Promise(setImmediate)
    closeSync(fd)
    expectHeld(await waiting, path)
  })

  test('is that of the new file where the old one was rotated away meanwhile', async () => {
    const path = aLog()
    let isDone = false
    const after = ({ name, to = '' }: FileCall) => {
      if (isDone || name !== 'renameSync' || !to.endsWith('.owner')) return
      isDone = true
      renameSync(path, `${path}.1`)
    }
    onTestFinished(watchFiles(dirname(path), { after }))
    const lock = await acquireLock(path, { mode: 'lease', timeoutMs: 0, env: systemEnvironment })
    expect(isDone).toBe(true)
    expect(isKernelFree(`${path}.1`)).toBe(true)
    expectHeld(lock, path)
  })

  test('is not taken by a process that does not use it, and does not keep that process out alone', () => {
    const path = aLog()
    const options = {
      mode: 'once',
      timeoutMs: 0,
      useKernelLock: false,
      env: systemEnvironment,
    } as const
    const lock = tryAcquireLock(path, options)
    expect(lock?.isKernel).toBe(false)
    expect(isKernelFree(path)).toBe(true)
    lock?.release()
  })
})
