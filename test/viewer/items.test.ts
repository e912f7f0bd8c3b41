import { expect, test } from 'vitest'
import { EventParser } from '../../lib/viewer/data/event-parser.js'
import { EMPTY_ROW, type Row } from '../../lib/viewer/data/types.js'
import { findItem, ItemList } from '../../lib/viewer/model/items.js'

const row = (uuid: string, fields: Partial<Row>): Row => ({ ...EMPTY_ROW, uuid, ...fields })

const ROWS: Row[] = [
  row('u', { type: 'user', title: 'a prompt' }),
  row('a', { type: 'assistant', calls: ['c1', 'c2'], onlyCalls: true }),
  row('r1', { type: 'tool_result', results: ['c1'], onlyResults: true, error: true }),
  row('r2', { type: 'tool_result', results: ['c2'], onlyResults: true }),
  row('x', { type: 'tool_result', results: ['unknown'], onlyResults: true }),
  row('t', { type: 'user', results: ['c2'], title: 'a result and a text' }),
]

test('results are shown with their calls, also when they arrive later', () => {
  const list = new ItemList()
  for (let count = 1; count <= ROWS.length; count++) list.extend(ROWS.slice(0, count))
  expect(list.items.map(({ row, kind }) => [row.uuid, kind])).toEqual([
    ['u', 'prompt'],
    ['a', 'tool'],
    ['x', 'tool'],
    ['t', 'prompt'],
  ])
  expect(list.items[1]).toMatchObject({ results: [2, 3], hasError: true })
  expect(list.find('r2')).toBe(1)
  expect(list.find('nobody')).toBe(-1)
})

test('the next item in a direction is found, or none', () => {
  const list = new ItemList()
  list.extend(ROWS)
  const isPrompt = ({ kind }: { kind: string }) => kind === 'prompt'
  expect(findItem(list.items, 0, 1, isPrompt)).toBe(3)
  expect(findItem(list.items, 3, -1, isPrompt)).toBe(0)
  expect(findItem(list.items, 3, 1, isPrompt)).toBe(-1)
})

test('damage and gaps are problems', () => {
  const list = new ItemList()
  const damage = { reason: 'not_json', message: 'Not JSON' }
  list.extend([row('d', { damage }), row('g', { kind: 'gap', title: 'lost' })])
  expect(list.items.map(({ kind }) => kind)).toEqual(['problem', 'problem'])
})

test('server-sent events are read from text in any pieces', () => {
  const text =
    ': heartbeat\n\nevent: entry\nid: 1-a\ndata: {"a":\ndata: 1}\n\nid: 1-b\r\ndata: x\r\n\r\n'
  const whole = [...new EventParser().push(text)]
  expect(whole).toEqual([
    { event: 'entry', id: '1-a', data: '{"a":\n1}' },
    { event: 'message', id: '1-b', data: 'x' },
  ])
  const parser = new EventParser()
  expect([...text].flatMap((character) => [...parser.push(character)])).toEqual(whole)
})
