import { expect, test } from 'vitest'
import { treeOf } from '../../lib/chain/index.js'
import { History } from './history.js'

const read = (history: History) => treeOf(history.events)
const branch = (first: string, last: string, from: string | null) => ({
  firstUuid: first,
  lastUuid: last,
  fromUuid: from,
})

test('a log without a rewind is one branch', () => {
  expect(read(new History().m('1').m('2')).branches).toEqual([
    {
      ...branch('H', '2', null),
      active: true,
      cause: 'root',
      events: 3,
      startedAt: '2025-01-01T00:00:00.000Z',
      lastAt: '2025-01-01T00:00:00.000Z',
    },
  ])
  expect(read(new History({ header: null })).branches).toEqual([])
  expect(read(new History({ header: null }).m('1')).branches).toMatchObject([
    { ...branch('1', '1', null), cause: 'root' },
  ])
})

test('what a rewind left is a branch, and so is a partial reply that was superseded', () => {
  const history = new History().m('1').m('2').m('3').rewind('R', '1').m('4')
  history.add({ type: 'assistant', uuid: 'p', payload: { content: 'o', partial: true } })
  history.add({
    type: 'assistant',
    uuid: 'f',
    prev_uuid: '4',
    payload: { content: 'ok', supersedes: 'p' },
  })
  const { branches, rewinds } = read(history)
  expect(branches).toMatchObject([
    { ...branch('H', 'f', null), active: true, cause: 'root', events: 5 },
    { ...branch('p', 'p', '4'), active: false, cause: 'link', events: 1 },
    { ...branch('2', '3', '1'), active: false, cause: 'link', events: 2 },
  ])
  expect(rewinds).toMatchObject([{ uuid: 'R', active: true }])
  const back = read(history.rewind('R2', '3'))
  expect(back.branches.map(({ cause }) => cause)).toEqual(['root', 'rewind', 'link'])
  expect(back.rewinds.map(({ uuid, active }) => [uuid, active])).toEqual([
    ['R', false],
    ['R2', true],
  ])
  const toPartial = read(history.rewind('R3', 'p'))
  expect(toPartial.branches[1]).toMatchObject({ ...branch('2', 'R2', '1') })
  expect(toPartial.branches[2]).toMatchObject({ ...branch('f', 'f', '4'), cause: 'superseding' })
})

test('boundaries say whether they are on the path to the tip', () => {
  const history = new History().m('1').compact({ summary: 'S', head: '1', tail: '1' }).m('2')
  expect(read(history).boundaries).toMatchObject([{ summaryUuid: 'S', active: true }])
  expect(read(history.rewind('R', '1')).boundaries).toMatchObject([{ active: false }])
})

test('invalid payloads and off-chain events make no branch of their own', () => {
  const history = new History().m('1').add({ type: 'turn_end', uuid: 'e', prev_uuid: null })
  history.add({ type: 'compaction_boundary', uuid: 'b', payload: null as never })
  history.add({ type: 'rewind', uuid: 'r', payload: { target_uuid: 5 } })
  const { branches, boundaries, rewinds } = read(history)
  expect(branches).toHaveLength(1)
  expect(boundaries).toMatchObject([{ uuid: 'b', summaryUuid: null, trigger: null }])
  expect(rewinds).toMatchObject([{ uuid: 'r', fromUuid: null, toUuid: null }])
})

test('the headers of a fork and a header in the middle make no branch of their own', () => {
  const causes = (history: History) => read(history).branches.map(({ cause }) => cause)
  expect(causes(new History().header('H2').m('1'))).toEqual(['root'])
  expect(causes(new History().header('H2'))).toEqual(['root'])
  expect(causes(new History().m('1').header('H2').m('2'))).toEqual(['root'])
  expect(causes(new History().m('1').header('H2'))).toEqual(['root'])
})
