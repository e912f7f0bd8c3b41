import { expect, test } from 'vitest'
import { Turns } from '../../lib/chain/index.js'

type Message = readonly [type: string, payload: unknown]

/** Headings and parts, in short. */
function show(messages: readonly Message[], turns = new Turns()): string[] {
  return messages.flatMap(([type, payload]) =>
    turns.split({ type, payload }).flatMap(({ heading, parts }) => [
      ...(heading === undefined ? [] : [`${heading}:`]),
      ...parts.map((part) => {
        const call = part.callText === undefined ? '' : ` of ${part.callText}`
        return `  ${part.kind} ${part.text}${call}`
      }),
    ]),
  )
}

const call = (id: unknown, name: string): Message => [
  'tool_call',
  { tool_call_id: id, name, input: {} },
]
const result = (id: unknown, content: string): Message => [
  'tool_result',
  { tool_call_id: id, content },
]

test('calls of a reply without text are below the assistant, not the user', () => {
  expect(show([['user', { content: 'go' }], call('1', 'Bash'), result('1', 'done')])).toEqual([
    'user:',
    '  text go',
    'assistant:',
    '  call Bash {}',
    '  result done',
  ])
  const blocks = [{ type: 'tool_use', id: '1', name: 'Bash', input: {} }]
  expect(
    show([
      ['user', { content: 'go' }],
      ['assistant', { content: blocks }],
    ]),
  ).toEqual(['user:', '  text go', 'assistant:', '  call Bash {}'])
})

test('calls after the words of the assistant need no second heading', () => {
  const said: Message = ['assistant', { content: 'I look.' }]
  expect(show([said, call('1', 'Bash'), result('1', 'a'), call('2', 'Read'), said])).toEqual([
    'assistant:',
    '  text I look.',
    '  call Bash {}',
    '  result a',
    '  call Read {}',
    'assistant:',
    '  text I look.',
  ])
})

test('names the call of each result that does not directly follow it', () => {
  const calls = [call('1', 'Read'), call('2', 'Grep')]
  expect(show([...calls, result('1', 'a'), result('2', 'b')])).toEqual([
    'assistant:',
    '  call Read {}',
    '  call Grep {}',
    '  result a of Read {}',
    '  result b of Grep {}',
  ])
})

test('a result without a known call has no label, and is below no user', () => {
  expect(show([['user', { content: 'go' }], result('9', 'late'), result(7, 'later')])).toEqual([
    'user:',
    '  text go',
    'tool_result:',
    '  result late',
    '  result later',
  ])
  expect(show([result('9', 'late'), call(undefined, 'Bash')])).toEqual([
    'tool_result:',
    '  result late',
    'assistant:',
    '  call Bash {}',
  ])
})

test('separates results in a message of the user from the words of the user', () => {
  const content = [
    { type: 'tool_result', tool_use_id: '1', content: 'a' },
    { type: 'text', text: 'stop' },
    { type: 'text', text: 'now' },
  ]
  expect(show([call('1', 'Bash'), ['user', { content }]])).toEqual([
    'assistant:',
    '  call Bash {}',
    '  result a',
    'user:',
    '  text stop',
    '  text now',
  ])
  expect(show([['user', { content: [] }]])).toEqual(['user:'])
})

test('work after an interruption has a heading again', () => {
  const turns = new Turns()
  show([call('1', 'Bash')], turns)
  turns.interrupt()
  expect(show([result('1', 'a')], turns)).toEqual(['tool_result:', '  result a'])
})

test('forgets the oldest of too many open calls', () => {
  const turns = new Turns()
  for (let id = 0; id <= 64; id++) show([call(String(id), `Tool${id}`)], turns)
  expect(show([result('0', 'a'), result('1', 'b')], turns)).toEqual([
    '  result a',
    '  result b of Tool1 {}',
  ])
})
