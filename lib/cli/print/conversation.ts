// A conversation for people: speaker, time and text; tools are indented below.

import { type AnyMessage, type TurnPart, Turns } from '../../chain/index.js'
import type { Colors } from '../output/colors.js'
import type { Output } from '../output/output.js'
import { clip, toPlainLines, toPlainText } from '../output/plain-text.js'

const COLUMNS_IN_A_PIPE = 200
const RESULT_LINES_MAX = 5
const LABEL_COLUMNS_MAX = 80
const INDENT = '  '

const ROLES: ReadonlyMap<string, { title: string; color: 'cyan' | 'green' | 'magenta' }> = new Map([
  ['user', { title: 'User', color: 'cyan' }],
  ['assistant', { title: 'Assistant', color: 'green' }],
  ['system', { title: 'System', color: 'magenta' }],
  ['summary', { title: 'Summary', color: 'magenta' }],
  ['subagent_result', { title: 'Subagent', color: 'magenta' }],
  ['tool_result', { title: 'Tool', color: 'magenta' }],
])

/** A message, or an event of the log. */
type Turn = Pick<AnyMessage, 'type' | 'uuid' | 'ts' | 'payload' | 'synthetic'>

export interface ConversationStyle {
  readonly colors: Colors
  /** Show tools in full. */
  readonly isWhole: boolean
}

export class Conversation {
  readonly #output: Pick<Output, 'write' | 'columns'>
  readonly #style: ConversationStyle
  readonly #turns = new Turns()
  #isFirst = true
  #isAfterAside = false

  constructor(output: Pick<Output, 'write' | 'columns'>, style: ConversationStyle) {
    this.#output = output
    this.#style = style
  }

  /** Whether nothing was printed. */
  get isEmpty(): boolean {
    return this.#isFirst
  }

  async say(turn: Turn): Promise<void> {
    for (const { heading, parts } of this.#turns.split(turn)) {
      const body = parts.flatMap((part) => this.#linesOf(part))
      if (heading === undefined) await this.#write(body)
      else await this.#open([headingOf({ ...turn, type: heading }, this.#style.colors), ...body])
    }
  }

  /** A remark between the turns, in one line. */
  async mark(text: string, color: 'dim' | 'red' | 'yellow' = 'dim'): Promise<void> {
    this.#turns.interrupt()
    await this.#open([this.#style.colors[color](`── ${text} ──`)])
  }

  /** An off-chain event, in one line. */
  async aside(text: string): Promise<void> {
    const line = this.#style.colors.dim(`· ${text}`)
    if (this.#isAfterAside) await this.#write([line])
    else await this.#open([line])
    this.#isAfterAside = true
  }

  async #open(lines: readonly string[]): Promise<void> {
    await this.#write(this.#isFirst ? lines : ['', ...lines])
  }

  async #write(lines: readonly string[]): Promise<void> {
    this.#isFirst = false
    this.#isAfterAside = false
    await this.#output.write(lines.map((line) => `${line}\n`).join(''))
  }

  #linesOf(part: TurnPart): string[] {
    const { colors } = this.#style
    switch (part.kind) {
      case 'text':
        return toPlainLines(part.text)
      case 'call':
        return this.#indented('→ ', [toPlainText(part.text)])
      case 'other':
        return this.#indented('', [toPlainText(part.text)]).map(colors.dim)
      default: {
        const sign = part.isError ? '✗ ' : '← '
        const text = toPlainLines(part.text)
        const lines =
          part.callText === undefined
            ? this.#indented(sign, text)
            : [
                `${INDENT}${sign}${toLabel(part.callText, this.#columnsFor(sign))}`,
                ...this.#indented(' '.repeat(sign.length), text),
              ]
        return lines.map(part.isError ? colors.red : colors.dim)
      }
    }
  }

  #columnsFor(sign: string): number {
    const columns = this.#output.columns ?? COLUMNS_IN_A_PIPE
    return Math.max(columns - INDENT.length - sign.length, 10)
  }

  #indented(sign: string, lines: readonly string[]): string[] {
    const { isWhole } = this.#style
    const columns = this.#columnsFor(sign)
    const shown = isWhole ? lines : lines.slice(0, RESULT_LINES_MAX)
    const hidden = lines.length - shown.length
    const fitted = shown.map((line) => (isWhole ? line : clip(line, columns)))
    if (hidden > 0) fitted.push(`… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`)
    if (fitted.length === 0) fitted.push('(nothing)')
    return fitted.map((line, index) => {
      const margin = index === 0 ? sign : ' '.repeat(sign.length)
      return `${INDENT}${margin}${line}`.trimEnd()
    })
  }
}

/** The call that a result belongs to, on one line. */
function toLabel(callText: string, columns: number): string {
  return `${clip(toPlainText(callText), Math.min(columns - 1, LABEL_COLUMNS_MAX))}:`
}

function headingOf({ type, ts, uuid, synthetic }: Turn, colors: Colors): string {
  const { title, color } = ROLES.get(type) ?? { title: type, color: 'magenta' }
  const made = synthetic === true ? '  added for this reading' : ''
  const rest = `${timeOf(ts)}  ${toPlainText(String(uuid))}${made}`
  return `${colors.bold(colors[color](toPlainText(title)))}  ${colors.dim(rest)}`
}

/** To the second. */
export function timeOf(ts: unknown): string {
  return typeof ts === 'string' ? toPlainText(ts).replace(/\.\d+Z$/, 'Z') : '-'
}
