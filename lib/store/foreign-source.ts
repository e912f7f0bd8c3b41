// A transcript of another program, to be read and never touched: its lines as bytes, and the hash
// that proves what was read of it.

import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { isSessionError } from '../errors.js'
import { copyLog } from '../log/index.js'
import { type Line, type OpenLog, openForReading, readFullySync, walkLines } from '../log/inside.js'
import type { Layout } from './layout.js'

const CHUNK_BYTES = 1024 * 1024
const HEAD_BYTES = 256 * 1024
const HEAD_LINES_MAX = 64

export class ForeignSource {
  readonly #log: OpenLog

  constructor(path: string) {
    this.#log = openForReading(path)
  }

  get path(): string {
    return this.#log.path
  }

  /** Of the file's name, without folder and extension. */
  get name(): string {
    return basename(this.path, extname(this.path))
  }

  /** As it was when it was opened: what is added meanwhile is for the next time. */
  get size(): number {
    return this.#log.size
  }

  /** One view for all lines, good until the next one. */
  *lines(): Generator<Line, void, undefined> {
    for (const { line } of walkLines(this.#log)) yield line
  }

  /** The first lines, to keep. */
  head(): Line[] {
    const lines: Line[] = []
    for (const line of this.lines()) {
      const bytes = Buffer.from(line.bytes.subarray(line.start, line.end))
      const { byte_offset, length, line_number, isEnded, isOversize } = line
      const place = { byte_offset, length, line_number, isEnded, isOversize }
      lines.push({ ...place, bytes, start: 0, end: bytes.length, isKept: true })
      if (lines.length === HEAD_LINES_MAX || byte_offset + length > HEAD_BYTES) break
    }
    return lines
  }

  /** SHA-256 of the first bytes; `undefined` when there are fewer. */
  sha256(length: number): string | undefined {
    if (length > this.size) return undefined
    const hash = createHash('sha256')
    const bytes = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(length, 1)))
    for (let done = 0; done < length; ) {
      const count = Math.min(bytes.length, length - done)
      readFullySync(this.#log, bytes, { at: 0, length: count, position: done })
      hash.update(bytes.subarray(0, count))
      done += count
    }
    return hash.digest('hex')
  }

  /** A copy of the first bytes in the store, named by their hash. One that is there is enough. */
  keep(length: number, sha256: string, { imports }: Layout): string {
    const to = join(imports, sha256)
    try {
      const opening = Buffer.alloc(0)
      copyLog({ from: this.path, to, opening, end: length, later: [], isVerbatim: true })
    } catch (error) {
      if (!isSessionError(error, 'ERR_EXISTS')) throw error
    }
    return to
  }

  close(): void {
    closeSync(this.#log.fd)
  }
}

/** The text of a small file; `undefined` when it is not there, or not small. */
export function readSmallFile(path: string): string | undefined {
  let log: OpenLog
  try {
    log = openForReading(path)
  } catch {
    return undefined
  }
  try {
    if (log.size > CHUNK_BYTES) return undefined
    const bytes = Buffer.alloc(log.size)
    readFullySync(log, bytes, { at: 0, length: log.size, position: 0 })
    return bytes.toString('utf8')
  } finally {
    closeSync(log.fd)
  }
}
