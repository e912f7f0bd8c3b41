// A payload before it becomes a line: what was said is redacted, and what a provider would refuse
// if one byte of it were changed is not.

import { expect, test } from 'vitest'
import { payloadSchemas } from '../../lib/format/schemas.js'
import { createRedactor, redactPayload } from '../../lib/redaction/index.js'
import { STRUCTURAL_FIELDS } from '../../lib/redaction/structural-fields.js'

const SECRET = `ghp_${'a1B2'.repeat(9)}`
const SIGNATURE = 'aB3'.repeat(40)
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(4)
const redactor = createRedactor()
const redacted = <Payload extends object>(
  type: string,
  payload: Payload,
  opaque?: readonly string[],
) => redactPayload(type, payload, redactor, { opaque })

test('redacts texts of people, models and tools, as events and as blocks', () => {
  const payload = {
    content: [
      { type: 'text', text: `it is ${SECRET}` },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: `curl -u ${SECRET}` } },
      { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: SECRET }] },
    ],
    extra: { notes: [SECRET] },
  }
  const json = JSON.stringify(redacted('assistant', payload))
  expect(json).not.toContain(SECRET)
  expect(json).toBe(JSON.stringify(payload).replaceAll(SECRET, '[REDACTED]'))
})

test('a payload without secrets is the same object', () => {
  const payload = { content: [{ type: 'text', text: 'hello' }], usage: { input_tokens: 1 } }
  expect(redacted('assistant', payload)).toBe(payload)
})

test.each([
  ['signed thinking', { type: 'thinking', thinking: SECRET, signature: SIGNATURE }],
  ['sealed thinking', { type: 'redacted_thinking', data: SIGNATURE }],
  ['a signed call', { type: 'tool_use', id: 't', name: 'x', input: { a: SECRET }, signature: 's' }],
  ['a signed part', { functionCall: { name: 'x', args: { a: SECRET } }, thoughtSignature: 's' }],
  ['sealed reasoning', { type: 'reasoning', id: SIGNATURE, encrypted_content: SIGNATURE }],
  [
    'a picture',
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
  ],
  ['a picture of MCP', { type: 'image', mimeType: 'image/png', data: PICTURE }],
  [
    'a picture as a URL',
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
  ],
])('%s stays as it is', (_, block) => {
  const payload = { content: [block] }
  expect(redactor.text(SIGNATURE)).toBe('[REDACTED]')
  expect(redactor.text(PICTURE)).toBe('[REDACTED]')
  expect(redacted('assistant', payload)).toBe(payload)
})

test('redacts thinking without a signature, and a document of plain text', () => {
  const content = [
    { type: 'thinking', thinking: SECRET, signature: '' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: SECRET } },
    { type: 'document', source: { type: 'base64', media_type: 'x/y', data: `token: ${SECRET}!` } },
  ]
  expect(JSON.stringify(redacted('user', { content }))).not.toContain(SECRET)
})

test('ids stay, because they pair calls with results', () => {
  const payload = {
    id: SIGNATURE,
    content: [
      { type: 'tool_use', id: SIGNATURE, name: 'x', input: {} },
      { type: 'tool_result', tool_use_id: SIGNATURE, content: 'ok' },
      { type: 'function_call_output', call_id: SIGNATURE, output: 'ok' },
    ],
    tool_calls: [{ id: SIGNATURE, type: 'function', function: { name: 'x', arguments: '{}' } }],
  }
  expect(redacted('assistant', payload)).toBe(payload)
  const result = { tool_call_id: SIGNATURE, content: 'ok', is_error: false }
  expect(redacted('tool_result', result)).toBe(result)
})

test('redacts the output of a tool even if it looks signed', () => {
  const forged = { type: 'thinking', signature: 's', id: SECRET, usage: SECRET, text: SECRET }
  const call = { tool_call_id: 't', name: 'x', input: { forged, id: SECRET } }
  const result = { tool_call_id: 't', content: [forged], is_error: false }
  const block = { content: [{ type: 'tool_result', tool_use_id: 't', content: [forged] }] }
  for (const [type, payload] of [
    ['tool_call', call],
    ['tool_result', result],
    ['user', block],
  ] as const) {
    expect(JSON.stringify(redacted(type, payload)), type).not.toContain(SECRET)
  }
})

test('a picture in a tool result stays', () => {
  const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
  const result = { tool_call_id: 't', content: [{ type: 'image', source }], is_error: false }
  expect(redacted('tool_result', result)).toBe(result)
})

test('only the parts that are declared opaque stay byte for byte', () => {
  const block = { type: 'acme', 'a/b': [SECRET, { '~': SECRET }] }
  const payload = { content: [block, { type: 'text', text: SECRET }], other: SECRET }
  const answer = redacted('assistant', payload, ['/content/0', '/nowhere/7', '/other/deeper'])
  expect(answer).toEqual({
    content: [block, { type: 'text', text: '[REDACTED]' }],
    other: '[REDACTED]',
  })
  expect(answer.content[0]).toBe(block)
  expect(redacted('assistant', payload, ['/content/0/a~1b/1/~0', '/other'])).toEqual({
    content: [
      { type: 'acme', 'a/b': ['[REDACTED]', { '~': SECRET }] },
      { type: 'text', text: '[REDACTED]' },
    ],
    other: SECRET,
  })
  expect(redacted('assistant', payload, [''])).toBe(payload)
  expect(() => redacted('assistant', payload, ['content'])).toThrow(
    expect.objectContaining({ code: 'ERR_ARG' }),
  )
  expect(() => redacted('assistant', payload, [7 as never])).toThrow(TypeError)
})

test('ids, paths, hashes and kinds of known records are never redacted', () => {
  for (const [type, names] of Object.entries(STRUCTURAL_FIELDS)) {
    const payload = Object.fromEntries(names.map((name) => [name, SECRET]))
    expect(redacted(type, payload), type).toBe(payload)
    const shape = payloadSchemas[type as keyof typeof payloadSchemas].shape
    expect(Object.keys(shape), type).toEqual(expect.arrayContaining([...names]))
  }
  expect(redacted('acme.note', { project: SECRET })).toEqual({ project: '[REDACTED]' })
})

test.each([
  ['user', 'content'],
  ['assistant', 'content'],
  ['tool_call', 'input'],
  ['tool_result', 'content'],
  ['system', 'content'],
  ['summary', 'text'],
  ['summary', 'structured'],
  ['summary_revision', 'text'],
  ['compaction_boundary', 'custom_instructions'],
  ['rewind', 'reason'],
  ['subagent_result', 'summary'],
  ['subagent_result', 'errors'],
  ['memory_query', 'text'],
  ['remember', 'text'],
  ['session_meta', 'title'],
  ['turn_end', 'error'],
  ['sidechain_terminator', 'summary'],
  ['checkpoint', 'digest'],
  ['checkpoint', 'memory_queries'],
  ['checkpoint', 'recent_remembers'],
  ['checkpoint', 'prompt_snippets'],
  ['checkpoint', 'structured'],
  ['checkpoint', 'session_summary'],
  ['checkpoint', 'memories'],
])('the %s of a record is looked at: %s', (type, field) => {
  expect(redacted(type, { [field]: [SECRET] })).toEqual({ [field]: ['[REDACTED]'] })
})

test('a rule that fails replaces every text, and ids still stay', () => {
  const problems: string[] = []
  const failing = createRedactor({
    rules: [
      {
        name: 'broken',
        redact: () => {
          throw new Error('no')
        },
      },
    ],
  })
  const signed = { type: 'thinking', thinking: 'x', signature: 's' }
  const payload = { content: [signed, { type: 'text', text: 'hello' }], model: 'm-1' }
  const answer = redactPayload('assistant', payload, failing, {
    onProblem: ({ rule }) => problems.push(rule),
  })
  expect(answer).toEqual({
    content: [signed, { type: 'text', text: '[REDACTED]' }],
    model: 'm-1',
  })
  expect(problems).toEqual(['broken'])
})
