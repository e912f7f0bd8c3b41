// Prompts as rows for people: on a terminal as wide as that, in a pipe whole and with exact times.

import { basename } from 'node:path'
import type { HistoryEntry } from '../store/index.js'
import type { Colors } from './colors.js'
import { clip, pad, toPlainText, widthOfText } from './plain-text.js'
import { ageOf } from './session-table.js'

export interface HistoryRowsOptions {
  /** The width of the terminal; `undefined` in a pipe. */
  readonly columns: number | undefined
  readonly colors: Colors
  readonly now: number
  /** The prompts are of several projects, so the row says of which. */
  readonly hasProjects: boolean
}

const GAP = '  '
const PROJECT_COLUMNS_MAX = 20
const TIME_CHARS = 24

export function historyRows(
  entries: readonly HistoryEntry[],
  { columns, colors, now, hasProjects }: HistoryRowsOptions,
): string {
  const rows = entries.map((entry) => {
    const prompt = toPlainText(entry.prompt)
    if (columns === undefined) return { before: [toPlainText(entry.ts).padEnd(TIME_CHARS)], prompt }
    const project = toPlainText(basename(entry.project ?? '')) || '-'
    const age = ageOf(entry.ts, now)
    return { before: hasProjects ? [age, clip(project, PROJECT_COLUMNS_MAX)] : [age], prompt }
  })
  const widths = rows[0]!.before.map((_, index) =>
    Math.max(...rows.map(({ before }) => widthOfText(before[index]!))),
  )
  return rows
    .map(({ before, prompt }) => {
      const start = before.map((cell, index) => pad(cell, widths[index]!) + GAP).join('')
      if (columns === undefined) return `${start}${prompt}\n`
      return `${colors.dim(start)}${clip(prompt, Math.max(1, columns - widthOfText(start)))}\n`
    })
    .join('')
}
