// What odd records of a Codex rollout become.

import { describe, expect, it, test } from 'vitest'
import { codex } from '../../../lib/interchange/codex/importer.js'
import { HEADER_UUID } from '../../../lib/interchange/index.js'
import { importValues, projectEvents, shownTexts } from '../../contracts/foreign-files.js'

const item = (payload: object) => ({ type: 'response_item', payload })
const event = (payload: object) => ({ type: 'event_msg', payload })
const said = (role: string, text: string) =>
  item({ type: 'message', role, content: [{ type: 'input_text', text }] })

const madeOf = (...values: readonly object[]) => importValues('codex', values)
const typesOf = (...values: readonly object[]) => madeOf(...values).events.map(({ type }) => type)
const textsOf = (...values: readonly object[]) =>
  shownTexts(projectEvents(madeOf(...values).events))

describe('an item', () => {
  it('with the name of a built-in property is unknown', () => {
    const known = item({ type: 'constructor', call_id: 'c1' })
    expect(typesOf(known, item({ type: 'toString' }))).toEqual([
      'codex:response_item',
      'codex:response_item',
    ])
  })

  it('that only has a role is a message', () => {
    expect(madeOf(item({ role: 'assistant', content: 'hi', model: 'm-2' })).events).toMatchObject([
      { type: 'assistant', payload: { content: 'hi', model: 'm-2' } },
    ])
  })

  it.each(['content', 'message'])('of an agent has its text in %s', (field) => {
    expect(madeOf(item({ type: 'agent_message', [field]: 'Hello.' })).events).toMatchObject([
      { type: 'assistant', payload: { content: 'Hello.' } },
    ])
  })

  it.each([
    [{ function: { name: 'grep' }, arguments: '{"a":1}' }, 'grep', { a: 1 }],
    [{ action: { kind: 'x' } }, '?', { kind: 'x' }],
    [{ name: 'edit', arguments: 'not JSON' }, 'edit', 'not JSON'],
    [{}, '?', {}],
  ])('that calls a tool with %j calls %s with %j', (fields, name, input) => {
    const [call] = madeOf(item({ type: 'tool_call', id: 'c1', ...fields })).events
    expect(call).toMatchObject({ type: 'tool_call', payload: { tool_call_id: 'c1', name, input } })
  })

  it('without an id is paired with the call before it', () => {
    const call = item({ type: 'function_call', name: 'ls', arguments: '{}' })
    const { events } = madeOf(call, item({ type: 'function_call_output', output: 'a.txt' }))
    const [asked, answered] = events.map(({ payload }) => payload)
    expect(asked?.['tool_call_id']).toBe(events[0]!.uuid)
    expect(answered).toMatchObject({ tool_call_id: events[0]!.uuid, content: 'a.txt' })
    const named = item({ type: 'tool_result', id: 'c7', result: 'done' })
    expect(madeOf(named).events[0]!.payload).toMatchObject({ tool_call_id: 'c7', content: 'done' })
  })
})

describe('an event', () => {
  it('with pictures is a prompt with pictures', () => {
    const prompt = { type: 'user_message', message: 'see', images: ['data:image/png;base64,AA=='] }
    expect(madeOf(event(prompt)).events[0]!.payload['content']).toEqual([
      { type: 'input_text', text: 'see' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
    ])
  })

  it('waits for its item while the harness adds others', () => {
    const values = [
      event({ type: 'user_message', message: 'hello' }),
      said('user', '<environment_context>linux</environment_context>'),
      said('developer', 'be kind'),
      said('user', 'hello'),
    ]
    const { events, losses } = madeOf(...values)
    expect(events.filter(({ type }) => type === 'user')).toHaveLength(2)
    expect(losses.dropped).toEqual({ said_twice: 1 })
  })

  it('that repeats an old message is a new message', () => {
    const prompts = Array.from({ length: 10 }, (_, index) => said('user', `prompt ${index}`))
    const late = (index: number) => event({ type: 'user_message', message: `prompt ${index}` })
    expect(madeOf(...prompts, late(9)).losses.dropped).toEqual({ said_twice: 1 })
    expect(textsOf(...prompts, late(0)).at(-1)).toBe('prompt 0')
  })

  it('renames the session by either field, or not at all', () => {
    const renamed = (fields: object) => event({ type: 'thread_name_updated', ...fields })
    const titles = (fields: object) =>
      madeOf(renamed(fields)).events.flatMap(({ payload }) => payload['title'] ?? [])
    expect(titles({ thread_name: 'one' })).toEqual(['one'])
    expect(titles({ name: 'two' })).toEqual(['two'])
    expect(titles({})).toEqual([])
  })

  it('holds the usage of a turn', () => {
    const usage = { input_tokens: 3, output_tokens: 2 }
    const { events } = madeOf(said('assistant', 'hi'), event({ type: 'turn.completed', usage }))
    expect(events[0]!.payload['usage']).toEqual({ ...usage, raw: usage })
  })
})

describe('a rollback', () => {
  const back = (num_turns?: number) => event({ type: 'thread_rolled_back', num_turns })

  it('of no turn changes nothing', () => {
    expect(textsOf(said('user', 'one'), back(0), back())).toEqual(['one'])
    expect(typesOf(said('user', 'one'), back(0))).toEqual(['user', 'codex:thread_rolled_back'])
  })

  it('of more turns than there are removes all of them and reports it', () => {
    const { events, losses } = madeOf(said('user', 'one'), back(3), said('user', 'two'))
    expect(shownTexts(projectEvents(events))).toEqual(['two'])
    expect(events[1]).toMatchObject({ type: 'rewind', payload: { target_uuid: HEADER_UUID } })
    expect(losses.repaired).toEqual({ rollback_too_far: 1 })
  })
})

describe('a compaction', () => {
  const compacted = (payload: object) => ({ type: 'compacted', payload })

  it('without text has no summary and reports it', () => {
    const { events, losses } = madeOf(said('user', 'one'), compacted({}))
    expect(losses.repaired).toEqual({ summary_missing: 1 })
    expect(events.find(({ type }) => type === 'summary')?.payload).toMatchObject({ text: '' })
  })

  it('keeps unknown items, without permission state', () => {
    const history = [{ type: 'novelty', sandbox_policy: 'none', value: 3 }, 7]
    const { events } = madeOf(compacted({ replacement_history: history }))
    expect(events.slice(2)).toMatchObject([
      { type: 'codex:novelty', payload: { record: { type: 'novelty', value: 3 } } },
      { type: 'codex:item', payload: { record: 7 } },
    ])
    expect(events[2]!.payload['record']).not.toHaveProperty('sandbox_policy')
  })
})

it('a context without permission state loses nothing', () => {
  const { losses } = madeOf({ type: 'turn_context', payload: { cwd: '/a' } })
  expect(losses.dropped).toEqual({})
})

test.each([
  [{ source: 'exec' }, { kind: 'headless' }],
  [
    { source: 'exec', parent_thread_id: 'p' },
    { kind: 'subagent', parentSessionKey: 'p' },
  ],
  [{ source: 'cli' }, { kind: undefined, parentSessionKey: undefined }],
])('describes a session with %j as %j', (fields, facts) => {
  const meta = { type: 'session_meta', payload: { id: 's', ...fields } }
  expect(codex.describe([meta], 'rollout')).toMatchObject({ sessionId: 's', ...facts })
})

test.each([
  [[{ type: 'message', role: 'user', content: 'hi', timestamp: 1 }], true],
  [[{ role: 'user', content: 'hi', created_at: 1 }], true],
  [[{ role: 'user', content: 'hi' }], false],
  [[{ id: 's', timestamp: 1 }], true],
  [[{ id: 's', timestamp: 1 }, { record_type: 'state' }], true],
  [[{ id: 's', timestamp: 1 }, { anything: 1 }], false],
])('bare items %j are a rollout of the oldest kind: %j', (first, isOne) => {
  expect(codex.detects(first)).toBe(isOne)
})
