// Text of strangers without what moves a cursor or turns the reading direction, for whoever puts it
// before people: in a terminal, or in a file that one may open in a terminal.

const BREAKS = /[\s\u0000-\u001f\u007f-\u009f]+/gu
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/u
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/gu
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

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
