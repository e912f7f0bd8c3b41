// A lock tells the truth about itself from its first moment on, also after it was lost or let go.

import { fstatSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { acquireLock, tryAcquireLock } from '../../../lib/log/lock/acquire.js'
import { lockPathOf, readOwnerRecord } from '../../../lib/log/lock/inspect.js'
import { hasKernelLock } from '../../../lib/log/lock/kernel-lock.js'
import { createGuardedFs } from '../../../lib/log/lock/portable-lock.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'
import { ADVISORY, temporaryFolder } from './worker.js'

const aLog = () => join(temporaryFolder(), 'a.jsonl')
const modeOf = (path: string) => statSync(lockPathOf(path)).mode & 0o777

test('the mode of a directory can never be taken for the other kind, not even at first', () => {
  const before = process.umask()
  onTestFinished(() => void process.umask(before))
  for (const mask of [0, 0o022, 0o100]) {
    process.umask(mask)
    for (const [isKernel, first] of [
      [true, 0o600],
      [false, 0o500 & ~mask],
    ] as const) {
      const path = aLog()
      let seen = 0
      const after = ({ name }: FileCall) => {
        if (name === 'mkdirSync') seen = modeOf(path)
      }
      const stop = watchFiles(dirname(path), { after })
      onTestFinished(stop)
      const { fs } = createGuardedFs({
        path,
        isKernel,
        holdsKernelLock: () => false,
        env: systemEnvironment,
      })
      ;(fs['mkdirSync'] as () => void)()
      stop()
      expect(seen).toBe(first)
    }
  }
})

test.runIf(hasKernelLock())('where modes cannot be set a record says how it was made', async () => {
  const before = process.umask(0o200)
  onTestFinished(() => void process.umask(before))
  const path = aLog()
  const fault = ({ name }: FileCall) =>
    name === 'chmodSync' ? { code: 'EPERM', errno: -1 } : undefined
  onTestFinished(watchFiles(dirname(path), { before: fault }))
  const lock = await acquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment })
  expect(modeOf(path)).toBe(0o400)
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject({ mode: 'once', kernel: true })
  lock.release()
})

test('an advisory lock that was lost before it was signed is advisory at the next attempt, too', async () => {
  const path = aLog()
  let isDone = false
  const after = ({ name, to = '' }: FileCall) => {
    if (isDone || name !== 'renameSync' || !to.endsWith('.owner')) return
    isDone = true
    rmdirSync(lockPathOf(path))
    mkdirSync(join(dirname(path), 'takes the inode'))
    mkdirSync(lockPathOf(path))
    setImmediate(() => rmdirSync(lockPathOf(path)))
  }
  onTestFinished(watchFiles(dirname(path), { after }))
  const lock = await acquireLock(path, {
    mode: 'lease',
    timeoutMs: 60_000,
    ...ADVISORY,
    env: systemEnvironment,
  })
  expect(isDone).toBe(true)
  expect(lock.isKernel).toBe(false)
  expect(modeOf(path)).toBe(0o700)
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject({ kernel: false })
  lock.release()
})

describe('a second release', () => {
  test('does not touch the file that has the number by now', () => {
    const path = aLog()
    const first = tryAcquireLock(path, { mode: 'lease', timeoutMs: 0, env: systemEnvironment })!
    first.release()
    const next = tryAcquireLock(path, { mode: 'lease', timeoutMs: 0, env: systemEnvironment })!
    expect(next.fd).toBe(first.fd)
    first.release()
    expect(fstatSync(next.fd).isFile()).toBe(true)
    expect(
      tryAcquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment }),
    ).toBeUndefined()
    next.release()
  })

  test('lets no caller in that waits behind another', async () => {
    const path = aLog()
    const once = { mode: 'once', timeoutMs: 60_000, env: systemEnvironment } as const
    const order: string[] = []
    const first = await acquireLock(path, once)
    const waiting = ['second', 'third'].map(async (name) => {
      const lock = await acquireLock(path, once)
      order.push(`${name} in`)
      await new Promise(setImmediate)
      order.push(`${name} out`)
      lock.release()
    })
    first.release()
    first.release()
    await Promise.all(waiting)
    expect(order).toEqual(['second in', 'second out', 'third in', 'third out'])
  })
})
