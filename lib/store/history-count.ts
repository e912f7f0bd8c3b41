// How many lines the live history has. Counted once in a process, and from then on only what was
// added since: by this process or by any other.

import { fstatSync } from 'node:fs'
import { countNewlines, type OpenLog } from '../log/index.js'

interface Counted {
  readonly identity: string
  readonly size: number
  readonly lines: number
}

const countedByPath = new Map<string, Counted>()

/** Finished lines among the first `size` bytes of the log. */
export function countLines({ path, fd }: OpenLog, size: number): number {
  // After a rotation another file has the name; the birth time tells apart who shares an inode.
  const { dev, ino, birthtimeMs } = fstatSync(fd)
  const identity = `${dev}:${ino}:${birthtimeMs}`
  const earlier = countedByPath.get(path)
  const isGrown = earlier?.identity === identity && earlier.size <= size
  const known = isGrown ? earlier : { size: 0, lines: 0 }
  const lines = known.lines + countNewlines(fd, known.size, size)
  countedByPath.set(path, { identity, size, lines })
  return lines
}
