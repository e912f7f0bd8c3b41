import { expect, test } from 'vitest'
import { findInterruptions, type InterruptionOptions } from '../../lib/chain/index.js'
import { History } from './history.js'
import { readForward } from './reading.js'

test('a session that ended with a reply was not interrupted', () => {
  expect(read(new History().m('1').add(reply('2', 'end_turn')))).toEqual(none)
  expect(read(new History())).toEqual(none)
  expect(read(new History().m('1').add(reply('2')))).toEqual(none)
})

// Requirements: 003-65, T21
test('finds a call without a result, and offers a retry where that is allowed', () => {
  const history = new History()
    .m('1')
    .add(call('2', 'a'))
    .add(call('3', 'b', true))
  history.add({ type: 'tool_result', uuid: '4', payload: { tool_call_id: 'c' } })
  const { kind, found, retry } = read(history)
  expect(kind).toBe('tool_call')
  expect(found).toEqual([
    { kind: 'tool_call', uuids: ['2', '3'] },
    { kind: 'no_reply', uuids: ['4'] },
  ])
  expect(retry).toMatchObject([{ tool_call_id: 'b', uuid: '3', name: 'tool', input: { x: 1 } }])
  const accepted = read(history, { isRetryable: ({ tool_call_id }) => tool_call_id === 'a' })
  expect(accepted.retry.map(({ uuid }) => uuid)).toEqual(['2', '3'])
})

// Requirement: 003-65
test('finds a call in the blocks of a provider', () => {
  const content = [{ type: 'tool_use', id: 'a', name: 'tool', input: {} }]
  const history = new History().m('1').add({ type: 'assistant', uuid: '2', payload: { content } })
  expect(read(history).found).toEqual([{ kind: 'tool_call', uuids: ['2'] }])
  expect(read(history).retry).toEqual([])
  expect(read(history, { isRetryable: () => true }).retry).toHaveLength(1)
})

test('a call without an id is not an open call', () => {
  const history = new History().add({ type: 'tool_call', uuid: '1', payload: { name: 'tool' } })
  expect(read(history).found).toEqual([])
  const odd = new History().add({
    type: 'tool_call',
    uuid: '1',
    payload: { tool_call_id: 'a', name: 5 },
  })
  expect(read(odd, { isRetryable: () => true }).retry).toMatchObject([{ name: '' }])
})

test('only an assistant message can be partial, even as the first line of a log', () => {
  const payload = { content: 'half', stop_reason: null }
  const partial = new History({ header: null }).add({ type: 'assistant', uuid: '1', payload })
  expect(read(partial).kind).toBe('partial_reply')
  expect(read(new History().add({ type: 'user', uuid: '1', payload })).kind).toBe('no_reply')
  expect(read(new History().add({ type: 'user', uuid: '1', payload })).found).toHaveLength(1)
})

test('a call with a result is not offered for a retry', () => {
  const history = new History().add(call('1', 'a', true))
  history.add({ type: 'tool_result', uuid: '2', payload: { tool_call_id: 'a' } })
  expect(read(history)).toMatchObject({ kind: 'no_reply', retry: [] })
})

test('a prompt at the end is reported as without a reply', () => {
  expect(read(new History().m('1')).found).toEqual([{ kind: 'no_reply', uuids: ['1'] }])
})

test('a reply with stop_reason null and without turn_end is partial', () => {
  const history = new History().m('1').add(reply('2', null))
  expect(read(history).found).toEqual([{ kind: 'partial_reply', uuids: ['2'] }])
  expect(read(history.add(turnEnd('end')))).toEqual(none)
  expect(read(new History().m('1').add(turnEnd('end')).add(reply('2', null))).kind).toBe(
    'partial_reply',
  )
})

test('a turn that the user ended was not interrupted, whatever it left open', () => {
  expect(read(new History().m('1').add(turnEnd('end')))).toEqual(none)
  const history = new History()
    .m('1')
    .add(call('2', 'a', true))
    .add(turnEnd('end'))
  expect(read(history)).toEqual(none)
  expect(read(history.m('3')).found.map(({ kind }) => kind)).toEqual(['tool_call', 'no_reply'])
})

test('a reply marked as partial is partial, whatever its stop reason', () => {
  const payload = { content: 'half', partial: true, stop_reason: 'max_tokens' }
  const history = new History().m('1').add({ type: 'assistant', uuid: '2', payload })
  expect(read(history).found).toEqual([{ kind: 'partial_reply', uuids: ['2'] }])
})

test('the end of a later turn does not complete an earlier partial reply', () => {
  const history = new History().m('1').add(reply('2', null))
  history.m('3').add(reply('4', 'end_turn')).add(turnEnd('end'))
  expect(kindAt('2', history)).toBe('partial_reply')
  expect(kindAt('R', history.rewind('R', '2'))).toBe('partial_reply')
  expect(kindAt('R', history.add(turnEnd('late')))).toBe('none')
})

test('a turn that ended stays ended after a rewind to it, also after a compaction', () => {
  const history = new History().m('1').add(reply('2', null)).add(turnEnd('end'))
  history.m('3').add(reply('4', null)).m('5').add(reply('6')).add(turnEnd('end2'))
  history.compact({ summary: 'S', head: '2', tail: '6', coveredTo: '1' })
  expect(kindAt('R', history.rewind('R', 'B', '4'))).toBe('partial_reply')
  expect(kindAt('R2', history.rewind('R2', 'B', '2'))).toBe('none')
})

test('a resumed session can end the previous turn until it has a message', () => {
  const { projection } = readForward(new History({ file: 'parent' }).add(reply('1', null)))
  const child = new History().add(turnEnd('end'))
  const go = () => findInterruptions(readForward(child, projection.continuation).projection).kind
  expect(go()).toBe('none')
  expect(findInterruptions(projection).kind, 'the parent stays as it was').toBe('partial_reply')
  child.m('2').add(reply('3', null))
  expect(go()).toBe('partial_reply')
})

test('a copied block does not end a turn', () => {
  const history = new History().m('1').add(reply('2')).add(turnEnd('end')).add(reply('3', null))
  expect(read(history.copy(2).copy(3)).kind).toBe('partial_reply')
})

// Requirement: 003-66
test('an uncommitted compaction at the end was interrupted', () => {
  const history = new History().m('1').add(reply('2')).summary('S')
  expect(read(history).found).toEqual([{ kind: 'compaction', uuids: ['S'] }])
  history.boundary({ summary: 'S', head: 'gone', tail: 'gone' })
  expect(read(history).found).toEqual([{ kind: 'compaction', uuids: ['B'] }])
  expect(read(history.add(reply('3')))).toEqual(none)
})

test('a committed compaction was not interrupted', () => {
  const history = new History().m('1').add(reply('2')).compact({ summary: 'S' })
  expect(read(history)).toEqual(none)
})

test('reports everything that applies, the most urgent first', () => {
  const history = new History().add(call('1', 'a')).m('2').summary('S')
  expect(read(history).found.map(({ kind }) => kind)).toEqual([
    'tool_call',
    'no_reply',
    'compaction',
  ])
})

const none = { kind: 'none', found: [], retry: [] }

function read(history: History, options?: InterruptionOptions) {
  return findInterruptions(readForward(history).projection, options)
}

function kindAt(at: string, history: History) {
  return findInterruptions(readForward(history, undefined, at).projection).kind
}

function turnEnd(uuid: string) {
  return { type: 'turn_end', uuid, prev_uuid: null }
}

function reply(uuid: string, stop_reason?: string | null) {
  const payload = { content: 'ok', ...(stop_reason === undefined ? {} : { stop_reason }) }
  return { type: 'assistant', uuid, payload }
}

function call(uuid: string, tool_call_id: string, idempotent?: boolean) {
  return {
    type: 'tool_call',
    uuid,
    payload: { tool_call_id, name: 'tool', input: { x: 1 }, idempotent },
  }
}
