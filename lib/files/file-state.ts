// The state of a file now, read without following a link and without blocking; and the form in
// which a file checkpoint records it.

import { hash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import type { FileSystem } from '../environment/index.js'
import type { PayloadByType } from '../format/index.js'
import { kindOf } from '../log/internal.js'

/** A recorded file. Without a hash it did not exist, or `skipped` says why it was not saved. */
export type SavedFile = PayloadByType['file_checkpoint']['files'][number]

export interface FileManifest {
  readonly project_root: string
  readonly files: readonly SavedFile[]
}

export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file'
      /** Valid until the next file is read. */
      readonly content: Buffer
      readonly mode: number
      readonly mark: string
    }
  /** Something that is neither saved nor replaced, and why. */
  | { readonly kind: 'odd'; readonly why: string }

// Windows has neither of the last two.
/* v8 ignore next -- @preserve */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

// Most files are short, and a new buffer for each costs as much as reading it.
const SHARED = Buffer.allocUnsafeSlow(256 * 1024)
const NOTHING = Buffer.alloc(0)

export function sha256Of(bytes: Buffer | string): string {
  return hash('sha256', bytes)
}

/** The exact text that is stored and hashed. */
export function manifestText({ project_root, files }: FileManifest): string {
  const rows = files.map(({ path, sha256, existed, mode, bytes, skipped }) => ({
    path,
    sha256,
    existed,
    mode,
    bytes,
    skipped,
  }))
  return `${JSON.stringify({ project_root, files: rows })}\n`
}

/** Reads a whole file. Compare its mark afterwards to see whether it was written meanwhile. */
export function readState(fs: FileSystem, path: string, maxBytes: number): FileState {
  let fd: number
  try {
    fd = fs.openSync(path, FLAGS)
  } catch (error) {
    if (isAbsence(error)) return { kind: 'absent' }
    const kind = findOddKind(fs, path)
    return { kind: 'odd', why: kind === undefined ? unreadable(error) : `it is ${kind}` }
  }
  try {
    const stats = fs.fstatSync(fd, { bigint: true })
    const why = findOddity(stats, maxBytes)
    if (why !== undefined) return { kind: 'odd', why }
    const content = bufferFor(Number(stats.size))
    if (!fill(fs, fd, content)) return { kind: 'odd', why: 'it is being written to' }
    return { kind: 'file', content, mode: Number(stats.mode & 0o777n), mark: toMark(stats) }
  } catch (error) {
    return { kind: 'odd', why: unreadable(error) }
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * The first `bytes` bytes of a file, or all of them, for a caller that verifies their hash: empty
 * when they cannot be read, `undefined` when there is no file. Valid until the next file is read.
 */
export function readBytes(
  fs: FileSystem,
  path: string,
  bytes: number | undefined,
): Buffer | undefined {
  let fd: number
  try {
    fd = fs.openSync(path, FLAGS)
  } catch (error) {
    return isAbsence(error) ? undefined : NOTHING
  }
  try {
    // A known size saves an fstat, which costs a third of reading a short file.
    const content = bufferFor(bytes ?? fs.fstatSync(fd).size)
    return fill(fs, fd, content) ? content : NOTHING
  } catch {
    return NOTHING
  } finally {
    fs.closeSync(fd)
  }
}

/** Differs between any two states of a file, without reading it; `undefined` if there is none. */
export function readMark(fs: FileSystem, path: string): string | undefined {
  const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : toMark(stats)
}

export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code)
}

function findOddity(stats: BigIntStats, maxBytes: number): string | undefined {
  if (!stats.isFile()) return `it is ${kindOf(stats)}`
  if (stats.nlink > 1n) return `it has ${stats.nlink} names (hard links)`
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`
  return undefined
}

function bufferFor(bytes: number): Buffer {
  return bytes <= SHARED.length ? SHARED.subarray(0, bytes) : Buffer.allocUnsafe(bytes)
}

/** False when the file is shorter than the buffer. */
function fill(fs: FileSystem, fd: number, content: Buffer): boolean {
  for (let done = 0; done < content.length; ) {
    const count = fs.readSync(fd, content, done, content.length - done, done)
    if (count === 0) return false
    done += count
  }
  return true
}

/** What is at the path, if that is known and is not a file. */
function findOddKind(fs: FileSystem, path: string): string | undefined {
  try {
    const stats = fs.lstatSync(path)
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

function toMark({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`
}
