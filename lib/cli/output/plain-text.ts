// Untrusted text made safe for a terminal (no control characters), clipped and padded to columns.

export { toPlainLines, toPlainText } from '../../format/index.js'

const ZERO_WIDTH = /^\p{M}$/u
const DOUBLE_WIDTH =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** The text, cut to a number of columns; what was cut off is one `…`. */
export function clip(text: string, columns: number): string {
  // Most rows fit, and a row of plain ASCII is as wide as it is long.
  if (text.length <= columns && /^[\x20-\x7e]*$/.test(text)) return text
  let width = 0
  let kept = ''
  let keptBeforeEllipsis = ''
  for (const character of text) {
    width += widthOfCharacter(character)
    if (width > columns) return `${keptBeforeEllipsis}…`
    kept += character
    if (width < columns) keptBeforeEllipsis = kept
  }
  return kept
}

/** The text, filled up to a number of columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOfText(text)))
}

export function widthOfText(text: string): number {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

export function widthOfCharacter(character: string): number {
  if (character >= ' ' && character <= '~') return 1
  if (ZERO_WIDTH.test(character)) return 0
  return DOUBLE_WIDTH.test(character) ? 2 : 1
}
