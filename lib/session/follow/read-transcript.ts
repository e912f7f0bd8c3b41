// The lines of a transcript that another program is writing: only whole ones, from an offset on.

import { isSessionError } from '../../errors.js'
import type { ForeignRecord, ForeignValue } from '../../interchange/follow.js'
import { type OpenLog, openIfThere } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'

/** More than a turn writes. A longer part is read as a whole, where the event allows it. */
const PART_BYTES_MAX = 4 * 1024 * 1024
/** Parsed in about a second. A longer transcript is not followed; hooks record what they get. */
export const TRANSCRIPT_BYTES_MAX = 64 * 1024 * 1024

const NEWLINE = 0x0a

export interface TranscriptPart {
  readonly records: readonly ForeignRecord[]
  /** Where the next part begins. */
  readonly end: number
}

/** Reads the lines from `offset` to the last newline; `undefined` if that is not possible. */
export function readTranscript(
  { env }: StoreContext,
  path: string,
  { from, bytesMax = PART_BYTES_MAX }: { from: number; bytesMax?: number },
): TranscriptPart | undefined {
  const log = openOrNothing(path, env)
  if (log === undefined) return undefined
  try {
    const length = log.size - from
    if (length < 0 || length > bytesMax) return undefined
    const bytes = readBytes(log, from, length)
    return { records: [...recordsIn(bytes, from)], end: from + bytes.lastIndexOf(NEWLINE) + 1 }
  } finally {
    env.fs.closeSync(log.fd)
  }
}

function openOrNothing(path: string, env: StoreContext['env']): OpenLog | undefined {
  try {
    return openIfThere(path, env)
  } catch (error) {
    // A folder or a file of another user: hooks record what they get.
    if (!isSessionError(error)) throw error
    return undefined
  }
}

function readBytes({ fs, fd }: OpenLog, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const count = fs.readSync(fd, bytes, done, length - done, from + done)
    if (count === 0) break
    done += count
  }
  return bytes.subarray(0, done)
}

function* recordsIn(bytes: Buffer, offset: number): Generator<ForeignRecord> {
  for (let start = 0; ; ) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1) return
    const value = parse(bytes.toString('utf8', start, end))
    // Only a fixture needs the hash of its source.
    if (value !== undefined) {
      yield { value, byteOffset: offset + start, length: end - start, sha256: '' }
    }
    start = end + 1
  }
}

function parse(text: string): ForeignValue | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as ForeignValue) : undefined
  } catch {
    return undefined
  }
}
