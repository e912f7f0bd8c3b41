// What was said, out of either shape that messages come in.

import { expect, it } from 'vitest'
import { offsetBaseOf, partsOf, wordsOf } from '../../lib/chain/index.js'
import { toWellFormed } from '../../lib/chain/messages.js'

it('partsOf reads tools as events and as blocks', () => {
  const blocks = [
    'plain',
    { type: 'text', text: 'said' },
    { type: 'tool_use', name: 'bash', input: { command: 'ls' } },
    { type: 'tool_result', content: [{ type: 'text', text: 'a' }, 'b'], is_error: true },
    { type: 'thinking', thinking: 'hm' },
    { type: 'image' },
    { source: 'x' },
  ]
  expect(partsOf({ type: 'assistant', payload: { content: blocks } })).toEqual([
    { kind: 'text', text: 'plain' },
    { kind: 'text', text: 'said' },
    { kind: 'call', text: 'bash {"command":"ls"}' },
    { kind: 'result', text: 'a\nb', isError: true },
    { kind: 'other', text: '[thinking: hm]' },
    { kind: 'other', text: '[image]' },
    { kind: 'other', text: '[block]' },
  ])
  expect(partsOf({ type: 'tool_call', payload: { input: { a: 1 } } })).toEqual([
    { kind: 'call', text: '? {"a":1}' },
  ])
  expect(partsOf({ type: 'tool_call', payload: { name: 'now' } })).toEqual([
    { kind: 'call', text: 'now' },
  ])
  for (const [content, text] of [
    ['done', 'done'],
    [{ ok: 1 }, '{"ok":1}'],
  ]) {
    expect(partsOf({ type: 'tool_result', payload: { content } })).toEqual([
      { kind: 'result', text, isError: false },
    ])
  }
})

it('a payload without blocks is its text, else its JSON', () => {
  for (const payload of [{ content: 'x' }, { text: 'x' }, { summary: 'x' }]) {
    expect(partsOf({ type: 'user', payload })).toEqual([{ kind: 'text', text: 'x' }])
  }
  expect(partsOf({ type: 'other', payload: { a: 1 } })).toEqual([{ kind: 'text', text: '{"a":1}' }])
})

it('a payload that is nested deeper than the stack is named, not shown', () => {
  let content: unknown = 'x'
  for (let depth = 0; depth < 50_000; depth++) content = [{ type: 'tool_result', content }]
  expect(partsOf({ type: 'user', payload: { content } })).toEqual([
    { kind: 'other', text: '[nested too deeply to be shown]' },
  ])
})

it('other errors are not caught', () => {
  const payload = {
    get content(): never {
      throw new Error('read')
    },
  }
  expect(() => partsOf({ type: 'user', payload })).toThrow('read')
})

it('a deeply nested block does not throw', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  const said = '[nested too deep to show]'
  const result = { type: 'tool_result', payload: { tool_call_id: 't', content: { deep } } }
  expect(partsOf(result)).toMatchObject([{ text: said }])
  const call = { type: 'tool_call', payload: { tool_call_id: 't', name: 'Bash', input: deep } }
  expect(partsOf(call)).toMatchObject([{ text: `Bash ${said}` }])
})

it('wordsOf leaves out tools, pictures and thoughts', () => {
  const content = ['a', { type: 'text', text: 'b' }, { type: 'tool_result', text: 'c' }, 5, '']
  expect(wordsOf({ content })).toBe('a b')
  expect(wordsOf({ content: 'whole' })).toBe('whole')
  expect(wordsOf({ content: 5 })).toBe('')
  expect(wordsOf(null)).toBe('')
})

it('toWellFormed replaces half a surrogate pair on a copy, and keeps what is not text', () => {
  const value = { a: ['x\ud800', 5, null, true], '\udc00': { b: 'é' } }
  expect(toWellFormed(value)).toEqual({ a: ['x\ufffd', 5, null, true], '\ufffd': { b: 'é' } })
  expect(toWellFormed('\ud800')).toBe('\ufffd')
  const good = { a: 1 }
  expect(toWellFormed(good)).toBe(good)
})

it('the bases of a fork of a fork add up, and a header without one adds nothing', () => {
  const header = (payload: unknown) => ({
    event: { type: 'session_header', ts: '', uuid: 'h', prev_uuid: null, payload },
    byte_offset: 0,
  })
  const said = { event: { ...header({}).event, type: 'user' }, byte_offset: 9 }
  const forked = (base: unknown) => header({ forked_from: { base } })
  expect(offsetBaseOf([forked(100), forked(20), said, forked(3)])).toBe(120)
  expect(offsetBaseOf([forked('100'), header({}), header(null), said])).toBe(0)
})
