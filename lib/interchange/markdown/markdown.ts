// A session as a page of Markdown: facts, then the turns, tools in code blocks, boundaries in their
// place. No text can break out of its turn.

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

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
/** Indented, in a list or in a quote: where it ends depends on what is around it. */
const NESTED_FENCE = /^[ \t>*+\-\d.)]+(?:`{3,}|~{3,})/
/** Markup that a renderer would pass on, but for links in angle brackets. */
const HTML = /<(?!https?:\/\/[^\s<>`]*>|[\w.+-]{1,64}@[\w.-]{1,255}>)(?=[A-Za-z/!?])/g
/** A link with this scheme runs a program; a backslash before the colon does not change that. */
const SCRIPT_SCHEME =
  /\b(?:(?:java|vb|live)script(?=\\?:\S)|data(?=\\?:(?:text\/html|image\/svg|application\/x)))/gi
/** Could spell such a scheme. */
const CHARACTER_REFERENCE = /&(?=#\d|#x[\da-f]|colon;|tab;|newline;)/gi
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
  readonly #events = new ShownEvents()

  constructor({ redact = String }: PageOptions) {
    this.#redact = redact
  }

  head(facts: ExportFacts): string {
    const title = toPlainText(facts.title ?? '') || `Session ${facts.sessionId}`
    const rows = headOf(facts).map(([word, value]) => `| ${word} | ${escapeMarkdown(value)} |`)
    return block([`# ${escapeMarkdown(title)}`, '', '| | |', '| --- | --- |', ...rows])
  }

  blockOf(item: ExportItem): string {
    if (item.kind === 'event') {
      const shown = this.#events.take(item.event)
      return shown.map((one) => this.#shown(one, timeOf(item.event.ts))).join('')
    }
    this.#events.interrupt()
    if (item.kind === 'damage') return block([`> **${damageText(item)}**`])
    const title = logTitle(item)
    return title === '' ? '' : block(['---', '', `# ${escapeMarkdown(title)}`])
  }

  #shown(shown: Shown, time: string): string {
    switch (shown.kind) {
      case 'mark':
        return block([
          '---',
          '',
          `**${escapeMarkdown(this.#redact(shown.text))}** · ${time}`,
          '',
          '---',
        ])
      case 'note':
        return block([`*${escapeMarkdown(this.#redact(shown.text))} · ${time}*`])
      case 'tools':
        return block(this.#parts(shown.parts))
      case 'turn':
        return block([`## ${shown.speaker} · ${time}`, '', ...this.#parts(shown.parts)])
    }
  }

  #parts(parts: readonly TurnPart[]): string[] {
    return parts.flatMap((part, index) => [...(index === 0 ? [] : ['']), ...this.#part(part)])
  }

  #part(part: TurnPart): string[] {
    const text = this.#redact(toPlainLines(part.text).join('\n'))
    switch (part.kind) {
      case 'text':
        return framed(text.split('\n'))
      case 'call':
        return callLines(text)
      case 'result':
        return resultLines(text.split('\n'), this.#titleOf(part))
      case 'other':
        return [`*${escapeMarkdown(toPlainText(text))}*`]
    }
  }

  #titleOf({ isError, callText }: Extract<TurnPart, { kind: 'result' }>): string {
    const title = isError ? '← failed' : '←'
    return callText === undefined ? title : `${title} ${labelOf(callText, this.#redact)}`
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

function resultLines(lines: readonly string[], title: string): string[] {
  const code = fenced(lines, 'text')
  if (lines.length <= OPEN_LINES_MAX) return [`**${escapeMarkdown(title)}**`, '', ...code]
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
 * Markdown of a message, unchanged where that is harmless: outside of code, markup is text and no
 * link runs a program. With headings or an unclosed fence it is quoted: the end of a quote closes
 * whatever was opened in it. Where it is not sure what is code, the message is shown as its source.
 */
function framed(lines: readonly string[]): string[] {
  const spans = new CodeSpans()
  let open: string | undefined
  let isUnsure = false
  let needsFrame = false
  const safe = lines.map((line) => {
    const [, fence, rest = ''] = FENCE.exec(line) ?? []
    if (open !== undefined) {
      if (fence?.startsWith(open) === true && rest.trim() === '') open = undefined
      return line
    }
    if (NESTED_FENCE.test(line)) isUnsure = true
    // Backticks after backticks are inline code, not a fence.
    if (fence !== undefined && !(fence.startsWith('`') && rest.includes('`'))) {
      open = fence
      spans.endParagraph()
      // Renderers do not agree whether this is a fence.
      if (withoutScripts(rest) !== rest) isUnsure = true
      return line
    }
    if (OUTLINE.test(line)) needsFrame = true
    return spans.mapText(line, withoutScripts)
  })
  if (isUnsure && lines.some((line) => withoutScripts(line) !== line)) {
    return fenced(lines, 'markdown')
  }
  if (open === undefined && !needsFrame) return safe
  return safe.map((line) => (line === '' ? '>' : `> ${line}`))
}

function withoutScripts(text: string): string {
  return text
    .replace(HTML, '&lt;')
    .replace(SCRIPT_SCHEME, '$& ')
    .replace(CHARACTER_REFERENCE, '&amp;')
}

/** Not escaped, and not part of what some renderers read before code: a URL, an emphasis. */
const AROUND_CODE = /^[\s([{"']?`.*`[\s.,;:!?)\]}"'|]?$/

/** Finds the inline code of a line, but only where a renderer finds the same. */
class CodeSpans {
  /** In this paragraph, an earlier backtick may belong to one of this line. */
  #isUnsure = false

  endParagraph(): void {
    this.#isUnsure = false
  }

  /** Changes what is not code. */
  mapText(line: string, change: (text: string) => string): string {
    if (line.trim() === '') this.endParagraph()
    const runs = [...line.matchAll(/`+/g)]
    if (runs.length === 0 || this.#isUnsure) return change(line)
    let mapped = ''
    let copied = 0
    for (let index = 0; index < runs.length; index++) {
      const { 0: opening, index: start } = runs[index]!
      let closing = index + 1
      while (closing < runs.length && runs[closing]![0] !== opening) closing++
      const end = (runs[closing]?.index ?? line.length) + opening.length
      if (end > line.length || !AROUND_CODE.test(line.slice(Math.max(0, start - 1), end + 1))) {
        this.#isUnsure = true
        return change(line)
      }
      const code = line.slice(start, end)
      // A table splits code at a bar.
      mapped += change(line.slice(copied, start)) + (code.includes('|') ? change(code) : code)
      copied = end
      index = closing
    }
    return mapped + change(line.slice(copied))
  }
}

/** Text without any meaning in Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~!]/g, (character) => `\\${character}`)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
