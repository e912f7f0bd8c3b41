// Whether a file begins with all the bytes of another: it is the same, or was continued since.

import { closeSync } from 'node:fs'
import { readFullySync } from './fill-lines.js'
import { openForReading } from './open-for-reading.js'

const CHUNK_BYTES = 256 * 1024

export function isBeginningOf(part: string, whole: string): boolean {
  const one = openForReading(part)
  try {
    const other = openForReading(whole)
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
      closeSync(other.fd)
    }
  } finally {
    closeSync(one.fd)
  }
}
