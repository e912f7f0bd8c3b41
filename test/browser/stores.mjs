// Stores for the scenarios, written by the built library.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSession, openStore } from '../../dist/lib/index.js'

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export function newRoot() {
  return mkdtempSync(join(tmpdir(), 'jsonl-session-browser-'))
}

const user = (content) => ({ type: 'user', payload: { content } })
const says = (text, more = []) => ({
  type: 'assistant',
  payload: {
    model: 'claude-sonnet-4-5',
    usage: { input_tokens: 1000, output_tokens: 200 },
    content: [{ type: 'text', text }, ...more],
  },
})
const call = (id, name, input) => ({ type: 'tool_use', id, name, input })
const result = (tool_call_id, content, is_error = false) => ({
  type: 'tool_result',
  payload: { tool_call_id, content, is_error, duration_ms: 1234 },
})

/** A session with everything in it: tools, an error, an edit, an image, a compaction, a rewind, a subagent. */
export async function writeStory(root, id = 'story') {
  const session = await createSession({ root, id, project: '/work/parser' })
  await session.rename('Repair the parser')
  await session.append(
    user(`Please repair the **parser**. My key is sk-ant-api03-${'x'.repeat(80)}`),
  )
  await session.append(
    says('I look at it first.', [
      call('c1', 'Bash', { command: 'npm test' }),
      call('c2', 'Edit', { file_path: 'parser.js', old_string: 'a\nb\nc', new_string: 'a\nB\nc' }),
    ]),
  )
  await session.append(result('c1', 'one test failed: needle in the haystack', true))
  await session.append(result('c2', 'edited'))
  await session.append({
    type: 'user',
    payload: {
      content: [
        { type: 'text', text: 'Here is a picture.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      ],
    },
  })
  const table = await session.append(
    says('```js\nconst answer = 42\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |'),
  )
  const left = await session.append(user('a question that is taken back'))
  await session.append(says('an answer that is taken back'))
  await session.rewind({ to: table.uuid })
  const child = await session.spawn({ taskId: 'explore', prompt: 'Find the grammar' })
  await child.append(says('The grammar is in grammar.txt'))
  await child.finish({ status: 'completed', summary: 'It is in grammar.txt' })
  await session.compact({
    summary: 'SUMMARY: the parser was repaired in *parser.js*.',
    keepFrom: table.uuid,
    tokensBefore: 24_800,
    tokensAfter: 6300,
  })
  await session.append(user('And now the documentation'))
  await session.append(says('Done.'))
  await session.close()
  return { id, leftUuid: left.uuid }
}

export async function writeMany(root, count) {
  for (let index = 0; index < count; index++) {
    const session = await createSession({
      root,
      id: `s${index}`,
      project: `/work/project-${index % 7}`,
    })
    await session.rename(`Session number ${index}`)
    await session.append(user(`prompt ${index}`))
    await session.close()
  }
}

/** One session with many events, written fast. */
export async function writeLong(root, id, count) {
  const session = await createSession({ root, id })
  await session.rename('A long session')
  for (let from = 0; from < count; from += 1000) {
    const events = Array.from({ length: Math.min(1000, count - from) }, (_, at) => {
      const n = from + at
      return n % 10 === 0 ? user(`prompt ${n}`) : says(`reply ${n} ${'words '.repeat(n % 30)}`)
    })
    await session.appendAll(events)
  }
  await session.close()
}

export const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '[link](javascript:window.hacked=3)',
  '[data](data:text/html,<script>window.hacked=4</script>)',
  '<svg onload="window.hacked = 5"><a xlink:href="javascript:window.hacked=6">x</a></svg>',
  '![picture](http://127.0.0.1:9/leak.png)',
  '<iframe srcdoc="<script>parent.hacked = 7</script>"></iframe>',
  '<a href="&#106;avascript:window.hacked=8">entity</a>',
  '<style>body { display: none }</style><base href="http://127.0.0.1:9/">',
  '```html\n</code></pre><script>window.hacked = 9</script>\n```',
  '\u202Etxet desrever\u202C and \u2066isolated\u2069',
  '</script></title></textarea>--><script>window.hacked = 10</script>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=11&gt;">',
]

export async function writeHostile(root, id = 'hostile') {
  const session = await createSession({ root, id })
  await session.rename('</title><script>window.hacked = 12</script>\u202Eelttit')
  for (const text of HOSTILE) {
    await session.append(user(text))
    await session.append(
      says(text, [call(`c${HOSTILE.indexOf(text)}`, text.slice(0, 40), { text })]),
    )
    await session.append(result(`c${HOSTILE.indexOf(text)}`, text))
  }
  await session.append(user('x'.repeat(1_000_000)))
  await session.append(says('<b>'.repeat(20_000)))
  await session.append({ type: 'acme:note', payload: { html: HOSTILE[1] } })
  await session.close()
}

export { createSession, openStore, user }
