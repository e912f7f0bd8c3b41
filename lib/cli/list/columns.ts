// The columns of `list`: what each prints, and which of them fit.

import { basename } from 'node:path'
import { sumTokens } from '../../store/index.js'
import { type Call, UsageError } from '../command.js'
import { readWords } from '../input/arguments.js'
import { colorsOf } from '../output/colors.js'
import { toPlainText } from '../output/plain-text.js'
import { formatTable } from '../output/table.js'
import { formatAge, formatCost, formatCount, formatDuration, formatSize } from '../output/units.js'
import { type ListRow, parentOf } from './row.js'

interface Shown {
  readonly now: number
  /** An id as short as it may be. */
  readonly shorten: (row: Pick<ListRow, 'info'>) => string
  readonly shortenId: (id: string) => string
}

interface Column {
  readonly heading: string
  /** All of the log must be read for it, unless the cache has it. */
  readonly isCounted?: true
  cell(row: ListRow, shown: Shown): string
}

const COLUMNS = {
  session: {
    heading: 'SESSION',
    cell: (row, { shorten }) => (row.branch ?? '') + toPlainText(shorten(row)),
  },
  title: { heading: 'TITLE', cell: ({ info }) => toPlainText(info.title ?? '') || '-' },
  status: { heading: 'STATUS', cell: ({ status }) => status },
  last: { heading: 'LAST', cell: ({ info }, { now }) => formatAge(info.lastActivity, now) },
  started: { heading: 'STARTED', cell: ({ info }, { now }) => formatAge(info.startedAt, now) },
  turns: {
    heading: 'TURNS',
    isCounted: true,
    cell: ({ figures }) => (figures ? formatCount(figures.turns) : '-'),
  },
  tokens: {
    heading: 'TOKENS',
    isCounted: true,
    cell: ({ figures }) => (figures ? formatCount(sumTokens(figures.tokens)) : '-'),
  },
  cost: {
    heading: 'COST',
    isCounted: true,
    cell: ({ figures }) => (figures ? formatCost(figures.cost, sumTokens(figures.tokens)) : '-'),
  },
  model: {
    heading: 'MODEL',
    isCounted: true,
    cell: ({ figures }) => toPlainText(figures?.model ?? '') || '-',
  },
  duration: {
    heading: 'DURATION',
    isCounted: true,
    cell: ({ figures }) => (figures ? formatDuration(figures.durationMs) : '-'),
  },
  project: { heading: 'PROJECT', cell: ({ info }) => projectName(info.project) },
  lineage: {
    heading: 'LINEAGE',
    cell: (row, { shortenId }) => {
      const parent = parentOf(row)
      return parent === undefined ? '-' : toPlainText(`${parent.word} ${shortenId(parent.id)}`)
    },
  },
  tags: { heading: 'TAGS', cell: ({ info }) => toPlainText((info.tags ?? []).join(' ')) || '-' },
  events: { heading: 'EVENTS', cell: ({ info }) => String(info.events ?? '-') },
  size: { heading: 'SIZE', cell: ({ info }) => formatSize(info.bytes) },
} as const satisfies Record<string, Column>

export type ColumnName = keyof typeof COLUMNS

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[]

const USUAL: readonly ColumnName[] = ['session', 'title', 'status', 'last', 'project', 'size']
const LONG: readonly ColumnName[] = [
  ...(['session', 'title', 'status', 'last', 'turns', 'tokens', 'cost'] as const),
  ...(['model', 'duration', 'project', 'lineage'] as const),
]
/** What a terminal that is too narrow for --long does without, the first first. */
const SPARED: readonly ColumnName[] = ['lineage', 'model', 'status', 'duration', 'project']
const TITLE_COLUMNS_MIN = 20

export interface ColumnChoice {
  readonly names: readonly ColumnName[]
  /** They were named, so all of them are shown. */
  readonly isNamed: boolean
}

/** What `project` prints, and `--project` takes. */
export function projectName(project: string | null): string {
  return project === null ? '-' : toPlainText(basename(project)) || project
}

export function readColumns(call: Call): ColumnChoice {
  const given = readWords(call, 'columns')
  if (given === undefined) return { names: call.has('long') ? LONG : USUAL, isNamed: false }
  const unknown = given.find((name) => !Object.hasOwn(COLUMNS, name))
  if (unknown !== undefined || given.length === 0) {
    const what = `--columns takes ${COLUMN_NAMES.join(', ')}`
    throw new UsageError(unknown === undefined ? what : `${what}; not "${unknown}"`)
  }
  return { names: [...new Set(given)] as ColumnName[], isNamed: true }
}

export function isCounted(name: string): boolean {
  const column: Column | undefined = COLUMNS[name as ColumnName]
  return column?.isCounted === true
}

export function formatRows(
  call: Call,
  rows: readonly ListRow[],
  { names, isNamed }: ColumnChoice,
  shorten: Pick<Shown, 'shorten' | 'shortenId'>,
): string[] {
  const { columns } = call.output
  const colors = colorsOf(call)
  const shown = { now: call.env.now(), ...shorten }
  const table = rows.map((row) => names.map((name) => COLUMNS[name].cell(row, shown)))
  const kept = columns === undefined || isNamed ? names : fitting(names, table, columns)
  const at = kept.map((name) => names.indexOf(name))
  const paints: Partial<Record<string, (text: string) => string>> = {
    open: colors.green,
    active: colors.green,
    crashed: colors.yellow,
    failed: colors.yellow,
    empty: colors.dim,
  }
  return formatTable(
    table.map((cells, index) => ({
      cells: at.map((place) => cells[place]!),
      color: paints[rows[index]!.status] ?? String,
    })),
    {
      headings: kept.map((name) => COLUMNS[name].heading),
      wide: kept.indexOf('title'),
      status: kept.indexOf('status'),
      columns,
      colors,
    },
  )
}

/** Leaves out columns until the title has space. */
function fitting(
  names: readonly ColumnName[],
  table: readonly (readonly string[])[],
  columns: number,
): readonly ColumnName[] {
  const widths = new Map(
    names.map((name, at) => {
      const cells = table.map((row) => row[at]!.length)
      return [name, Math.max(COLUMNS[name].heading.length, ...cells)] as const
    }),
  )
  let kept = names
  const spaceFor = () =>
    columns - kept.reduce((sum, name) => sum + (name === 'title' ? 0 : widths.get(name)! + 2), 0)
  for (const name of SPARED) {
    if (!names.includes('turns') || spaceFor() >= TITLE_COLUMNS_MIN) return kept
    kept = kept.filter((other) => other !== name)
  }
  return kept
}
