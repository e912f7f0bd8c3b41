import { expect, test } from 'vitest'
import { type MessagesOptions, messagesOf, NO_RESULT } from '../../lib/chain/index.js'
import { History } from './history.js'
import { readForward } from './reading.js'

test('a summary is a message with its newest text', () => {
  const history = new History().m('1', '2').compact({ summary: 'S', head: '2', tail: '2' })
  history.revise('S', 'better')
  const [summary, kept] = read(history).messages
  expect(summary).toMatchObject({ type: 'summary', uuid: 'S', payload: { text: 'better' } })
  expect(kept).toMatchObject({ type: 'user', uuid: '2', file: 'log' })
  expect(kept!.byte_offset).toBe(history.offsetOf('2'))
})

// Requirement: T21
test('an open call that is an event gets a result event that says the outcome is unknown', () => {
  const history = call(new History().m('1'), 'a').m('2')
  const { messages, diagnostics } = read(history)
  expect(shapesOf(messages)).toEqual(['user 1', 'call a', 'result a*', 'user 2'])
  expect(messages[2]).toMatchObject({
    type: 'tool_result',
    synthetic: true,
    payload: { tool_call_id: 'a', content: NO_RESULT, is_error: true, synthetic: true },
  })
  expect(diagnostics).toMatchObject([{ code: 'open_tool_call', uuid: 'call-a' }])
})

// Requirement: T21
test('an open call in a block gets a result block', () => {
  const history = use(new History().m('1'), 'a', 'b').m('2')
  const { messages } = read(history)
  expect(shapesOf(messages)).toEqual([
    'user 1',
    'assistant [use a, use b]',
    'user* [result a, result b]',
    'user 2',
  ])
})

// Requirement: T21
test('with `drop` an open call is left out, and so is a message without any other block', () => {
  const history = use(call(new History().m('1'), 'a'), 'b').m('2')
  history.add(assistant('both', [{ type: 'text', text: 'hm' }, toolUse('c')]))
  const { messages } = read(history, { toolPolicy: 'drop' })
  expect(shapesOf(messages)).toEqual(['user 1', 'user 2', 'assistant [text]'])
})

// Requirement: T21
test('with `retry` only calls that may be run again stay open', () => {
  const history = call(call(new History(), 'a', { idempotent: true }), 'b')
  const options = { toolPolicy: 'retry' } as const
  expect(shapesOf(read(history, options).messages)).toEqual(['call a', 'call b', 'result b*'])
  const isRetryable = ({ name }: { name: string }) => name === 'tool-b'
  const { messages } = read(history, { ...options, isRetryable })
  expect(shapesOf(messages)).toEqual(['call a', 'call b'])
})

// Requirement: T22
test('the missing result of a parallel call is inserted after the other results', () => {
  const history = result(call(call(call(new History(), 'a'), 'b'), 'c'), 'c')
  result(history, 'a').m('1')
  expect(shapesOf(read(history).messages)).toEqual([
    ...['call a', 'call b', 'call c', 'result c', 'result a', 'result b*', 'user 1'],
  ])
})

// Requirement: T22
test('a missing result block is inserted after the other result blocks, before the text of the user', () => {
  const history = use(new History(), 'a', 'b')
  history.add(user('answer', [toolResult('b'), { type: 'text', text: 'go on' }]))
  expect(shapesOf(read(history).messages)).toEqual([
    'assistant [use a, use b]',
    'user [result b, result a, text]',
  ])
})

test('a reply in several messages is one run of calls', () => {
  const history = use(use(new History(), 'a'), 'b')
  history.add(user('ra', [toolResult('a')])).add(user('rb', [toolResult('b')]))
  const { messages, diagnostics } = read(history)
  expect(diagnostics).toEqual([])
  expect(shapesOf(messages)).toEqual([
    ...['assistant [use a]', 'assistant [use b]', 'user [result a]', 'user [result b]'],
  ])
})

test('a late result is moved to its call and reported', () => {
  const history = result(call(call(new History(), 'a'), 'b'), 'b').m('1')
  result(history, 'a').m('2')
  const { messages, diagnostics } = read(history)
  expect(shapesOf(messages)).toEqual([
    ...['call a', 'call b', 'result b', 'result a', 'user 1', 'user 2'],
  ])
  expect(diagnostics).toMatchObject([{ code: 'moved_tool_result', uuid: 'result-a' }])
})

test('only the late block is moved; the other blocks of its message stay', () => {
  const history = use(new History(), 'a').m('1')
  history.add(user('late', [toolResult('a'), { type: 'text', text: 'and' }]))
  expect(shapesOf(read(history).messages)).toEqual([
    ...['assistant [use a]', 'user [result a]', 'user 1', 'user [text]'],
  ])
})

test('a result without its call is left out, as an event and as a block', () => {
  const history = result(new History().m('1', '2'), 'a')
  history.add(user('mixed', [toolResult('b'), { type: 'text', text: 'and' }]))
  history.add(user('bare', [toolResult('c')]))
  const { messages, diagnostics } = read(history)
  expect(shapesOf(messages)).toEqual(['user 1', 'user 2', 'user [text]'])
  expect(diagnostics.map(({ code, uuid }) => `${code} ${uuid}`)).toEqual([
    ...['orphan_tool_result result-a', 'orphan_tool_result mixed', 'orphan_tool_result bare'],
  ])
})

test('a second result of one call is left out', () => {
  const history = result(result(call(new History(), 'a'), 'a'), 'a', 'again')
  expect(shapesOf(read(history).messages)).toEqual(['call a', 'result a'])
})

test('a result belongs to the nearest open call with its id', () => {
  const history = call(call(new History(), 'a').m('1'), 'a', {}, 'second')
  result(history, 'a')
  expect(shapesOf(read(history).messages)).toEqual([
    ...['call a', 'result a*', 'user 1', 'call a', 'result a'],
  ])
})

test('a kept result is left out where its call was summarized', () => {
  const history = result(call(new History().m('1'), 'a'), 'a').m('2')
  history.compact({ summary: 'S', head: 'result-a', tail: '2', coveredTo: 'call-a' })
  expect(shapesOf(read(history).messages)).toEqual(['summary S', 'user 2'])
})

test('usage from before the last compaction is marked stale, later usage is not', () => {
  const history = new History().m('1').add(reply('old')).m('2')
  history.compact({ summary: 'S', head: 'old', tail: '2', coveredTo: '1' }).add(reply('new'))
  const usages = read(history).messages.map(({ payload }) => payload as Record<string, unknown>)
  expect(usages[1]).toMatchObject({ usage: null, usage_stale: true })
  expect(usages[3]).toMatchObject({ usage: { input_tokens: 9 } })
  expect(usages[3]).not.toHaveProperty('usage_stale')
})

// Requirement: T21
test('with `synthesize` a call that may be run again gets a result as well', () => {
  const history = call(new History(), 'a', { idempotent: true })
  const shapes = ['call a', 'result a*']
  expect(shapesOf(read(history).messages)).toEqual(shapes)
  const options = { toolPolicy: 'synthesize', isRetryable: () => true } as const
  expect(shapesOf(read(history, options).messages)).toEqual(shapes)
})

test('a synthesized result block is an error, in a message with its own uuid', () => {
  const { messages } = read(use(new History(), 'a'))
  expect(messages[1]).toMatchObject({
    type: 'user',
    uuid: 'use-a-no-result',
    synthetic: true,
    payload: {
      content: [{ type: 'tool_result', tool_use_id: 'a', content: NO_RESULT, is_error: true }],
    },
  })
})

test('the missing result is inserted after all results of a message and before its text', () => {
  const history = use(new History(), 'a', 'b', 'c')
  const text = { type: 'text', text: 'go on' }
  history.add(user('answer', [toolResult('b'), toolResult('c'), text]))
  expect(shapesOf(read(history).messages)[1]).toBe('user [result b, result c, result a, text]')
})

test('a late result is moved correctly where the last call of the run is dropped', () => {
  const events = call(call(new History(), 'a'), 'b').m('1')
  result(events, 'a')
  const options = { toolPolicy: 'drop' } as const
  expect(shapesOf(read(events, options).messages)).toEqual(['call a', 'result a', 'user 1'])
  const blocks = use(use(new History(), 'a'), 'b').m('1')
  blocks.add(user('late', [toolResult('a')]))
  expect(shapesOf(read(blocks, options).messages)).toEqual([
    ...['assistant [use a]', 'user [result a]', 'user 1'],
  ])
})

test('call blocks count in assistant messages only, result blocks in user messages only', () => {
  const history = new History().add(user('odd', [toolUse('a')]))
  history.add(assistant('both', [toolUse('b'), toolResult('b')])).m('1')
  history.add(
    assistant('no call', [
      { type: 'text', id: 'c' },
      { ...toolUse('d'), id: 5 },
    ]),
  )
  history.add({ type: 'system', uuid: 'other', payload: { content: [toolResult('b')] } })
  history.add(user('late', [toolResult('b')]))
  const { messages, diagnostics } = read(history)
  expect(shapesOf(messages)).toEqual([
    'user [use a]',
    'assistant [use b, result b]',
    'user [result b]',
    'user 1',
    'assistant [text, use 5]',
    'system [result b]',
  ])
  expect(diagnostics).toMatchObject([{ code: 'moved_tool_result', uuid: 'late' }])
})

test('where a call is recorded as event and as block, each result belongs to its own form', () => {
  const shapes = [use(call(new History(), 'a'), 'a'), call(use(new History(), 'a'), 'a')].map(
    (history) => shapesOf(read(result(history, 'a')).messages),
  )
  expect(shapes).toEqual([
    ['call a', 'assistant [use a]', 'result a', 'user* [result a]'],
    ['assistant [use a]', 'call a', 'result a', 'user* [result a]'],
  ])
  const other = use(call(new History(), 'a'), 'a').add(user('r', [toolResult('a')]))
  expect(shapesOf(read(other).messages)).toEqual([
    ...['call a', 'assistant [use a]', 'user [result a]', 'result a*'],
  ])
})

test('a result in the other form is used where there is no better one', () => {
  const history = result(use(new History(), 'a'), 'a')
  expect(read(history).diagnostics).toEqual([])
})

test('an orphan result with several blocks is left out as a whole', () => {
  const payload = { tool_call_id: 'gone', content: [{ type: 'text', text: 'done' }] }
  const history = new History().m('1').add({ type: 'tool_result', uuid: 'r', payload })
  expect(shapesOf(read(history).messages)).toEqual(['user 1'])
})

test('a system message never answers a call', () => {
  const history = use(new History(), 'a')
  history.add({ type: 'system', uuid: 's', payload: { content: [toolResult('a')] } })
  history.add(user('late', [toolResult('a')]))
  expect(read(history).diagnostics).toMatchObject([{ code: 'moved_tool_result', uuid: 'late' }])
})

test('results with several blocks stay where they are', () => {
  const history = call(call(new History(), 'a'), 'b')
  for (const id of ['a', 'b']) {
    const payload = { tool_call_id: id, content: [{ type: 'text', text: 'done' }] }
    history.add({ type: 'tool_result', uuid: `result-${id}`, payload })
  }
  expect(read(history).diagnostics).toEqual([])
})

test('leaves out a call without an id, and ignores a block of an unknown type', () => {
  const history = new History().add({ type: 'tool_call', uuid: 'nameless', payload: {} })
  history.add({ type: 'user', uuid: 'text', payload: 'text' }).m('1')
  const { messages, diagnostics } = read(history)
  expect(shapesOf(messages)).toEqual(['user 1'])
  expect(diagnostics.map(({ code, uuid }) => `${code} ${uuid}`)).toEqual([
    ...['bad_payload nameless', 'bad_payload text'],
  ])
})

test('a gap among the kept entries makes no later usage stale', () => {
  const history = new History().m('1', '2')
  history.compact({ summary: 'S', keptUuids: ['gone', '2'] }).add(reply('new'))
  expect(read(history).messages.at(-1)!.payload).toMatchObject({ usage: { input_tokens: 9 } })
})

test('a message without usage is not marked stale', () => {
  const history = new History().m('1')
  history.add({ type: 'assistant', uuid: 'silent', payload: { content: 'ok', usage: null } })
  history.compact({ summary: 'S', head: '1', tail: 'silent', coveredTo: undefined })
  for (const { payload } of read(history).messages) {
    expect(payload).not.toHaveProperty('usage_stale')
  }
})

test('replaces half a surrogate pair in a key, and keeps an empty list', () => {
  const history = new History().add(user('odd', [{ 'key\udc00': [], 5: 5 }]))
  expect(read(history).messages[0]!.payload).toEqual({ content: [{ 5: 5, 'key\ufffd': [] }] })
})

test('replaces half a surrogate pair anywhere in a payload, on a copy', () => {
  const content = [{ type: 'text', text: 'a\ud800', 'key\udc00': [{ deep: '\udfff' }] }]
  const history = new History().add(user('odd', content))
  const { messages, diagnostics } = read(history)
  expect(messages[0]!.payload).toEqual({
    content: [{ type: 'text', text: 'a\ufffd', 'key\ufffd': [{ deep: '\ufffd' }] }],
  })
  expect(diagnostics).toMatchObject([{ code: 'ill_formed_unicode', uuid: 'odd' }])
  expect(history.events[1]!.event.payload).toEqual({ content })
})

test('repairs a payload that is nested deeper than the stack', () => {
  let content: unknown = '\ud800'
  for (let depth = 0; depth < 100_000; depth++) content = [content]
  const event = { type: 'user', ts: '', uuid: 'deep', prev_uuid: null, payload: { content } }
  const entries = [{ kind: 'event', file: 'log', event, byte_offset: 0 }] as const
  let repaired = messagesOf({ entries, compactedCount: 0 }).messages[0]!.payload as unknown
  repaired = (repaired as { content: unknown }).content
  while (Array.isArray(repaired)) repaired = repaired[0]
  expect(repaired).toBe('\ufffd')
})

test('an oversize line is left out and reported', () => {
  const history = new History().add({ type: 'user', uuid: 'large', payload: null }).m('1')
  const { messages, diagnostics } = read(history)
  expect(shapesOf(messages)).toEqual(['user 1'])
  expect(diagnostics).toMatchObject([{ code: 'bad_payload', uuid: 'large' }])
})

test('without repair the events are returned as they are', () => {
  const history = result(call(new History(), 'a'), 'b').add(user('odd', '\ud800'))
  const { messages, diagnostics } = read(history, { repair: false })
  expect(messages.map(({ payload }) => payload)).toEqual(
    history.events.slice(1).map(({ event }) => event.payload),
  )
  expect(diagnostics).toEqual([])
})

function read(history: History, options?: MessagesOptions) {
  return messagesOf(readForward(history).projection, options)
}

function call(history: History, id: string, more: object = {}, uuid = `call-${id}`): History {
  const payload = { tool_call_id: id, name: `tool-${id}`, input: {}, ...more }
  return history.add({ type: 'tool_call', uuid, payload })
}

function result(history: History, id: string, uuid = `result-${id}`): History {
  const payload = { tool_call_id: id, content: 'done', is_error: false }
  return history.add({ type: 'tool_result', uuid, payload })
}

function use(history: History, ...ids: readonly string[]): History {
  return history.add(assistant(`use-${ids.join('-')}`, ids.map(toolUse)))
}

function toolUse(id: string) {
  return { type: 'tool_use', id, name: `tool-${id}`, input: {} }
}

function toolResult(id: string) {
  return { type: 'tool_result', tool_use_id: id, content: 'done' }
}

function assistant(uuid: string, content: unknown) {
  return { type: 'assistant', uuid, payload: { content } }
}

function user(uuid: string, content: unknown) {
  return { type: 'user', uuid, payload: { content } }
}

function reply(uuid: string) {
  const usage = { input_tokens: 9, output_tokens: 1 }
  return { type: 'assistant', uuid, payload: { content: 'ok', usage } }
}

/** Messages in words: what they are, what blocks they hold; a star marks what was made up. */
function shapesOf(messages: ReturnType<typeof messagesOf>['messages']): string[] {
  return messages.map(({ type, uuid, payload, synthetic }) => {
    const { content, tool_call_id } = payload as { content?: unknown; tool_call_id?: string }
    const star = synthetic === true ? '*' : ''
    if (type === 'tool_call') return `call ${tool_call_id}${star}`
    if (type === 'tool_result') return `result ${tool_call_id}${star}`
    if (!Array.isArray(content)) return `${type}${star} ${uuid}`
    return `${type}${star} [${content.map(blockShape).join(', ')}]`
  })
}

function blockShape({ type, id, tool_use_id }: Record<string, string>): string {
  if (type === 'tool_use') return `use ${id}`
  return type === 'tool_result' ? `result ${tool_use_id}` : String(type)
}

test('an unknown tool policy is rejected, with the known ones', () => {
  const { projection } = readForward(new History().m('1'))
  const read = (toolPolicy: string, repair = true) =>
    messagesOf(projection, { repair, toolPolicy: toolPolicy as 'drop' })
  const rejected = expect.objectContaining({
    code: 'ERR_ARG',
    message: expect.stringContaining('synthesize, retry or drop, not "omit"'),
  })
  expect(() => read('omit')).toThrow(rejected)
  expect(() => read('omit', false)).toThrow(rejected)
  for (const known of ['synthesize', 'retry', 'drop']) expect(() => read(known)).not.toThrow()
})
