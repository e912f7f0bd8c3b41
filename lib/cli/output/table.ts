// Rows as a table for people: on a terminal with a heading and as wide as that, in a pipe without
// either. One column is clipped where the terminal is too narrow.

import type { Colors } from './colors.js'
import { clip, pad, widthOfText } from './plain-text.js'

export interface Row {
  readonly cells: readonly string[]
  /** For the status cell. */
  readonly color: (text: string) => string
}

export interface TableShape {
  readonly headings: readonly string[]
  /** The column that is clipped; -1: none. */
  readonly wide: number
  /** The column with colour; -1: none. */
  readonly status: number
  /** The width of the terminal; `undefined` in a pipe. */
  readonly columns: number | undefined
  readonly colors: Colors
}

const GAP = '  '
const WIDE_COLUMNS_MAX = 60
const WIDE_COLUMNS_MIN = 12

export function formatTable(rows: readonly Row[], shape: TableShape): string[] {
  if (rows.length === 0) return []
  const { headings, wide, columns, colors } = shape
  const isTerminal = columns !== undefined
  const heading: Row = { cells: headings, color: String }
  const widths = widthsOf(isTerminal ? [heading, ...rows] : rows, headings.length)
  if (wide !== -1) {
    const others = widths.reduce((sum, width) => sum + width + GAP.length, 0) - widths[wide]!
    const space = isTerminal ? columns - others + GAP.length : WIDE_COLUMNS_MAX
    widths[wide] = Math.max(WIDE_COLUMNS_MIN, Math.min(widths[wide]!, space))
  }
  const lines = rows.map((row) => lineOf(row, widths, shape))
  if (isTerminal) lines.unshift(colors.dim(lineOf(heading, widths, shape)))
  return lines
}

function lineOf(
  { cells, color }: Row,
  widths: readonly number[],
  { columns, status }: TableShape,
): string {
  const padded = cells.map((cell, index) => pad(clip(cell, widths[index]!), widths[index]!))
  const row = padded.join(GAP).trimEnd()
  if (columns !== undefined && widthOfText(row) > columns) return clip(row, columns)
  if (status !== -1) padded[status] = color(padded[status]!)
  return padded.join(GAP).trimEnd()
}

function widthsOf(rows: readonly Row[], count: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.max(0, ...rows.map(({ cells }) => widthOfText(cells[index]!))),
  )
}
