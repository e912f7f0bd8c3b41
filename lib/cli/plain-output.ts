// A file or a pipe on stdout, written without a stream: Node takes longer to make one than a short
// command takes for all it does. For commands that print and end; whoever waits for a slow reader
// here hears no signal meanwhile.

import { fstatSync, writeSync } from 'node:fs'

const STDOUT = 1

/** Of the process itself, and no terminal. */
export function isPlainOutput(io: Pick<NodeJS.Process, 'stdout'>): boolean {
  if (io !== process) return false
  try {
    return !fstatSync(STDOUT).isCharacterDevice()
  } catch {
    return false
  }
}

/** What a pipe did not take that does not wait: that is for the stream. Throws as the disk does. */
export function writePlainly(text: string): Buffer {
  const bytes = Buffer.from(text)
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(STDOUT, bytes, written)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return bytes.subarray(written)
}
