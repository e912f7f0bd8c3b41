// How this module opens a file to read it: never created, never locked, never waited for.

import { constants, type Stats } from 'node:fs'
import type { Environment, FileSystem } from '../../environment/index.js'
import { SessionError, toReadError } from '../../errors.js'
import { decodeLine, NEWLINE, READ_LINE_BYTES_MAX, type SessionEvent } from '../../format/index.js'
import type { LineSource, ReadRequest } from './forward-lines.js'

// Without O_NONBLOCK, opening a FIFO would wait for its writer for ever. Windows has no such flag.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** A file that is open, as big as it was then. What is appended later is for the next reader. */
export interface OpenLog {
  readonly path: string
  readonly fd: number
  readonly size: number
  /** Where it was opened. */
  readonly fs: FileSystem
}

export interface OpenLogWithStats extends OpenLog {
  readonly stats: Stats
}

export function openForReading(path: string, { fs }: Environment): OpenLogWithStats {
  if (typeof path !== 'string') throw new TypeError('The path of a log must be a string')
  return withStats(path, open(path, fs), fs)
}

function withStats(path: string, fd: number, fs: FileSystem): OpenLogWithStats {
  try {
    const stats = fs.fstatSync(fd)
    if (!stats.isFile()) throw unsafe(path)
    return { path, fd, size: stats.size, fs, stats }
  } catch (cause) {
    fs.closeSync(fd)
    throw toReadError(cause, 'read', path)
  }
}

/** `undefined` when nothing is there. */
export function openIfThere(path: string, { fs }: Environment): OpenLogWithStats | undefined {
  let fd: number
  try {
    fd = fs.openSync(path, FLAGS)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw toOpenError(path, cause)
  }
  return withStats(path, fd, fs)
}

/** The same for callers that need no descriptor. */
export function statIfThere(path: string, { fs }: Environment): Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw toReadError(cause, 'look at', path)
  }
}

/** Calls `use` with a log given by its path, or by a descriptor, which stays open. */
export function withOpenLog<Result>(
  log: string | number,
  use: (log: OpenLog) => Result,
  env: Environment,
): Result {
  const { fs } = env
  if (typeof log === 'number') {
    const path = `descriptor ${log}`
    return use({ path, fd: log, size: sizeOf(log, path, fs), fs })
  }
  const opened = openForReading(log, env)
  try {
    return use(opened)
  } finally {
    fs.closeSync(opened.fd)
  }
}

function sizeOf(fd: number, path: string, fs: FileSystem): number {
  try {
    return fs.fstatSync(fd).size
  } catch (cause) {
    throw toReadError(cause, 'read', path)
  }
}

function open(path: string, fs: FileSystem): number {
  try {
    return fs.openSync(path, FLAGS)
  } catch (cause) {
    throw toOpenError(path, cause)
  }
}

function toOpenError(path: string, cause: unknown): SessionError {
  // What Linux says of a socket.
  if ((cause as NodeJS.ErrnoException).code === 'ENXIO') return unsafe(path, cause)
  return toReadError(cause, 'read', path)
}

function unsafe(path: string, cause?: unknown): SessionError {
  return new SessionError('ERR_UNSAFE_PATH', `${path} is not a regular file`, { cause, path })
}

// Gives a source of lines the bytes it asks for, in one of the two ways there are to read.

/** False when the source wants no more. */
export function fillSync(log: OpenLog, lines: LineSource): boolean {
  const request = lines.request()
  if (request === undefined) return false
  readFullySync(log, lines.bytes, request)
  lines.accept(request)
  return true
}

/** False when the source wants no more. Others may run while the disk is at work. */
export async function fill(log: OpenLog, lines: LineSource): Promise<boolean> {
  const request = lines.request()
  if (request === undefined) return false
  for (let done = 0; done < request.length; ) {
    done += await readSome(log, lines.bytes, rest(request, done))
  }
  lines.accept(request)
  return true
}

export function readFullySync(log: OpenLog, bytes: Buffer, request: ReadRequest): void {
  for (let done = 0; done < request.length; ) {
    const { at, length, position } = rest(request, done)
    let count: number
    try {
      count = log.fs.readSync(log.fd, bytes, at, length, position)
    } catch (cause) {
      throw toReadError(cause, 'read', log.path)
    }
    if (count === 0) throw shrunken(log.path, position)
    done += count
  }
}

function readSome({ fd, path, fs }: OpenLog, bytes: Buffer, request: ReadRequest): Promise<number> {
  const { at, length, position } = request
  return new Promise((resolve, reject) => {
    fs.read(fd, bytes, at, length, position, (cause, count) => {
      if (cause !== null) reject(toReadError(cause, 'read', path))
      else if (count === 0) reject(shrunken(path, position))
      else resolve(count)
    })
  })
}

function rest({ at, length, position }: ReadRequest, done: number): ReadRequest {
  return { at: at + done, length: length - done, position: position + done }
}

function shrunken(path: string, byte_offset: number): SessionError {
  const what = `${path} was cut off at byte ${byte_offset} while it was read`
  return new SessionError('ERR_FILE_REPLACED', what, { file: path, byte_offset })
}

// One event by the place of its line.

const FIRST_READ_BYTES = 4096

/** `undefined` when no whole event starts there. */
export function readEventAt(log: OpenLog, offset: number): SessionEvent | undefined {
  for (let wanted = FIRST_READ_BYTES; ; wanted *= 4) {
    const length = Math.min(wanted, log.size - offset)
    if (length <= 0 || length > READ_LINE_BYTES_MAX) return undefined
    const bytes = Buffer.allocUnsafe(length)
    readFullySync(log, bytes, { at: 0, length, position: offset })
    const newline = bytes.indexOf(NEWLINE)
    if (newline === -1 && length === wanted) continue
    const [part] = decodeLine(bytes, 0, newline === -1 ? length : newline)
    return part?.kind === 'event' && part.start === 0 ? part.event : undefined
  }
}
