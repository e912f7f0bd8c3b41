// A session as plain text: who, when and what was said, with the calls and results of tools indented
// below.

import type { TurnPart } from '../../chain/index.js'
import { toPlainLines, toPlainText } from '../../format/index.js'
import type { ExportFacts, ExportItem, ExportItems } from '../export/items.js'
import {
  damageText,
  headOf,
  labelOf,
  logTitle,
  type PageOptions,
  type Shown,
  ShownEvents,
  timeOf,
} from '../export/shown.js'

export async function* toText(
  items: ExportItems,
  facts: ExportFacts,
  { redact = String }: PageOptions = {},
): AsyncGenerator<string, void, undefined> {
  const title = toPlainText(facts.title ?? '') || `Session ${facts.sessionId}`
  yield block([title, ...headOf(facts).map(([word, value]) => `${word}: ${value}`)])
  const events = new ShownEvents()
  for await (const item of items) yield textOf(item, events, redact)
}

function textOf(item: ExportItem, events: ShownEvents, redact: (text: string) => string): string {
  if (item.kind === 'event') {
    const shown = events.take(item.event)
    return shown.map((one) => shownText(one, timeOf(item.event.ts), redact)).join('')
  }
  events.interrupt()
  if (item.kind === 'damage') return block([`── ${damageText(item)} ──`])
  const title = logTitle(item)
  return title === '' ? '' : block([`══ ${title} ══`])
}

function shownText(shown: Shown, time: string, redact: (text: string) => string): string {
  switch (shown.kind) {
    case 'mark':
      return block([`── ${redact(shown.text)}  ${time} ──`])
    case 'note':
      return block([`· ${redact(shown.text)}  ${time}`])
    case 'tools':
      return block(shown.parts.flatMap((part) => partLines(part, redact)))
    case 'turn':
      return block([
        `${shown.speaker}  ${time}`,
        ...shown.parts.flatMap((part) => partLines(part, redact)),
      ])
  }
}

function partLines(part: TurnPart, redact: (text: string) => string): string[] {
  const lines = redact(toPlainLines(part.text).join('\n')).split('\n')
  if (part.kind === 'text' || part.kind === 'other') return lines
  const arrow = part.kind === 'call' ? '→ ' : part.isError ? '← failed: ' : '← '
  if (part.callText !== undefined) {
    return [
      `  ${arrow}${labelOf(part.callText, redact)}`,
      ...lines.map((line) => `    ${line}`.trimEnd()),
    ]
  }
  return lines.map((line, index) => `  ${index === 0 ? arrow : '  '}${line}`.trimEnd())
}

function block(lines: readonly string[]): string {
  return `${lines.join('\n')}\n\n`
}
