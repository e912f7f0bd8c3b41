// A session as a page of Markdown: facts, then the turns, tools in code blocks, boundaries in their
// place. No text can break out of its turn.

import type { Part } from '../../chain/index.js'
import { toPlainLines, toPlainText } from '../../format/index.js'
import type { ExportedEvent, ExportFacts, ExportItem, ExportItems } from '../export/items.js'
import { damageText, headOf, type PageOptions, shownOf, timeOf } from '../export/shown.js'

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
// HTML that would swallow the rest of the page, or close what the page has opened.
const OPEN_HTML =
  /<(?=!--|!\[CDATA\[|\?|![a-z]|\/?(?:script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext|pre|details|summary|blockquote|table|div|template|svg|math|select|html|body|head)\b)/gi
const OUTLINE = /^ {0,3}(?:#{1,6}(?:\s|$)|=+\s*$|-{2,}\s*$)/

/** Longer results are folded. */
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
    const title = toPlainText(facts.title ?? '') || `Session ${facts.sessionId}`
    const rows = headOf(facts).map(([word, value]) => `| ${word} | ${escapeMarkdown(value)} |`)
    return block([`# ${escapeMarkdown(title)}`, '', '| | |', '| --- | --- |', ...rows])
  }

  blockOf(item: ExportItem): string {
    if (item.kind === 'damage') return block([`> **${damageText(item)}**`])
    if (item.kind === 'event') return this.#event(item.event)
    if (item.channel === 'transcript') return ''
    return block(['---', '', `# Subagent ${escapeMarkdown(toPlainText(item.name))}`])
  }

  #event(event: ExportedEvent): string {
    if (event.type === 'session_header' || event.type === 'sidechain_header') return ''
    const shown = shownOf(event)
    switch (shown.kind) {
      case 'mark':
        return block([
          '---',
          '',
          `**${escapeMarkdown(this.#redact(shown.text))}** · ${timeOf(event.ts)}`,
          '',
          '---',
        ])
      case 'note':
        return block([`*${escapeMarkdown(this.#redact(shown.text))} · ${timeOf(event.ts)}*`])
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
        return [`*${escapeMarkdown(toPlainText(text))}*`]
    }
  }
}

function callLines(text: string): string[] {
  const space = text.indexOf(' ')
  const name = space === -1 ? text : text.slice(0, space)
  const input = space === -1 ? '' : text.slice(space + 1)
  const title = `**→ ${escapeMarkdown(name)}**`
  return input === '' ? [title] : [title, '', ...fenced(jsonLines(input), 'json')]
}

/** Short input on one line, longer input indented. */
function jsonLines(json: string): string[] {
  if (json.length <= ONE_LINE_JSON_CHARS_MAX) return [json]
  try {
    return JSON.stringify(JSON.parse(json), null, 2).split('\n')
  } catch {
    // Redaction, or a foreign tool, left no JSON.
    return json.split('\n')
  }
}

function resultLines(lines: readonly string[], isError: boolean): string[] {
  const title = isError ? '← failed' : '←'
  const code = fenced(lines, 'text')
  if (lines.length <= OPEN_LINES_MAX) return [`**${title}**`, '', ...code]
  const summary = escapeHtml(`${title} ${lines.length} lines`)
  return ['<details>', `<summary>${summary}</summary>`, '', ...code, '', '</details>']
}

/** A paragraph ends with a blank line. */
function block(lines: readonly string[]): string {
  return `${lines.join('\n')}\n\n`
}

/** A code block whose fence is longer than any run of backticks in it, so nothing can close it. */
function fenced(lines: readonly string[], language: string): string[] {
  let longest = 2
  for (const line of lines) {
    for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  }
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence]
}

/**
 * Markdown of a message, unchanged where that is harmless. With headings or an unclosed fence it is
 * quoted: the end of a quote closes whatever was opened in it.
 */
function framed(lines: readonly string[]): string[] {
  let open: string | undefined
  let needsFrame = false
  const safe = lines.map((line) => {
    const [, fence, rest = ''] = FENCE.exec(line) ?? []
    if (open !== undefined) {
      if (fence?.startsWith(open) === true && rest.trim() === '') open = undefined
      return line
    }
    // Backticks after backticks are inline code, not a fence.
    if (fence !== undefined && !(fence.startsWith('`') && rest.includes('`'))) {
      open = fence
      return line
    }
    if (OUTLINE.test(line)) needsFrame = true
    return line.replace(OPEN_HTML, '&lt;')
  })
  if (open === undefined && !needsFrame) return safe
  return safe.map((line) => (line === '' ? '>' : `> ${line}`))
}

/** Text without any meaning in Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~!]/g, (character) => `\\${character}`)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
