// A place in a log that survives a restart: an offset, and a check of the bytes right before it,
// so that another file under the same name is noticed even when it is as long.

import { crc32 } from 'node:zlib'
import type { FileSystem } from '../environment/index.js'
import { SessionError } from '../errors.js'

const CHECKED_BYTES = 64
const SHAPE = /^1-([0-9a-z]{1,11})-([0-9a-f]{8})(?:-([0-9]{1,9}))?$/

export interface Cursor {
  /** The start of the line to read next. */
  readonly byte_offset: number
  /** Of that line, how many entries were read already. */
  readonly entriesRead: number
  /** CRC-32 of up to 64 bytes before the offset. */
  readonly check: number
}

export function formatCursor({ byte_offset, entriesRead, check }: Cursor): string {
  const place = `1-${byte_offset.toString(36)}-${check.toString(16).padStart(8, '0')}`
  return entriesRead === 0 ? place : `${place}-${entriesRead}`
}

export function parseCursor(text: string): Cursor {
  if (typeof text !== 'string') throw new TypeError('A cursor must be a string')
  const [, offset, check, entriesRead = '0'] = SHAPE.exec(text) ?? []
  const byte_offset = Number.parseInt(offset ?? '', 36)
  if (!Number.isSafeInteger(byte_offset)) {
    throw new SessionError('ERR_ARG', 'This is not a log cursor', { cursor: text })
  }
  return { byte_offset, entriesRead: Number(entriesRead), check: Number.parseInt(check!, 16) }
}

/** The cursor for this place of an open log. */
export function cursorAt(
  { fd, fs }: { readonly fd: number; readonly fs: FileSystem },
  byte_offset: number,
): string {
  return formatCursor({ byte_offset, entriesRead: 0, check: checkBefore(fd, byte_offset, fs) })
}

/** The check of the bytes before `offset`. */
export function checkBefore(fd: number, offset: number, fs: FileSystem): number {
  const length = Math.min(CHECKED_BYTES, offset)
  const bytes = Buffer.alloc(length)
  // A file that is shorter by now gives other bytes, and so another check.
  fs.readSync(fd, bytes, 0, length, offset - length)
  return crc32(bytes)
}

/** The same, when the bytes are in memory already: of a line that ends, with its newline, there. */
export function checkOfBytes(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start < CHECKED_BYTES) return undefined
  return crc32(bytes.subarray(end - CHECKED_BYTES, end))
}
