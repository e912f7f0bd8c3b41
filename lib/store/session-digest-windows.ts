// The two windows through which a listing looks at a transcript: its first 4 KiB and its last
// 64 KiB. What lies between them is not read, however long it is.

import { readSync } from 'node:fs'
import { NEWLINE } from '../format/index.js'

const HEAD_BYTES = 4 * 1024
export const TAIL_BYTES = 64 * 1024

// A read to the start of a fresh allocation is five times slower on some processors.
const MARGIN_BYTES = 64

/** Bytes of the file from `start` to `end` of a buffer that others use next. */
export interface Window {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** Nothing of the file stands before it. */
  readonly isFileStart: boolean
  /** Nothing of the file stands behind it. */
  readonly isFileEnd: boolean
}

let shared: Buffer | undefined

function sharedBuffer(): Buffer {
  shared ??= Buffer.allocUnsafeSlow(MARGIN_BYTES + HEAD_BYTES + TAIL_BYTES)
  return shared
}

/** The first of them alone; good until the next call. */
export function readHead(fd: number, size: number): Window {
  const bytes = sharedBuffer()
  const start = MARGIN_BYTES
  const end = start + readUpTo(fd, bytes, start, Math.min(size, HEAD_BYTES), 0)
  return { bytes, start, end, isFileStart: true, isFileEnd: size <= HEAD_BYTES }
}

/** Good until the next call: all transcripts of a listing share one buffer. */
export function readWindows(fd: number, size: number): { head: Window; tail: Window } {
  const bytes = sharedBuffer()
  const start = MARGIN_BYTES
  const middle = start + HEAD_BYTES
  if (size <= HEAD_BYTES + TAIL_BYTES) {
    const end = start + readUpTo(fd, bytes, start, size, 0)
    const whole = { bytes, start, end, isFileStart: true, isFileEnd: true }
    // The first prompt is looked for in 4 KiB also here, so that a title does not come and go
    // with the length of the file.
    return { head: { ...whole, end: Math.min(end, middle), isFileEnd: end <= middle }, tail: whole }
  }
  const headEnd = start + readUpTo(fd, bytes, start, HEAD_BYTES, 0)
  const tailEnd = middle + readUpTo(fd, bytes, middle, TAIL_BYTES, size - TAIL_BYTES)
  return {
    head: { bytes, start, end: headEnd, isFileStart: true, isFileEnd: false },
    tail: { bytes, start: middle, end: tailEnd, isFileStart: false, isFileEnd: true },
  }
}

/** The first bytes once more, and as many again. */
export function readOn(fd: number, size: number, head: Window): Window {
  const length = Math.min(size, 2 * (head.end - head.start))
  const bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + length)
  const start = MARGIN_BYTES
  const end = start + readUpTo(fd, bytes, start, length, 0)
  return {
    bytes,
    start,
    end,
    isFileStart: true,
    isFileEnd: end - start < length || length === size,
  }
}

/** Visits the lines from there on, oldest first, until `visit` says enough. A line cut by the window says so. */
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

/** Visits the whole lines newest first until `visit` says enough. */
export function forEachLineBackward(
  { bytes, start, end, isFileStart }: Window,
  visit: (start: number, end: number) => boolean,
): void {
  for (let to = end; to > start; ) {
    // Never before the buffer: there is a margin.
    const at = bytes.lastIndexOf(NEWLINE, to - 1)
    if (at < start && !isFileStart) return
    const from = Math.max(at + 1, start)
    if (to > from && visit(from, to)) return
    to = at
  }
}

/** Less than `length` only when the file was cut meanwhile. */
function readUpTo(fd: number, bytes: Buffer, at: number, length: number, position: number): number {
  let done = 0
  while (done < length) {
    const count = readSync(fd, bytes, at + done, length - done, position + done)
    if (count === 0) break
    done += count
  }
  return done
}
