import { expect, test } from 'vitest'
import { type Message, toAnthropic, toOpenAI } from '../../../lib/index.js'

const message = (type: string, payload: unknown) =>
  ({ type, uuid: 'u', ts: '2026-01-01T00:00:00.000Z', payload }) as Message
const user = (content: unknown) => message('user', { content })
const assistant = (content: unknown) => message('assistant', { content })
const call = (id: string, input: unknown = {}) =>
  message('tool_call', { tool_call_id: id, name: 'run', input })
const result = (id: string, content: unknown, is_error = false) =>
  message('tool_result', { tool_call_id: id, content, is_error })

const text = (value: string) => ({ type: 'text', text: value })

const conversation = [
  message('system', { content: 'Be brief.' }),
  message('summary', { text: 'We renamed a key.' }),
  user('Run both.'),
  assistant([
    { type: 'thinking', thinking: 'Both.', signature: 'sig' },
    { type: 'thinking', thinking: 'unsigned', signature: '' },
    text('Running.'),
  ]),
  call('a', { n: 1 }),
  call('b', '{"n":2}'),
  result('a', 'ok'),
  result('b', [text('bad'), image('image/png')], true),
  assistant('Done.'),
]

function image(media_type: string) {
  return { type: 'image', source: { type: 'base64', media_type, data: 'AAAA' } }
}

test('a conversation with tools becomes a request of Anthropic', () => {
  expect(toAnthropic(conversation)).toEqual({
    system: 'Be brief.',
    messages: [
      {
        role: 'user',
        content: [
          text('Summary of the conversation so far:\n\nWe renamed a key.'),
          text('Run both.'),
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Both.', signature: 'sig' },
          text('Running.'),
          { type: 'tool_use', id: 'a', name: 'run', input: { n: 1 } },
          { type: 'tool_use', id: 'b', name: 'run', input: { n: 2 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [text('ok')] },
          {
            type: 'tool_result',
            tool_use_id: 'b',
            content: [text('bad'), image('image/png')],
            is_error: true,
          },
        ],
      },
      { role: 'assistant', content: [text('Done.')] },
    ],
  })
})

test('the same conversation becomes a request of chat completions', () => {
  const calls = [
    { id: 'a', type: 'function', function: { name: 'run', arguments: '{"n":1}' } },
    { id: 'b', type: 'function', function: { name: 'run', arguments: '{"n":2}' } },
  ]
  expect(toOpenAI(conversation)).toEqual({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [text('Summary of the conversation so far:\n\nWe renamed a key.')],
      },
      { role: 'user', content: [text('Run both.')] },
      { role: 'assistant', content: 'Running.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'tool', tool_call_id: 'b', content: 'bad\n[image]' },
      { role: 'assistant', content: 'Done.' },
    ],
  })
})

test('the same conversation becomes the input of responses', () => {
  const { input } = toOpenAI(conversation, { api: 'responses' })
  expect(input).toEqual([
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Summary of the conversation so far:\n\nWe renamed a key.' },
      ],
    },
    { role: 'user', content: [{ type: 'input_text', text: 'Run both.' }] },
    { role: 'assistant', content: 'Running.' },
    { type: 'function_call', call_id: 'a', name: 'run', arguments: '{"n":1}' },
    { type: 'function_call', call_id: 'b', name: 'run', arguments: '{"n":2}' },
    { type: 'function_call_output', call_id: 'a', output: 'ok' },
    { type: 'function_call_output', call_id: 'b', output: 'bad\n[image]' },
    { role: 'assistant', content: 'Done.' },
  ])
})

test('blocks of either provider are read, and images are sent in the form of the other', () => {
  const url = 'https://example.com/a.png'
  const data = 'data:image/png;base64,AAAA'
  const messages = [
    user([
      { type: 'input_text', text: 'Look:' },
      { type: 'input_image', image_url: data },
      { type: 'image_url', image_url: { url } },
      image('image/tiff'),
    ]),
    assistant([{ type: 'output_text', text: 'I see.' }, 'Twice.']),
  ]
  expect(toAnthropic(messages).messages).toEqual([
    {
      role: 'user',
      content: [
        text('Look:'),
        image('image/png'),
        { type: 'image', source: { type: 'url', url } },
        text('[image/tiff]'),
      ],
    },
    { role: 'assistant', content: [text('I see.'), text('Twice.')] },
  ])
  const { messages: chat } = toOpenAI(messages)
  expect(chat[0]?.content?.slice(1, 3)).toEqual([
    { type: 'image_url', image_url: { url: data } },
    { type: 'image_url', image_url: { url } },
  ])
  const { input } = toOpenAI(messages, { api: 'responses' })
  expect(input[0]).toMatchObject({
    content: [{}, { type: 'input_image', image_url: data, detail: 'auto' }, {}, {}],
  })
})

test('a thought of Gemini is not sent as text', () => {
  const thought = { type: 'text', text: 'hidden', thought: true }
  const messages = [user('Go.'), assistant([thought, text('Done.')]), assistant([thought])]
  expect(toAnthropic(messages).messages.slice(1)).toEqual([
    { role: 'assistant', content: [text('Done.')] },
  ])
  expect(toOpenAI(messages).messages.slice(1)).toEqual([{ role: 'assistant', content: 'Done.' }])
  expect(toOpenAI(messages, { api: 'responses' }).input.slice(1)).toEqual([
    { role: 'assistant', content: 'Done.' },
  ])
})

test('calls and results in the blocks of a provider keep their order', () => {
  const messages = [
    user('Go.'),
    assistant([text('One.'), { type: 'tool_use', id: 'a', name: 'run', input: {} }]),
    user([text('And then.'), { type: 'tool_result', tool_use_id: 'a', content: 'ok' }]),
  ]
  expect(
    toAnthropic(messages)
      .messages.at(-1)
      ?.content.map(({ type }) => type),
  ).toEqual(['tool_result', 'text'])
  expect(toOpenAI(messages).messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'tool',
  ])
})

test('arguments that are not an object become one for Anthropic', () => {
  const inputs = ['plain', '5', '{"a":1}', { b: 2 }].map((input) => {
    const [, turn] = toAnthropic([call('a', input)]).messages
    return turn?.content[0]
  })
  expect(inputs).toMatchObject([
    { input: { input: 'plain' } },
    { input: { input: '5' } },
    { input: { a: 1 } },
    { input: { b: 2 } },
  ])
})

test('what has no place in a request is left out, and nothing throws', () => {
  const messages = [
    assistant('The first message of a fork.'),
    user(''),
    assistant([{ type: 'redacted_thinking', data: 'x' }, { type: 'reasoning' }, {}]),
    user([{ type: 'document', source: { type: 'text' } }]),
    message('subagent_result', { task_id: 't', completion_status: 'failed' }),
    message('system', { content: 'Late.' }),
    message('vendor:note', { a: 1 }),
    user(null),
    result('x', undefined),
    result('y', { a: 1 }),
    message('tool_call', { tool_call_id: 'z', input: null }),
  ]
  const { system, messages: turns } = toAnthropic(messages)
  expect(system).toBeUndefined()
  expect(turns[0]).toEqual({ role: 'user', content: [text('The conversation continues.')] })
  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(JSON.stringify(turns)).toContain('"document"')
  const { messages: chat } = toOpenAI(messages)
  expect(chat[1]).toEqual({ role: 'assistant', content: '{}' })
  expect(chat.at(-1)).toMatchObject({ content: null, tool_calls: [{ id: 'z' }] })
  expect(toOpenAI(messages, { api: 'responses' }).input).toHaveLength(chat.length)
  expect(toAnthropic([])).toEqual({ messages: [] })
  expect(toAnthropic([message('system', { content: 'Only.' })])).toEqual({
    system: 'Only.',
    messages: [],
  })
})

test('images by URL, broken images and results of subagents are shown', () => {
  const url = 'https://example.com/a.png'
  const messages = [
    message('system', { content: 'One.' }),
    message('system', { content: 'Two.' }),
    message('subagent_result', { task_id: 't', completion_status: 'completed', summary: 'Done.' }),
    user([
      { type: 'image', source: { type: 'url', url } },
      { type: 'image', source: { type: 'file' } },
      { type: 'image_url', image_url: { url: 5 } },
    ]),
    result('a', [{ type: 'document' }, 'text']),
    call('b', 'null'),
  ]
  const { system, messages: turns } = toAnthropic(messages)
  expect(system).toBe('One.\n\nTwo.')
  expect(turns).toEqual([
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [text('text')] },
        text('Result of subagent t (completed):\n\nDone.'),
        { type: 'image', source: { type: 'url', url } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'b', name: 'run', input: { input: 'null' } }],
    },
  ])
  const { messages: chat } = toOpenAI(messages)
  expect(chat[3]?.content?.slice(1)).toEqual([text('[image]'), text('[image_url]')])
})
