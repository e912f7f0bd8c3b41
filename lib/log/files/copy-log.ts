// A new log from the bytes of another: a fork. Nothing stored is ever serialised a second time,
// and the new file appears whole or not at all.

import type { Environment } from '../../environment/index.js'
import { toSessionError } from '../../errors.js'
import { NEWLINE } from '../../format/index.js'
import { type OpenLog, openForReading, readFullySync } from '../read/open-for-reading.js'
import { AtomicFile, writeFully } from './atomic-file.js'

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
  /** Ranges of these bytes in whose place other bytes are written, in their order. */
  readonly replaced?: readonly (ByteRange & { readonly bytes: Buffer })[] | undefined
  /** Ranges of the source that follow after that: whole lines, without their newlines. */
  readonly later: readonly ByteRange[]
  /**
   * Not one byte more, also where the source does not end with a newline.
   *
   * @default false
   */
  readonly isVerbatim?: boolean | undefined
}

export function copyLog(
  { from, to, opening, end, replaced = [], later, isVerbatim }: CopyRequest,
  env: Environment,
): void {
  const source = openForReading(from, env)
  try {
    const copy = new AtomicFile(to, env, { makeFolder: true })
    try {
      copy.write(opening)
      let done = 0
      for (const { byte_offset, length, bytes } of replaced) {
        const before = { byte_offset: done, length: byte_offset - done }
        copyRange(source, copy.fd, before, { isVerbatim: true })
        copy.write(bytes)
        done = byte_offset + length
      }
      copyRange(source, copy.fd, { byte_offset: done, length: end - done }, { isVerbatim })
      if (done === end && done > 0) copy.write(Buffer.from([NEWLINE]))
      for (const range of later) copyRange(source, copy.fd, range)
      copy.finish()
    } finally {
      copy.abandon()
    }
  } catch (cause) {
    throw toSessionError(cause, 'copy a log to', to)
  } finally {
    env.fs.closeSync(source.fd)
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
    writeFully(fd, bytes, source.fs)
    last = bytes[count - 1]!
    done += count
  }
  if (last !== NEWLINE && !isVerbatim) writeFully(fd, Buffer.from([NEWLINE]), source.fs)
}

// Whether a file begins with all the bytes of another: it is the same, or was continued since.

export function isPrefixOf(part: string, whole: string, env: Environment): boolean {
  const one = openForReading(part, env)
  try {
    const other = openForReading(whole, env)
    try {
      if (one.size > other.size) return false
      for (let position = 0; position < one.size; position += CHUNK_BYTES) {
        const length = Math.min(CHUNK_BYTES, one.size - position)
        const [left, right] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)]
        readFullySync(one, left, { at: 0, length, position })
        readFullySync(other, right, { at: 0, length, position })
        if (!left.equals(right)) return false
      }
      return true
    } finally {
      env.fs.closeSync(other.fd)
    }
  } finally {
    env.fs.closeSync(one.fd)
  }
}
