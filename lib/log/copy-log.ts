// A new log from the bytes of another: a fork. Nothing stored is ever serialised a second time,
// and the new file appears whole or not at all.

import { closeSync } from 'node:fs'
import { toSessionError } from '../errors.js'
import { NEWLINE } from '../format/index.js'
import { readFullySync } from './fill-lines.js'
import { type OpenLog, openForReading } from './open-for-reading.js'
import { WholeFile } from './whole-file.js'
import { writeWhole } from './write-whole.js'

const CHUNK_BYTES = 1024 * 1024

export interface ByteRange {
  readonly byte_offset: number
  readonly length: number
}

export interface CopyRequest {
  readonly from: string
  readonly to: string
  /** What the new log begins with: whole lines. */
  readonly opening: Buffer
  /** How many bytes of the source follow. */
  readonly end: number
  /** Ranges of the source that follow after that: whole lines, without their newlines. */
  readonly later: readonly ByteRange[]
  /**
   * Not one byte more, also where the source does not end with a newline.
   *
   * @default false
   */
  readonly isVerbatim?: boolean | undefined
}

export function copyLog({ from, to, opening, end, later, isVerbatim }: CopyRequest): void {
  const source = openForReading(from)
  try {
    const copy = new WholeFile(to, { makeFolder: true })
    try {
      copy.write(opening)
      copyRange(source, copy.fd, { byte_offset: 0, length: end }, { isVerbatim })
      for (const range of later) copyRange(source, copy.fd, range)
      copy.finish()
    } finally {
      copy.abandon()
    }
  } catch (cause) {
    throw toSessionError(cause, 'copy a log to', to)
  } finally {
    closeSync(source.fd)
  }
}

/** Appends a range of the source; a newline is added where it does not end in one. */
export function copyRange(
  source: OpenLog,
  fd: number,
  { byte_offset, length }: ByteRange,
  { isVerbatim = false }: Pick<CopyRequest, 'isVerbatim'> = {},
): void {
  let last = NEWLINE
  for (let done = 0; done < length; ) {
    const count = Math.min(CHUNK_BYTES, length - done)
    const bytes = Buffer.allocUnsafe(count)
    readFullySync(source, bytes, { at: 0, length: count, position: byte_offset + done })
    writeWhole(fd, bytes)
    last = bytes[count - 1]!
    done += count
  }
  if (last !== NEWLINE && !isVerbatim) writeWhole(fd, Buffer.from([NEWLINE]))
}
