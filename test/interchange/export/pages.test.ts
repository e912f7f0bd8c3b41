import { expect, test } from 'vitest'
import {
  type ExportFacts,
  type ExportItem,
  toMarkdown,
  toText,
} from '../../../lib/interchange/index.js'
import { collect } from '../../helpers/collect.js'
import { time } from '../../helpers/lines.js'

const FACTS: ExportFacts = {
  sessionId: 'demo',
  view: 'history',
  redacted: false,
  title: 'Fix | the *parser*',
  project: '/work/demo',
  harness: null,
  status: 'clean',
  startedAt: time(0),
  lastActivity: time(9),
  resumedFrom: null,
  hasAncestors: false,
  forkedFrom: null,
  at: null,
}

function event(type: string, payload: object): ExportItem {
  return { kind: 'event', event: { type, ts: time(1), uuid: 'u', prev_uuid: null, payload } }
}

async function* itemsOf(items: readonly ExportItem[]) {
  yield* items
}

async function markdown(...items: ExportItem[]): Promise<string> {
  return (await collect(toMarkdown(itemsOf(items), FACTS))).join('')
}

test('a page of Markdown: facts, turns with their times, tools in fences, boundaries marked', async () => {
  const boundary = { messages_summarized: 4, headUuid: null }
  const page = await markdown(
    { kind: 'log', channel: 'transcript', name: 'demo', startedAt: time(0) },
    event('session_header', { session_id: 'demo' }),
    event('user', { content: 'Why does `x` fail?' }),
    event('tool_call', { tool_call_id: 'c', name: 'Bash', input: { command: 'ls' } }),
    event('tool_result', { tool_call_id: 'c', content: 'README.md', is_error: true }),
    event('summary', { text: 'They looked.' }),
    event('compaction_boundary', boundary),
    { kind: 'damage', reason: 'bad_line', byteOffset: 100, length: 7 },
    { kind: 'log', channel: 'sidechain', name: 'tests', startedAt: time(2) },
    event('sidechain_header', { task_id: 'tests' }),
    event('assistant', { content: [{ type: 'text', text: 'All pass.' }] }),
  )
  expect(page).toBe(`# Fix \\| the \\*parser\\*

| | |
| --- | --- |
| Session | demo |
| Project | /work/demo |
| Started | 2026-01-01T12:00:00.000Z |
| Last activity | 2026-01-01T12:00:09.000Z |
| Status | clean |
| Shows | the whole history |
| Secrets | not redacted |

## User · 2026-01-01T12:00:01Z

Why does \`x\` fail?

## Assistant · 2026-01-01T12:00:01Z

**→ Bash**

\`\`\`json
{"command":"ls"}
\`\`\`

**← failed**

\`\`\`text
README.md
\`\`\`

## Summary · 2026-01-01T12:00:01Z

They looked.

---

**Compacted: 4 messages summarized, nothing kept** · 2026-01-01T12:00:01Z

---

> **7 bytes at 100 cannot be read (bad_line)**

---

# Subagent tests

## Assistant · 2026-01-01T12:00:01Z

All pass.

`)
})

test('no text ends its block: fences grow, and unclosed blocks are quoted', async () => {
  const nasty = [
    '```\n````\n~~~',
    '```js\nnever closed',
    '# My own heading',
    'a\n===',
    '<!-- hidden',
  ]
  for (const content of nasty) {
    const result = event('tool_result', { tool_call_id: 'c', content, is_error: false })
    const page = await markdown(
      event('user', { content }),
      result,
      event('user', { content: 'END' }),
    )
    // Outside of quotes, no line of the text is a fence, a heading or the start of a comment.
    const open: string[] = []
    const outline: string[] = []
    for (const row of page.split('\n')) {
      const fence = /^(`{3,}|~{3,})(.*)$/.exec(row)
      if (open.length > 0) {
        if (fence?.[1]?.startsWith(open[0]!) && fence[2] === '') open.pop()
      } else if (fence !== null) open.push(fence[1]!)
      else if (/^#|^=+$|^<!--/.test(row)) outline.push(row)
    }
    expect(open).toEqual([])
    const times = time(1).replace('.000Z', 'Z')
    expect(outline.slice(1)).toEqual([
      `## User · ${times}`,
      `## Tool · ${times}`,
      `## User · ${times}`,
    ])
  }
})

// What a page would run in a browser if a renderer passed it on.
const HOSTILE = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//x></SCRIPT>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<x-y onclick="alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<details open ontoggle=alert(1)>',
  '<!-- <script>',
  '<![CDATA[ <script> ]]>',
  '<scr<script>ipt>alert(1)</script>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](\njavascript:alert(1))',
  '[x](javascript\\:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](&#x6a;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](<javascript:alert(1)>)',
  '![x](vbscript:x)',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '[x](data:text/html,<script>alert(1)</script>)',
]
const SURROUNDINGS = [
  '#',
  'text # text',
  '- item\n\n  ```\n#',
  '- ```\n#',
  '1. a\n   ```html\n#\n   ```',
  '> ```\n#',
  ' ```\n```\n#',
  '~~~ #',
  'a ` b\n` # `',
  '\\` # `',
  '| a | b |\n| - | - |\n| ` | # ` |',
  '    #',
  '\t```\n#',
  '<p>\n#\n</p>',
  'https://x.y` # `',
]

// Requirement: 18-H
test.each(SURROUNDINGS)('nothing in a message runs when it is rendered: %j', async (around) => {
  for (const hostile of HOSTILE) {
    const content = around.replace('#', () => hostile)
    const page = await markdown(event('assistant', { content }), event('user', { content: 'END' }))
    const rest = withoutCode(page)
    expect(rest, content).not.toMatch(/<(?=[a-z!?/])(?!https?:)/i)
    expect(rest, content).not.toMatch(/(?:java|vb)script\\?:\S|data:text|&#x?[\da-f]|&colon/i)
    expect(rest).toContain('END')
  }
})

/** Without fenced blocks, which begin in the first column or in a quote, where they end with it. */
function withoutCode(page: string): string {
  const text: string[] = []
  let fence: string | undefined
  let isQuoted = false
  for (const row of page.split('\n')) {
    const [, quote, run, info] = /^(> )?(`{3,}(?!.*`)|~{3,})(.*)$/.exec(row) ?? []
    if (fence !== undefined && isQuoted && !row.startsWith('>')) fence = undefined
    if (fence !== undefined) {
      if (run?.startsWith(fence) && info === '') fence = undefined
    } else if (run !== undefined) {
      fence = run
      isQuoted = quote !== undefined
    } else text.push(row)
  }
  return text.join('\n')
}

test('code and ordinary Markdown stay as they are', async () => {
  for (const content of [
    'Use `<Foo bar="1">` and ``a ` <b>`` here.',
    '```html\n<script>alert(1)</script>\n```\n\nand `<div>`.',
    '~~~\n<b>\n~~~',
    '- **a** *b* [c](https://d.e/f?g=h&i=j)\n- ![k](l.png) <https://m.n>, <ada@example.com>',
    '| a | b |\n| - | - |\n| `<c>` | 1 < 2 && 3 > 2 |',
    'JavaScript: the language. `javascript:void(0)` is code. data: none',
    '1. first\n   ```js\n   const a = 1\n   ```\n2. second',
  ]) {
    expect(await markdown(event('assistant', { content }))).toContain(`\n\n${content}\n\n`)
  }
})

test('markup in a message is shown as text, and as source where it may be code', async () => {
  const text = await markdown(event('user', { content: 'Map<string, <b>x</b>> &#39;' }))
  expect(text).toContain('Map&lt;string, &lt;b>x&lt;/b>> &amp;#39;')
  const content = '- item\n\n  ```html\n  <b>\n  ```'
  const source = await markdown(event('user', { content }))
  expect(source).toContain(`\n\n\`\`\`\`markdown\n${content}\n\`\`\`\`\n\n`)
})

test('a fence that the text closes itself is not changed', async () => {
  const content = 'See:\n```js\nif (a < b) x()\n```\nand <details> too'
  const page = await markdown(event('assistant', { content }))
  expect(page).toContain('See:\n```js\nif (a < b) x()\n```\nand &lt;details> too')
})

test('a turn separates its parts: text, calls and others', async () => {
  const content = [
    { type: 'text', text: '# Plan\n\nLook.' },
    { type: 'tool_use', id: 'c', name: 'Bash' },
    { type: 'novelty_*', value: 3 },
  ]
  const page = await markdown(event('assistant', { content }))
  expect(page.slice(page.indexOf('## '))).toBe(`## Assistant · 2026-01-01T12:00:01Z

> # Plan
>
> Look.

**→ Bash**

*\\[novelty\\_\\*\\]*

`)
})

test('long tool input is indented, and not changed if it is not JSON', async () => {
  const input = { path: 'src/a-rather-long-name.ts', text: 'word '.repeat(12), key: 'secret' }
  const call = event('tool_call', { tool_call_id: 'c', name: 'Write', input })
  expect(await markdown(call)).toContain(`{\n  "path": "src/a-rather-long-name.ts",\n`)
  const redact = (text: string) => text.replace('"secret"', '[gone]')
  const page = (await collect(toMarkdown(itemsOf([call]), FACTS, { redact }))).join('')
  expect(page).toContain('{"path":"src/a-rather-long-name.ts",')
  expect(page).toContain('"key":[gone]}')
})

test('an event without a time is shown with a dash', async () => {
  const item = { ...event('user', { content: 'hi' }) } as { event: { ts: unknown } }
  item.event.ts = 7
  expect(await markdown(item as unknown as ExportItem)).toContain('## User · -\n')
})

test('long results are folded, escape sequences never reach the page', async () => {
  const content = Array.from({ length: 30 }, (_, index) => `\u001b[31mline ${index}`).join('\n')
  const page = await markdown(event('tool_result', { tool_call_id: 'c', content, is_error: false }))
  expect(page).toContain('<details>\n<summary>← 30 lines</summary>\n\n```text\n')
  expect(page).not.toContain('\u001b')
})

test('plain text: who, when and what, with tools indented below', async () => {
  const items = [
    event('user', { content: 'hi' }),
    event('tool_call', { tool_call_id: 'c', name: 'Bash', input: {} }),
    event('tool_result', { tool_call_id: 'c', content: 'one\ntwo', is_error: false }),
    event('rewind', { target_uuid: 'u1', from_uuid: 'u2' }),
  ]
  const page = (await collect(toText(itemsOf(items), FACTS))).join('')
  expect(page.slice(page.indexOf('\n\n') + 2)).toBe(`User  2026-01-01T12:00:01Z
hi

Assistant  2026-01-01T12:00:01Z
  → Bash {}

  ← one
    two

── Rewound to u1  2026-01-01T12:00:01Z ──

`)
})

test('names the call of each result of parallel calls, with its secrets redacted', async () => {
  const command = `curl -H "Authorization: Bearer ${'t0ken'.repeat(8)}" ${'x'.repeat(90)}`
  const items = [
    event('tool_call', { tool_call_id: '1', name: 'Read', input: { file: 'a*b' } }),
    event('tool_call', { tool_call_id: '2', name: 'Bash', input: { command } }),
    event('tool_result', { tool_call_id: '1', content: 'first', is_error: false }),
    event('tool_result', { tool_call_id: '2', content: 'second', is_error: true }),
  ]
  const redact = (text: string) => text.replaceAll('t0ken', '')
  const options = { redact }
  const text = (await collect(toText(itemsOf(items), FACTS, options))).join('')
  expect(text).toContain('  ← Read {"file":"a*b"}\n    first\n')
  expect(text).toMatch(/ {2}← failed: Bash \{"command":"curl.*…\n {4}second\n/)
  const page = (await collect(toMarkdown(itemsOf(items), FACTS, options))).join('')
  expect(page).toContain('**← Read \\{"file":"a\\*b"\\}**')
  expect(page).toContain('**← failed Bash')
  expect(`${text}${page}`).not.toContain('t0ken')
})
