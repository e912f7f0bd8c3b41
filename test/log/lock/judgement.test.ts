// A lock looked at from outside: what is found there, and what that is taken for.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import {
  inspectLock,
  judgeLock,
  lockPathOf,
  ownerPathOf,
  readLockDirectory,
  readSmallFile,
} from '../../../lib/log/lock/inspect.js'
import { createGuardedFs } from '../../../lib/log/lock/portable-lock.js'
import { ownIdentity } from '../../../lib/log/lock/process-identity.js'
import { temporaryFolder } from './worker.js'

const STALE_MS = 10_000
const DEAD = { pid: 2 ** 22 + 1, start: '1' }
const OUT_OF_SIGHT = { host: 'elsewhere' }
const holds = () => true
const holdsNot = () => false

interface Found {
  /** Milliseconds; negative is the future. */
  readonly age?: number
  readonly mode?: number
  readonly content?: string
  /** Changes to a record of this process, which holds the directory. */
  readonly record?: object
}

/** A log beside which that lock stands. */
function lockedLog({ age = 0, mode = 0o700, content, record }: Found = {}): string {
  const path = join(temporaryFolder(), 'a.jsonl')
  mkdirSync(lockPathOf(path))
  chmodSync(lockPathOf(path), mode)
  if (content !== undefined) writeFileSync(join(lockPathOf(path), content), '')
  const date = new Date(Date.now() - age)
  utimesSync(lockPathOf(path), date, date)
  if (record !== undefined) writeRecord(path, record)
  return path
}

function writeRecord(path: string, changes: object): void {
  const dir = readLockDirectory(path, systemEnvironment.fs)?.identity ?? 'none'
  const note = { since: 'then', kernel: false, mode: 'lease', dir }
  writeFileSync(
    ownerPathOf(path),
    JSON.stringify({ ...ownIdentity(systemEnvironment), ...note, ...changes }),
  )
}

describe('the verdict', () => {
  test('without a directory the lock is free, whatever a record says', () => {
    const path = join(temporaryFolder(), 'a.jsonl')
    writeRecord(path, {})
    expect(inspectLock(path)).toEqual({ verdict: 'free' })
  })

  test('a living owner holds it, however old it is and whatever it contains', () => {
    const path = lockedLog({ age: 10 * STALE_MS, content: 'note', record: {} })
    expect(judgeLock(path, systemEnvironment, holds)).toMatchObject({
      verdict: 'held',
      ownerState: 'alive',
      owner: { pid: process.pid, mode: 'lease', since: 'then' },
    })
  })

  test('an owner who is gone holds nothing, however fresh it is', () => {
    expect(inspectLock(lockedLog({ record: DEAD }))).toMatchObject({
      verdict: 'abandoned',
      ownerState: 'dead',
    })
  })

  test('a record of another directory says nothing', () => {
    const path = lockedLog({ record: { ...DEAD, dir: '1:1' } })
    expect(inspectLock(path)).toEqual({ verdict: 'held', owner: undefined, ownerState: undefined })
  })

  test('a record belongs to its directory also where birth times are read in milliseconds', () => {
    const path = lockedLog()
    const lockPath = lockPathOf(path)
    const { fs } = systemEnvironment
    // Deno on either side. Two of the times differ in nanoseconds only.
    const stateOf = (recordedNs: bigint, foundNs: bigint) => {
      const stats = fs.lstatSync(lockPath, { bigint: true })
      writeRecord(path, { dir: `${stats.ino}:${recordedNs}` })
      const lstatSync = () => Object.assign(stats, { birthtimeNs: foundNs })
      const files = { ...fs, lstatSync: lstatSync as unknown as typeof fs.lstatSync }
      return judgeLock(path, { ...systemEnvironment, fs: files }).ownerState
    }
    expect(stateOf(5_000_000n, 5_000_123n)).toBe('alive')
    expect(stateOf(5_000_123n, 5_000_000n)).toBe('alive')
    expect(stateOf(5_000_123n, 5_000_124n)).toBeUndefined()
    expect(stateOf(5_000_000n, 6_000_000n)).toBeUndefined()
    expect(stateOf(5_000_000n, 6_000_123n)).toBeUndefined()
  })

  test('a lock with an owner on another machine, or without one, is judged by its age', () => {
    for (const record of [OUT_OF_SIGHT, undefined]) {
      const verdictOf = (age: number) =>
        inspectLock(lockedLog({ age, ...(record && { record }) })).verdict
      expect(verdictOf(0)).toBe('held')
      expect(verdictOf(STALE_MS - 3000)).toBe('held')
      expect(verdictOf(STALE_MS + 100)).toBe('abandoned')
      expect(verdictOf(3000 - STALE_MS)).toBe('held')
      expect(verdictOf(-STALE_MS - 3000)).toBe('obstructed')
    }
    expect(inspectLock(lockedLog({ record: OUT_OF_SIGHT }))).toMatchObject({
      ownerState: 'unknown',
      owner: OUT_OF_SIGHT,
    })
  })

  test('an unsigned directory that is not empty is an obstacle, also an old one', () => {
    for (const age of [0, 2 * STALE_MS]) {
      expect(inspectLock(lockedLog({ age, content: 'note' }))).toMatchObject({
        verdict: 'obstructed',
        obstacle: 'a directory that is not empty',
      })
    }
  })

  test('a lock from the future is named with its date', () => {
    const path = lockedLog({ age: -3_600_000 })
    const date = new Date(Number(statSync(lockPathOf(path)).mtimeMs)).toISOString().slice(0, 19)
    expect(inspectLock(path).obstacle).toContain(`a lock dated ${date}`)
  })

  test('a directory made under the kernel lock is abandoned for the holder of that lock, by mode or by record', () => {
    const marked = lockedLog({ mode: 0o600 })
    expect(judgeLock(marked, systemEnvironment, holds).verdict).toBe('abandoned')
    expect(judgeLock(marked, systemEnvironment, holdsNot).verdict).toBe('held')
    const signed = lockedLog({ record: { kernel: true } })
    expect(judgeLock(signed, systemEnvironment, holds).verdict).toBe('abandoned')
    expect(judgeLock(signed, systemEnvironment, holdsNot).verdict).toBe('held')
    expect(judgeLock(lockedLog(), systemEnvironment, holds).verdict).toBe('held')
    expect(inspectLock(marked).verdict).toBe('held')
  })

  test('a file in its place is an obstacle, and named', () => {
    const path = join(temporaryFolder(), 'a.jsonl')
    writeFileSync(lockPathOf(path), '')
    expect(judgeLock(path, systemEnvironment, holds)).toEqual({
      verdict: 'obstructed',
      obstacle: 'a file',
    })
  })
})

describe('what proper-lockfile is shown', () => {
  interface Shown {
    mkdirSync(): void
    statSync(): { mtime: Date }
    utimesSync(lockPath: string, atime: Date, mtime: Date): void
    rmdirSync(): void
    realpathSync(): string
  }

  function guarded(path: string, isKernel = false, holdsKernelLock = holdsNot) {
    const { fs, made } = createGuardedFs({
      path,
      isKernel,
      holdsKernelLock,
      env: systemEnvironment,
    })
    return { fs: fs as unknown as Shown, made }
  }

  const coded = (code: string) => expect.objectContaining({ code }) as Error
  const free = () => join(temporaryFolder(), 'a.jsonl')
  const modeOf = (path: string) => statSync(lockPathOf(path)).mode & 0o777

  test('a directory is marked with how it was made, whatever the mask', () => {
    const before = process.umask()
    onTestFinished(() => void process.umask(before))
    for (const mask of [0, 0o022, 0o077, 0o100]) {
      process.umask(mask)
      const [kernel, advisory] = [free(), free()]
      for (const [path, isKernel, mode] of [
        [kernel, true, 0o600],
        [advisory, false, 0o700],
      ] as const) {
        const { fs, made } = guarded(path, isKernel)
        expect(made()).toBeUndefined()
        fs.mkdirSync()
        expect(modeOf(path)).toBe(mode)
        expect(made()).toEqual({
          identity: readLockDirectory(path, systemEnvironment.fs)?.identity,
          isMarked: true,
        })
      }
    }
  })

  test('does not make an existing directory again', () => {
    const path = lockedLog()
    const { fs, made } = guarded(path)
    expect(() => fs.mkdirSync()).toThrow(coded('EEXIST'))
    expect(made()).toBeUndefined()
  })

  test('another’s lock is of now while it is held, and of the beginning once it is abandoned', () => {
    const isRecent = (date: Date) => Math.abs(Date.now() - date.getTime()) < 60_000
    expect(isRecent(guarded(lockedLog()).fs.statSync().mtime)).toBe(true)
    expect(isRecent(guarded(lockedLog({ age: STALE_MS - 3000 })).fs.statSync().mtime)).toBe(true)
    expect(
      guarded(lockedLog({ record: DEAD }))
        .fs.statSync()
        .mtime.getTime(),
    ).toBe(0)
    const marked = lockedLog({ mode: 0o600 })
    expect(guarded(marked, true, holds).fs.statSync().mtime.getTime()).toBe(0)
    expect(() => guarded(free()).fs.statSync()).toThrow(coded('ENOENT'))
    expect(() => guarded(lockedLog({ content: 'note' })).fs.statSync()).toThrow(
      coded('ERR_LOCK_OBSTRUCTED'),
    )
  })

  test('another’s lock is removed once it is abandoned, and not before', () => {
    const held = lockedLog()
    expect(() => guarded(held).fs.rmdirSync()).toThrow(coded('ELOCKED'))
    expect(existsSync(lockPathOf(held))).toBe(true)
    const dead = lockedLog({ record: DEAD })
    guarded(dead).fs.rmdirSync()
    expect(existsSync(lockPathOf(dead))).toBe(false)
  })

  test('our own has the date that was set last, also if another program touched it', () => {
    const path = free()
    const { fs } = guarded(path)
    fs.mkdirSync()
    const made = fs.statSync().mtime
    expect(made.getTime()).toBe(Math.trunc(statSync(lockPathOf(path)).mtimeMs))
    const next = new Date(5000)
    fs.utimesSync(lockPathOf(path), next, next)
    expect(statSync(lockPathOf(path)).mtimeMs).toBe(next.getTime())
    utimesSync(lockPathOf(path), new Date(0), new Date(0))
    expect(fs.statSync().mtime).toEqual(next)
    expect(fs.realpathSync()).toBe(path)
  })

  test('the first stat returns the date of the disk, also if another one was set', () => {
    const path = free()
    const { fs } = guarded(path)
    fs.mkdirSync()
    fs.utimesSync(lockPathOf(path), new Date(5000), new Date(5000))
    utimesSync(lockPathOf(path), new Date(7000), new Date(7000))
    expect(fs.statSync().mtime).toEqual(new Date(7000))
  })

  test('one that took its place is not ours: it is not found, and stays', () => {
    const path = free()
    const { fs } = guarded(path)
    fs.mkdirSync()
    rmdirSync(lockPathOf(path))
    expect(() => fs.statSync()).toThrow(coded('ENOENT'))
    fs.rmdirSync()
    mkdirSync(join(path, '..', 'takes the inode'))
    mkdirSync(lockPathOf(path))
    expect(() => fs.statSync()).toThrow(coded('ENOENT'))
    fs.rmdirSync()
    expect(existsSync(lockPathOf(path))).toBe(true)
  })

  test('our own is removed', () => {
    const path = free()
    const { fs } = guarded(path)
    fs.mkdirSync()
    fs.rmdirSync()
    expect(existsSync(lockPathOf(path))).toBe(false)
  })
})

describe.runIf(process.platform === 'linux')('the few bytes beside a log', () => {
  const openCount = () => readdirSync('/proc/self/fd').length
  const place = () => join(temporaryFolder(), 'file')

  test('are read as JSON, with the age of the file and its number', () => {
    const path = place()
    writeFileSync(path, '{"a":1}')
    utimesSync(path, new Date(5000), new Date(7000))
    const { ino } = statSync(path, { bigint: true })
    expect(readSmallFile(path, systemEnvironment.fs)).toEqual({
      json: { a: 1 },
      ino,
      mtimeMs: 7000,
    })
  })

  test('that are no JSON, or too many, are nothing but a file', () => {
    const path = place()
    for (const text of ['', '{"a":', `"${'x'.repeat(4095)}"`]) {
      writeFileSync(path, text)
      expect(readSmallFile(path, systemEnvironment.fs)).toMatchObject({ json: undefined })
    }
    writeFileSync(path, `"${'x'.repeat(4094)}"`)
    expect(readSmallFile(path, systemEnvironment.fs)).toMatchObject({ json: 'x'.repeat(4094) })
  })

  test('leave no file open, whatever is there', () => {
    const path = place()
    const before = openCount()
    expect(readSmallFile(path, systemEnvironment.fs)).toBeUndefined()
    mkdirSync(path)
    expect(readSmallFile(path, systemEnvironment.fs)).toBeUndefined()
    rmdirSync(path)
    writeFileSync(path, '5')
    expect(readSmallFile(path, systemEnvironment.fs)).toMatchObject({ json: 5 })
    expect(openCount()).toBe(before)
  })
})
