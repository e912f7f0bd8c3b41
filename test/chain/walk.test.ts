import { expect, test } from 'vitest'
import { walkChain } from '../../lib/chain/index.js'
import { linkOf } from '../../lib/format/index.js'
import { History } from './history.js'
import { play } from './notation.js'

// Requirements: 003-45, T15
test('the path contains events of all types from the root to the tip', () => {
  const round = ['m $.1..$.5', 'compact S$ keep $.4..$.5'] as const
  const history = play([[5, ...round]])
  const walked = uuidsOf(history)
  expect(walked).toEqual(history.lines.map(({ event }) => event.uuid))
  expect(walked.length).toBe(1 + 5 * 7)
})

test('copied lines at the end do not become the tip', () => {
  const history = play(['m 1..5', 'copy 2'])
  expect(uuidsOf(history)).toEqual(['H', '1', '2', '3', '4', '5'])
  expect(uuidsOf(history.copy(3).copy(4))).toEqual(['H', '1', '2', '3', '4', '5'])
  expect(uuidsOf(history.m('6')).at(-1)).toBe('6')
})

test('a link refers to the nearest earlier event with that uuid', () => {
  const history = play(['m 1..3', 'again 2', 'after 2 4'])
  expect(uuidsOf(history)).toEqual(['H', '1', '2', '3', '2', '4'])
})

test('an event that names itself or a later one is linked to the one before it', () => {
  const history = play(['m 1', 'after 2 2', 'after 4 3', 'm 4'])
  const walk = walkOf(history)
  expect(uuidsOf(history)).toEqual(['H', '1', '2', '3', '4'])
  expect(walk.findings.map(({ code, uuid }) => [code, uuid])).toEqual([
    ['dangling_prev', '2'],
    ['dangling_prev', '3'],
  ])
  expect(walk.degraded).toBe(true)
  expect([...walk.guessed]).toEqual([2, 3])
})

test('the root is the last of the leading headers', () => {
  const fork = new History({ header: 'fork' }).header('H').m('1', '2')
  expect(uuidsOf(fork)).toEqual(['H', '1', '2'])
  expect(walkOf(fork).findings).toEqual([])
})

test('a link to a header in the middle of the log is dangling', () => {
  const history = play(['m 1..3', 'header X', 'after X 4'])
  expect(uuidsOf(history)).toEqual(['H', '1', '2', '3', '4'])
  expect(walkOf(history).findings.map(({ code }) => code)).toEqual([
    'extra_header',
    'dangling_prev',
  ])
})

test('the first event of a log without a header is its root', () => {
  const walk = walkOf(new History({ header: null }).m('1', '2'))
  expect(walk.path).toEqual([0, 1])
  expect(walk.findings.map(({ code }) => code)).toEqual(['missing_header'])
})

test('`at` means the last on-chain event with that uuid', () => {
  const history = play(['m 1..3', 'again 1', 'm 4'])
  expect(uuidsOf(history, '2')).toEqual(['H', '1', '2'])
  expect(uuidsOf(history, '1')).toEqual(['H', '1', '2', '3', '1'])
})

test('`at` an off-chain event means the on-chain event before it', () => {
  const history = play(['m 1', 'summary S', 'm 2', 'revise S better', 'm 3'])
  const revision = history.lines[4]!.event.uuid
  expect(uuidsOf(history, revision)).toEqual(['H', '1', 'S', '2'])
})

test('`at` an unknown event gives an empty path', () => {
  const history = play(['m 1..3'])
  expect(walkOf(history, { at: 'gone' })).toMatchObject({ path: [], isUndecided: false })
  expect(walkOf(history, { at: 'gone', isWhole: false })).toMatchObject({ isUndecided: true })
})

test('the path of the last links of a file ends at the unread part', () => {
  const history = play(['m 1..6', 'compact S keep 5..6', 'm 7'])
  const walk = walkChain(linksOf(history).slice(5), { isWhole: false })
  expect(walk).toMatchObject({ path: [0, 1, 2, 3, 4], reachedOpaque: true, isUndecided: false })
  expect(walk.findings).toEqual([])
})

test('without a boundary at its stated offset the last links do not decide which event is the tip', () => {
  const links = linksOf(play(['m 1..6']))
  expect(walkChain(links.slice(3), { isWhole: false }).isUndecided).toBe(true)
  // It may all be a copied block: the same lines may stand in the part that was not read.
  const copied = linksOf(play(['m 1..6', 'compact S keep 5..6', 'm 7', 'copy 5', 'copy 6']))
  expect(walkChain(copied.slice(5), { isWhole: false })).toMatchObject({ isUndecided: false })
  expect(walkChain(copied.slice(6), { isWhole: false })).toMatchObject({ isUndecided: true })
})

test('a header among the last links is not taken as the root', () => {
  const links = linksOf(play(['m 1..3', 'header X', 'after X 4', 'compact S keep 4..4', 'm 5']))
  const walk = walkChain(links.slice(4), { isWhole: false })
  expect(walk).toMatchObject({ path: [1, 2, 3, 4], reachedOpaque: true, isUndecided: false })
})

test('nothing can follow a tip whose uuid is repeated after it', () => {
  const history = play(['m 1..3'])
  expect(walkOf(history).nextPrevUuid).toBe('3')
  expect(walkOf(history, { at: '2' }).nextPrevUuid).toBe(null)
  // The copy names an event before the tip, so it is no tip itself, but it catches the links.
  expect(walkOf(history.copy(3)).nextPrevUuid).toBe(null)
})

test('an empty log has an empty path', () => {
  expect(walkChain([])).toMatchObject({ path: [], findings: [], degraded: false })
  expect(walkChain([], { isWhole: false })).toMatchObject({ path: [], isUndecided: true })
})

function linksOf(history: History) {
  return history.events.map(({ event, byte_offset }) => {
    return linkOf(event, byte_offset)
  })
}

function walkOf(history: History, options?: Parameters<typeof walkChain>[1]) {
  return walkChain(linksOf(history), options)
}

function uuidsOf(history: History, at?: string): string[] {
  return walkOf(history, { at }).path.map((position) => history.events[position]!.event.uuid)
}
