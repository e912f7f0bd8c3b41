// The only way this room opens a file to read it: never created, never locked, never waited for.

import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { isSessionError, SessionError, toReadError } from '../errors.js'

// Without O_NONBLOCK, opening a FIFO would wait for its writer for ever. Windows has no such flag.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** A file that is open, as big as it was then. What is appended later is for the next reader. */
export interface OpenLog {
  readonly path: string
  readonly fd: number
  readonly size: number
}

export interface OpenLogWithStats extends OpenLog {
  readonly stats: Stats
}

export function openForReading(path: string): OpenLogWithStats {
  if (typeof path !== 'string') throw new TypeError('The path of a log must be a string')
  const fd = open(path)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw unsafe(path)
    return { path, fd, size: stats.size, stats }
  } catch (cause) {
    closeSync(fd)
    throw toReadError(cause, 'read', path)
  }
}

/** `undefined` when nothing is there. */
export function openIfThere(path: string): OpenLogWithStats | undefined {
  try {
    return openForReading(path)
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return undefined
    throw error
  }
}

/** The same for whoever only wants to know what stands there. */
export function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw toReadError(cause, 'look at', path)
  }
}

/** Calls `use` with a log given by its path, or by a descriptor, which stays open. */
export function withOpenLog<Result>(log: string | number, use: (log: OpenLog) => Result): Result {
  if (typeof log === 'number') {
    const path = `descriptor ${log}`
    return use({ path, fd: log, size: sizeOf(log, path) })
  }
  const opened = openForReading(log)
  try {
    return use(opened)
  } finally {
    closeSync(opened.fd)
  }
}

function sizeOf(fd: number, path: string): number {
  try {
    return fstatSync(fd).size
  } catch (cause) {
    throw toReadError(cause, 'read', path)
  }
}

function open(path: string): number {
  try {
    return openSync(path, FLAGS)
  } catch (cause) {
    // What Linux says of a socket.
    if ((cause as NodeJS.ErrnoException).code === 'ENXIO') throw unsafe(path, cause)
    throw toReadError(cause, 'read', path)
  }
}

function unsafe(path: string, cause?: unknown): SessionError {
  return new SessionError('ERR_UNSAFE_PATH', `${path} is not a regular file`, { cause, path })
}
