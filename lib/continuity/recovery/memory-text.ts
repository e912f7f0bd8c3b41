// What agents have learnt in a project, as a session is given it at its start: constraints, facts and
// open tasks, each within its own budget, between two marks that the content cannot contain. Pure.

import { oneLine, shorten } from '../../format/index.js'
import type { MemoryItem, Remembered } from '../checkpoints/memories.js'
import type { RedactText } from '../redact-words.js'
import { markFor, neutralized } from './recovery-text.js'

export interface MemoryBudgets {
  /** Chars of each part, with its title; the first part pays for what is around all of them. */
  readonly constraints: number
  readonly facts: number
  readonly tasks: number
}

export interface MemoryText {
  readonly text: string
  /** Of the memories that the text shows. */
  readonly ids: readonly string[]
}

// The reader is a model, which may take every sentence for an instruction.
const HEADING = `## Project Memory
What agents noted in earlier sessions of this project; the user's own words come first.

`
const PARTS = [
  ['constraints', 'Constraints'],
  ['facts', 'Facts'],
  ['tasks', 'Open tasks'],
] as const
const ITEM_CODE_POINTS = 300
const MARK = 'remembered'
const AROUND_CHARS = `${HEADING}<${MARK}-000000>\n\n</${MARK}-000000>`.length

/** Empty where there is nothing to show, or nothing fits. */
export function memoryText(
  remembered: Remembered,
  budgets: MemoryBudgets,
  redact: RedactText,
): MemoryText {
  const parts: string[] = []
  const ids: string[] = []
  for (const [name, title] of PARTS) {
    const around = parts.length === 0 ? AROUND_CHARS : '\n'.length
    const part = partOf(title, remembered[name], budgets[name] - around, redact)
    if (part === undefined) continue
    parts.push(part.text)
    ids.push(...part.ids)
  }
  if (parts.length === 0) return { text: '', ids }
  const content = parts.join('\n')
  const mark = markFor(content, MARK)
  return { text: `${HEADING}<${mark}>\n${content}\n</${mark}>`, ids }
}

/** As many items as fit, and how many do not; `undefined` if none does. */
function partOf(
  title: string,
  items: readonly MemoryItem[],
  chars: number,
  redact: RedactText,
): MemoryText | undefined {
  const lines = [`${title}:`]
  const ids: string[] = []
  const moreChars = `\n- (${items.length} more)`.length
  let left = chars - lines[0]!.length
  for (const [index, { id, text }] of items.entries()) {
    const line = `- ${neutralized(shorten(oneLine(redact(text)), ITEM_CODE_POINTS))}`
    const isRest = index === items.length - 1 && ids.length === index
    if (line.length + 1 > left - (isRest ? 0 : moreChars)) continue
    lines.push(line)
    ids.push(id)
    left -= line.length + 1
  }
  if (ids.length === 0) return undefined
  const rest = items.length - ids.length
  if (rest > 0) lines.push(`- (${rest} more)`)
  return { text: lines.join('\n'), ids }
}
