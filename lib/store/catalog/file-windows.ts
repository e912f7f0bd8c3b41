// The two parts of a transcript that a listing reads: its first 4 KiB and its last 64 KiB. Where the
// first prompt is later, it reads the first 64 KiB.

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

// All transcripts of a listing share it.
const shared = Buffer.allocUnsafeSlow(MARGIN_BYTES + HEAD_BYTES + TAIL_BYTES)

/** The first window alone; valid until the next call. */
export function readHead(file: OpenFile): Window {
  return readWindow(file, shared, MARGIN_BYTES, 0, Math.min(file.size, HEAD_BYTES))
}

/** Valid until the next call. */
export function readWindows(file: OpenFile): { head: Window; tail: Window } {
  const { size } = file
  const middle = MARGIN_BYTES + HEAD_BYTES
  if (size > HEAD_BYTES + TAIL_BYTES) {
    const head = readHead(file)
    return { head, tail: readWindow(file, shared, middle, size - TAIL_BYTES, TAIL_BYTES) }
  }
  const tail = readWindow(file, shared, MARGIN_BYTES, 0, size)
  const end = Math.min(tail.end, middle)
  return { head: { ...tail, end, isFileEnd: end === tail.end }, tail }
}

/** The first window again, twice as long. */
export function readLonger(file: OpenFile, head: Window): Window {
  const length = Math.min(file.size, 2 * (head.end - head.start))
  const bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + length)
  return readWindow(file, bytes, MARGIN_BYTES, 0, length)
}

/** The first 64 KiB, where the whole file is not read already. */
export function readWideHead(file: OpenFile, tail: Window): Window {
  if (!tail.isFileStart) {
    return readWindow(
      file,
      Buffer.allocUnsafeSlow(MARGIN_BYTES + TAIL_BYTES),
      MARGIN_BYTES,
      0,
      TAIL_BYTES,
    )
  }
  // Not more, so that a title does not depend on the length of the file.
  const end = Math.min(tail.end, tail.start + TAIL_BYTES)
  return { ...tail, end, isFileEnd: end === tail.end }
}

/** Shorter than `length` only when the file was truncated meanwhile. */
function readWindow(
  { fs, fd, size }: OpenFile,
  bytes: Buffer,
  start: number,
  position: number,
  length: number,
): Window {
  let done = 0
  for (let count = -1; count !== 0 && done < length; done += count) {
    count = fs.readSync(fd, bytes, start + done, length - done, position + done)
  }
  const isFileEnd = done < length || position + length >= size
  return { bytes, start, end: start + done, isFileStart: position === 0, isFileEnd }
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
