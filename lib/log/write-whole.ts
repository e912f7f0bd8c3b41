// All of the bytes, however many pieces the disk takes them in. Not for logs: a line is one write.

import { writeSync } from 'node:fs'

export function writeWhole(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}
