// A list that shows only what is on the screen would print only that. So the whole conversation is put
// into the document while it is printed.

import { blocksOf } from '../chain/index.js'
import type { EmbeddedHead, EmbeddedLine } from './data/embedded-source.js'
import { formatTime } from './ui/format.js'
import { renderMarkdown } from './ui/markdown.js'

const NAMES: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  tool_call: 'Tool call',
  tool_result: 'Tool result',
  summary: 'Summary',
}

export function printWhole(head: EmbeddedHead, lines: readonly EmbeddedLine[]): void {
  const page = document.createElement('article')
  page.className = 'print'
  document.body.append(page)
  addEventListener('beforeprint', () => {
    const title = document.createElement('h1')
    title.textContent = head.session.title ?? head.session.id
    page.replaceChildren(title, ...lines.flatMap((line) => toSection(line)))
  })
  addEventListener('afterprint', () => page.replaceChildren())
}

function toSection({ entry: { event } }: EmbeddedLine): HTMLElement[] {
  if (event === undefined) return []
  const blocks = blocksOf(event)
  if (blocks.length === 0) return []
  const section = document.createElement('section')
  const heading = document.createElement('h2')
  heading.textContent = `${NAMES[event.type] ?? event.type} · ${formatTime(event.ts)}`
  section.append(heading)
  for (const block of blocks) {
    if (block.kind === 'text') {
      const text = document.createElement('div')
      text.innerHTML = renderMarkdown(block.text, '')
      section.append(text)
      continue
    }
    const pre = document.createElement('pre')
    pre.textContent =
      block.kind === 'call'
        ? `${block.name} ${JSON.stringify(block.input, null, 2)}`
        : block.kind === 'result'
          ? block.result.text
          : block.text
    section.append(pre)
  }
  return [section]
}
