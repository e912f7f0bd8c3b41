// Small files of other programs: settings, git's pointers, descriptions of packages.

import { constants } from 'node:fs'
import { toReadError } from '../errors.js'
import type { StoreContext } from './context.js'

// Without O_NONBLOCK, opening a FIFO would wait for its writer forever. Windows has no such flag.
/* v8 ignore next -- @preserve */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** All of a file, up to a limit; nothing of what is no regular file. */
export function readSmallText(
  { env: { fs } }: StoreContext,
  path: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Buffer {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, READ_FLAGS)
    const stats = fs.fstatSync(fd)
    const bytes = Buffer.alloc(stats.isFile() ? Math.min(stats.size, bytesMax) : 0)
    let done = 0
    for (let count = -1; count !== 0 && done < bytes.length; done += count) {
      count = fs.readSync(fd, bytes, done, bytes.length - done, done)
    }
    return bytes.subarray(0, done)
  } catch (cause) {
    throw toReadError(cause, 'read', path)
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}
