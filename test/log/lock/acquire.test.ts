import {
  chmodSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  type AcquireOptions,
  acquireLock,
  type HeldLock,
  tryAcquireLock,
} from '../../../lib/log/lock/acquire.js'
import {
  lockPathOf,
  ownerPathOf,
  readLockDirectory,
  readOwnerRecord,
  writeOwnerRecord,
} from '../../../lib/log/lock/inspect.js'
import { ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { AT_ONCE_MS } from '../../helpers/at-once.js'
import { ADVISORY, KINDS, PAIRS, temporaryFolder } from './worker.js'

const LEASE: AcquireOptions = { mode: 'lease', timeoutMs: 5000, env: systemEnvironment }
const ONCE: AcquireOptions = { mode: 'once', timeoutMs: 5000, env: systemEnvironment }
const LONG_AGO = new Date(Date.now() - 60_000)
const FAR_AHEAD = new Date(Date.now() + 3_600_000)

const aLog = () => join(temporaryFolder(), 'a.jsonl')
const entriesBeside = (path: string) => readdirSync(dirname(path))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

// Requirement: 003-30
test('a lease leaves a marked directory and a record, and takes both away', async () => {
  const path = aLog()
  const lock = await acquireLock(path, LEASE)
  expect(lock).toMatchObject({ wasCreated: true, isKernel: true })
  expect(lock.isCompromised()).toBe(false)
  expect(modeOf(lockPathOf(path))).toBe('600')
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject({
    ...ownIdentity(systemEnvironment),
    kernel: true,
    mode: 'lease',
    dir: readLockDirectory(path, systemEnvironment.fs)?.identity,
  })
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test('a once-lock under the kernel lock writes no record and removes a left one', async () => {
  const path = aLog()
  writeOwnerRecord(path, { kernel: true, mode: 'lease', dir: '1:1' }, systemEnvironment)
  const lock = await acquireLock(path, ONCE)
  expect(entriesBeside(path)).toEqual(['a.jsonl', 'a.jsonl.lock'])
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test('an advisory lock says so in its directory and its record', async () => {
  const path = aLog()
  const lock = await acquireLock(path, { ...ONCE, ...ADVISORY })
  expect(lock.isKernel).toBe(false)
  expect(modeOf(lockPathOf(path))).toBe('700')
  expect(readOwnerRecord(path, systemEnvironment.fs)).toMatchObject({ kernel: false, mode: 'once' })
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test('release is idempotent and closes the descriptor', async () => {
  const path = aLog()
  const lock = await acquireLock(path, LEASE)
  writeSync(lock.fd, 'a\n')
  lock.release()
  expect(() => fstatSync(lock.fd)).toThrow('EBADF')
  const next = await acquireLock(path, LEASE)
  lock.release()
  expect(existsSync(lockPathOf(path))).toBe(true)
  next.release()
})

test('a synchronous attempt takes a free lock and leaves a busy one', () => {
  const path = aLog()
  const lock = tryAcquireLock(path, ONCE)
  expect(lock?.wasCreated).toBe(true)
  expect(tryAcquireLock(path, ONCE)).toBeUndefined()
  expect(tryAcquireLock(path, { ...ONCE, ...ADVISORY })).toBeUndefined()
  lock?.release()
})

test('two spellings of one path are one lock', async () => {
  const path = aLog()
  const alias = join(temporaryFolder(), 'alias')
  symlinkSync(dirname(path), alias)
  const lock = await acquireLock(path, LEASE)
  await expect(acquireLock(join(alias, basename(path)), LEASE)).rejects.toThrow('is locked by this')
  lock.release()
})

test.for(PAIRS)(
  'rejects a second handle in this process immediately: $name',
  async ({ first, second }) => {
    const path = aLog()
    const lock = await acquireLock(path, { ...LEASE, ...first })
    const before = performance.now()
    const refusal = acquireLock(path, { ...LEASE, ...second })
    await expect(refusal).rejects.toMatchObject({
      code: 'ERR_LOCKED',
      message: expect.stringMatching(/a\.jsonl is locked by this process since \d{4}-/),
      details: {
        path,
        pid: process.pid,
        host: ownIdentity(systemEnvironment).host,
        since: readOwnerRecord(path, systemEnvironment.fs)?.since,
        kernel: first.useKernelLock,
        mode: 'lease',
        state: 'alive',
      },
    })
    await expect(acquireLock(path, { ...ONCE, ...second })).rejects.toThrow('is locked by this')
    expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
    lock.release()
  },
)

test('one-shots of one process come in the order of their calls', async () => {
  const path = aLog()
  const order: number[] = []
  const calls = Array.from({ length: 20 }, async (_, index) => {
    const lock = await acquireLock(path, ONCE)
    await new Promise(setImmediate)
    order.push(index)
    lock.release()
  })
  await Promise.all(calls)
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index))
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test('a caller that times out gets the holder in its error, and those behind it come in', async () => {
  const path = aLog()
  const lock = await acquireLock(path, ONCE)
  const impatient = acquireLock(path, { ...ONCE, timeoutMs: 20 })
  const patient = acquireLock(path, ONCE)
  await expect(impatient).rejects.toMatchObject({
    code: 'ERR_LOCKED',
    message: expect.stringContaining('is locked by this process'),
    details: { path, pid: process.pid, mode: 'once', state: 'alive' },
  })
  lock.release()
  const second = await patient
  second.release()
})

test('a lease waits for a once-lock', async () => {
  const path = aLog()
  const once = await acquireLock(path, ONCE)
  const lease = acquireLock(path, LEASE)
  await new Promise(setImmediate)
  once.release()
  const lock = await lease
  lock.release()
})

test('no time at all is still one attempt', async () => {
  const lock = await acquireLock(aLog(), { ...ONCE, timeoutMs: 0 })
  lock.release()
})

test.for(KINDS)('a stale lock of unknown owner is taken over: $name', async ({ kind }) => {
  const path = aLog()
  mkdirSync(lockPathOf(path))
  utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  const lock = await acquireLock(path, { ...ONCE, ...kind, timeoutMs: 0 })
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test.for(KINDS)('a fresh lock of unknown owner is respected: $name', async ({ kind }) => {
  const path = aLog()
  mkdirSync(lockPathOf(path))
  const refusal = acquireLock(path, { ...ONCE, ...kind, timeoutMs: 30 })
  await expect(refusal).rejects.toMatchObject({
    code: 'ERR_LOCKED',
    message: expect.stringContaining('is locked by another process'),
    details: { path, state: 'unknown' },
  })
  expect(existsSync(lockPathOf(path))).toBe(true)
})

test('the holder of the kernel lock treats a fresh kernel-lock directory as abandoned', async () => {
  const path = aLog()
  mkdirSync(lockPathOf(path))
  chmodSync(lockPathOf(path), 0o600)
  expect(tryAcquireLock(path, { ...ONCE, ...ADVISORY })).toBeUndefined()
  const lock = await acquireLock(path, { ...ONCE, timeoutMs: 0 })
  lock.release()
})

const OBSTACLES: [string, (lockPath: string) => void][] = [
  ['a file', (lockPath) => writeFileSync(lockPath, '')],
  ['a symbolic link', (lockPath) => symlinkSync('nowhere', lockPath)],
  [
    'a directory that is not empty',
    (lockPath) => {
      mkdirSync(lockPath)
      writeFileSync(join(lockPath, 'note'), '')
    },
  ],
  [
    'in the future',
    (lockPath) => {
      mkdirSync(lockPath)
      utimesSync(lockPath, FAR_AHEAD, FAR_AHEAD)
    },
  ],
]

test.for(
  KINDS.flatMap((kind) => OBSTACLES.map(([found, obstruct]) => ({ ...kind, found, obstruct }))),
)('$found at the lock path is an obstacle, at once: $name', async ({ kind, found, obstruct }) => {
  const path = aLog()
  obstruct(lockPathOf(path))
  await expect(acquireLock(path, { ...LEASE, ...kind })).rejects.toMatchObject({
    code: 'ERR_LOCK_OBSTRUCTED',
    message: expect.stringContaining(found),
    details: { path, lockPath: lockPathOf(path) },
  })
  expect(entriesBeside(path)).toEqual(['a.jsonl', 'a.jsonl.lock'])
})

test.for(KINDS)('a future date does not protect the dead: $name', async ({ kind }) => {
  const path = aLog()
  mkdirSync(lockPathOf(path))
  utimesSync(lockPathOf(path), FAR_AHEAD, FAR_AHEAD)
  const dir = readLockDirectory(path, systemEnvironment.fs)!.identity
  const dead = { ...ownIdentity(systemEnvironment), pid: 2 ** 22 + 1, start: '1' }
  const since = new Date().toISOString()
  const record = { ...dead, since, kernel: false, mode: 'lease', dir }
  writeFileSync(ownerPathOf(path), JSON.stringify(record))
  const lock = await acquireLock(path, { ...LEASE, ...kind, timeoutMs: 0 })
  lock.release()
  expect(entriesBeside(path)).toEqual(['a.jsonl'])
})

test('a log renamed away while one waits is not what is locked in the end', async () => {
  const path = aLog()
  const advisory = await acquireLock(path, { ...ONCE, ...ADVISORY })
  const waiting = await startBesideTheQueue(path)
  renameSync(path, `${path}.1`)
  advisory.release()
  const lock = await waiting.lock
  expect(lock.wasCreated).toBe(true)
  expect(fstatSync(lock.fd).ino).toBe(statSync(path).ino)
  lock.release()
})

// In another module registry, so that it waits on the disk as another process would.
async function startBesideTheQueue(path: string): Promise<{ lock: Promise<HeldLock> }> {
  vi.resetModules()
  const other = await import('../../../lib/log/lock/acquire.js')
  const lock = other.acquireLock(path, ONCE)
  // By now it has tried once, and keeps the kernel lock of the file that is about to go.
  await new Promise(setImmediate)
  return { lock }
}

// Requirement: T7
test('a lock replaced from outside is noticed, and the other’s is not removed', async () => {
  const path = aLog()
  const lock = await acquireLock(path, LEASE)
  rmdirSync(lockPathOf(path))
  mkdirSync(join(dirname(path), 'takes the inode'))
  mkdirSync(lockPathOf(path))
  await vi.waitFor(() => expect(lock.isCompromised()).toBe(true), { timeout: 5000 })
  lock.release()
  expect(existsSync(lockPathOf(path))).toBe(true)
})

test('a lock lost unnoticed is not taken from its new owner by the release', async () => {
  const path = aLog()
  const lock = await acquireLock(path, { ...LEASE, ...ADVISORY })
  rmdirSync(lockPathOf(path))
  mkdirSync(join(dirname(path), 'takes the inode'))
  const thief = await acquireLock(path, { ...LEASE, ...ADVISORY })
  lock.release()
  expect(readOwnerRecord(path, systemEnvironment.fs)?.dir).toBe(
    readLockDirectory(path, systemEnvironment.fs)?.identity,
  )
  expect(thief.isCompromised()).toBe(false)
  thief.release()
})
