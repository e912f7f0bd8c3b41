// The only place where a log is opened for writing. What it made itself is private from the
// first byte; what it found is left as it is, or refused when a write could land somewhere else.

import { type BigIntStats, constants, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Environment, FileSystem } from '../../environment/index.js'
import { SessionError, toSessionError } from '../../errors.js'

export const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

const OTHERS_MAY_WRITE = 0o002
const STICKY = 0o1000

// O_NONBLOCK, because opening a FIFO would otherwise wait for its other end; O_NOCTTY, because a
// terminal must not become ours by being named. Windows has none of the three.
const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants
/* v8 ignore next -- @preserve */
const HARMLESS =
  (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const OPEN_FLAGS = O_RDWR | O_APPEND | HARMLESS

// Others may create and remove the file or its folder while we look; more rounds than this is
// not a race any more.
const OPEN_ROUNDS_MAX = 16

// What open(2) answers for something that is not a regular file.
const NOT_A_FILE = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'ENODEV', 'EOPNOTSUPP'])

export interface OpenedLog {
  readonly fd: number
  readonly wasCreated: boolean
}

/** Opens a log for appending, and creates it and its folder if they are missing. */
export function openLogFile(path: string, env: Environment): OpenedLog {
  try {
    for (let round = 0; round < OPEN_ROUNDS_MAX; round++) {
      if (!isFolderReady(dirname(path), env)) createFolder(dirname(path), env)
      const opened = openExisting(path, env) ?? openNew(path, env)
      if (opened !== undefined && isSafe(opened.fd, path, env.fs)) return opened
    }
  } catch (error) {
    throw NOT_A_FILE.has(codeOf(error))
      ? notAFile(path, error, env.fs)
      : toSessionError(error, 'open', path)
  }
  throw new SessionError('ERR_IO', `Another process keeps creating and removing ${path}`, {
    path,
  })
}

/** It gives one file one name: folder resolved (and created if missing), base name as it is. */
export function canonicalLogPath(path: string, env: Environment): string {
  const absolute = resolve(path)
  const folder = dirname(absolute)
  try {
    return join(env.fs.realpathSync.native(folder), basename(absolute))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw toSessionError(error, 'resolve the folder', folder)
  }
  try {
    createFolder(folder, env)
    return join(env.fs.realpathSync.native(folder), basename(absolute))
  } catch (error) {
    throw toSessionError(error, 'create the folder', folder)
  }
}

/** Makes the name of a new file durable: its entry lives in the folder, not in the file. */
export function syncFolder(path: string, { fs }: Environment): void {
  const folder = dirname(path)
  let fd: number | undefined
  try {
    fd = fs.openSync(folder, 'r')
    fs.fsyncSync(fd)
  } catch (error) {
    // Windows cannot open a folder, and some file systems cannot sync one.
    if (['EINVAL', 'EPERM', 'EISDIR'].includes(codeOf(error))) return
    throw toSessionError(error, 'sync the folder', folder)
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/**
 * A new file of ours, 0600 under any umask: the mask may only have taken bits away. Another mode
 * is given to it while it is still empty.
 */
export function createPrivateFile(
  path: string,
  flags: number,
  { mode = FILE_MODE, fs }: { mode?: number; fs: FileSystem },
): number {
  const fd = fs.openSync(path, flags | O_CREAT | O_EXCL | HARMLESS, FILE_MODE)
  try {
    fs.fchmodSync(fd, mode)
  } catch {
    // A file system without modes has nothing to correct.
  }
  return fd
}

function openExisting(path: string, { fs }: Environment): OpenedLog | undefined {
  try {
    return { fd: fs.openSync(path, OPEN_FLAGS), wasCreated: false }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function openNew(path: string, env: Environment): OpenedLog | undefined {
  try {
    return { fd: createPrivateFile(path, OPEN_FLAGS, env), wasCreated: true }
  } catch (error) {
    // Another process was quicker, or has just removed the folder.
    if (['EEXIST', 'ENOENT'].includes(codeOf(error))) return undefined
    throw error
  }
}

// Closes what it refuses. A file that lost its last name while we opened it is no refusal: the
// next round opens what is there now.
function isSafe(fd: number, path: string, fs: FileSystem): boolean {
  const stats = fs.fstatSync(fd)
  if (stats.isFile() && stats.nlink === 1) return true
  fs.closeSync(fd)
  if (!stats.isFile()) throw unsafe(path, `${path} is ${kindOf(stats)}, not a regular file`)
  if (stats.nlink === 0) return false
  throw unsafe(path, `${path} has ${stats.nlink} names (hard links)`)
}

function isFolderReady(folder: string, { fs, host }: Environment): boolean {
  const stats = fs.statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return false
  // Not asked of the group: with a umask of 002 every folder is 0775, and a group that is shared was
  // shared on purpose. `doctor` reports it. Windows reports every folder as writable
  // for all; its access lists are not in the mode.
  if (host.platform === 'win32' || (stats.mode & OTHERS_MAY_WRITE) === 0) return true
  if ((stats.mode & STICKY) !== 0) return true
  const mode = (stats.mode & 0o7777).toString(8)
  throw unsafe(folder, `The folder ${folder} is writable for all users (mode ${mode})`)
}

// Level by level and not `recursive`, because a umask of 0277 makes a folder in which the next
// level could not be created, and only folders of our own making may be corrected.
export function createFolder(folder: string, env: Environment): void {
  const { fs } = env
  try {
    fs.mkdirSync(folder, { mode: FOLDER_MODE })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    const parent = dirname(folder)
    if (codeOf(error) !== 'ENOENT' || parent === folder || lstatExists(parent, fs)) throw error
    createFolder(parent, env)
    createFolder(folder, env)
    return
  }
  if ((fs.statSync(folder).mode & 0o777) !== FOLDER_MODE) fs.chmodSync(folder, FOLDER_MODE)
}

// A parent that is there and yet leads nowhere is a dangling link: creating it would never end.
function lstatExists(path: string, fs: FileSystem): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function notAFile(path: string, cause: unknown, fs: FileSystem): SessionError {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  const found = stats === undefined ? 'something that cannot be opened' : kindOf(stats)
  return unsafe(path, `${path} is ${found}, not a regular file`, cause)
}

function unsafe(path: string, what: string, cause?: unknown): SessionError {
  return new SessionError('ERR_UNSAFE_PATH', what, { path, cause })
}

/** Names what was found, with its article: `a directory`. */
export function kindOf(stats: Stats | BigIntStats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a named pipe'
  if (stats.isSocket()) return 'a socket'
  return stats.isFile() ? 'a file' : 'a device'
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code)
}
