// A line ends with exactly 18 bytes: ,"crc":"xxxxxxxx"} where the digits are the CRC-32 of what
// stands before them, from the line's first `{` on.

import { crc32 } from 'node:zlib'

export const CHECKSUM_BYTES = 18

const OPENING = Buffer.from(',"crc":"', 'latin1')
const QUOTE = 0x22
const CLOSING_BRACE = 0x7d

const DIGITS = Buffer.from('0123456789abcdef', 'latin1')

const VALUE_OF_DIGIT = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) VALUE_OF_DIGIT[DIGITS[digit]!] = digit

/** Writes the 18 bytes at `at`, over the bytes of `covered`, and returns the place after them. */
export function writeChecksum(target: Buffer, at: number, covered: Buffer): number {
  const value = crc32(covered)
  for (let index = 0; index < OPENING.length; index++) target[at + index] = OPENING[index]!
  let position = at + OPENING.length
  for (let shift = 28; shift >= 0; shift -= 4) target[position++] = DIGITS[(value >>> shift) & 15]!
  target[position++] = QUOTE
  target[position++] = CLOSING_BRACE
  return position
}

/**
 * - `absent`: the bytes do not end in a checksum
 * - `wrong`: they do, and it is of other bytes
 */
export type ChecksumState = 'valid' | 'wrong' | 'absent'

/** Whether the bytes end in a checksum, right or wrong. */
export function hasChecksumShape(bytes: Buffer, start: number, end: number): boolean {
  return readChecksum(bytes, start, end) !== undefined
}

/** Whether eight of its digits stand there; what is around them, the caller knows. */
export function hasChecksumDigits(bytes: Buffer, at: number): boolean {
  let values = 0
  for (let index = at; index < at + 8; index++) values |= VALUE_OF_DIGIT[bytes[index]!]!
  return values >= 0
}

export function checkChecksum(bytes: Buffer, start: number, end: number): ChecksumState {
  const value = readChecksum(bytes, start, end)
  if (value === undefined) return 'absent'
  return crc32(bytes.subarray(start, end - CHECKSUM_BYTES)) === value ? 'valid' : 'wrong'
}

function readChecksum(bytes: Buffer, start: number, end: number): number | undefined {
  const from = end - CHECKSUM_BYTES
  if (from < start || bytes[end - 1] !== CLOSING_BRACE || bytes[end - 2] !== QUOTE) return undefined
  for (let index = 0; index < OPENING.length; index++) {
    if (bytes[from + index] !== OPENING[index]) return undefined
  }
  let value = 0
  for (let index = from + OPENING.length; index < end - 2; index++) {
    const digit = VALUE_OF_DIGIT[bytes[index]!]!
    if (digit < 0) return undefined
    value = (value << 4) | digit
  }
  return value >>> 0
}
