// A line of the screen before it is painted: pieces of plain text, each with a style. Widths are those
// of the plain text, so wrapping and highlighting need not know about colours.

import type { Colors } from '../output/colors.js'
import { clip, widthOfText } from '../output/plain-text.js'

export type Style =
  | 'bold'
  | 'code'
  | 'dim'
  | 'error'
  | 'added'
  | 'removed'
  | 'prompt'
  | 'reply'
  | 'system'
  | 'tool'

export interface Piece {
  readonly text: string
  readonly style?: Style | undefined
}

export type StyledLine = readonly Piece[]

export function textOfLine(line: StyledLine): string {
  return line.map(({ text }) => text).join('')
}

/** Breaks between words where it can. `hanging` precedes every line but the first. */
export function wrapLine(line: StyledLine, columns: number, hanging = ''): StyledLine[] {
  if (widthOfText(textOfLine(line)) <= columns) return [line]
  const space = Math.max(8, columns)
  const lines: Piece[][] = [[]]
  let width = 0
  const startLine = () => {
    lines.push(hanging === '' ? [] : [{ text: hanging }])
    width = widthOfText(hanging)
  }
  for (const { text, style } of line) {
    for (const word of text.match(/\s+|\S+/gu) ?? []) {
      const isSpace = /^\s/u.test(word)
      if (width + widthOfText(word) <= space) {
        lines.at(-1)!.push({ text: word, style })
        width += widthOfText(word)
        continue
      }
      // A space at the end of a line is not shown.
      if (isSpace) continue
      if (width > widthOfText(hanging)) startLine()
      for (const part of splitWord(word, space - widthOfText(hanging))) {
        if (width > widthOfText(hanging)) startLine()
        lines.at(-1)!.push({ text: part, style })
        width += widthOfText(part)
      }
    }
  }
  return lines
}

function splitWord(word: string, columns: number): string[] {
  const parts: string[] = []
  let part = ''
  let width = 0
  for (const character of word) {
    const own = widthOfText(character)
    if (width + own > columns && part !== '') {
      parts.push(part)
      part = ''
      width = 0
    }
    part += character
    width += own
  }
  return part === '' ? parts : [...parts, part]
}

export interface Paint {
  readonly colors: Colors
  readonly columns: number
  /** Where a line matches what is searched: the start and the end of each match. */
  readonly matches: (text: string) => readonly (readonly [number, number])[]
}

/** The line as a terminal takes it, never wider than the screen. */
export function paintLine(line: StyledLine, { colors, columns, matches }: Paint): string {
  const text = textOfLine(line)
  const shown = clip(text, columns)
  // A clipped line ends in an ellipsis of its own.
  const end = shown === text ? text.length : shown.length - 1
  const found = matches(text)
  let at = 0
  let painted = ''
  for (const { text: piece, style } of line) {
    const color = colorOf(colors, style)
    for (const [part, isMatch] of split(piece, at, found, end)) {
      painted += isMatch ? colors.inverse(part) : color(part)
    }
    at += piece.length
  }
  return shown === text ? painted : `${painted}…`
}

/** The piece in parts, each inside or outside of a match; nothing beyond `end`. */
function* split(
  piece: string,
  at: number,
  matches: readonly (readonly [number, number])[],
  end: number,
): Generator<[string, boolean]> {
  const last = Math.min(at + piece.length, end)
  let from = at
  for (const [start, stop] of matches) {
    const [first, final] = [Math.max(start, from), Math.min(stop, last)]
    if (first >= final) continue
    if (first > from) yield [piece.slice(from - at, first - at), false]
    yield [piece.slice(first - at, final - at), true]
    from = final
  }
  if (from < last) yield [piece.slice(from - at, last - at), false]
}

function colorOf(colors: Colors, style: Style | undefined): (text: string) => string {
  switch (style) {
    case 'bold':
      return colors.bold
    case 'code':
    case 'tool':
      return colors.yellow
    case 'dim':
      return colors.dim
    case 'error':
    case 'removed':
      return colors.red
    case 'added':
      return colors.green
    case 'prompt':
      return (text) => colors.bold(colors.cyan(text))
    case 'reply':
      return (text) => colors.bold(colors.green(text))
    case 'system':
      return (text) => colors.bold(colors.magenta(text))
    default:
      return String
  }
}
