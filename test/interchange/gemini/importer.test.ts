// What odd records of a Gemini chat become.

import { expect, it } from 'vitest'
import { gemini } from '../../../lib/interchange/gemini/importer.js'
import { importValues } from '../../contracts/foreign-files.js'

const ts = '2026-01-31T12:00:00.000Z'
const HEAD = { sessionId: 's', projectHash: 'p', startTime: ts }

it('counts a record that changes nothing', () => {
  const message = { id: 'u1', timestamp: ts, type: 'user', content: 'hi' }
  const changes = [{}, { messages: 5 }, { messages: [message] }].map(($set) => ({ $set }))
  const { events, losses } = importValues('gemini', [HEAD, message, ...changes])
  const types = events.map(({ type }) => type)
  const metadata = 'gemini:metadata'
  expect(types).toEqual([metadata, 'user', metadata, metadata])
  expect(losses).toMatchObject({ dropped: { repeated_record: 1 }, repaired: {} })
})

it('messages with invalid ids get uuids of their own', () => {
  const messages = ['', 'a b'].map((id) => ({ id, type: 'user', content: `prompt ${id}` }))
  const { events, losses } = importValues('gemini', [{ ...HEAD, messages }])
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(3)
  expect(losses.repaired).toEqual({ bad_id: 2 })
})

const madeOf = (...values: readonly object[]) => importValues('gemini', [HEAD, ...values])
const message = (id: string, type: string, more: object) => ({ id, timestamp: ts, type, ...more })
const contentOf = (type: string, more: object) =>
  madeOf(message('m1', type, more)).events[1]!.payload['content']

it.each([
  ['hi', 'hi'],
  [{ text: 'hi' }, 'hi'],
  [['hi'], 'hi'],
  [
    ['one', 'two'],
    [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  ],
  [
    [{ text: 'hm', thought: true }, { fileData: { uri: 'x' } }, {}, 5],
    [{ type: 'fileData', fileData: { uri: 'x' } }, { type: 'part' }],
  ],
  [
    [
      { inlineData: { mimeType: 'application/pdf', data: 'AA==' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AA==' } },
    ],
    [
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
      },
      { type: 'inlineData', inlineData: { mimeType: 'audio/wav', data: 'AA==' } },
    ],
  ],
])('a prompt of %j is %j', (content, ours) => {
  expect(contentOf('user', { content })).toEqual(ours)
})

it('imports calls without a name, an id or arguments', () => {
  const toolCalls = [{ id: 'c1', args: { a: 1 } }, { name: 'ls', result: 'x' }, {}]
  const { events } = madeOf(message('g1', 'gemini', { content: [{ text: 'Hm.' }], toolCalls }))
  expect(events.slice(1).map(({ payload }) => payload)).toMatchObject([
    {
      content: [
        { type: 'text', text: 'Hm.' },
        { type: 'tool_use', id: 'c1', name: '?', input: { a: 1 } },
        { type: 'tool_use', id: 'ls', name: 'ls', input: {} },
        { type: 'tool_use', id: '?', name: '?', input: {} },
      ],
    },
    { tool_call_id: 'ls', content: 'x', is_error: false },
  ])
  expect(contentOf('gemini', { content: 'Hm.', toolCalls: [{ id: 'c1' }] })).toMatchObject([
    { type: 'text', text: 'Hm.' },
    { type: 'tool_use' },
  ])
})

it('removes permission state from facts and from messages for people, and counts it', () => {
  const { events, losses } = madeOf(
    { $set: { approvalMode: 'yolo', summary: 'A chat' } },
    message('i1', 'info', { sandbox: 'none', content: 'ready' }),
    { ...HEAD, messages: [{ id: 'x1', content: 'no type' }] },
  )
  expect(losses.dropped).toEqual({ permission_state: 2 })
  expect(JSON.stringify(events)).not.toMatch(/yolo|none/)
  expect(events.map(({ type }) => type)).toContain('gemini:message')
})

it('detects a chat by its first line, and whether it is a subagent', () => {
  const { sessionId, startTime } = HEAD
  expect(gemini.detects([{ sessionId, startTime }])).toBe(true)
  expect(gemini.detects([{ sessionId, startTime, uuid: 'u' }])).toBe(false)
  expect(gemini.detects([{ sessionId }])).toBe(false)
  expect(gemini.detects([])).toBe(false)
  expect(gemini.describe([{ ...HEAD, kind: 'subagent' }], 'x')).toMatchObject({ kind: 'subagent' })
  expect(gemini.describe([], 'x')).toMatchObject({ sessionId: 'x', kind: undefined })
})
