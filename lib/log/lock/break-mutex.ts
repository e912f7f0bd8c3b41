// Nobody removes another's lock directory outside of this mutex. Two waiters that judge the same
// dead lock would otherwise remove one after the other, the second one the first one's new lock.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createPrivateFile } from '../open-file.js'
import { inspectLock, type KernelProof } from './inspect.js'
import { lockPathOf, STALE_MS } from './lock-directory.js'
import { obstructedError } from './lock-errors.js'
import { judgeProcess, ownIdentity, parseIdentity } from './process-identity.js'
import { readSmallFile } from './small-file.js'

export function breakPathOf(path: string): string {
  return `${path}.lock.break`
}

/** Removes an abandoned lock directory. `kept`: it is not abandoned, or another is at it. */
export function breakLock(path: string, holdsKernelLock: KernelProof): 'gone' | 'kept' {
  const mutex = enterMutex(breakPathOf(path))
  if (mutex === undefined) return 'kept'
  try {
    // Judged again in here: the first judgement may be older than somebody's new lock.
    const { verdict } = inspectLock(path, holdsKernelLock)
    if (verdict === 'free') return 'gone'
    if (verdict !== 'abandoned' || !isStillOurs(mutex)) return 'kept'
    removeDirectory(path)
    return 'gone'
  } finally {
    leaveMutex(breakPathOf(path), mutex)
  }
}

function removeDirectory(path: string): void {
  try {
    rmdirSync(lockPathOf(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    throw obstructedError(path, 'a directory that is not empty', error)
  }
}

function enterMutex(breakPath: string): number | undefined {
  let fd: number
  try {
    fd = createPrivateFile(breakPath, constants.O_WRONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    clearDeadMutex(breakPath)
    return undefined
  }
  try {
    writeFileSync(fd, `${JSON.stringify(ownIdentity())}\n`)
  } catch (error) {
    leaveMutex(breakPath, fd)
    throw error
  }
  return fd
}

// Only clears: entering is left to the next attempt, so that two who find a dead one do not both
// go in. The inode is compared last, so that it is the dead one that goes.
function clearDeadMutex(breakPath: string): void {
  const file = readSmallFile(breakPath)
  if (file === undefined) return
  const identity = parseIdentity(file.json)
  const state = identity === undefined ? 'unknown' : judgeProcess(identity)
  // Not by the sign of the age: a clock set back must not keep it for ever.
  const isOld = Math.abs(Date.now() - file.mtimeMs) > STALE_MS
  if (state !== 'dead' && !(state === 'unknown' && isOld)) return
  const ino = lstatSync(breakPath, { bigint: true, throwIfNoEntry: false })?.ino
  if (ino === file.ino) removeQuietly(breakPath)
}

// Whoever took us for dead has unlinked our file, and somebody else may be in here by now.
function isStillOurs(fd: number): boolean {
  return fstatSync(fd).nlink === 1
}

function leaveMutex(breakPath: string, fd: number): void {
  if (isStillOurs(fd)) removeQuietly(breakPath)
  closeSync(fd)
}

function removeQuietly(breakPath: string): void {
  try {
    unlinkSync(breakPath)
  } catch {
    // Another one has cleared it.
  }
}
