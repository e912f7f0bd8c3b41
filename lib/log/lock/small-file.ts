// Reads the few bytes other processes leave beside a log. Nothing planted there may make us wait,
// follow a link, or read without end.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const BYTES_MAX = 4096
/* v8 ignore next -- @preserve Windows has neither flag */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export interface SmallFile {
  /** `undefined` when the content is no JSON: half written, or not by us. */
  readonly json: unknown
  readonly ino: bigint
  readonly mtimeMs: number
}

export function readSmallFile(path: string): SmallFile | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, FLAGS)
    const stats = fstatSync(fd, { bigint: true })
    if (!stats.isFile()) return undefined
    const buffer = Buffer.alloc(BYTES_MAX)
    const length = readSync(fd, buffer, 0, BYTES_MAX, 0)
    const json = parseJson(buffer.toString('utf8', 0, length))
    return { json, ino: stats.ino, mtimeMs: Number(stats.mtimeMs) }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
