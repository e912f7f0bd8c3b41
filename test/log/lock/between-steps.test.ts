// What others do between two steps of ours, and who is waited for.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { acquireLock } from '../../../lib/log/lock/acquire.js'
import { breakLock, breakPathOf } from '../../../lib/log/lock/break-mutex.js'
import { lockPathOf, ownerPathOf, readLockDirectory } from '../../../lib/log/lock/inspect.js'
import {
  judgeProcess,
  ownIdentity,
  type ProcessIdentity,
  parentIdentity,
} from '../../../lib/log/lock/process-identity.js'
import { abandonedLock, aLog, at, entriesBeside } from './a-log.js'

const WAITING = { mode: 'lease', timeoutMs: 60_000, env: systemEnvironment } as const
const DEAD = { ...ownIdentity(systemEnvironment), boot: 'another', start: '1' }
const without = () => false

describe('the mutex', () => {
  /** Another one is inside by now. */
  const replace = (path: string) => () => {
    writeFileSync(`${breakPathOf(path)}.next`, 'another’s')
    unlinkSync(breakPathOf(path))
    writeFileSync(breakPathOf(path), 'another’s')
  }

  test('names the process inside', () => {
    const path = abandonedLock()
    let inside = ''
    const meanwhile = () => {
      inside = readFileSync(breakPathOf(path), 'utf8')
    }
    at(path, 'rmdirSync', '.lock', { meanwhile })
    expect(breakLock(path, without, systemEnvironment)).toBe('gone')
    expect(inside).toBe(`${JSON.stringify(ownIdentity(systemEnvironment))}\n`)
  })

  test('that became another’s after the judgement does not let the lock be removed', () => {
    const path = abandonedLock()
    at(path, 'lstatSync', '.lock', { meanwhile: replace(path) })
    expect(breakLock(path, without, systemEnvironment)).toBe('kept')
    expect(existsSync(lockPathOf(path))).toBe(true)
    expect(readFileSync(breakPathOf(path), 'utf8')).toBe('another’s')
  })

  test('that became another’s in the end is left to them', () => {
    const path = abandonedLock()
    at(path, 'rmdirSync', '.lock', { meanwhile: replace(path) })
    expect(breakLock(path, without, systemEnvironment)).toBe('gone')
    expect(readFileSync(breakPathOf(path), 'utf8')).toBe('another’s')
  })

  test('of a dead one that is another’s by now is not cleared, and one that is gone needs none', () => {
    const path = abandonedLock()
    writeFileSync(breakPathOf(path), JSON.stringify(DEAD))
    at(path, 'readSync', '.break', { meanwhile: replace(path) })
    expect(breakLock(path, without, systemEnvironment)).toBe('kept')
    expect(readFileSync(breakPathOf(path), 'utf8')).toBe('another’s')
    writeFileSync(breakPathOf(path), JSON.stringify(DEAD))
    at(path, 'readSync', '.break', { meanwhile: () => unlinkSync(breakPathOf(path)) })
    expect(breakLock(path, without, systemEnvironment)).toBe('kept')
    expect(existsSync(breakPathOf(path))).toBe(false)
  })
})

test.each(['ENOTEMPTY', 'EEXIST'])(
  'a lock that is filled at this moment is an obstacle, however a system says it: %s',
  (code) => {
    const path = abandonedLock()
    at(path, 'rmdirSync', '.lock', { fault: { code, errno: -39 } })
    expect(() => breakLock(path, without, systemEnvironment)).toThrow(
      expect.objectContaining({
        code: 'ERR_LOCK_OBSTRUCTED',
        message: expect.stringContaining('a directory that is not empty') as string,
      }) as Error,
    )
    expect(entriesBeside(path)).toEqual(['a.jsonl.lock'])
  },
)

describe('waiting', () => {
  /** A lock of that process, as another process would have made it. */
  function lockOf(owner: ProcessIdentity, mode: 'once' | 'lease'): string {
    const path = aLog()
    mkdirSync(lockPathOf(path))
    const dir = readLockDirectory(path, systemEnvironment.fs)!.identity
    const record = { ...owner, since: new Date().toISOString(), kernel: false, mode, dir }
    writeFileSync(ownerPathOf(path), JSON.stringify(record))
    return path
  }

  function letGo(path: string): void {
    unlinkSync(ownerPathOf(path))
    rmdirSync(lockPathOf(path))
  }

  test.each([
    ['a short lock of one who lives', ownIdentity(systemEnvironment), 'once'],
    [
      'a lease of one out of sight',
      { ...ownIdentity(systemEnvironment), host: 'elsewhere' },
      'lease',
    ],
  ] as const)('%s is waited for', async (_, owner, mode) => {
    const path = lockOf(owner, mode)
    const waiting = acquireLock(path, WAITING)
    await new Promise(setImmediate)
    letGo(path)
    const lock = await waiting
    lock.release()
    expect(entriesBeside(path)).toEqual(['a.jsonl'])
  })

  test.runIf(process.platform === 'linux')(
    'a lease of one who is stopped is refused at once, as of one who lives',
    async () => {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      const { pid } = child
      await vi.waitFor(() => expect(parentIdentity(pid).pid).toBe(pid))
      child.kill('SIGSTOP')
      const owner = parentIdentity(pid)
      await vi.waitFor(() => expect(judgeProcess(owner, systemEnvironment)).toBe('stopped'))
      const path = lockOf(owner, 'lease')
      await expect(acquireLock(path, WAITING)).rejects.toMatchObject({
        code: 'ERR_LOCKED',
        message: expect.stringContaining('(that process is stopped)') as string,
        details: { pid, state: 'stopped' },
      })
    },
  )

  test('a caller that came in time leaves no timer running', async () => {
    const path = aLog()
    const clocks = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
    const first = await acquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment })
    const before = clocks().length
    const second = acquireLock(path, { ...WAITING, mode: 'once' })
    await new Promise(setImmediate)
    first.release()
    const lock = await second
    expect(clocks().length).toBeLessThanOrEqual(before)
    lock.release()
  })
})
