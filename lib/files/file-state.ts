// How a file is at this moment, read without following a link and without waiting for anybody.

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
} from 'node:fs'
import { kindOf } from '../log/inside.js'

export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file'
      /** Good until the next file is looked at. */
      readonly content: Buffer
      readonly mode: number
      readonly mark: string
    }
  /** Something that is neither saved nor replaced, and why. */
  | { readonly kind: 'odd'; readonly why: string }

export const ABSENT: FileState = { kind: 'absent' }

// Windows has none of them.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

// Most files are short, and a fresh buffer for each costs as much as reading it.
const SHARED = Buffer.allocUnsafeSlow(256 * 1024)
const NOTHING = Buffer.alloc(0)

/** Reads a whole file. Whether it was written to meanwhile, its mark tells afterwards. */
export function lookAtFile(path: string, maxBytes: number): FileState {
  let fd: number
  try {
    fd = openSync(path, FLAGS)
  } catch (error) {
    return stateOfError(path, error)
  }
  try {
    const stats = fstatSync(fd, { bigint: true })
    const why = oddity(stats, maxBytes)
    if (why !== undefined) return { kind: 'odd', why }
    const content = roomFor(Number(stats.size))
    if (!isFilled(fd, content)) return { kind: 'odd', why: 'it is being written to' }
    return { kind: 'file', content, mode: Number(stats.mode & 0o777n), mark: markOfStats(stats) }
  } catch (error) {
    return { kind: 'odd', why: unreadable(error) }
  } finally {
    closeSync(fd)
  }
}

/**
 * The first so many bytes of a file, or all of them, for somebody who knows their hash: empty
 * when it cannot be read, and `undefined` where none is. Good until the next file is looked at.
 */
export function readBytes(path: string, bytes: number | undefined): Buffer | undefined {
  let fd: number
  try {
    fd = openSync(path, FLAGS)
  } catch (error) {
    return isAbsence(error) ? undefined : NOTHING
  }
  try {
    // Who says how many saves a look at the file, which costs a third of reading a short one.
    const content = roomFor(bytes ?? fstatSync(fd).size)
    return isFilled(fd, content) ? content : NOTHING
  } catch {
    return NOTHING
  } finally {
    closeSync(fd)
  }
}

/** Tells one state of a file from any other without reading it; `undefined` where none is. */
export function markOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : markOfStats(stats)
}

function oddity(stats: BigIntStats, maxBytes: number): string | undefined {
  if (!stats.isFile()) return `it is ${kindOf(stats)}`
  if (stats.nlink > 1n) return `it has ${stats.nlink} names (hard links)`
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`
  return undefined
}

function roomFor(bytes: number): Buffer {
  return bytes <= SHARED.length ? SHARED.subarray(0, bytes) : Buffer.allocUnsafe(bytes)
}

function isFilled(fd: number, content: Buffer): boolean {
  for (let done = 0; done < content.length; ) {
    const count = readSync(fd, content, done, content.length - done, done)
    if (count === 0) return false
    done += count
  }
  return true
}

function stateOfError(path: string, error: unknown): FileState {
  if (isAbsence(error)) return ABSENT
  const kind = kindAt(path)
  return { kind: 'odd', why: kind === undefined ? unreadable(error) : `it is ${kind}` }
}

/** What is there, when it is no file and when that can be told. */
function kindAt(path: string): string | undefined {
  try {
    const stats = lstatSync(path)
    return stats.isFile() ? undefined : kindOf(stats)
  } catch {
    return undefined
  }
}

function unreadable(error: unknown): string {
  return `it cannot be read (${codeOf(error)})`
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
}

function markOfStats({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`
}

export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code)
}
