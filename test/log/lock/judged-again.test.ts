// Nobody is taken for dead because of their silence, nor because their record went.

import { spawn } from 'node:child_process'
import { mkdirSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { acquireLock } from '../../../lib/log/lock/acquire.js'
import {
  inspectLock,
  lockPathOf,
  ownerPathOf,
  readLockDirectory,
} from '../../../lib/log/lock/inspect.js'
import {
  judgeProcess,
  ownIdentity,
  type ProcessIdentity,
  parentIdentity,
} from '../../../lib/log/lock/process-identity.js'
import { type FileCall, watchFiles } from '../../helpers/watched-files.js'
import { temporaryFolder } from './worker.js'

const LONG_AGO = new Date(Date.now() - 3_600_000)

/** A lease as old as an hour. */
function oldLeaseOf(owner: ProcessIdentity): string {
  const path = join(temporaryFolder(), 'a.jsonl')
  mkdirSync(lockPathOf(path))
  const dir = readLockDirectory(path, systemEnvironment.fs)!.identity
  const record = { ...owner, since: LONG_AGO.toISOString(), kernel: false, mode: 'lease', dir }
  writeFileSync(ownerPathOf(path), JSON.stringify(record))
  utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  return path
}

// Requirement: T7
test.runIf(process.platform === 'linux')(
  'who was stopped keeps a lease that looks an hour old',
  async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitFor(() => expect(parentIdentity(child.pid)).toMatchObject({ pid: child.pid }))
    const path = oldLeaseOf(parentIdentity(child.pid))
    child.kill('SIGSTOP')
    await vi.waitFor(() =>
      expect(judgeProcess(parentIdentity(child.pid), systemEnvironment)).toBe('stopped'),
    )
    expect(inspectLock(path)).toMatchObject({ verdict: 'held', ownerState: 'stopped' })
    await expect(
      acquireLock(path, { mode: 'once', timeoutMs: 0, env: systemEnvironment }),
    ).rejects.toMatchObject({
      code: 'ERR_LOCKED',
      details: { state: 'stopped' },
    })
  },
)

test('a record that goes while its writer is judged dead protects the lock', () => {
  const path = oldLeaseOf({ ...ownIdentity(systemEnvironment), boot: 'another' })
  expect(inspectLock(path).verdict).toBe('abandoned')
  let isDone = false
  const after = ({ name, path: at }: FileCall) => {
    if (isDone || name !== 'lstatSync' || at !== lockPathOf(path)) return
    isDone = true
    unlinkSync(ownerPathOf(path))
  }
  onTestFinished(watchFiles(dirname(path), { after }))
  expect(inspectLock(path).verdict).toBe('held')
  expect(isDone).toBe(true)
})
