// The picker on a terminal: keys in, screens out. The terminal is always restored.

import { on } from 'node:events'
import type { CliIo } from '../command.js'
import type { Colors } from '../output/colors.js'
import { clip, pad, toPlainText } from '../output/plain-text.js'
import {
  drawLines,
  ENDING_SIGNALS,
  type Key,
  sizeOf,
  takeTerminal,
} from '../terminal/take-terminal.js'
import { type Choice, type PickState, pressKey, selectedOf, startPicking } from './model.js'

export interface PickerOptions {
  readonly io: CliIo
  readonly colors: Colors
  /** The last messages of a choice. */
  readonly preview: (choice: Choice) => readonly string[]
}

/** The one that was taken; `undefined` when none was. */
export async function pickInTerminal(
  choices: readonly Choice[],
  { io, colors, preview }: PickerOptions,
): Promise<Choice | undefined> {
  const draw = (state: PickState) => {
    const { columns, rows } = sizeOf(io)
    const choice = selectedOf(state)
    const words = choice === undefined ? [] : preview(choice)
    const lines = screenOf(state, words, { columns, rows, colors })
    drawLines(io, lines)
  }
  const restore = takeTerminal(io)
  try {
    return await untilDecided(io, startPicking(choices), draw)
  } finally {
    restore()
  }
}

async function untilDecided(
  io: CliIo,
  start: PickState,
  draw: (state: PickState) => void,
): Promise<Choice | undefined> {
  const { stdin, stdout } = io
  let state = start
  const controller = new AbortController()
  const { signal } = controller
  const redraw = () => draw(state)
  const cancel = () => controller.abort()
  // A queue instead of a handler, so that errors reach the caller.
  const keys = on(stdin, 'keypress', { signal, close: ['end'] })
  stdout.on('resize', redraw)
  for (const name of ENDING_SIGNALS) io.once(name, cancel)
  try {
    draw(state)
    for await (const [, key] of keys) {
      state = pressKey(state, key as Key)
      if (state.outcome === 'taken') return selectedOf(state)
      if (state.outcome === 'cancelled') return undefined
      draw(state)
    }
    return undefined
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    await keys.return?.()
    stdout.off('resize', redraw)
    for (const name of ENDING_SIGNALS) io.off(name, cancel)
  }
}

export interface ScreenShape {
  readonly columns: number
  readonly rows: number
  readonly colors: Colors
}

const HINT = 'Enter select · Esc cancel · ↑ ↓ move'
// The rows around the list and the preview: query, hint, and the line between them.
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
    // Only the end fits.
    ...preview.slice(-previewRows || preview.length).map((line) => clip(line, columns)),
  ]
  const body = lines.slice(0, Math.max(1, rows - 1))
  return [...body, colors.dim(clip(HINT, columns))].slice(0, rows)
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
