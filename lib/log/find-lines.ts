// Lines by their uuid, where no reader would find them: behind somebody's half line. They were
// written in one piece, so from their own first byte to their newline they are whole.

import { checkChecksum, NEWLINE } from '../format/index.js'
import { readFullySync } from './fill-lines.js'
import type { OpenLog } from './open-for-reading.js'

const RECORD_START = Buffer.from('{"type":"', 'latin1')

/** The bytes of those lines, newline included, in the order given; what is gone is left out. */
export function findLines(
  log: OpenLog,
  uuids: readonly string[],
  { from, to }: { from: number; to: number },
): Buffer[] {
  const bytes = Buffer.allocUnsafe(to - from)
  readFullySync(log, bytes, { at: 0, length: to - from, position: from })
  const lines: Buffer[] = []
  for (const uuid of uuids) {
    const line = findLine(bytes, uuid)
    if (line !== undefined) lines.push(line)
  }
  return lines
}

function findLine(bytes: Buffer, uuid: string): Buffer | undefined {
  const name = Buffer.from(`","uuid":"${uuid}"`)
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
    const start = bytes.lastIndexOf(RECORD_START, at)
    const end = bytes.indexOf(NEWLINE, at)
    if (start === -1 || end === -1) continue
    if (checkChecksum(bytes, start, end) === 'valid') return bytes.subarray(start, end + 1)
  }
  return undefined
}
