// Subagents as a table for people, in the manner of the sessions'.

import type { SidechainDigest, SidechainStatus } from '../store/index.js'
import type { Colors } from './colors.js'
import { toPlainText } from './plain-text.js'
import { ageOf, sizeOf } from './session-table.js'
import { tableOf } from './table.js'

const HEADINGS = ['TASK', 'PROMPT', 'STATUS', 'STARTED', 'TYPE', 'SIZE']
const PROMPT = 1
const STATUS = 2

export interface SidechainTableOptions {
  /** The width of the terminal; `undefined` in a pipe. */
  readonly columns: number | undefined
  readonly colors: Colors
  readonly now: number
}

export function sidechainTable(
  sidechains: readonly SidechainDigest[],
  { columns, colors, now }: SidechainTableOptions,
): string {
  const rows = sidechains.map((digest) => ({
    cells: cellsOf(digest, now),
    color: colorOf(digest.status, colors),
  }))
  return tableOf(rows, { headings: HEADINGS, wide: PROMPT, status: STATUS, columns, colors })
}

function cellsOf(digest: SidechainDigest, now: number): string[] {
  const { task_id, prompt, status, startedAt, agent_type, bytes } = digest
  return [
    toPlainText(task_id),
    toPlainText(prompt ?? '') || '-',
    status,
    startedAt === null ? '-' : ageOf(startedAt, now),
    toPlainText(agent_type ?? '') || '-',
    sizeOf(bytes),
  ]
}

function colorOf(status: SidechainStatus, colors: Colors): (text: string) => string {
  if (status === 'completed') return String
  return status === 'open' ? colors.green : colors.yellow
}
