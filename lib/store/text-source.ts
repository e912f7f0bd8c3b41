// Where a conversation is extracted from, piece by piece: a log, or a plain text.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { toReadError } from '../errors.js'
import { NEWLINE } from '../format/index.js'
import { readLogBackwardSync } from '../log/index.js'
import { redactorOf, type ServedTextOptions } from './served-text.js'
import { readTurns } from './transcript-text.js'

/** Something that was said, up to the end of its line. */
export interface TextPiece {
  readonly text: string
  /** Where the next line starts. Pieces of one line share it. */
  readonly endOffset: number
  readonly uuid: string | null
}

/** How far somebody came, and what stood there. */
export interface TextCursor {
  readonly offset: number
  readonly last_uuid: string | null
  readonly check?: string | undefined
}

export interface TextSource {
  /** Tells its cursors from those of others; `undefined` for the transcript of the session. */
  readonly name: string | undefined
  pieces(from: number): AsyncIterable<TextPiece>
  cursorAfter(piece: TextPiece): TextCursor
  /** Whether the source is still the one in which somebody came so far. */
  isAt(cursor: TextCursor): boolean
  /** To be called with the pieces when they are joined. */
  finish(text: string): string
}

// Of a line in which records ran together, more than one event may end at the cursor.
const EVENTS_PER_LINE_MAX = 8

/** The turns of a log. Its last line counts once its newline is there. */
export class LogText implements TextSource {
  readonly name: string | undefined
  readonly #path: string
  readonly #options: ServedTextOptions

  constructor(path: string, options: ServedTextOptions & { name?: string | undefined } = {}) {
    this.name = options.name
    this.#path = path
    this.#options = options
  }

  async *pieces(from: number): AsyncGenerator<TextPiece, void, undefined> {
    const { redact } = this.#options
    for await (const turn of readTurns(this.#path, { from, redact })) if (turn.isEnded) yield turn
  }

  cursorAfter({ endOffset, uuid }: TextPiece): TextCursor {
    return { offset: endOffset, last_uuid: uuid }
  }

  isAt({ offset, last_uuid }: TextCursor): boolean {
    let count = 0
    for (const entry of readLogBackwardSync(this.#path, { to: offset, lazyPayloads: true })) {
      const isLast = count === 0
      if (isLast && entry.byte_offset + entry.length + 1 !== offset) return false
      if (entry.kind === 'event' && entry.event.uuid === last_uuid) return true
      if (++count === EVENTS_PER_LINE_MAX) return false
    }
    return false
  }

  finish(text: string): string {
    return text
  }
}

const CHECKED_BYTES = 64

/** The lines of a text. It is redacted as a whole, because a secret may span several lines. */
export class PlainText implements TextSource {
  readonly name: string
  readonly finish: (text: string) => string
  readonly #bytes: Buffer
  readonly #isWhole: boolean

  /** `isWhole`: its last line counts without a newline; more will not be added to it. */
  constructor(
    bytes: Buffer,
    { name, isWhole, ...options }: ServedTextOptions & { name: string; isWhole: boolean },
  ) {
    this.name = name
    this.finish = redactorOf(options)
    this.#bytes = bytes
    this.#isWhole = isWhole
  }

  async *pieces(from: number): AsyncGenerator<TextPiece, void, undefined> {
    const bytes = this.#bytes
    for (let start = from; start < bytes.length; ) {
      const at = bytes.indexOf(NEWLINE, start)
      if (at === -1 && !this.#isWhole) return
      const end = at === -1 ? bytes.length : at
      const text = bytes.toString('utf8', start, end).trimEnd()
      start = end + 1
      const endOffset = Math.min(start, bytes.length)
      if (text !== '') yield { text, endOffset, uuid: null }
    }
  }

  cursorAfter({ endOffset }: TextPiece): TextCursor {
    return { offset: endOffset, last_uuid: null, check: this.#checkBefore(endOffset) }
  }

  isAt({ offset, check }: TextCursor): boolean {
    return offset <= this.#bytes.length && this.#checkBefore(offset) === check
  }

  #checkBefore(offset: number): string {
    const checked = this.#bytes.subarray(Math.max(0, offset - CHECKED_BYTES), offset)
    return crc32(checked).toString(16).padStart(8, '0')
  }
}

/** All of a file that is known to be small. */
export function readSmallText(path: string): Buffer {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const bytes = Buffer.alloc(fstatSync(fd).size)
    let done = 0
    for (let count = -1; count !== 0 && done < bytes.length; done += count) {
      count = readSync(fd, bytes, done, bytes.length - done, done)
    }
    return bytes.subarray(0, done)
  } catch (cause) {
    throw toReadError(cause, 'read', path)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
