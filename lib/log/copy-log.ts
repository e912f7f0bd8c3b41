// A new log from the bytes of another: a fork. Nothing stored is ever serialised a second time,
// and the new file appears whole or not at all.

import { closeSync, constants, fsyncSync, linkSync } from 'node:fs'
import { dirname } from 'node:path'
import { SessionError, toSessionError } from '../errors.js'
import { NEWLINE } from '../format/index.js'
import { readFullySync } from './fill-lines.js'
import { createFolder, createPrivateFile, syncFolder } from './open-file.js'
import { type OpenLog, openForReading } from './open-for-reading.js'
import { removeTemporary, temporaryPath } from './temporary-file.js'
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
}

export function copyLog({ from, to, opening, end, later }: CopyRequest): void {
  const temporary = temporaryPath(to)
  const source = openForReading(from)
  try {
    createFolder(dirname(to))
    const fd = createPrivateFile(temporary, constants.O_WRONLY | constants.O_APPEND)
    try {
      writeWhole(fd, opening)
      copyRange(source, fd, { byte_offset: 0, length: end })
      for (const range of later) copyRange(source, fd, range)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    // A link fails where a file is already; a rename would replace it.
    linkSync(temporary, to)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new SessionError('ERR_EXISTS', `${to} is there already`, { path: to })
    }
    throw toSessionError(cause, 'copy a log to', to)
  } finally {
    closeSync(source.fd)
    removeTemporary(temporary)
  }
  syncFolder(to)
}

/** Appends a range of the source; a newline is added where it does not end in one. */
export function copyRange(source: OpenLog, fd: number, { byte_offset, length }: ByteRange): void {
  let last = NEWLINE
  for (let done = 0; done < length; ) {
    const count = Math.min(CHUNK_BYTES, length - done)
    const bytes = Buffer.allocUnsafe(count)
    readFullySync(source, bytes, { at: 0, length: count, position: byte_offset + done })
    writeWhole(fd, bytes)
    last = bytes[count - 1]!
    done += count
  }
  if (last !== NEWLINE) writeWhole(fd, Buffer.from([NEWLINE]))
}
