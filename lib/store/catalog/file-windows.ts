// The two parts of a transcript that a listing reads: its first 4 KiB and its last 64 KiB.

import type { FileSystem } from '../../environment/index.js'
import { NEWLINE } from '../../format/index.js'

const HEAD_BYTES = 4 * 1024
export const TAIL_BYTES = 64 * 1024

// A read to the start of a fresh allocation is five times slower on some processors.
const MARGIN_BYTES = 64

/** A file that is open for reading. */
export interface OpenFile {
  readonly fs: FileSystem
  readonly fd: number
  readonly size: number
}

/** Bytes of the file, from `start` to `end` of a buffer that the next read overwrites. */
export interface Window {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** It begins with the first byte of the file. */
  readonly isFileStart: boolean
  /** It ends with the last byte of the file. */
  readonly isFileEnd: boolean
}

let shared: Buffer | undefined

function sharedBuffer(): Buffer {
  shared ??= Buffer.allocUnsafeSlow(MARGIN_BYTES + HEAD_BYTES + TAIL_BYTES)
  return shared
}

/** The first window alone; valid until the next call. */
export function readHead(file: OpenFile): Window {
  const { size } = file
  const bytes = sharedBuffer()
  const start = MARGIN_BYTES
  const end = start + readUpTo(file, bytes, start, Math.min(size, HEAD_BYTES), 0)
  return { bytes, start, end, isFileStart: true, isFileEnd: size <= HEAD_BYTES }
}

/** Valid until the next call: all transcripts of a listing share one buffer. */
export function readWindows(file: OpenFile): { head: Window; tail: Window } {
  const { size } = file
  const bytes = sharedBuffer()
  const start = MARGIN_BYTES
  const middle = start + HEAD_BYTES
  if (size <= HEAD_BYTES + TAIL_BYTES) {
    const end = start + readUpTo(file, bytes, start, size, 0)
    const whole = { bytes, start, end, isFileStart: true, isFileEnd: true }
    // The first prompt is searched in 4 KiB also here, so that a title does not depend on the
    // length of the file.
    return { head: { ...whole, end: Math.min(end, middle), isFileEnd: end <= middle }, tail: whole }
  }
  const headEnd = start + readUpTo(file, bytes, start, HEAD_BYTES, 0)
  const tailEnd = middle + readUpTo(file, bytes, middle, TAIL_BYTES, size - TAIL_BYTES)
  return {
    head: { bytes, start, end: headEnd, isFileStart: true, isFileEnd: false },
    tail: { bytes, start: middle, end: tailEnd, isFileStart: false, isFileEnd: true },
  }
}

/** The first window again, twice as long. */
export function readLonger(file: OpenFile, head: Window): Window {
  const { size } = file
  const length = Math.min(size, 2 * (head.end - head.start))
  const bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + length)
  const start = MARGIN_BYTES
  const end = start + readUpTo(file, bytes, start, length, 0)
  return {
    bytes,
    start,
    end,
    isFileStart: true,
    isFileEnd: end - start < length || length === size,
  }
}

/** Visits the lines from `start` on until `visit` returns true; `isCut`: the window ends in it. */
export function forEachLine(
  { bytes, end, isFileEnd }: Window,
  start: number,
  visit: (start: number, end: number, isCut: boolean) => boolean,
): void {
  for (let from = start; from < end; ) {
    const at = bytes.indexOf(NEWLINE, from)
    const isEnded = at !== -1 && at < end
    const to = isEnded ? at : end
    if (to > from && visit(from, to, !isEnded && !isFileEnd)) return
    from = to + 1
  }
}

/** Visits the whole lines, last first, until `visit` returns true. */
export function forEachLineBackward(
  { bytes, start, end, isFileStart }: Window,
  visit: (start: number, end: number) => boolean,
): void {
  for (let to = end; to > start; ) {
    const at = bytes.lastIndexOf(NEWLINE, to - 1)
    if (at < start && !isFileStart) return
    const from = Math.max(at + 1, start)
    if (to > from && visit(from, to)) return
    to = at
  }
}

/** Less than `length` only when the file was truncated meanwhile. */
function readUpTo(
  { fs, fd }: OpenFile,
  bytes: Buffer,
  at: number,
  length: number,
  position: number,
): number {
  let done = 0
  while (done < length) {
    const count = fs.readSync(fd, bytes, at + done, length - done, position + done)
    if (count === 0) break
    done += count
  }
  return done
}
