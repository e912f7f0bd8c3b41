// What odd records of a Codex rollout become.

import { describe, expect, it, test } from 'vitest'
import { codex } from '../../../lib/interchange/codex/importer.js'
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

  it('that the model might see and that has no event is reported', () => {
    const { losses } = madeOf(item({ type: 'novelty' }), item({ type: 'ghost_snapshot' }), item({}))
    expect(losses.uninterpreted).toEqual({ novelty: 1 })
  })

  it('that calls a tool keeps the namespace of the tool', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'wait', namespace: 'agents' }
    expect(madeOf(item(call)).events[0]!.payload).toMatchObject({ namespace: 'agents' })
  })

  it('that only has a role is a message', () => {
    expect(madeOf(item({ role: 'assistant', content: 'hi', model: 'm-2' })).events).toMatchObject([
      { type: 'assistant', payload: { content: 'hi', model: 'm-2' } },
    ])
  })

  it('may have its text in another field, or no output', () => {
    expect(madeOf(item({ role: 'user', message: 'hi' })).events[0]!.payload).toMatchObject({
      content: 'hi',
    })
    const result = item({ type: 'function_call_output', call_id: 'c1' })
    expect(madeOf(result).events[0]!.payload).toMatchObject({ content: '' })
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

  it('without a text is an empty message', () => {
    expect(madeOf(event({ type: 'user_message' })).events[0]!.payload['content']).toBe('')
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

  it('that is the first prompt is the title, unless it is empty or context', () => {
    const titles = (...texts: readonly string[]) =>
      madeOf(...texts.map((text) => said('user', text))).events.flatMap(
        ({ payload }) => payload['title'] ?? [],
      )
    expect(titles('<environment_context>x</environment_context>', ' ', ' fix\nit', 'no')).toEqual([
      'fix',
    ])
    expect(titles('x'.repeat(200))).toEqual(['x'.repeat(80)])
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
  const written = (cli_version: string) => ({ type: 'session_meta', payload: { cli_version } })

  it('of no turn changes nothing', () => {
    expect(textsOf(said('user', 'one'), back(0), back())).toEqual(['one'])
    expect(typesOf(said('user', 'one'), back(0))).toEqual([
      'user',
      'session_meta',
      'codex:thread_rolled_back',
    ])
  })

  it('before the first turn changes nothing', () => {
    const context = said('user', '<environment_context>linux</environment_context>')
    expect(textsOf(context, back(1))).toHaveLength(1)
    expect(madeOf(context, back(1)).losses.repaired).toEqual({ rollback_too_far: 1 })
  })

  it('is reported in a file of the kind that has none', () => {
    const meta = { type: 'session_meta', payload: { history_mode: 'paginated' } }
    expect(madeOf(meta, said('user', 'one'), back(1)).losses.repaired).toEqual({
      rollback_too_far: 1,
    })
  })

  it('of more turns than there are keeps what came before the first, and reports it', () => {
    const { events, losses } = madeOf(
      said('developer', 'be kind'),
      said('user', 'one'),
      back(3),
      said('user', 'two'),
    )
    expect(shownTexts(projectEvents(events))).toEqual(['be kind', 'two'])
    expect(losses.repaired).toEqual({ rollback_too_far: 1 })
  })

  it.each([
    '<user_shell_command>ls</user_shell_command>',
    '<subagent_notification>{}</subagent_notification>',
    '<codex_internal_context source="goal">go</codex_internal_context>',
    '<external_editor>x</external_editor>',
    '# AGENTS.md instructions for /home/ada',
    'Warning: apply_patch was requested via exec_command. Use the apply_patch tool.',
  ])('does not count %s as a turn', (context) => {
    const values = [said('user', 'one'), said('user', 'two'), said('user', context)]
    expect(textsOf(...values, back(1))).toEqual(['one'])
  })

  it('counts a prompt with a context in one of its blocks as context', () => {
    const blocks = ['look', '<skill>\n<name>s</name></skill>'].map((text) => ({
      type: 'input_text',
      text,
    }))
    const mixed = item({ type: 'message', role: 'user', content: blocks })
    expect(textsOf(said('user', 'one'), mixed, back(1))).toEqual([])
  })

  it('takes the context before a turn along, since 0.117 and not from the first turn', () => {
    const values = [
      said('developer', '<permissions instructions>all</permissions instructions>'),
      said('user', 'one'),
      said('developer', '<model_switch>other</model_switch>'),
      said('user', '<environment_context>linux</environment_context>'),
      said('user', 'two'),
    ]
    expect(textsOf(written('0.117.0'), ...values, back(1))).toHaveLength(2)
    expect(textsOf(written('0.116.0'), ...values, back(1))).toHaveLength(4)
    expect(textsOf(written('0.117.0'), ...values, back(2))).toHaveLength(1)
  })
})

describe('a subagent', () => {
  const agent = 'a0000000-0000-4000-8000-000000000001'
  const call = item({
    type: 'function_call',
    name: 'spawn_agent',
    namespace: 'multi_agent_v1',
    arguments: '{"agent_type":"explorer"}',
    call_id: 'c1',
  })
  const result = (output: string) => item({ type: 'function_call_output', call_id: 'c1', output })
  const spawned = (values: readonly object[]) =>
    madeOf(...values).events.filter(({ type }) => type === 'subagent_spawn')

  it('begins with the result that names it', () => {
    const output = result(`{"agent_id":"${agent}","nickname":"Ada"}`)
    expect(spawned([call, output]).map(({ payload }) => payload)).toMatchObject([
      { task_id: agent, agent_type: 'explorer', tool_call_id: 'c1' },
    ])
    expect(spawned([call, result('no agent')])).toEqual([])
    expect(spawned([output])).toEqual([])
  })

  it('begins once, with the event about its call', () => {
    const completed = (fields: object) =>
      event({
        type: 'item_completed',
        item: { type: 'CollabAgentToolCall', tool: 'spawn_agent', id: 'c1', ...fields },
      })
    const about = completed({
      receiver_thread_ids: [agent, 7],
      receiver_agents: [{ thread_id: agent, agent_role: 'explorer' }],
    })
    const values = [call, about, result(`{"agent_id":"${agent}"}`)]
    expect(spawned(values).map(({ payload }) => payload)).toMatchObject([
      { task_id: agent, agent_type: 'explorer', tool_call_id: 'c1' },
    ])
    expect(spawned([completed({ tool: 'wait' })])).toEqual([])
    expect(spawned([event({ type: 'item_completed' })])).toEqual([])
  })

  it('is described as a task of the session in which the first of them began', () => {
    const described = (fields: object) =>
      codex.describe([{ type: 'session_meta', payload: { id: agent, ...fields } }], 'rollout')
    const source = { subagent: { thread_spawn: { parent_thread_id: 'p' } } }
    expect(described({ source })).toMatchObject({ sessionId: 'p', taskId: agent })
    expect(described({ parent_thread_id: 'p', session_id: 'r' })).toMatchObject({
      sessionId: 'r',
      taskId: agent,
      kind: 'subagent',
    })
    expect(described({ source: { subagent: 'review' } })).not.toHaveProperty('taskId')
    expect(described({ session_id: agent, parent_thread_id: agent })).not.toHaveProperty('taskId')
  })
})

describe('a message between agents', () => {
  const between = (payload: object) => ({ type: 'inter_agent_communication', payload })

  it('is what the client sends to the model, and begins a turn', () => {
    const message = between({ author: '/root', recipient: '/root/a', content: 'do it' })
    const [made] = madeOf(message).events
    expect(made).toMatchObject({
      type: 'user',
      payload: { content: 'do it', author: '/root', recipient: '/root/a' },
    })
    const back = event({ type: 'thread_rolled_back', num_turns: 1 })
    expect(textsOf(said('user', 'one'), message, back)).toEqual(['one'])
    expect(madeOf(between({ content: 'do it' })).events[0]!.type).toBe('user')
    expect(madeOf(between({ encrypted_content: 'SEALED' })).events[0]!.type).toBe('user')
    const direct = item({ type: 'agent_message', recipient: 'b', content: 'hi' })
    expect(madeOf(direct).events[0]).toMatchObject({ type: 'user', payload: { recipient: 'b' } })
  })

  it.each([
    [true, 'NEW_TASK'],
    [false, 'MESSAGE'],
  ])('keeps a sealed text (a new task: %j)', (trigger_turn, type) => {
    const sealed = { author: 'a', recipient: 'b', encrypted_content: 'SEALED', trigger_turn }
    expect(madeOf(between(sealed)).events[0]!.payload['content']).toEqual([
      { type: 'input_text', text: `Message Type: ${type}\nTask name: b\nSender: a\nPayload:\n` },
      { type: 'encrypted_content', encrypted_content: 'SEALED' },
    ])
  })
})

describe('usage', () => {
  const usage = { input_tokens: 30, output_tokens: 2, cached_input_tokens: 10 }
  const counted = { input_tokens: 30, output_tokens: 2, cache_read_tokens: 10 }
  const used = (payload: object = { usage }) => ({ type: 'token_usage_record', payload })
  const count = (total_tokens?: number) =>
    event({
      type: 'token_count',
      info: { last_token_usage: usage, total_token_usage: { total_tokens } },
    })
  const call = item({ type: 'function_call', name: 'ls', arguments: '{}', call_id: 'c1' })
  const usages = (...values: readonly object[]) =>
    madeOf(...values).events.flatMap(({ type, payload }) =>
      payload['usage'] === undefined ? [] : [type],
    )

  it('of a response is that of its reply', () => {
    const { events } = madeOf(said('assistant', 'hi'), used(), count(32))
    expect(events[0]).toMatchObject({ type: 'assistant', payload: { usage: counted } })
    expect(usages(said('assistant', 'hi'), used(), count(32))).toEqual(['assistant'])
  })

  it('of a response that only calls tools is counted by its own record', () => {
    const result = item({ type: 'function_call_output', call_id: 'c1', output: '' })
    expect(usages(call, used(), result, count(32))).toEqual(['codex:usage'])
    expect(usages(used())).toEqual(['codex:usage'])
    expect(usages(used({}))).toEqual([])
  })

  it('that an older version repeats is counted once', () => {
    const values = [said('assistant', 'hi'), count(32), count(32), call, count(64), count(64)]
    expect(usages(...values)).toEqual(['assistant', 'codex:usage'])
    expect(usages(count(), count())).toEqual(['codex:usage', 'codex:usage'])
  })
})

describe('a compaction', () => {
  const compacted = (payload: object) => ({ type: 'compacted', payload })

  it('without text has the summary of the client and reports it', () => {
    const { events, losses } = madeOf(said('user', 'one'), compacted({}))
    expect(losses.repaired).toEqual({ summary_missing: 1 })
    expect(events.find(({ type }) => type === 'summary')?.payload).toMatchObject({
      text: '(no summary available)',
    })
  })

  it('that repeats the prompts loses them one by one in a rollback, after its summary', () => {
    const back = (num_turns: number) => event({ type: 'thread_rolled_back', num_turns })
    const values = ['one', 'two'].flatMap((text) => [
      said('user', text),
      said('assistant', `to ${text}`),
    ])
    const compact = [...values, compacted({ message: 'sum' }), said('user', 'three')]
    expect(textsOf(...compact, back(1))).toEqual(['one', 'two', 'sum'])
    expect(textsOf(...compact, back(2))).toEqual(['one', 'two'])
    expect(textsOf(...compact, back(3), said('user', 'four'))).toEqual(['one', 'four'])
    expect(textsOf(...compact, back(2), said('user', 'four'), back(2))).toEqual(['one'])
    const again = [...compact, compacted({ message: 'both' }), said('user', 'four')]
    expect(textsOf(...again)).toEqual(['one', 'two', 'three', 'both', 'four'])
    expect(textsOf(...again, back(3))).toEqual(['one', 'two'])
  })

  it('keeps the newest prompts that fit, if it has no history', () => {
    const long = 'x'.repeat(50_000)
    const prompts = [`a${long}`, `b${long}`, `c${long}`].map((text) => said('user', text))
    const texts = textsOf(...prompts, compacted({ message: 'sum' }))
    expect(texts.map((text) => text[0])).toEqual(['b', 'c', 's'])
  })

  it('keeps unknown items, without permission state', () => {
    const history = [{ type: 'novelty', sandbox_policy: 'none', value: 3 }, 7]
    const { events, losses } = madeOf(compacted({ replacement_history: history }))
    expect(losses.uninterpreted).toEqual({ novelty: 1 })
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
  [{ source: 'cli' }, { kind: undefined }],
  [
    { forked_from_id: 'f', history_base: { thread_id: 'b', end_byte_offset: 7 } },
    { previousSessionKey: 'f', continues: { fileId: 'b', byteOffset: 7 } },
  ],
])('describes a session with %j as %j', (fields, facts) => {
  const meta = { type: 'session_meta', payload: { id: 's', ...fields } }
  expect(codex.describe([meta], 'rollout')).toMatchObject({ sessionId: 's', ...facts })
})

test('a line of the index names a session', () => {
  const { read } = codex.titles!
  expect(read({ id: 's', thread_name: 'a name' })).toEqual({ sessionId: 's', title: 'a name' })
  expect(read({ id: 's' })).toBeUndefined()
  expect(read({ thread_name: 'a name' })).toBeUndefined()
})

test('the name of a file has the id of its thread, and its own if it is a later one', () => {
  const thread = 'a0000000-0000-4000-8000-000000000001'
  const own = 'a0000000-0000-4000-8000-000000000002'
  const described = (name: string) => codex.describe([], name)
  expect(described(`rollout-x-${thread}`)).toMatchObject({ sessionId: thread, fileId: thread })
  expect(described(`rollout-x-${thread}_${own}`)).toMatchObject({ sessionId: thread, fileId: own })
  expect(described('notes')).toMatchObject({ sessionId: 'notes', fileId: 'notes' })
  expect(codex.folder.isTranscript(`rollout-x-${thread}.jsonl`)).toBe(true)
  const { isNamed } = codex.siblings!
  expect(isNamed(`rollout-x-${thread}.jsonl`, thread)).toBe(true)
  expect(isNamed(`rollout-x-${thread}.jsonl`, own)).toBe(false)
})

const block = { type: 'input_text', text: 'hi' }

test.each([
  [[{ type: 'message', role: 'user', content: [block], timestamp: 1 }], true],
  [[{ type: 'function_call', call_id: 'c1', timestamp: 1 }], true],
  [[{ type: 'reasoning', summary: [], timestamp: 1 }], true],
  [[{ type: 'message', role: 'user', content: [block] }], false],
  [[{ type: 'message', role: 'user', content: 'hi', timestamp: 1 }], false],
  [[{ role: 'user', content: 'hi', timestamp: 1 }], false],
  [[{ role: 'user', message: 'hi', created_at: 1 }], false],
  [[{ type: 'function_call', timestamp: 1 }], false],
  [[{ type: 'message', role: 'user', content: [block], timestamp: 1, uuid: 'u' }], false],
  [[{ id: 's', timestamp: 1, instructions: null }], true],
  [[{ id: 's', timestamp: 1, git: {} }, { record_type: 'state' }], true],
  [[{ id: 's', timestamp: 1, git: {} }, { anything: 1 }], false],
  [[{ id: 's', timestamp: 1 }], false],
  [[], false],
])('bare items %j are a rollout of the oldest kind: %j', (first, isOne) => {
  expect(codex.detects(first)).toBe(isOne)
})
