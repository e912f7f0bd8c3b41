// A line ends with exactly 18 bytes: ,"crc":"xxxxxxxx"} where the digits are the CRC-32 of the
// bytes before them, from the line's first `{` on.

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

/** Whether there are eight of its digits; the caller has checked what is around them. */
export function hasChecksumDigits(bytes: Buffer, at: number): boolean {
  let values = 0
  for (let index = at; index < at + 8; index++) values |= VALUE_OF_DIGIT[bytes[index]!]!
  return values >= 0
}

/** Verifies the checksum at the end of a line. */
export function checkChecksum(bytes: Buffer, start: number, end: number): ChecksumState {
  const value = readChecksum(bytes, start, end)
  if (value === undefined) return 'absent'
  return crc32(bytes.subarray(start, end - CHECKSUM_BYTES)) === value ? 'valid' : 'wrong'
}

function readChecksum(bytes: Buffer, start: number, end: number): number | undefined {
  const from = end - CHECKSUM_BYTES
  if (from < start || !isFramed(bytes, from)) return undefined
  const high = fourDigits(bytes, from + OPENING.length)
  const low = fourDigits(bytes, from + OPENING.length + 4)
  return (high | low) < 0 ? undefined : ((high << 16) | low) >>> 0
}

// Both without a loop: they run for every line that is read, and in a process that just started,
// as a resume does, not compiled.

/** Whether `,"crc":"` and `"}` are around the digits. */
function isFramed(bytes: Buffer, from: number): boolean {
  return (
    bytes[from] === OPENING[0] &&
    bytes[from + 1] === QUOTE &&
    bytes[from + 2] === OPENING[2] &&
    bytes[from + 3] === OPENING[3] &&
    bytes[from + 4] === OPENING[4] &&
    bytes[from + 5] === QUOTE &&
    bytes[from + 6] === OPENING[6] &&
    bytes[from + 7] === QUOTE &&
    bytes[from + 16] === QUOTE &&
    bytes[from + 17] === CLOSING_BRACE
  )
}

/** Negative if one of them is not a digit. */
function fourDigits(bytes: Buffer, at: number): number {
  return (
    (VALUE_OF_DIGIT[bytes[at]!]! << 12) |
    (VALUE_OF_DIGIT[bytes[at + 1]!]! << 8) |
    (VALUE_OF_DIGIT[bytes[at + 2]!]! << 4) |
    VALUE_OF_DIGIT[bytes[at + 3]!]!
  )
}
