// A log with some of its lines left out, in the place of the log. Bytes of logs are kept for
// good; this is the one exception, for the one channel that may be pruned, and nothing is written
// over: a new file takes the name when it is whole.

import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../environment/index.js'
import { SessionError, toSessionError } from '../../errors.js'
import { isTemporaryOf, removeTemporary, temporaryPath } from '../files/atomic-file.js'
import { type ByteRange, copyRange } from '../files/copy-log.js'
import { createPrivateFile, syncFolder } from '../files/open-file.js'
import { acquireLock, type HeldLock } from '../lock/acquire.js'
import { type LogOptions, toLogSettings } from '../options.js'
import type { OpenLog } from '../read/open-for-reading.js'

export interface ReplaceOptions
  extends Pick<LogOptions, 'lockTimeoutMs' | 'useKernelLock' | 'environment'> {
  /**
   * Which lines stay, in their order and without their newlines; `undefined` leaves the log as it
   * is. Sees the log under its lock.
   */
  choose(log: OpenLog): readonly ByteRange[] | undefined
  /** Is waited for when the new file is whole and before it takes the name. */
  beforeReplacing(): Promise<void>
}

/** Returns whether the log was replaced. Killed at any point, it is the old one or the new one. */
export async function replaceLog(path: string, options: ReplaceOptions): Promise<boolean> {
  const { lock: lockOptions, environment: env } = toLogSettings(options)
  const { fs } = env
  const lock = await acquireLock(path, { mode: 'once', ...lockOptions })
  const temporary = temporaryPath(path, env)
  try {
    removeRemains(path, env)
    const log = { path, fd: lock.fd, size: fs.fstatSync(lock.fd).size, fs }
    const kept = options.choose(log)
    if (kept === undefined) return false
    writeCopy(log, kept, temporary, env)
    await options.beforeReplacing()
    refuseIfDisturbed(log, lock)
    fs.renameSync(temporary, path)
    syncFolder(path, env)
    return true
  } catch (cause) {
    removeTemporary(temporary, env)
    throw toSessionError(cause, 'replace', path)
  } finally {
    // From here on the lock guards a file that has no name: nothing may be written under it.
    lock.release()
  }
}

function writeCopy(
  log: OpenLog,
  kept: readonly ByteRange[],
  temporary: string,
  env: Environment,
): void {
  const fd = createPrivateFile(temporary, constants.O_WRONLY | constants.O_APPEND, env)
  try {
    for (const range of kept) copyRange(log, fd, range)
    env.fs.fsyncSync(fd)
  } finally {
    env.fs.closeSync(fd)
  }
}

/** A process that ignores the lock may have written meanwhile; its line must not be lost. */
function refuseIfDisturbed({ path, fd, size, fs }: OpenLog, { isCompromised }: HeldLock): void {
  if (fs.fstatSync(fd).size === size && !isCompromised()) return
  const what = `Another process that ignores the lock wrote into ${path} while it was copied`
  throw new SessionError('ERR_IO', what, { path })
}

/** What a process left that died in the middle; under the lock no other process uses it. */
function removeRemains(path: string, env: Environment): void {
  for (const name of env.fs.readdirSync(dirname(path))) {
    if (isTemporaryOf(path, name)) removeTemporary(join(dirname(path), name), env)
  }
}
