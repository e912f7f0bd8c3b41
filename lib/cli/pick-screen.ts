// The picker as lines of a screen: what was typed, the list, and the last words of the session
// that would be taken.

import type { Colors } from './colors.js'
import { type PickState, selectedOf } from './pick-model.js'
import { clip, pad, toPlainText } from './plain-text.js'

export interface ScreenShape {
  readonly columns: number
  readonly rows: number
  readonly colors: Colors
}

const HINT = 'Enter takes it · Esc leaves · ↑ ↓ move'
// What stands around the list and the preview: query, hint, and the line between them.
const FRAME_ROWS = 3
const LIST_ROWS_MIN = 3
const ABOUT_COLUMNS = 36

/** Never more lines than there are rows, and none longer than there are columns. */
export function screenOf(
  state: PickState,
  preview: readonly string[],
  { columns, rows, colors }: ScreenShape,
): string[] {
  const free = Math.max(1, rows - FRAME_ROWS)
  const listRows = Math.min(free, Math.max(LIST_ROWS_MIN, Math.floor(free / 2)))
  const previewRows = free - listRows
  const count = `${state.matches.length} of ${state.choices.length}`
  const lines = [
    clip(`> ${state.query}▏  ${count}`, columns),
    ...listOf(state, { columns, rows: listRows, colors }),
    colors.dim(clip('─'.repeat(columns), columns)),
    // The end of a conversation tells more of it than what came before.
    ...preview.slice(-previewRows || preview.length).map((line) => clip(line, columns)),
  ]
  const body = lines.slice(0, Math.max(1, rows - 1))
  return [...body, colors.dim(clip(HINT, columns))].slice(0, rows)
}

function listOf(state: PickState, { columns, rows, colors }: ScreenShape): string[] {
  const { matches, selected } = state
  if (matches.length === 0) return [clip('  nothing fits; Backspace takes a letter back', columns)]
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
