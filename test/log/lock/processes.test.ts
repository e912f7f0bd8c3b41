// Locks between real processes: what the holder's death, stop or end means for those who wait.

import { chmodSync, chownSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { type AcquireOptions, acquireLock } from '../../../lib/log/lock/acquire.js'
import { lockPathOf, ownerPathOf } from '../../../lib/log/lock/inspect.js'
import { AT_ONCE_MS } from '../../helpers/at-once.js'
import { KINDS, PAIRS, startWorker, temporaryFolder } from './worker.js'

const LEASE: Omit<AcquireOptions, 'env'> = { mode: 'lease', timeoutMs: 5000 }
const ONCE: Omit<AcquireOptions, 'env'> = { mode: 'once', timeoutMs: 5000 }
const LONG_AGO = new Date(Date.now() - 60_000)

const aLog = () => join(temporaryFolder(), 'a.jsonl')
const entriesBeside = (path: string) => readdirSync(dirname(path))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

// Requirements: 003-44, T6
test.for(PAIRS)(
  'a waiter gets the lock of a killed holder immediately: $name',
  async ({ first, second }) => {
    const path = aLog()
    const holder = startWorker()
    await holder.ask('acquire', { path, options: { ...LEASE, ...first } })
    await holder.kill()
    const before = performance.now()
    const lock = await acquireLock(path, { ...LEASE, ...second, env: systemEnvironment })
    expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
    lock.release()
    expect(entriesBeside(path)).toEqual(['a.jsonl'])
  },
)

// Requirements: 003-44, T7
test.runIf(process.platform === 'linux').for(PAIRS)(
  'a stopped holder keeps its lock, however old it looks: $name',
  async ({ first, second }) => {
    const path = aLog()
    const holder = startWorker()
    await holder.ask('acquire', { path, options: { ...LEASE, ...first } })
    holder.signal('SIGSTOP')
    await vi.waitFor(() => expect(stateOf(holder.pid)).toBe('T'))
    utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
    const before = performance.now()
    await expect(
      acquireLock(path, { ...LEASE, ...second, env: systemEnvironment }),
    ).rejects.toMatchObject({
      code: 'ERR_LOCKED',
      message: expect.stringMatching(
        new RegExp(
          `is locked by pid ${holder.pid} on \\S+ since \\S+ \\(that process is stopped\\)`,
        ),
      ),
      details: { pid: holder.pid, state: 'stopped', kernel: first.useKernelLock, mode: 'lease' },
    })
    expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
    expect(entriesBeside(path)).toEqual(['a.jsonl', 'a.jsonl.lock', 'a.jsonl.lock.owner'])
    holder.signal('SIGCONT')
    await holder.ask('release')
    expect(entriesBeside(path)).toEqual(['a.jsonl'])
  },
)

test('a holder continues after its lock was made to look old', async () => {
  const path = aLog()
  const holder = startWorker()
  await holder.ask('acquire', { path, options: LEASE })
  utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  const isFresh = () => expect(Date.now() - statSync(lockPathOf(path)).mtimeMs).toBeLessThan(10_000)
  await vi.waitFor(isFresh, { timeout: 5000 })
  expect(await holder.ask('isCompromised')).toBe(false)
})

test.for(KINDS)('a waiter follows a once-lock of another process: $name', async ({ kind }) => {
  const path = aLog()
  const holder = startWorker()
  await holder.ask('acquire', { path, options: { ...ONCE, ...kind } })
  const waiting = acquireLock(path, { ...ONCE, ...kind, env: systemEnvironment })
  await new Promise(setImmediate)
  await holder.ask('release')
  const lock = await waiting
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test.for(
  KINDS.flatMap((kind) => [
    { ...kind, how: 'exit' as const },
    { ...kind, how: 'throwUncaught' as const },
  ]),
)('nothing is left when the process ends by $how: $name', async ({ kind, how }) => {
  const path = aLog()
  const holder = startWorker()
  await holder.ask('acquire', { path, options: { ...LEASE, ...kind } })
  await holder.ends(how)
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test.runIf(process.platform !== 'win32').for(KINDS)(
  'modes are the same under any umask: $name',
  async ({ kind }) => {
    const worker = startWorker()
    for (const mask of [0o000, 0o022, 0o077, 0o177, 0o277]) {
      const path = join(temporaryFolder(), 'new', 'folders', 'a.jsonl')
      const folder = dirname(path)
      await worker.ask('setUmask', { mask })
      await worker.ask('acquire', { path, options: { ...LEASE, ...kind } })
      const lockMode = kind.useKernelLock ? '600' : '700'
      const paths = [dirname(folder), folder, path, lockPathOf(path), ownerPathOf(path)]
      expect(paths.map(modeOf)).toEqual(['700', '700', '600', lockMode, '600'])
      await worker.ask('release')
    }
  },
)

test.runIf(process.platform !== 'win32')(
  'a user without privileges locks in its own folder, and is told of one it may not write',
  async () => {
    const own = temporaryFolder()
    const foreign = temporaryFolder()
    const worker = startWorker()
    await worker.ask('becomeNobody')
    if (process.getuid?.() === 0) chownSync(own, 65534, 65534)
    chmodSync(foreign, 0o555)
    const path = join(own, 'a.jsonl')
    for (const { kind } of KINDS) {
      await worker.ask('acquire', { path, options: { ...LEASE, ...kind } })
      await worker.ask('release')
      expect(entriesBeside(path)).toEqual(['a.jsonl'])
    }
    const refused = worker.ask('acquire', { path: join(foreign, 'a.jsonl'), options: LEASE })
    await expect(refused).rejects.toMatchObject({ code: 'ERR_READ_ONLY' })
  },
)

function stateOf(pid: number): string | undefined {
  return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]
}
