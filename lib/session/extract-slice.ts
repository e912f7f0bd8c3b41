// As much of a conversation as fits, in whole turns.

import type { TextPiece, TextSource } from '../store/index.js'

export interface Slice {
  readonly text: string
  /** Before the whole was redacted. */
  readonly chars: number
  /** The last piece that is part of it; `undefined` when nothing was said. */
  readonly last: TextPiece | undefined
  /** Something follows that did not fit. */
  readonly hasMore: boolean
}

export async function readSlice(
  source: TextSource,
  from: number,
  maxChars: number,
): Promise<Slice> {
  const texts: string[] = []
  let chars = 0
  let last: TextPiece | undefined
  let hasMore = false
  for await (const piece of source.pieces(from)) {
    const added = piece.text.length + (last === undefined ? 0 : 1)
    // What stands on one line cannot be parted: a cursor is the end of a line.
    const isSameLine = piece.endOffset === last?.endOffset
    hasMore = last !== undefined && !isSameLine && chars + added > maxChars
    if (hasMore) break
    texts.push(piece.text)
    chars += added
    last = piece
  }
  return { text: source.finish(texts.join('\n')), chars, last, hasMore }
}
