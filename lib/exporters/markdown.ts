// A session as a page of Markdown: facts, then turn after turn, tools folded into blocks of code,
// boundaries where they stand. Whatever a text holds, it stays inside its turn.

import type { Part } from '../chain/index.js'
import { toPlainLines, toPlainText } from '../format/index.js'
import { fenced, framed, htmlWords, plainWords } from './fence.js'
import type { ExportedEvent, ExportFacts, ExportItem, ExportItems } from './item.js'
import { damageText, headOf, type PageOptions, shownOf, timeOf } from './shown.js'

/** Results longer than this are folded away, to be opened by who wants to see them. */
const OPEN_LINES_MAX = 12
const ONE_LINE_JSON_CHARS_MAX = 80

export async function* toMarkdown(
  items: ExportItems,
  facts: ExportFacts,
  options: PageOptions = {},
): AsyncGenerator<string, void, undefined> {
  const page = new MarkdownPage(options)
  yield page.head(facts)
  for await (const item of items) yield page.blockOf(item)
}

class MarkdownPage {
  readonly #redact: (text: string) => string

  constructor({ redact = String }: PageOptions) {
    this.#redact = redact
  }

  head(facts: ExportFacts): string {
    const title = toPlainText(facts.title ?? '') || `Session ${facts.session_id}`
    const rows = headOf(facts).map(([word, value]) => `| ${word} | ${plainWords(value)} |`)
    return block([`# ${plainWords(title)}`, '', '| | |', '| --- | --- |', ...rows])
  }

  blockOf(item: ExportItem): string {
    if (item.kind === 'damage') return block([`> **${damageText(item)}**`])
    if (item.kind === 'event') return this.#event(item.event)
    if (item.channel === 'transcript') return ''
    return block(['---', '', `# Subagent ${plainWords(toPlainText(item.name))}`])
  }

  #event(event: ExportedEvent): string {
    if (event.type === 'session_header' || event.type === 'sidechain_header') return ''
    const shown = shownOf(event)
    switch (shown.kind) {
      case 'mark':
        return block([
          '---',
          '',
          `**${plainWords(this.#redact(shown.text))}** · ${timeOf(event.ts)}`,
          '',
          '---',
        ])
      case 'note':
        return block([`*${plainWords(this.#redact(shown.text))} · ${timeOf(event.ts)}*`])
      case 'tools':
        return block(this.#parts(shown.parts))
      case 'turn':
        return block([`## ${shown.speaker} · ${timeOf(event.ts)}`, '', ...this.#parts(shown.parts)])
    }
  }

  #parts(parts: readonly Part[]): string[] {
    return parts.flatMap((part, index) => [...(index === 0 ? [] : ['']), ...this.#part(part)])
  }

  #part(part: Part): string[] {
    const text = this.#redact(toPlainLines(part.text).join('\n'))
    switch (part.kind) {
      case 'text':
        return framed(text.split('\n'))
      case 'call':
        return callLines(text)
      case 'result':
        return resultLines(text.split('\n'), part.isError)
      case 'other':
        return [`*${plainWords(toPlainText(text))}*`]
    }
  }
}

function callLines(text: string): string[] {
  const space = text.indexOf(' ')
  const name = space === -1 ? text : text.slice(0, space)
  const input = space === -1 ? '' : text.slice(space + 1)
  const title = `**→ ${plainWords(name)}**`
  return input === '' ? [title] : [title, '', ...fenced(jsonLines(input), 'json')]
}

/** Short input on one line, long one as people lay it out. */
function jsonLines(json: string): string[] {
  if (json.length <= ONE_LINE_JSON_CHARS_MAX) return [json]
  try {
    return JSON.stringify(JSON.parse(json), null, 2).split('\n')
  } catch {
    // Redaction, or somebody else's input, left no JSON.
    return json.split('\n')
  }
}

function resultLines(lines: readonly string[], isError: boolean): string[] {
  const title = isError ? '← failed' : '←'
  const code = fenced(lines, 'text')
  if (lines.length <= OPEN_LINES_MAX) return [`**${title}**`, '', ...code]
  const summary = htmlWords(`${title} ${lines.length} lines`)
  return ['<details>', `<summary>${summary}</summary>`, '', ...code, '', '</details>']
}

/** Blank lines on both sides are what makes a block of it. */
function block(lines: readonly string[]): string {
  return `${lines.join('\n')}\n\n`
}
