// One event by the place of its line.

import { decodeLine, NEWLINE, READ_LINE_BYTES_MAX, type SessionEvent } from '../format/index.js'
import { readFullySync } from './fill-lines.js'
import type { OpenLog } from './open-for-reading.js'

const FIRST_READ_BYTES = 4096

/** `undefined` when no whole event starts there. */
export function readEventAt(log: OpenLog, offset: number): SessionEvent | undefined {
  for (let wanted = FIRST_READ_BYTES; ; wanted *= 4) {
    const length = Math.min(wanted, log.size - offset)
    if (length <= 0 || length > READ_LINE_BYTES_MAX) return undefined
    const bytes = Buffer.allocUnsafe(length)
    readFullySync(log, bytes, { at: 0, length, position: offset })
    const newline = bytes.indexOf(NEWLINE)
    if (newline === -1 && length === wanted) continue
    const [part] = decodeLine(bytes, 0, newline === -1 ? length : newline)
    return part?.kind === 'event' && part.start === 0 ? part.event : undefined
  }
}
