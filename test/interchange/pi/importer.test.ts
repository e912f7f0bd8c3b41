// What odd entries of a pi session become.

import { expect, it } from 'vitest'
import { findImporter } from '../../../lib/interchange/known-importers.js'
import { importValues } from '../../contracts/foreign-files.js'

const HEAD = { type: 'session', version: 3, id: 's', timestamp: '2026-01-31T12:00:00.000Z' }
const madeOf = (...values: readonly object[]) => importValues('pi', [HEAD, ...values])

const entry = (id: string, parentId: string | null, fields: object) => ({ id, parentId, ...fields })
const message = (fields: object) => entry('e1', null, { type: 'message', message: fields })

it.each([
  [{ role: 'system', content: 'be kind' }, 'system', { content: 'be kind' }],
  [{ role: 'hookMessage', content: 'x', customType: 'h' }, 'user', { custom_type: 'h' }],
  [
    { role: 'branchSummary', summary: 'left' },
    'user',
    { content: expect.stringMatching(/<summary>\nleft<\/summary>$/), is_meta: true },
  ],
  [{ role: 'compactionSummary', summary: 'old' }, 'user', { content: 'old', is_meta: true }],
  [{ role: 'assistant', content: 'no', errorMessage: '529' }, 'assistant', { error: '529' }],
  [
    { role: 'assistant', content: [{ type: 'toolCall', id: 'c1' }, { type: 'toolCall' }] },
    'assistant',
    {
      content: [{ type: 'tool_use', id: 'c1', name: '?', input: {} }, { type: 'toolCall' }],
    },
  ],
  [{ role: 'toolResult', content: 'x' }, 'tool_result', { tool_call_id: '?', is_error: false }],
  [
    { role: 'bashExecution', command: 'ls', output: 'a.txt', exitCode: 0 },
    'user',
    { content: 'Ran `ls`\n```\na.txt\n```' },
  ],
  [
    { role: 'bashExecution', exitCode: 2 },
    'user',
    { content: 'Ran ``\n(no output)\n\nCommand exited with code 2' },
  ],
  [
    {
      role: 'bashExecution',
      command: 'yes',
      output: 'y',
      exitCode: 1,
      cancelled: true,
      truncated: true,
      fullOutputPath: '/tmp/all.log',
    },
    'user',
    {
      content:
        'Ran `yes`\n```\ny\n```\n\n(command cancelled)\n\n[Output truncated. Full output: /tmp/all.log]',
    },
  ],
])('the message %j is of type %s', (fields, type, payload) => {
  expect(madeOf(message(fields)).events[1]).toMatchObject({ type, payload })
})

it.each(['aborted', 'error'])(
  'a reply that ended with "%s" is kept as a record, and its tokens count',
  (stopReason) => {
    const content = [{ type: 'toolCall', id: 'c1', name: 'bash', arguments: {} }]
    const usage = { input: 3, output: 2 }
    const reply = message({ role: 'assistant', content, stopReason, usage, model: 'm' })
    expect(madeOf(reply).events.slice(1)).toMatchObject([
      { type: 'pi:message', uuid: 'e1', payload: { record: reply } },
      {
        type: 'pi:usage',
        uuid: 'e1~usage',
        prev_uuid: null,
        payload: { model: 'm', usage: { input_tokens: 3, output_tokens: 2 } },
      },
    ])
  },
)

it('tokens that were used for something else than a reply count', () => {
  const usage = { input: 3, output: 2 }
  const { events } = madeOf(
    entry('u1', null, { type: 'usage', kind: 'cache_warm', model: 'm', usage }),
    entry('b1', 'u1', { type: 'branch_summary', summary: 'left', usage }),
    entry('c1', 'b1', { type: 'compaction', summary: 'all', usage }),
  )
  const counted = events.filter(({ payload }) => payload['usage'] !== undefined)
  expect(counted.map(({ uuid, type }) => [uuid, type])).toEqual(
    ['u1~usage', 'b1~usage', 'c1~usage'].map((uuid) => [uuid, 'pi:usage']),
  )
})

it('a prompt in sections is a text, first as a whole and then as changes', () => {
  const prompt = (fields: object) => ({ type: 'message', message: { role: 'system', ...fields } })
  const tools = [{ name: 'read', description: 'reads' }]
  const { events } = madeOf(
    entry(
      's1',
      null,
      prompt({ content: 'be kind', sections: { a: 'A', b: 'B' }, toolsAdded: tools }),
    ),
    entry(
      's2',
      's1',
      prompt({ content: '', sections: { a: 'A2', b: null }, toolsRemoved: [{ name: 'read' }] }),
    ),
  )
  expect(events.slice(1).map(({ payload }) => payload)).toMatchObject([
    { content: 'be kind\n\nA\n\nB', tools_added: tools },
    {
      content: 'Updated system prompt section "a":\n\nA2\n\nRemoved system prompt section "b".',
      tools_removed: [{ name: 'read' }],
    },
  ])
})

it('what a newer pi wrote is reported: its version, its entries and its roles', () => {
  const { losses, events } = importValues('pi', [
    { ...HEAD, version: 4 },
    message({ role: 'oracle', content: 'hm' }),
    entry('n1', 'e1', { type: 'new_thing' }),
  ])
  expect(losses.uninterpreted).toEqual({ 'version 4': 1, 'role oracle': 1, new_thing: 1 })
  expect(events.map(({ type }) => type)).toEqual(['pi:session', 'pi:message', 'pi:new_thing'])
})

it.each([
  ['/home/ada/.pi/agent/sessions/--p--/2026-01-31T12-00-00-000Z_0199-ab.jsonl', '0199-ab'],
  ['C:\\pi\\2026-01-31T12-00-00-000Z_my_own_id.jsonl', 'my_own_id'],
  ['plain', 'plain'],
])('a session forked from %s follows the session %s', (parentSession, previousSessionKey) => {
  const importer = findImporter('pi')!
  expect(importer.describe([{ ...HEAD, parentSession }], 'x')).toMatchObject({ previousSessionKey })
})

it('a command excluded from the context is kept as a record', () => {
  const hidden = { role: 'bashExecution', command: 'ls', excludeFromContext: true }
  expect(madeOf(message(hidden)).events[1]).toMatchObject({ type: 'pi:message' })
})

it('a repeated entry is imported once', () => {
  const twice = message({ role: 'user', content: 'hi' })
  const { events, losses } = madeOf(twice, twice)
  expect(events.filter(({ type }) => type === 'user')).toHaveLength(1)
  expect(losses.dropped).toEqual({ repeated_record: 1 })
})

it('a compaction without text has no summary and reports it', () => {
  const compaction = entry('c1', 'e1', { type: 'compaction', fromHook: true })
  const { events, losses } = madeOf(message({ role: 'user', content: 'hi' }), compaction)
  expect(losses.repaired).toEqual({ summary_missing: 1 })
  expect(events.at(-1)?.payload).toMatchObject({ trigger: 'external', headUuid: null })
})

it('facts without text give no title and no text', () => {
  const { events } = madeOf(
    entry('i1', null, { type: 'session_info' }),
    entry('b1', 'i1', { type: 'branch_summary' }),
  )
  expect(events.slice(1)).toMatchObject([
    { type: 'pi:session_info' },
    { type: 'pi:branch_summary' },
  ])
})
