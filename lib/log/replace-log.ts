// A log with some of its lines left out, in the place of the log. Bytes of logs are kept for
// good; this is the one exception, for the one channel that may be pruned, and nothing is written
// over: a new file takes the name when it is whole.

import { closeSync, constants, fstatSync, fsyncSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SessionError, toSessionError } from '../errors.js'
import { type ByteRange, copyRange } from './copy-log.js'
import { acquireLock, type HeldLock } from './lock/acquire.js'
import { createPrivateFile, syncFolder } from './open-file.js'
import type { OpenLog } from './open-for-reading.js'
import { type LogOptions, settingsOf } from './options.js'
import { isTemporaryOf, removeTemporary, temporaryPath } from './temporary-file.js'

export interface ReplaceOptions extends Pick<LogOptions, 'lockTimeoutMs' | 'useKernelLock'> {
  /**
   * Which lines stay, in their order and without their newlines; `undefined` leaves the log as it
   * is. Sees the log under its lock.
   */
  choose(log: OpenLog): readonly ByteRange[] | undefined
  /** Is waited for when the new file is whole and before it takes the name. */
  beforeReplacing(): Promise<void>
}

/** Tells whether the log was replaced. Killed at any point, it is the old one or the new one. */
export async function replaceLog(path: string, options: ReplaceOptions): Promise<boolean> {
  const { lockTimeoutMs: timeoutMs, useKernelLock } = settingsOf(options)
  const lock = await acquireLock(path, { mode: 'once', timeoutMs, useKernelLock })
  const temporary = temporaryPath(path)
  try {
    removeRemains(path)
    const log = { path, fd: lock.fd, size: fstatSync(lock.fd).size }
    const kept = options.choose(log)
    if (kept === undefined) return false
    writeCopy(log, kept, temporary)
    await options.beforeReplacing()
    refuseIfDisturbed(log, lock)
    renameSync(temporary, path)
    syncFolder(path)
    return true
  } catch (cause) {
    removeTemporary(temporary)
    throw toSessionError(cause, 'replace', path)
  } finally {
    // From here on the lock guards a file that has no name: nothing may be written under it.
    lock.release()
  }
}

function writeCopy(log: OpenLog, kept: readonly ByteRange[], temporary: string): void {
  const fd = createPrivateFile(temporary, constants.O_WRONLY | constants.O_APPEND)
  try {
    for (const range of kept) copyRange(log, fd, range)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Whoever ignores the lock may have written meanwhile; their line must not be left behind. */
function refuseIfDisturbed({ path, fd, size }: OpenLog, { isCompromised }: HeldLock): void {
  if (fstatSync(fd).size === size && !isCompromised) return
  const what = `Somebody who ignores the lock wrote into ${path} while it was copied`
  throw new SessionError('ERR_IO', what, { path })
}

/** What a process left that died in the middle; under the lock nobody else can be at it. */
function removeRemains(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (isTemporaryOf(path, name)) removeTemporary(join(dirname(path), name))
  }
}
