// A transcript of another program, which is only read: its lines as bytes, and the hash of what was
// read of it.

import { createHash } from 'node:crypto'
import { basename, dirname, extname, join } from 'node:path'
import { isSessionError } from '../../errors.js'
import { copyLog } from '../../log/index.js'
import {
  type Line,
  type OpenLog,
  openForReading,
  readFullySync,
  undecodedLines,
} from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { readSmallText } from '../read-small-text.js'

const CHUNK_BYTES = 1024 * 1024
const HEAD_BYTES = 256 * 1024
const HEAD_LINES_MAX = 64
const BESIDE_BYTES_MAX = 64 * 1024
/** A file that is read as one record is held in memory. */
const ONE_RECORD_BYTES_MAX = 32 * 1024 * 1024

export class ForeignSource {
  readonly #store: StoreContext
  readonly #log: OpenLog
  #isOneRecord = false

  constructor(store: StoreContext, path: string) {
    this.#store = store
    this.#log = openForReading(path, store.env)
  }

  get path(): string {
    return this.#log.path
  }

  /** The name of the file without folder and extension. */
  get name(): string {
    return basename(this.path, extname(this.path))
  }

  /** When it was opened: what is appended later is not read. */
  get size(): number {
    return this.#log.size
  }

  /** One view for all lines up to the byte `to`, valid until the next one. */
  *lines(to = this.size): Generator<Line, void, undefined> {
    if (this.#isOneRecord) {
      yield this.#asOneLine()
      return
    }
    for (const { line } of undecodedLines(this.#log, { to })) yield line
  }

  /** Reads the file as one line from now on, as one JSON object over many lines; `false` if it is too large. */
  joinLines(): boolean {
    this.#isOneRecord = this.size <= ONE_RECORD_BYTES_MAX
    return this.#isOneRecord
  }

  #asOneLine(): Line {
    const { size } = this
    const place = { byte_offset: 0, length: size, line_number: 1, start: 0, end: size }
    const bytes = this.read(0, size)
    return { ...place, bytes, isEnded: false, isOversize: false, isKept: true }
  }

  /** A copy of these bytes. */
  read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    readFullySync(this.#log, bytes, { at: 0, length, position })
    return bytes
  }

  /** The text of a small file, by its path from the folder of this one; `undefined` without one. */
  readBeside(names: readonly string[]): string | undefined {
    try {
      const path = join(dirname(this.path), ...names)
      return readSmallText(this.#store, path, BESIDE_BYTES_MAX).toString()
    } catch {
      // Missing, unreadable or too large: it is optional.
      return undefined
    }
  }

  /** Copies of the first lines. */
  head(): Line[] {
    const lines: Line[] = []
    for (const line of this.lines()) {
      const bytes = Buffer.from(line.bytes.subarray(line.start, line.end))
      const { byte_offset, length, line_number, isEnded, isOversize } = line
      const position = { byte_offset, length, line_number, isEnded, isOversize }
      lines.push({ ...position, bytes, start: 0, end: bytes.length, isKept: true })
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

  /** Copies the first bytes into the store, named by their hash, unless it is there already. */
  keep(length: number, sha256: string): string {
    const to = join(this.#store.layout.imports, sha256)
    try {
      const opening = Buffer.alloc(0)
      copyLog(
        { from: this.path, to, opening, end: length, later: [], isVerbatim: true },
        this.#store.env,
      )
    } catch (error) {
      if (!isSessionError(error, 'ERR_EXISTS')) throw error
    }
    return to
  }

  close(): void {
    this.#store.env.fs.closeSync(this.#log.fd)
  }
}
