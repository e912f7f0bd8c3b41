// Counts as a table, with a bar for each row on a terminal; plain columns in a pipe; or JSON.

import { basename } from 'node:path'
import {
  type DiskUsage,
  diskUsage,
  type StatsGroup,
  type StoreOptions,
  type StoreStats,
  type StoreStatsOptions,
  storeStats,
} from '../store/index.js'
import { type Colors, colorsOf } from './colors.js'
import type { Call } from './command.js'
import { EXIT } from './exit-codes.js'
import { clip, pad, toPlainText, widthOfText } from './plain-text.js'
import { withProgress } from './progress.js'
import { sizeOf } from './session-table.js'
import { tellSkipped } from './tell-skipped.js'

const HEADINGS = ['SIZE', 'EVENTS', 'IN', 'CACHED', 'OUT', 'TOOLS', 'ERRORS', 'COMPACTED', 'SAVED']
const KEY_COLUMNS_MAX = 40
const BAR_COLUMNS_MAX = 24
const GAP = '  '

export async function printStats(call: Call, options: StoreStatsOptions): Promise<number> {
  const stats = await withProgress(call.notes, 'Counting', () => storeStats(options))
  if (call.has('json')) await call.output.write(`${JSON.stringify(stats)}\n`)
  else await call.output.write(statsTable(stats, call.output.columns, colorsOf(call)))
  await call.output.flush()
  tellSkipped(call, stats.skipped)
  if (stats.groups.length > 0) return EXIT.done
  call.notes.say('There is nothing to count')
  return EXIT.no
}

export async function printDiskUsage(
  call: Call,
  options: StoreOptions & { limit: number },
): Promise<number> {
  const usage = diskUsage(options)
  if (call.has('json')) await call.output.write(`${JSON.stringify(usage)}\n`)
  else await call.output.write(usageTable(usage, call.output.columns, colorsOf(call)))
  await call.output.flush()
  tellSkipped(call, usage.skipped)
  return usage.fileCount > 0 ? EXIT.done : EXIT.no
}

/** A heading, bars and totals are for people; a pipe gets the rows. */
function statsTable(stats: StoreStats, columns: number | undefined, colors: Colors): string {
  const { by, groups, total, tools } = stats
  if (columns === undefined) return groups.map(plainRow).join('')
  const rows = groups.map((group) => [keyOf(by, group.key), ...cellsOf(group)])
  const heading = [by.toUpperCase(), ...HEADINGS]
  const sum = [`total of ${total.sessions} sessions`, ...cellsOf(total)]
  const table = [heading, ...rows, sum]
  const widths = heading.map((_, column) =>
    Math.min(KEY_COLUMNS_MAX, Math.max(...table.map((row) => widthOfText(row[column]!)))),
  )
  const room = columns - widths.reduce((width, one) => width + one + GAP.length, 0)
  const largest = Math.max(1, ...groups.map(({ bytes }) => bytes))
  const bars = groups.map(({ bytes }) => barOf(bytes / largest, room))
  const lines = table.map((row, index) => {
    const line = row.map((cell, column) => pad(clip(cell, widths[column]!), widths[column]!))
    const text = line.join(GAP)
    if (index === 0) return colors.dim(clip(text.trimEnd(), columns))
    const bar = bars[index - 1]
    return bar ? `${text}${GAP}${colors.cyan(bar)}` : clip(text.trimEnd(), columns)
  })
  return `${[...lines, ...toolLines(tools, columns)].join('\n')}\n`
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
): string {
  const rows = files.map((file) => [sizeOf(file.bytes), file.kind, toPlainText(file.path)])
  if (columns === undefined) {
    return files.map(({ bytes: size, kind, path }) => `${size}\t${kind}\t${path}\n`).join('')
  }
  const sums = kinds.map(({ kind, bytes: size, fileCount }) => {
    const bar = colors.cyan(barOf(size / Math.max(1, bytes), BAR_COLUMNS_MAX))
    return `${pad(sizeOf(size), 8)}${GAP}${pad(kind, 12)}${GAP}${pad(`${fileCount} files`, 12)}${GAP}${bar}`
  })
  const lines = rows.map(([size, kind, path]) =>
    clip(`${pad(size!, 8)}${GAP}${pad(kind!, 12)}${GAP}${path}`, columns),
  )
  return `${[...sums, '', ...lines].map((line) => line.trimEnd()).join('\n')}\n`
}

function keyOf(by: StoreStats['by'], key: string | null): string {
  if (key === null) return '-'
  return toPlainText(by === 'project' ? basename(key) || key : key)
}

function plainRow(group: StatsGroup): string {
  return `${[toPlainText(group.key ?? '-'), ...numbersOf(group)].join('\t')}\n`
}

type Counts = Omit<StatsGroup, 'key'>

/** In the order of the headings. */
function numbersOf(tally: Counts): number[] {
  const { bytes, events, tokens, toolCalls, errors, compactions, tokensSaved } = tally
  const { input, cacheRead, output } = tokens
  return [bytes, events, input, cacheRead, output, toolCalls, errors, compactions, tokensSaved]
}

function cellsOf(tally: Counts): string[] {
  const [bytes, ...counts] = numbersOf(tally)
  return [sizeOf(bytes!), ...counts.map(shortly)]
}

function shortly(count: number): string {
  if (count < 10_000) return String(count)
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** Eighths of a column, so that small shares differ; empty where there is no room. */
function barOf(share: number, room: number): string {
  const columns = Math.min(room, BAR_COLUMNS_MAX)
  if (columns < 4) return ''
  const eighths = Math.max(1, Math.round(share * columns * 8))
  const rest = eighths % 8
  return '█'.repeat(Math.floor(eighths / 8)) + (rest === 0 ? '' : '▏▎▍▌▋▊▉'[rest - 1])
}
