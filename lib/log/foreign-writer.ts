// Somebody wrote who does not hold the lock: what is said of it, and when it is too much.

import { SessionError } from '../errors.js'
import { type Diagnostic, diagnostic } from '../format/index.js'

/** How often lines that nobody could read are written once more. */
export const REPEATS_MAX = 3

/** The file has other bytes behind those that this writer knows of. */
export function foreignWriter(
  path: string,
  { expected, size }: { expected: number; size: number },
): Diagnostic {
  return diagnostic(
    'foreign_writer',
    `The log grew by ${size - expected} bytes that this writer did not acknowledge; it goes on behind them`,
    { file: path, byte_offset: expected, length: size - expected },
  )
}

export function contestedError(path: string): SessionError {
  return new SessionError(
    'ERR_IO',
    `Somebody who ignores the lock keeps writing into the lines of ${path}`,
    { path },
  )
}
