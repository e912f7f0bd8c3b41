// Text of strangers, made fit for a terminal: nothing that moves the cursor or turns the reading
// direction, and as many columns as there are.

const BREAKS = /[\s\u0000-\u001f\u007f-\u009f]+/gu
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/u
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/gu
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
const ZERO_WIDTH = /^\p{M}$/u
const DOUBLE_WIDTH =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** One line without control characters, whatever stood there. */
export function toPlainText(text: string): string {
  return text.toWellFormed().replace(BREAKS, ' ').replace(INVISIBLE, '').trim()
}

/** Its lines, with their indentation; blank ones at both ends are left out. */
export function toPlainLines(text: string): string[] {
  const lines = text
    .toWellFormed()
    .split(LINE_END)
    .map((line) => line.replace(CONTROLS, ' ').replace(INVISIBLE, '').trimEnd())
  const first = lines.findIndex((line) => line !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1)
}

/** The text, cut to a number of columns; what was cut off is one `…`. */
export function clip(text: string, columns: number): string {
  // Most rows fit, and a row of plain ASCII is as wide as it is long.
  if (text.length <= columns && /^[\x20-\x7e]*$/.test(text)) return text
  let width = 0
  let kept = ''
  let keptBeforeEllipsis = ''
  for (const character of text) {
    width += widthOf(character)
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
  for (const character of text) width += widthOf(character)
  return width
}

function widthOf(character: string): number {
  if (character >= ' ' && character <= '~') return 1
  if (ZERO_WIDTH.test(character)) return 0
  return DOUBLE_WIDTH.test(character) ? 2 : 1
}
