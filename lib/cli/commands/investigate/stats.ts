// What a store holds, counted.

import { basename } from 'node:path'
import {
  type DiskUsage,
  diskUsage,
  type StatsGroup,
  type StoreStats,
  type StoreStatsOptions,
  storeStats,
  sumTokens,
} from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import {
  readChoice,
  readNumber,
  readTime,
  rejectTogether,
  resolveFile,
} from '../../input/arguments.js'
import { type Colors, colorsOf } from '../../output/colors.js'
import { clip, pad, toPlainText, widthOfText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'
import { formatCost, formatCount, formatMicroDollars, formatSize } from '../../output/units.js'

const LESSON = `Counts all sessions with their subagents: bytes, events, tokens as the providers counted them (in,
read from a cache, out), what they cost, tools, errors, and compactions with the tokens they saved.
An event that a fork copied counts once, and so does a reply that is recorded in several lines; what
a compaction or a rewind left behind counts. Prices are those of the installed package genai-prices;
--prices names a JSON file with others. A + after an amount: there are tokens of unknown price; ?:
no price is known. With --top: the largest files of the store, prompt history, checkpoints and file
copies included. In a pipe: numbers, separated by tabs, the cost last, in millionths of a dollar.
TIME is 2026-01-31, or a time of that day like 2026-01-31T12:00:00Z, or 90m, 2h, 3d ago.

Examples:
  $ jsonl-session stats --by model
  MODEL              SIZE     EVENTS  IN    CACHED  OUT  COST   TOOLS  ERRORS  COMPACTED  SAVED
  claude-sonnet-4-5  310 KiB  398     1.2M  1.1M    96k  $5.43  0      0       0          0

  $ jsonl-session stats --by day --json | jq -c '.groups[] | [.key, .cost.microDollars]'
  ["2026-01-31",5430000]

Exit codes:
  0 counted · 1 there is nothing to count · 2 wrong use, or failed
`

const GROUPS = ['session', 'project', 'day', 'type', 'model', 'tool'] as const

export const stats: Command = {
  name: 'stats',
  summary: 'Count bytes, events, tokens, cost, tools, errors and compactions',
  options: [
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    {
      name: 'by',
      value: 'G',
      text: 'session, project, day, type, model or tool (default: session)',
      values: GROUPS,
    },
    { name: 'top', value: 'N', text: 'the N largest files instead, and what they are for' },
    { name: 'prices', value: 'FILE', text: 'JSON with prices of models, see docs/CLI.md' },
    { name: 'since', value: 'TIME', text: 'only events of this time or later' },
    { name: 'until', value: 'TIME', text: 'only events before this time' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    for (const other of ['project', 'by', 'prices', 'since', 'until'])
      rejectTogether(call, 'top', other)
    const by = readChoice(call, 'by', GROUPS)
    const prices = call.value('prices')
    const limit = readNumber(call, 'top')
    if (limit !== undefined) return printDiskUsage(call, { limit })
    return printStats(call, {
      by,
      project: call.value('project'),
      pricesFile: prices === undefined ? undefined : resolveFile(call, prices),
      since: readTime(call, 'since'),
      until: readTime(call, 'until'),
    })
  },
}

const HEADINGS = [
  ...['SIZE', 'EVENTS', 'IN', 'CACHED', 'OUT', 'COST'],
  ...['TOOLS', 'ERRORS', 'COMPACTED', 'SAVED'],
]
const KEY_COLUMNS_MAX = 40
const BAR_COLUMNS_MAX = 24
const GAP = '  '

export async function printStats(call: Call, options: StoreStatsOptions): Promise<number> {
  const stats = await withProgress(call, 'Counting', () => storeStats(call.store, options))
  return printAnswer(call, {
    json: stats,
    lines: () => statsTable(stats, call.output.columns, colorsOf(call)),
    skipped: stats.skipped,
    no: stats.groups.length === 0 ? 'There is nothing to count' : undefined,
  })
}

export async function printDiskUsage(call: Call, options: { limit: number }): Promise<number> {
  const usage = diskUsage(call.store, options)
  return printAnswer(call, {
    json: usage,
    lines: () => usageTable(usage, call.output.columns, colorsOf(call)),
    skipped: usage.skipped,
    no: usage.fileCount === 0 ? 'There is nothing to count' : undefined,
  })
}

/** A heading, bars and totals are for people; a pipe gets the rows. */
function statsTable(stats: StoreStats, columns: number | undefined, colors: Colors): string[] {
  const { by, groups, total, tools } = stats
  if (columns === undefined) return groups.map(plainRow)
  const rows = groups.map((group) => [keyOf(by, group.key), ...cellsOf(group)])
  const heading = [by.toUpperCase(), ...HEADINGS]
  const sum = [`total of ${total.sessions} sessions`, ...cellsOf(total)]
  const table = [heading, ...rows, sum]
  const widths = heading.map((_, column) =>
    Math.min(KEY_COLUMNS_MAX, Math.max(...table.map((row) => widthOfText(row[column]!)))),
  )
  const free = columns - widths.reduce((width, one) => width + one + GAP.length, 0)
  const largest = Math.max(1, ...groups.map(({ bytes }) => bytes))
  const bars = groups.map(({ bytes }) => barOf(bytes / largest, free))
  const lines = table.map((row, index) => {
    const line = row.map((cell, column) => pad(clip(cell, widths[column]!), widths[column]!))
    const text = line.join(GAP)
    if (index === 0) return colors.dim(clip(text.trimEnd(), columns))
    const bar = bars[index - 1]
    return bar ? `${text}${GAP}${colors.cyan(bar)}` : clip(text.trimEnd(), columns)
  })
  return [...lines, ...toolLines(tools, columns)]
}

function toolLines(tools: StoreStats['tools'], columns: number): string[] {
  if (tools.length === 0) return []
  const said = tools.map(({ name, calls, errors }) => {
    const failed = errors > 0 ? ` (${errors} failed)` : ''
    return `${toPlainText(name)} ${calls}${failed}`
  })
  return ['', clip(`tools: ${said.join(', ')}`, columns)]
}

function usageTable(
  { kinds, files, bytes }: DiskUsage,
  columns: number | undefined,
  colors: Colors,
): string[] {
  if (columns === undefined) {
    return files.map(({ bytes: size, kind, path }) => `${size}\t${kind}\t${path}`)
  }
  const sums = kinds.map(({ kind, bytes: size, fileCount }) => {
    const bar = colors.cyan(barOf(size / Math.max(1, bytes), BAR_COLUMNS_MAX))
    return `${pad(formatSize(size), 8)}${GAP}${pad(kind, 12)}${GAP}${pad(`${fileCount} files`, 12)}${GAP}${bar}`
  })
  const lines = files.map(({ bytes: size, kind, path }) =>
    clip(`${pad(formatSize(size), 8)}${GAP}${pad(kind, 12)}${GAP}${toPlainText(path)}`, columns),
  )
  return [...sums, '', ...lines].map((line) => line.trimEnd())
}

function keyOf(by: StoreStats['by'], key: string | null): string {
  if (key === null) return '-'
  return toPlainText(by === 'project' ? basename(key) || key : key)
}

function plainRow(group: StatsGroup): string {
  const cost = formatMicroDollars(group.cost, sumTokens(group.tokens))
  return [toPlainText(group.key ?? '-'), ...numbersOf(group), cost].join('\t')
}

type Counts = Omit<StatsGroup, 'key'>

/** In the order of the headings, without the cost. */
function numbersOf(tally: Counts): number[] {
  const { bytes, events, tokens, toolCalls, errors, compactions, tokensSaved } = tally
  const { input, cacheRead, output } = tokens
  return [bytes, events, input, cacheRead, output, toolCalls, errors, compactions, tokensSaved]
}

const COST_AT = HEADINGS.indexOf('COST')

function cellsOf(tally: Counts): string[] {
  const [bytes, ...counts] = numbersOf(tally)
  const cells = [formatSize(bytes!), ...counts.map(formatCount)]
  return cells.toSpliced(COST_AT, 0, formatCost(tally.cost, sumTokens(tally.tokens)))
}

/** Eighths of a column, so that small shares differ; empty where there is no space. */
function barOf(share: number, free: number): string {
  const columns = Math.min(free, BAR_COLUMNS_MAX)
  if (columns < 4) return ''
  const eighths = Math.max(1, Math.round(share * columns * 8))
  const rest = eighths % 8
  return '█'.repeat(Math.floor(eighths / 8)) + (rest === 0 ? '' : '▏▎▍▌▋▊▉'[rest - 1])
}
