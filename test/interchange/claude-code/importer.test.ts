// What odd lines of a Claude Code transcript become.

import { describe, expect, it, test } from 'vitest'
import { claudeCode } from '../../../lib/interchange/claude-code/importer.js'
import { compaction, line, madeOf, reply, summary, textsOf, user } from './lines.js'

describe('a line', () => {
  it('keeps the ids of prompt and request and the stop reason', () => {
    const message = { role: 'assistant', content: 'no', stop_reason: 'refusal' }
    const { events } = madeOf(
      user('u1', null, 'hi', { promptId: 'p1', isMeta: true }),
      reply('a1', 'u1', '', { message, requestId: 'r1', isApiErrorMessage: true }),
    )
    expect(events.map(({ payload }) => payload)).toMatchObject([
      { content: 'hi', prompt_id: 'p1', is_meta: true },
      { content: 'no', stop_reason: 'refusal', request_id: 'r1', is_api_error: true },
    ])
  })

  it('without a type is kept as an off-chain record', () => {
    const odd = [{ value: 3 }, { type: '', sessionId: 's' }, { type: '!?', sessionId: 's' }]
    const { events } = madeOf(user('u1', null, 'hi'), ...odd)
    expect(events.slice(1)).toMatchObject([
      { type: 'claude-code:record', prev_uuid: null, payload: { record: { value: 3 } } },
      { type: 'claude-code:record', prev_uuid: null },
      { type: 'claude-code:-', prev_uuid: null },
    ])
  })

  it('with an id that is not a valid uuid gets another one and keeps its position', () => {
    const { events, losses } = madeOf(user('u 1', null, 'one'), reply('a1', 'u 1', 'two'))
    expect(events[1]!.prev_uuid).toBe(events[0]!.uuid)
    expect(losses.repaired).toEqual({ bad_id: 1 })
  })
})

test('imports tags and their removal', () => {
  const { events } = madeOf({ type: 'tag', tag: 'work' }, { type: 'tag', tag: '' })
  const tags = events.flatMap(({ payload }) => ('tags' in payload ? [payload['tags']] : []))
  expect(tags).toEqual([['work'], []])
})

describe('the leaf that Claude Code records', () => {
  const tree = [user('u1', null, 'one'), reply('a1', 'u1', 'two'), user('u2', 'u1', 'other')]

  it('is an existing line', () => {
    expect(textsOf(...tree, { type: 'last-prompt', leafUuid: 'a1' })).toEqual(['one', 'two'])
  })

  it.each([{}, { leafUuid: 'gone' }])('is ignored in %j', (fields) => {
    expect(textsOf(...tree, { type: 'last-prompt', ...fields })).toEqual(['one', 'other'])
  })

  it('is ignored if a compaction removed its line', () => {
    const after = [compaction('b1', {}), summary('s1', 'b1', 'Short.'), user('u3', 's1', 'new')]
    const reported = { type: 'last-prompt', leafUuid: 'u1' }
    expect(textsOf(...tree, ...after, reported)).toEqual(['Short.', 'new'])
    expect(textsOf(...tree, ...after, { ...reported, leafUuid: 'u3' })).toEqual(['Short.', 'new'])
  })
})

describe('a compaction', () => {
  const before = [user('u1', null, 'one'), reply('a1', 'u1', 'two'), user('u2', 'a1', 'three')]

  it('may have a summary of several lines, and records the position of each', () => {
    const made = madeOf(
      ...before,
      compaction('b1', { postTokens: 12 }),
      summary('s1', 'b1', 'First.'),
      summary('s2', 's1', 'Second.'),
    )
    const [reported, boundary] = made.events.slice(-2)
    const { byteOffset: offset, length, sha256 } = made.records.at(-1)!
    expect(reported).toMatchObject({
      type: 'summary',
      payload: { text: 'First.\n\nSecond.', more_parts: [{ offset, length, sha256 }] },
    })
    expect(boundary?.payload).toMatchObject({ tokens_after: 12 })
  })

  it('may have attachments of the client before its summary', () => {
    const attached = (uuid: string, parentUuid: string) => ({
      ...{ type: 'attachment', uuid, parentUuid, sessionId: 's' },
      attachment: { type: 'date' },
    })
    const notes = [compaction('b1', {}), attached('x1', 'b1'), attached('x2', 'x1')]
    const after = [summary('s1', 'x2', 'Short.'), user('u3', 's1', 'four')]
    expect(textsOf(...before, ...notes, ...after)).toEqual(['Short.', 'four'])
    expect(madeOf(...before, ...notes, ...after).losses.repaired).toEqual({})
    const { events, losses } = madeOf(...before, ...notes)
    expect(events.at(-1)).toMatchObject({ uuid: 'x2', prev_uuid: 'x1' })
    expect(losses.repaired).toEqual({ summary_missing: 1 })
  })

  it('in a fork finds its kept lines by their new ids', () => {
    const forked = before.map((value) => ({
      ...value,
      uuid: `new-${value.uuid}`,
      parentUuid: value.parentUuid === null ? null : `new-${value.parentUuid}`,
      forkedFrom: { messageUuid: value.uuid },
    }))
    const kept = { preservedMessages: { uuids: ['u2', 'gone'] } }
    const { events, losses } = madeOf(
      ...forked,
      compaction('b1', kept),
      summary('s1', 'b1', 'Short.'),
    )
    expect(losses.repaired).toEqual({ kept_renamed: 1, kept_missing: 1 })
    expect(events.at(-1)?.payload).toMatchObject({ headUuid: 'new-u2' })
  })

  it('that keeps a branch follows that branch', () => {
    const other = user('u9', 'u1', 'elsewhere')
    const kept = { preservedMessages: { uuids: ['a1', 'u2'] } }
    const values = [...before, other, compaction('b1', kept), summary('s1', 'b1', 'Short.')]
    expect(textsOf(...values)).toEqual(['Short.', 'two', 'three'])
  })
})

describe('a subagent between the lines', () => {
  const call = (input: object, id: unknown = 't1') =>
    reply('a1', 'u1', [{ type: 'tool_use', id, name: 'Task', input }])
  const inline = (type: string, uuid: string, parent: string | null, content: unknown) =>
    line(type, uuid, parent, content, { isSidechain: true })
  const answer = (content: unknown, tool_use_id: unknown = 't1') =>
    user('u2', 'a1', ['note', { type: 'tool_result', tool_use_id, content }, { type: 'text' }])

  it('fails if its result is empty', () => {
    const values = [
      user('u1', null, 'go'),
      call({ prompt: 'look' }),
      inline('user', 'x1', null, 'look'),
      answer(' '),
    ]
    const { events } = madeOf(...values)
    expect(events.find(({ type }) => type === 'subagent_result')?.payload).toMatchObject({
      ...{ task_id: 'x1', tool_call_id: 't1', completion_status: 'failed' },
    })
  })

  it('keeps lines of unknown types in its own log', () => {
    const task = [inline('user', 'x1', null, 'look'), inline('system', 'x2', 'x1', 'note')]
    const { events } = madeOf(user('u1', null, 'go'), ...task)
    expect(events.filter(({ task }) => task === 'x1').map(({ type }) => type)).toEqual([
      'user',
      'claude-code:system',
    ])
  })

  it.each([
    ['a call without a prompt', call({}), answer('done')],
    ['a call without an id', call({ prompt: 'look' }, 7), answer('done')],
    ['an answer without an id', call({ prompt: 'look' }), answer('done', 7)],
  ])('is not linked to %s', (_, called, answered) => {
    const values = [user('u1', null, 'go'), called, inline('user', 'x1', null, 'look'), answered]
    const types = madeOf(...values).events.map(({ type }) => type)
    expect(types).toContain('subagent_spawn')
    expect(types).not.toContain('subagent_result')
  })
})

test.each([
  [[{ type: 'summary', summary: 'x', leafUuid: 'a' }], true],
  [[{ type: 'summary', summary: 'x' }], false],
  [[{ type: 'tag', tag: 'x' }, { type: 'other' }], false],
  [[], false],
])('%j is a transcript of Claude Code: %j', (first, isOne) => {
  expect(claudeCode.detects(first)).toBe(isOne)
})

test('describes the kind of session, and the session of a subagent', () => {
  const task = user('x1', null, 'look', { isSidechain: true })
  expect(claudeCode.describe([{ ...task, agentId: 'abc' }], 'agent-1')).toMatchObject({
    sessionId: 's',
    taskId: 'abc',
  })
  expect(claudeCode.describe([task], 'agent-1')).toMatchObject({ taskId: 'agent-1' })
  const headless = user('u1', null, 'go', { entrypoint: 'sdk-cli' })
  expect(claudeCode.describe([headless], 'x')).toMatchObject({ sessionId: 's', kind: 'headless' })
})
