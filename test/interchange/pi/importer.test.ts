// What odd entries of a pi session become.

import { expect, it } from 'vitest'
import { importValues } from '../../contracts/foreign-files.js'

const HEAD = { type: 'session', version: 3, id: 's', timestamp: '2026-01-31T12:00:00.000Z' }
const madeOf = (...values: readonly object[]) => importValues('pi', [HEAD, ...values])

const entry = (id: string, parentId: string | null, fields: object) => ({ id, parentId, ...fields })
const message = (fields: object) => entry('e1', null, { type: 'message', message: fields })

it.each([
  [{ role: 'system', content: 'be kind' }, 'system', { content: 'be kind' }],
  [{ role: 'hookMessage', content: 'x', customType: 'h' }, 'user', { custom_type: 'h' }],
  [{ role: 'branchSummary', summary: 'left' }, 'user', { content: 'left', is_meta: true }],
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
    { content: 'Ran `ls`\na.txt' },
  ],
  [
    { role: 'bashExecution', exitCode: 2 },
    'user',
    { content: 'Ran ``\n(no output)\n(exit code 2)' },
  ],
])('the message %j is of type %s', (fields, type, payload) => {
  expect(madeOf(message(fields)).events[1]).toMatchObject({ type, payload })
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
    { type: 'user', payload: { content: '', is_meta: true } },
  ])
})
