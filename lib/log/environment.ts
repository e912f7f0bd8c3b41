// What a log takes from the world: a clock, ids, and the few calls that change a file. Tests give
// their own, so that logs compare byte for byte and disks fail on demand.

import fs from 'node:fs'
import { newUuid } from './uuid-pool.js'

/** Every call by which the log room changes a file or learns whether it still is the same one. */
export interface Disk {
  writeSync(fd: number, bytes: Buffer, start: number, length: number): number
  /** `undefined` when nothing is there. */
  statSync(path: string): { size: number; ino: number; nlink: number } | undefined
  fdatasyncSync(fd: number): void
  fdatasync(fd: number, done: (error: Error | null) => void): void
}

export interface Environment {
  /** Milliseconds since the epoch. */
  now(): number
  newUuid(): string
  readonly disk: Disk
}

export const systemEnvironment: Environment = {
  now: Date.now,
  newUuid,
  disk: {
    writeSync: (fd, bytes, start, length) => fs.writeSync(fd, bytes, start, length),
    statSync: (path) => fs.statSync(path, { throwIfNoEntry: false }),
    fdatasyncSync: (fd) => fs.fdatasyncSync(fd),
    fdatasync: (fd, done) => fs.fdatasync(fd, done),
  },
}

let cachedMs = Number.NaN
let cachedIso = ''

/** ISO 8601 with milliseconds; many events share one, so the last is kept. */
export function isoOf(ms: number): string {
  if (ms !== cachedMs) {
    cachedIso = new Date(ms).toISOString()
    cachedMs = ms
  }
  return cachedIso
}
