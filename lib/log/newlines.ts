// Where lines begin and end, for callers who need nothing else of them.

import { NEWLINE } from '../format/index.js'
import { BackwardLines } from './backward-lines.js'
import { fillSync, readFullySync } from './fill-lines.js'
import { MARGIN_BYTES } from './line-source.js'
import { withOpenLog } from './open-for-reading.js'

const CHUNK_BYTES = 256 * 1024

export function countNewlines(log: string | number, from = 0, to?: number): number {
  return withOpenLog(log, (open) => {
    const end = Math.min(to ?? open.size, open.size)
    const chunkBytes = Math.min(CHUNK_BYTES, Math.max(0, end - from))
    const bytes = Buffer.allocUnsafeSlow(MARGIN_BYTES + chunkBytes + 1)
    let count = 0
    for (let position = from; position < end; ) {
      const length = Math.min(CHUNK_BYTES, end - position)
      readFullySync(open, bytes, { at: MARGIN_BYTES, length, position })
      count += countIn(bytes, MARGIN_BYTES, MARGIN_BYTES + length)
      position += length
    }
    return count
  })
}

/** Where the line starts that holds the byte before `offset`. */
export function lineStartBefore(log: string | number, offset: number): number {
  return withOpenLog(log, (open) => {
    const lines = new BackwardLines({ from: 0, to: Math.min(offset, open.size) })
    while (fillSync(open, lines)) if (lines.next()) return lines.byte_offset
    return 0
  })
}

/** Where the last line ends that has its newline; what follows is not written yet. */
export function endOfLines(log: string | number): number {
  return withOpenLog(log, (open) => {
    const last = Buffer.alloc(1)
    if (open.size === 0) return 0
    readFullySync(open, last, { at: 0, length: 1, position: open.size - 1 })
    return last[0] === NEWLINE ? open.size : lineStartBefore(open.fd, open.size)
  })
}

function countIn(bytes: Buffer, start: number, end: number): number {
  // Ends the search: what lies behind is left from before.
  bytes[end] = NEWLINE
  let count = 0
  for (let at = bytes.indexOf(NEWLINE, start); at < end; at = bytes.indexOf(NEWLINE, at + 1)) {
    count++
  }
  return count
}
