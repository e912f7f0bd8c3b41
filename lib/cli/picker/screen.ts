// What the picker shows: the query, the list, the last messages of the selected one, and a line of help.

import type { Colors } from '../output/colors.js'
import { clip, pad, toPlainText } from '../output/plain-text.js'
import { type PickState, selectedOf } from './model.js'

export interface ScreenShape {
  readonly columns: number
  readonly rows: number
  readonly colors: Colors
  /** Whether prompts are still being read, so that there may be more matches. */
  readonly isReading?: boolean
}

const HINT = 'Enter select · Esc cancel · ↑ ↓ move'
const ACTIONS_HINT = ' · ^R rename · ^F fork · ^X trash'
// The rows around the list and the preview: query, hint, and the line between them.
const FRAME_ROWS = 3
const LIST_ROWS_MIN = 3
const ABOUT_COLUMNS = 36

/** Never more lines than there are rows, and none longer than there are columns. */
export function screenOf(
  state: PickState,
  preview: readonly string[],
  shape: ScreenShape,
): string[] {
  const { columns, rows, colors, isReading } = shape
  const free = Math.max(1, rows - FRAME_ROWS)
  const listRows = Math.min(free, Math.max(LIST_ROWS_MIN, Math.floor(free / 2)))
  const previewRows = free - listRows
  const count = `${state.matches.length} of ${state.choices.length}`
  const lines = [
    clip(`> ${state.query}▏  ${count}${isReading ? ', reading prompts …' : ''}`, columns),
    ...listOf(state, { ...shape, rows: listRows }),
    colors.dim(clip('─'.repeat(columns), columns)),
    // Only the end fits.
    ...preview.slice(-previewRows || preview.length).map((line) => clip(line, columns)),
  ]
  const body = lines.slice(0, Math.max(1, rows - 1))
  return [...body, bottomLine(state, columns, colors)].slice(0, rows)
}

function listOf(state: PickState, { columns, rows, colors }: ScreenShape): string[] {
  const { matches, selected } = state
  if (matches.length === 0) return [clip('  no match; Backspace removes a letter', columns)]
  const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), matches.length - rows))
  const aboutColumns = Math.min(ABOUT_COLUMNS, Math.floor(columns / 2))
  const titleColumns = Math.max(1, columns - aboutColumns - 4)
  return matches.slice(first, first + rows).map((choice) => {
    const isSelected = choice === selectedOf(state)
    const title = toPlainText(choice.title) || toPlainText(choice.id)
    const cells = `${pad(clip(title, titleColumns), titleColumns)}  ${toPlainText(choice.about)}`
    const line = clip(`${isSelected ? '>' : ' '} ${cells}`, columns)
    return isSelected ? colors.inverse(line) : line
  })
}

function bottomLine(state: PickState, columns: number, colors: Colors): string {
  const { asked, note, rules } = state
  if (asked !== undefined) return clip(questionOf(state, columns), columns)
  if (note !== '') return clip(toPlainText(note), columns)
  return colors.dim(clip(HINT + (rules.hasActions ? ACTIONS_HINT : ''), columns))
}

const QUESTION_COLUMNS = 50

function questionOf(state: PickState, columns: number): string {
  const { kind, text } = state.asked!
  const left = Math.max(10, columns - QUESTION_COLUMNS)
  // The end of a long title is where it is typed.
  if (kind === 'rename') {
    const typed = [...toPlainText(`${text}▏`)].slice(-left).join('')
    return `Title: ${typed}  Enter rename · Esc back`
  }
  const { id, title } = selectedOf(state)!
  const name = `"${clip(toPlainText(title) || toPlainText(id), left)}"`
  const question = kind === 'fork' ? `Fork ${name}?` : `Move ${name} to the trash?`
  return `${question}  y yes · any other key no`
}
