// Text that is shown: without what moves a cursor or turns the reading direction, because it may end
// up in a terminal, and cut to a size, where no character is cut in two.

const BREAKS = /[\s\u0000-\u001f\u007f-\u009f]+/gu
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/u
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/gu
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** One line without control characters, whatever stood there. */
export function toPlainText(text: string): string {
  return toPlainPart(text).trim()
}

/** The same for a part of a line: spaces at its ends are kept. */
export function toPlainPart(text: string): string {
  return text.toWellFormed().replace(BREAKS, ' ').replace(INVISIBLE, '')
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

const ELLIPSIS = '…'

// Every kind of white space, so that a prompt of several lines cannot look like a heading.
const SPACE = /[\s\u0085]+/gu

/** The text on one line. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(SPACE, ' ').trim()
}

/** The first `codePoints` code points. */
export function clip(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text
  let end = 0
  for (let taken = 0; taken < codePoints && end < text.length; taken++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** The first `bytes` bytes of UTF-8. */
export function clipBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

/** One line of at most `codePoints` code points, the last an ellipsis where something is missing. */
export function shorten(text: string, codePoints: number): string {
  const line = oneLine(text)
  if (clip(line, codePoints).length === line.length) return line
  return clip(line, codePoints - 1).trimEnd() + ELLIPSIS
}

/** At most `chars` chars, up to the end of a line where that costs no more than half of them. */
export function clipLines(text: string, chars: number): string {
  if (text.length <= chars) return text
  const lineEnd = text.lastIndexOf('\n', chars)
  const end = lineEnd >= chars / 2 ? lineEnd : Math.max(0, chars)
  return endWhole(text.slice(0, end)).trimEnd()
}

/** At most `chars` chars, the last an ellipsis where something is missing. */
export function clipEnd(text: string, chars: number): string {
  if (text.length <= chars) return text.toWellFormed()
  return endWhole(text.slice(0, Math.max(0, chars - 1))).toWellFormed() + ELLIPSIS
}

/** Keeps both ends and says how much is missing: of long outputs the end often matters most. */
export function clipMiddle(text: string, chars: number): string {
  if (text.length <= chars) return text.toWellFormed()
  const marker = ` […${text.length - chars} characters left out…] `
  const kept = Math.max(0, chars - marker.length)
  const head = Math.ceil(kept * 0.7)
  const tail = text.slice(text.length - (kept - head)).replace(/^[\udc00-\udfff]/, '')
  return `${endWhole(text.slice(0, head))}${marker}${tail}`.toWellFormed()
}

function endWhole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
