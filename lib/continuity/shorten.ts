// Text that has to fit. A character is never cut in two.

import { oneLine } from './clip.js'

const ELLIPSIS = '…'

/** The text on one line, of at most so many code points; an ellipsis among them tells of more. */
export function shorten(text: string, codePoints: number): string {
  const line = oneLine(text)
  if (line.length <= codePoints) return line
  const characters = Array.from(line.slice(0, 2 * codePoints + 2))
  if (characters.length <= codePoints) return line
  return (
    characters
      .slice(0, codePoints - 1)
      .join('')
      .trimEnd() + ELLIPSIS
  )
}

/**
 * At most so many chars from the start: to the end of a line where that costs no more than half,
 * else to the end of a character.
 */
export function cutToChars(text: string, chars: number): string {
  if (text.length <= chars) return text
  const lineEnd = text.lastIndexOf('\n', chars)
  if (lineEnd >= chars / 2) return text.slice(0, lineEnd).trimEnd()
  const isSplit = isHighSurrogate(text.charCodeAt(chars - 1))
  return text.slice(0, Math.max(0, isSplit ? chars - 1 : chars)).trimEnd()
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
