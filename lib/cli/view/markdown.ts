// Markdown as models write it, for a terminal: headings, lists, quotes, code, emphasis, and coloured
// diffs. What it does not know stays as it was written.

import { toPlainLines } from '../output/plain-text.js'
import { type Piece, type Style, type StyledLine, wrapLine } from './styled-line.js'

const FENCE = /^\s*(?:```|~~~)(\S*)/
const LIST_ITEM = /^(\s*(?:[-*+]|\d+[.)])\s+)(.*)$/

export function renderMarkdown(text: string, columns: number): StyledLine[] {
  const lines: StyledLine[] = []
  let fence: string | undefined
  for (const line of toPlainLines(text)) {
    const mark = FENCE.exec(line)
    if (mark !== null) {
      fence = fence === undefined ? mark[1]! : undefined
      lines.push([{ text: line, style: 'dim' }])
    } else if (fence !== undefined) {
      const style = fence === 'diff' ? diffStyle(line) : 'code'
      lines.push(...wrapLine([{ text: line, style }], columns))
    } else lines.push(...renderProse(line, columns))
  }
  return lines
}

function renderProse(line: string, columns: number): StyledLine[] {
  if (/^#{1,6}\s/.test(line)) return wrapLine([{ text: line, style: 'bold' }], columns)
  if (/^\s*>/.test(line)) return wrapLine([{ text: line, style: 'dim' }], columns, '> ')
  const item = LIST_ITEM.exec(line)
  const indent = item === null ? /^\s*/.exec(line)![0] : ' '.repeat(item[1]!.length)
  return wrapLine(toPieces(line), columns, indent.slice(0, columns / 2))
}

const INLINE = /(`[^`]+`|\*\*[^*\s](?:[^*]*[^*\s])?\*\*)/

/** Code and strong emphasis keep their marks, so that what is copied is what was written. */
function toPieces(line: string): Piece[] {
  return line
    .split(INLINE)
    .filter((text) => text !== '')
    .map((text) => ({ text, style: INLINE.test(text) ? inlineStyle(text) : undefined }))
}

function inlineStyle(text: string): Style {
  return text.startsWith('`') ? 'code' : 'bold'
}

/** Text of a tool, line by line; a diff has its colours. */
export function renderOutput(text: string, columns: number, style?: Style): StyledLine[] {
  const lines = toPlainLines(text)
  const isDiff = looksLikeDiff(lines)
  return lines.flatMap((line) =>
    wrapLine([{ text: line, style: isDiff ? diffStyle(line) : style }], columns),
  )
}

function looksLikeDiff(lines: readonly string[]): boolean {
  return lines.some((line) => /^(?:diff --git |@@ .*@@|\*\*\* (?:Begin|Update) )/.test(line))
}

export function diffStyle(line: string): Style | undefined {
  if (/^(?:\+\+\+|---|diff |index |@@|\*\*\* )/.test(line)) return 'dim'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : undefined
}
