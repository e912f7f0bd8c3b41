// A position in many logs, as one opaque word. Files that were skipped at the start are packed
// together and never change; each file that was read since adds its own cursor. A file that is not
// in the word did not exist yet.

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { SessionError } from '../../errors.js'
import { parseCursor } from '../../log/internal.js'

const VERSION = 't1'
const KEY_BYTES = 6
const SHAPE = /^t1\.([\w-]*)\.((?:[0-9a-f]{12}~[0-9a-z-]{1,60}(?:,|$))*)$/

export class TailCursor {
  readonly #passed: string
  readonly #offsets: ReadonlyMap<string, number>
  readonly #read: Map<string, string>

  private constructor(passed: string, read = new Map<string, string>()) {
    this.#passed = passed
    this.#offsets = unpack(passed)
    this.#read = read
  }

  /** Nothing was read yet; these files start at an offset, all others at their beginning. */
  static startAt(passed: ReadonlyMap<string, number>): TailCursor {
    return new TailCursor(pack([...passed].map(([path, offset]) => [keyOf(path), offset])))
  }

  static parse(text: string): TailCursor {
    const [, passed, read] = SHAPE.exec(text) ?? []
    if (passed === undefined || read === undefined) throw invalidCursor(text)
    const pairs = read.split(',').map((pair) => pair.split('~') as [string, string])
    return new TailCursor(passed, new Map(read === '' ? [] : pairs))
  }

  /** The file was read up to there. */
  move(path: string, cursor: string): void {
    this.#read.set(keyOf(path), cursor)
  }

  /** Where to resume in a file: at the start of one that was created since. */
  startOf(path: string): ReturnType<typeof parseCursor> | { readonly byte_offset: number } {
    const key = keyOf(path)
    const cursor = this.#read.get(key)
    return cursor ? parseCursor(cursor) : { byte_offset: this.#offsets.get(key) ?? 0 }
  }

  toString(): string {
    const read = [...this.#read].map(([key, cursor]) => `${key}~${cursor}`)
    return `${VERSION}.${this.#passed}.${read.join(',')}`
  }
}

function keyOf(path: string): string {
  const hash = createHash('sha256').update(basename(path)).digest()
  return hash.toString('hex', 0, KEY_BYTES)
}

/** A key of six bytes, then the offset in groups of seven bits, the lowest first. */
function pack(entries: readonly (readonly [string, number])[]): string {
  const bytes: number[] = []
  for (const [key, offset] of entries) {
    bytes.push(...Buffer.from(key, 'hex'))
    let rest = offset
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
    bytes.push(rest)
  }
  return Buffer.from(bytes).toString('base64url')
}

function unpack(text: string): Map<string, number> {
  const bytes = Buffer.from(text, 'base64url')
  const found = new Map<string, number>()
  for (let at = 0; at < bytes.length; ) {
    const key = bytes.toString('hex', at, at + KEY_BYTES)
    at += KEY_BYTES
    let offset = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw invalidCursor(text)
      offset += (byte & 127) * unit
      if (byte < 128) break
    }
    if (!Number.isSafeInteger(offset)) throw invalidCursor(text)
    found.set(key, offset)
  }
  return found
}

function invalidCursor(cursor: string): SessionError {
  const shown = cursor.slice(0, 100)
  return new SessionError('ERR_ARG', 'This is not a cursor of `tail`', { cursor: shown })
}
