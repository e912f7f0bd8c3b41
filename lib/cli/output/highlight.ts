// A text with its matches coloured, cut to a width so that the first match is seen.

import { toPlainPart } from '../../format/index.js'
import type { TextSpan } from '../../store/index.js'
import { widthOfCharacter, widthOfText } from './plain-text.js'

// Of a text that is cut, this share of the columns is for what precedes the match.
const SHARE_BEFORE = 1 / 3
const ELLIPSIS = '…'

interface Part {
  readonly text: string
  readonly isMatch: boolean
}

export interface HighlightOptions {
  /** At most this wide; `undefined`: all of it. */
  readonly columns: number | undefined
  /** Colours a match. */
  readonly paint: (text: string) => string
}

/** One line without control characters; `matches` are indexes of `text`, in order. */
export function highlight(
  text: string,
  matches: readonly TextSpan[],
  { columns, paint }: HighlightOptions,
): string {
  const parts = splitAt(text, matches)
  const shown = columns === undefined ? parts : cutToColumns(parts, columns)
  return shown.map((part) => (part.isMatch ? paint(part.text) : part.text)).join('')
}

function splitAt(text: string, matches: readonly TextSpan[]): Part[] {
  const parts: Part[] = []
  let at = 0
  const add = (to: number, isMatch: boolean) => {
    // Made plain part by part: nothing of the text can end a colour or begin one.
    const plain = toPlainPart(text.slice(at, to))
    if (plain !== '') parts.push({ text: plain, isMatch })
    at = Math.max(at, to)
  }
  for (const { start, end } of matches) {
    add(Math.max(start, at), false)
    add(Math.max(end, at), true)
  }
  add(text.length, false)
  return parts
}

function cutToColumns(parts: readonly Part[], columns: number): Part[] {
  if (columns <= 0) return []
  const widths = parts.map(({ text }) => widthOfText(text))
  if (sum(widths) <= columns) return [...parts]
  const first = parts.findIndex(({ isMatch }) => isMatch)
  const before = first === -1 ? 0 : sum(widths.slice(0, first))
  const match = first === -1 ? 0 : widths[first]!
  // Unless what begins the text shows the match as well.
  const isCutBefore = before + match > columns - ELLIPSIS.length
  const kept = Math.min(Math.floor(columns * SHARE_BEFORE), Math.max(0, columns - match - 2))
  const rest = isCutBefore ? dropColumns(parts, before - kept) : [...parts]
  const lead: Part[] = isCutBefore ? [{ text: ELLIPSIS, isMatch: false }] : []
  return [...lead, ...takeColumns(rest, columns - (isCutBefore ? ELLIPSIS.length : 0))]
}

function dropColumns(parts: readonly Part[], columns: number): Part[] {
  let left = columns
  return parts.flatMap((part) => {
    let text = ''
    for (const character of part.text) {
      if (left > 0) left -= widthOfCharacter(character)
      else text += character
    }
    return text === '' ? [] : [{ ...part, text }]
  })
}

/** The first ones, and an ellipsis where that is not all. */
function takeColumns(parts: readonly Part[], columns: number): Part[] {
  if (sum(parts.map(({ text }) => widthOfText(text))) <= columns) return [...parts]
  let left = columns - ELLIPSIS.length
  const taken: Part[] = []
  for (const part of parts) {
    let text = ''
    for (const character of part.text) {
      left -= widthOfCharacter(character)
      if (left < 0) break
      text += character
    }
    if (text !== '') taken.push({ ...part, text })
    if (left < 0) break
  }
  return [...taken, { text: ELLIPSIS, isMatch: false }]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
