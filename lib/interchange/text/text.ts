// A session as plain text: who, when and what was said, with the calls and results of tools indented
// below.

import type { Part } from '../../chain/index.js'
import { toPlainLines, toPlainText } from '../../format/index.js'
import type { ExportedEvent, ExportFacts, ExportItem, ExportItems } from '../export/items.js'
import { damageText, headOf, logTitle, type PageOptions, shownOf, timeOf } from '../export/shown.js'

export async function* toText(
  items: ExportItems,
  facts: ExportFacts,
  { redact = String }: PageOptions = {},
): AsyncGenerator<string, void, undefined> {
  const title = toPlainText(facts.title ?? '') || `Session ${facts.sessionId}`
  yield block([title, ...headOf(facts).map(([word, value]) => `${word}: ${value}`)])
  for await (const item of items) yield textOf(item, redact)
}

function textOf(item: ExportItem, redact: (text: string) => string): string {
  if (item.kind === 'damage') return block([`── ${damageText(item)} ──`])
  if (item.kind === 'event') return eventText(item.event, redact)
  const title = logTitle(item)
  return title === '' ? '' : block([`══ ${title} ══`])
}

function eventText(event: ExportedEvent, redact: (text: string) => string): string {
  if (event.type === 'session_header' || event.type === 'sidechain_header') return ''
  const shown = shownOf(event)
  const time = timeOf(event.ts)
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

function partLines(part: Part, redact: (text: string) => string): string[] {
  const lines = redact(toPlainLines(part.text).join('\n')).split('\n')
  if (part.kind === 'text' || part.kind === 'other') return lines
  const arrow = part.kind === 'call' ? '→ ' : part.isError ? '← failed: ' : '← '
  return lines.map((line, index) => `  ${index === 0 ? arrow : '  '}${line}`.trimEnd())
}

function block(lines: readonly string[]): string {
  return `${lines.join('\n')}\n\n`
}
