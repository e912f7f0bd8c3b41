// No process removes the lock directory of another outside of this mutex. Two waiters that judge the same
// dead lock would otherwise remove one after the other, the second one the first one's new lock.

import { constants } from 'node:fs'
import type { Environment, FileSystem } from '../../environment/index.js'
import { createPrivateFile } from '../files/open-file.js'
import { judgeLock, type KernelProof, lockPathOf, readSmallFile, STALE_MS } from './inspect.js'
import { obstructedError } from './lock-errors.js'
import { judgeProcess, ownIdentity, parseIdentity } from './process-identity.js'

export function breakPathOf(path: string): string {
  return `${path}.lock.break`
}

/** Removes an abandoned lock directory. `kept`: it is not abandoned, or another is at it. */
export function breakLock(
  path: string,
  holdsKernelLock: KernelProof,
  env: Environment,
): 'gone' | 'kept' {
  const mutex = enterMutex(breakPathOf(path), env)
  if (mutex === undefined) return 'kept'
  try {
    // Judged again in here: the first judgement may be older than the lock of a new holder.
    const { verdict } = judgeLock(path, env, holdsKernelLock)
    if (verdict === 'free') return 'gone'
    if (verdict !== 'abandoned' || !isStillOurs(mutex, env.fs)) return 'kept'
    removeDirectory(path, env.fs)
    return 'gone'
  } finally {
    leaveMutex(breakPathOf(path), mutex, env.fs)
  }
}

function removeDirectory(path: string, fs: FileSystem): void {
  try {
    fs.rmdirSync(lockPathOf(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    throw obstructedError(path, 'a directory that is not empty', error)
  }
}

function enterMutex(breakPath: string, env: Environment): number | undefined {
  let fd: number
  try {
    fd = createPrivateFile(breakPath, constants.O_WRONLY, env)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    clearDeadMutex(breakPath, env)
    return undefined
  }
  try {
    env.fs.writeFileSync(fd, `${JSON.stringify(ownIdentity(env))}\n`)
  } catch (error) {
    leaveMutex(breakPath, fd, env.fs)
    throw error
  }
  return fd
}

// Only clears: entering is left to the next attempt, so that two who find a dead one do not both
// go in. The inode is compared last, so that it is the dead one that goes.
function clearDeadMutex(breakPath: string, env: Environment): void {
  const file = readSmallFile(breakPath, env.fs)
  if (file === undefined) return
  const identity = parseIdentity(file.json)
  const state = identity === undefined ? 'unknown' : judgeProcess(identity, env)
  // Not by the sign of the age: a clock set back must not keep it for ever.
  const isOld = Math.abs(env.host.clock() - file.mtimeMs) > STALE_MS
  if (state !== 'dead' && !(state === 'unknown' && isOld)) return
  const ino = env.fs.lstatSync(breakPath, { bigint: true, throwIfNoEntry: false })?.ino
  if (ino === file.ino) removeQuietly(breakPath, env.fs)
}

// A process that took us for dead has unlinked our file, and another may be in here by now.
function isStillOurs(fd: number, fs: FileSystem): boolean {
  return fs.fstatSync(fd).nlink === 1
}

function leaveMutex(breakPath: string, fd: number, fs: FileSystem): void {
  if (isStillOurs(fd, fs)) removeQuietly(breakPath, fs)
  fs.closeSync(fd)
}

function removeQuietly(breakPath: string, fs: FileSystem): void {
  try {
    fs.unlinkSync(breakPath)
  } catch {
    // Another one has cleared it.
  }
}
