// What a conversation is extracted from, piece by piece: a log, or a plain text.

import { crc32 } from 'node:zlib'
import { NEWLINE } from '../../format/index.js'
import { readLogBackwardSync } from '../../log/index.js'
import type { StoreContext } from '../context.js'
import { redactorOf, type ServedTextOptions } from './output-text.js'
import { readTurns } from './transcript-text.js'

/** A part of a conversation, up to the end of its line. */
export interface TextPiece {
  readonly text: string
  /** The byte at which the next line starts. Pieces of one line share it. */
  readonly endOffset: number
  readonly uuid: string | null
}

/** How far a text was read, and what was there. */
export interface TextCursor {
  readonly offset: number
  readonly last_uuid: string | null
  readonly check?: string | undefined
}

export interface TextSource {
  /** Distinguishes its cursors from those of other sources; `undefined` for the transcript. */
  readonly name: string | undefined
  pieces(from: number): AsyncIterable<TextPiece>
  cursorAfter(piece: TextPiece): TextCursor
  /** Whether the source still has at the cursor what it had then. */
  isAt(cursor: TextCursor): boolean
  /** To be called with the joined pieces. */
  finish(text: string): string
}

// If records are concatenated in one line, more than one event may end at the cursor.
const EVENTS_PER_LINE_MAX = 8

/** The turns of a log. Its last line counts once it has a newline. */
export class LogText implements TextSource {
  readonly name: string | undefined
  readonly #store: StoreContext
  readonly #path: string
  readonly #options: ServedTextOptions

  constructor(
    store: StoreContext,
    path: string,
    options: ServedTextOptions & { name?: string | undefined } = {},
  ) {
    this.#store = store
    this.name = options.name
    this.#path = path
    this.#options = options
  }

  async *pieces(from: number): AsyncGenerator<TextPiece, void, undefined> {
    const { redact } = this.#options
    for await (const turn of readTurns(this.#store, this.#path, { from, redact }))
      if (turn.isEnded) yield turn
  }

  cursorAfter({ endOffset, uuid }: TextPiece): TextCursor {
    return { offset: endOffset, last_uuid: uuid }
  }

  isAt({ offset, last_uuid }: TextCursor): boolean {
    let count = 0
    for (const entry of readLogBackwardSync(this.#path, {
      to: offset,
      lazyPayloads: true,
      environment: this.#store.env,
    })) {
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

  /** `isWhole`: its last line counts without a newline, because nothing will be appended. */
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
