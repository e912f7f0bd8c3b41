// An item as lines: closed it takes few of them, open it shows all.

import type { Block, ShownResult } from '../../chain/index.js'
import { fieldsOf } from '../../chain/index.js'
import { shownJson } from '../../format/index.js'
import { lineDiff } from '../output/line-diff.js'
import { clip, toPlainText } from '../output/plain-text.js'
import { plural } from '../output/units.js'
import type { Item } from './items.js'
import { diffStyle, renderMarkdown, renderOutput } from './markdown.js'
import { type Piece, type StyledLine, wrapLine } from './styled-line.js'

export interface RenderOptions {
  readonly columns: number
  readonly isOpen: boolean
  /** The event as it is on disk, instead of what it means. */
  readonly isRaw: boolean
  readonly isSelected: boolean
  /** Lines of a subagent, below its item. */
  readonly nested?: readonly StyledLine[] | undefined
}

const CLOSED_LINES_MAX = 8
// A tool may print a hundred megabytes; `show` and `export` print all of it.
const OPEN_LINES_MAX = 2000
const OPEN_CHARS_MAX = 400_000
const INDENT = '  '
const UUID_CHARS = 8
// Of a line of a diff, whose first character must stay.
const CONTROLS = /[\p{Cc}\p{Cf}]/gu

export function renderItem(item: Item, options: RenderOptions): StyledLine[] {
  const { columns, isOpen, isRaw, isSelected, nested = [] } = options
  const marker: Piece = isSelected ? { text: '▌ ', style: 'bold' } : { text: INDENT }
  const space = Math.max(20, columns - INDENT.length)
  const heading = toHeading(item)
  const body = isRaw
    ? renderRaw(item, space)
    : item.blocks.flatMap((block) => renderBlock(block, { isOpen, columns: space }))
  const indented = [...body, ...nested].map((line): StyledLine => [{ text: INDENT }, ...line])
  const lines = heading === undefined ? indented : [[marker, ...heading], ...indented]
  if (heading === undefined && lines[0] !== undefined) lines[0] = [marker, ...lines[0].slice(1)]
  const isTurn = item.kind !== 'tool' && item.kind !== 'note'
  return isTurn ? [[], ...lines] : lines
}

/** A tool's item begins with its call. */
function toHeading({ kind, title, style, entry }: Item): StyledLine | undefined {
  if (kind === 'tool') return undefined
  const { event } = entry
  const facts = event === undefined ? '' : `  ${toLocalTime(event.ts)}  ${shortId(event.uuid)}`
  return [
    { text: title, style },
    { text: facts, style: 'dim' },
  ]
}

export function shortId(uuid: string): string {
  return toPlainText(uuid).slice(0, UUID_CHARS)
}

/** In the time zone of the reader. */
export function toLocalTime(ts: string): string {
  const time = new Date(ts)
  if (Number.isNaN(time.getTime())) return '-'
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

function renderRaw({ entry }: Item, columns: number): StyledLine[] {
  const { event, byteOffset, length, path, problem } = entry
  const place =
    byteOffset === undefined
      ? toPlainText(path)
      : `${toPlainText(path)}, byte ${byteOffset}${length > 0 ? ` to ${byteOffset + length}` : ''}`
  const text = event === undefined ? (problem ?? '') : JSON.stringify(event, null, 2)
  return [
    ...wrapLine([{ text: place, style: 'dim' }], columns),
    ...limit(renderOutput(text.slice(0, OPEN_CHARS_MAX), columns), OPEN_LINES_MAX),
  ]
}

interface BlockOptions {
  readonly isOpen: boolean
  readonly columns: number
}

function renderBlock(block: Block, { isOpen, columns }: BlockOptions): StyledLine[] {
  const max = isOpen ? OPEN_LINES_MAX : CLOSED_LINES_MAX
  switch (block.kind) {
    case 'text':
      return limit(renderMarkdown(cut(block.text), columns), max)
    case 'thinking':
      return limit(renderOutput(`Thinking: ${cut(block.text)}`, columns, 'dim'), isOpen ? max : 2)
    case 'image':
    case 'other':
      return limit(renderOutput(cut(block.text), columns, 'dim'), max)
    case 'call':
      return renderCall(block, { isOpen, columns })
    default:
      return renderLoneResult(block.result, { isOpen, columns })
  }
}

function cut(text: string): string {
  return text.length <= OPEN_CHARS_MAX ? text : text.slice(0, OPEN_CHARS_MAX)
}

function limit(lines: readonly StyledLine[], max: number): StyledLine[] {
  // One line more is shorter than a remark about it.
  if (lines.length <= max + 1) return [...lines]
  const hidden = plural(lines.length - max, 'more line')
  return [...lines.slice(0, max), [{ text: `… ${hidden}`, style: 'dim' }]]
}

function renderCall(
  { name, input, result }: Extract<Block, { kind: 'call' }>,
  { isOpen, columns }: BlockOptions,
): StyledLine[] {
  const outcome = result === undefined ? 'no result' : outcomeOf(result)
  const style = result === undefined || result.isError ? 'error' : 'dim'
  const space = Math.max(10, columns - name.length - outcome.length - 6)
  const first: StyledLine = [
    { text: '→ ', style: 'dim' },
    { text: toPlainText(name), style: 'tool' },
    { text: ` ${clip(summarizeInput(input), space)}` },
    { text: `  ${outcome}`, style },
  ]
  if (!isOpen) return [first]
  const output =
    result === undefined
      ? []
      : renderOutput(cut(result.text), columns - 2, result.isError ? 'error' : undefined)
  const parts = [...renderInput(input, columns - 2), ...limit(output, OPEN_LINES_MAX)]
  return [first, ...parts.map((line): StyledLine => [{ text: INDENT }, ...line])]
}

function renderLoneResult(result: ShownResult, { isOpen, columns }: BlockOptions): StyledLine[] {
  const first: StyledLine = [
    { text: '← ', style: 'dim' },
    {
      text: `result of an earlier call  ${outcomeOf(result)}`,
      style: result.isError ? 'error' : 'dim',
    },
  ]
  if (!isOpen) return [first]
  return [first, ...limit(renderOutput(cut(result.text), columns), OPEN_LINES_MAX)]
}

function outcomeOf({ text, isError, durationMs }: ShownResult): string {
  const count = text === '' ? 'no output' : plural(text.trimEnd().split('\n').length, 'line')
  const time = durationMs === undefined ? '' : `, ${formatDuration(durationMs)}`
  return `${isError ? '✗ failed' : '✓'} ${count}${time}`
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** What people look for first in the input of common tools. */
const COMMON_FIELDS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
]

function summarizeInput(input: unknown): string {
  const fields = fieldsOf(input)
  const known = COMMON_FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string')
  return toPlainText(typeof known === 'string' ? known : shownJson(input))
}

function renderInput(input: unknown, columns: number): StyledLine[] {
  const { old_string, new_string, ...rest } = fieldsOf(input)
  if (typeof old_string === 'string' && typeof new_string === 'string') {
    const diff = lineDiff(old_string, new_string).flatMap((line) =>
      wrapLine([{ text: line.replace(CONTROLS, ' '), style: diffStyle(line) }], columns),
    )
    return [...renderFields(rest, columns), ...limit(diff, OPEN_LINES_MAX)]
  }
  if (typeof input === 'string') return limit(renderOutput(cut(input), columns), OPEN_LINES_MAX)
  return renderFields(fieldsOf(input), columns)
}

/** Texts as they are, because a command or a file reads badly as JSON. */
function renderFields(fields: Readonly<Record<string, unknown>>, columns: number): StyledLine[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : shownJson(value)
    const lines = limit(renderOutput(cut(text), columns - 2), OPEN_LINES_MAX)
    const label: Piece = { text: `${toPlainText(name)}: `, style: 'dim' }
    const [first = []] = lines
    if (lines.length <= 1) return wrapLine([label, ...first], columns)
    return [[label], ...lines.map((line): StyledLine => [{ text: INDENT }, ...line])]
  })
}
