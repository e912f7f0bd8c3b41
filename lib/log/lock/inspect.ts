// Looks at a lock from outside and judges it. Changes nothing; the break mutex asks it a second
// time before anything is removed.

import { type BigIntStats, constants } from 'node:fs'
import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
  type FileSystem,
  toIso,
} from '../../environment/index.js'
import { toReadError } from '../../errors.js'
import { createPrivateFile, kindOf } from '../files/open-file.js'
import {
  judgeProcess,
  ownIdentity,
  type ProcessIdentity,
  type ProcessState,
  parseIdentity,
} from './process-identity.js'

export interface LockState {
  /**
   * - `held`: by a process that is alive, or may be
   * - `abandoned`: its owner is provably gone, or unknown and silent for longer than `STALE_MS`
   * - `obstructed`: not a lock; only a person can decide what it is
   */
  readonly verdict: 'free' | 'held' | 'abandoned' | 'obstructed'
  /** Only if the record belongs to the directory that is there. */
  readonly owner?: OwnerRecord | undefined
  readonly ownerState?: ProcessState | undefined
  readonly obstacle?: string | undefined
}

/**
 * Whether the caller holds the kernel lock of the file that the path names at this moment.
 * A function and not a flag, because the path may come to name another file meanwhile.
 */
export type KernelProof = () => boolean

/** Who holds the lock of a log, and whether that process is alive. Changes nothing. */
export function inspectLock(
  path: string,
  { environment }: { readonly environment?: EnvironmentOverrides | undefined } = {},
): LockState {
  return judgeLock(path, environmentFrom(environment))
}

/** The running process that has the log open, and since when. */
export function findLease(
  path: string,
  env: Environment,
): { readonly pid: number; readonly since: string } | undefined {
  const { verdict, owner } = judgeLock(path, env)
  return verdict === 'held' && owner?.mode === 'lease' ? owner : undefined
}

export function judgeLock(
  path: string,
  env: Environment,
  holdsKernelLock: KernelProof = () => false,
): LockState {
  // The order carries the proof: a process that is found dead first, and whose directory is found
  // after that, cannot have released it for another holder in between.
  const record = readOwnerRecord(path, env.fs)
  const recordState = record && judgeProcess(record, env)
  const directory = readLockDirectory(path, env.fs)
  if (directory === undefined) return { verdict: 'free' }
  const { identity, mode, mtimeMs, obstacle } = directory
  if (obstacle !== undefined) return { verdict: 'obstructed', obstacle }

  const isBound = record !== undefined && isSameDirectory(record.dir, identity)
  const owner = isBound ? record : undefined
  const ownerState = isBound ? recordState : undefined
  const state = (verdict: LockState['verdict']): LockState => ({ verdict, owner, ownerState })

  // Made under the kernel lock and removed before that is dropped: if we have it, the maker died.
  const isKernelMade = mode === KERNEL_MODE || owner?.kernel === true
  if (isKernelMade && holdsKernelLock()) return state('abandoned')
  if (ownerState === 'alive' || ownerState === 'stopped') return state('held')
  if (ownerState === 'dead')
    return state(isRecordUnchanged(path, owner!, env) ? 'abandoned' : 'held')
  return judgeByAge(path, mtimeMs, state, env)
}

// Inodes are given out again and birth times tick in milliseconds, so two directories may look
// the same. A holder that released took its record with it; if the record is there, so is the lock.
function isRecordUnchanged(path: string, before: OwnerRecord, { fs }: Environment): boolean {
  const now = readOwnerRecord(path, fs)
  return now?.pid === before.pid && now.since === before.since && now.dir === before.dir
}

function judgeByAge(
  path: string,
  mtimeMs: number,
  state: (verdict: LockState['verdict']) => LockState,
  env: Environment,
): LockState {
  const ageMs = env.host.clock() - mtimeMs
  if (!isEmpty(path, env))
    return { ...state('obstructed'), obstacle: 'a directory that is not empty' }
  if (ageMs > STALE_MS) return state('abandoned')
  if (ageMs >= -STALE_MS) return state('held')
  const obstacle = `a lock dated ${new Date(mtimeMs).toISOString()}, in the future`
  return { ...state('obstructed'), obstacle }
}

function isEmpty(path: string, { fs }: Environment): boolean {
  try {
    return fs.readdirSync(lockPathOf(path)).length === 0
  } catch {
    // Gone meanwhile, or another user's: nothing speaks against it.
    return true
  }
}

// The portable lock is a directory beside the log. This file knows its name, which directory it
// is, and what its mode says.

/** Without news for this long a lock of unknown owner is abandoned. Fixed: mixed values make two owners. */
export const STALE_MS = 10_000
export const UPDATE_MS = 2_000

/** Made by a process that held the kernel lock. Set by mkdir itself, so it can never be outdated. */
export const KERNEL_MODE = 0o600
export const ADVISORY_MODE = 0o700

export function lockPathOf(path: string): string {
  return `${path}.lock`
}

export interface LockDirectory {
  /** Inode and birth time: the same path made anew is another directory. */
  readonly identity: string
  readonly mode: number
  readonly mtimeMs: number
  /** What is at the lock path, if it is not a directory. */
  readonly obstacle?: string | undefined
}

export function readLockDirectory(path: string, fs: FileSystem): LockDirectory | undefined {
  const stats = statsOf(lockPathOf(path), fs)
  if (stats === undefined) return undefined
  return {
    identity: `${stats.ino}:${stats.birthtimeNs}`,
    mode: Number(stats.mode & 0o777n),
    mtimeMs: Number(stats.mtimeMs),
    obstacle: obstacleOf(stats),
  }
}

const BELOW_MILLISECONDS = '000000'

/** Deno reads birth times in milliseconds: its records name no more, and it sees no more of others. */
function isSameDirectory(recorded: string, found: string): boolean {
  if (recorded === found) return true
  const isCut = [recorded, found].some((identity) => identity.endsWith(BELOW_MILLISECONDS))
  const cut = (identity: string) => identity.slice(0, -BELOW_MILLISECONDS.length)
  return isCut && cut(recorded) === cut(found)
}

function statsOf(lockPath: string, fs: FileSystem): BigIntStats | undefined {
  try {
    return fs.lstatSync(lockPath, { bigint: true, throwIfNoEntry: false })
  } catch (cause) {
    throw toReadError(cause, 'look at', lockPath)
  }
}

function obstacleOf(stats: BigIntStats): string | undefined {
  return stats.isDirectory() ? undefined : kindOf(stats)
}

// The note beside a lock that says whose it is. It is written after the directory is made, so it
// counts only while it names that very directory: otherwise it speaks of an earlier owner.

export type LockMode = 'lease' | 'once'

export interface OwnerRecord extends ProcessIdentity {
  readonly since: string
  readonly kernel: boolean
  readonly mode: LockMode
  /** The identity of the lock directory it belongs to. */
  readonly dir: string
}

export function ownerPathOf(path: string): string {
  return `${path}.lock.owner`
}

export type OwnerNote = Pick<OwnerRecord, 'kernel' | 'mode' | 'dir'>

/** Only the holder of the lock may call it. */
export function writeOwnerRecord(path: string, note: OwnerNote, env: Environment): void {
  const { fs, host } = env
  const record: OwnerRecord = { ...ownIdentity(env), since: toIso(host.clock()), ...note }
  const target = ownerPathOf(path)
  const temporary = `${target}.${env.newToken()}.tmp`
  const fd = createPrivateFile(temporary, constants.O_WRONLY, env)
  try {
    fs.writeFileSync(fd, `${JSON.stringify(record)}\n`)
    fs.renameSync(temporary, target)
  } catch (error) {
    fs.unlinkSync(temporary)
    throw error
  } finally {
    fs.closeSync(fd)
  }
}

/** Never throws: a record that cannot be understood is as good as none. */
export function readOwnerRecord(path: string, fs: FileSystem): OwnerRecord | undefined {
  const file = readSmallFile(ownerPathOf(path), fs)
  const identity = file && parseIdentity(file.json)
  if (identity === undefined) return undefined
  const { since, kernel, mode, dir } = file!.json as Partial<OwnerRecord>
  if (typeof since !== 'string' || typeof kernel !== 'boolean' || typeof dir !== 'string') {
    return undefined
  }
  return mode === 'lease' || mode === 'once' ? { ...identity, since, kernel, mode, dir } : undefined
}

/** Removes the record if it belongs to that directory; another's stays. */
export function removeOwnerRecord(path: string, dir: string, { fs }: Environment): void {
  if (readOwnerRecord(path, fs)?.dir === dir) fs.unlinkSync(ownerPathOf(path))
}

/** For a holder that writes no record: an existing one was left by a dead process. */
export function clearOwnerRecord(path: string, { fs }: Environment): void {
  if (fs.existsSync(ownerPathOf(path))) fs.unlinkSync(ownerPathOf(path))
}

// Reads the few bytes other processes leave beside a log. Nothing planted there may make us wait,
// follow a link, or read without end.

const BYTES_MAX = 4096
/* v8 ignore next -- @preserve Windows has neither flag */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export interface SmallFile {
  /** `undefined` when the content is no JSON: half written, or not by us. */
  readonly json: unknown
  readonly ino: bigint
  readonly mtimeMs: number
}

export function readSmallFile(path: string, fs: FileSystem): SmallFile | undefined {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, FLAGS)
    const stats = fs.fstatSync(fd, { bigint: true })
    if (!stats.isFile()) return undefined
    const buffer = Buffer.alloc(BYTES_MAX)
    const length = fs.readSync(fd, buffer, 0, BYTES_MAX, 0)
    const json = parseJson(buffer.toString('utf8', 0, length))
    return { json, ino: stats.ino, mtimeMs: Number(stats.mtimeMs) }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
