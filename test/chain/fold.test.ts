// The fold and what advances it, event by event: what each of them must leave alone.

import { expect, test } from 'vitest'
import { Revisions } from '../../lib/chain/fold.js'
import {
  LiveProjection,
  lostStart,
  opaqueStart,
  type PlacedEvent,
  projectLog,
} from '../../lib/chain/index.js'
import { walkChain } from '../../lib/chain/walk.js'
import { linkOf } from '../../lib/format/index.js'
import { History } from './history.js'
import { play } from './notation.js'
import { readForward } from './reading.js'

test('a boundary without effect does not change the count of compacted entries', () => {
  const history = play(['m 1 2', 'compact S keep 2..2', 'm 3'])
  history.compact({ summary: 'S2', head: 'gone', tail: '3', coveredTo: 'gone' })
  const { projection } = readForward(history)
  expect(projection).toMatchObject({
    compactedCount: 2,
    lastBoundary: { uuid: 'B', epoch: 1 },
    unfinishedCompaction: 'B2',
  })
})

test('an uncertain boundary is not the last boundary', () => {
  const { events } = play(['m 1..4', 'compact S keep 2..4', 'm 5'])
  const { projection } = projectLog(events.slice(3), { file: 'log', isWhole: false })
  expect(projection).toMatchObject({ complete: false, lastBoundary: null })
})

test('a boundary at the start of a child whose parent was read from its end has no effect', () => {
  const child = new History({ header: null }).boundary({ summary: 'S', head: null })
  const { projection } = readForward(child, opaqueStart('parent'))
  expect(projection.diagnostics.map(({ code }) => code)).toEqual(['compaction_uncommitted'])
})

test('a boundary that is the first event read may take effect', () => {
  const child = new History({ header: null }).boundary({ summary: 'S', head: null })
  const { events, file } = child
  const { projection } = projectLog(events, { file, isWhole: false })
  expect(projection.diagnostics).toEqual([])
  expect(projection.complete).toBe(false)
})

test('the diagnostics of an ancestor are reported in every generation', () => {
  const start = lostStart('grandparent', 'parent_session_missing', 'It is not there')
  const parent = readForward(new History({ file: 'parent' }).m('1'), start).projection
  const { diagnostics } = readForward(new History().m('2'), parent.continuation).projection
  expect(diagnostics).toMatchObject([{ code: 'parent_session_missing', file: 'grandparent' }])
})

test('a revision changes the summary of its own file only, even at the same offset as in a parent', () => {
  const parent = play(['m 1 2', 'compact S keep 2..2'], new History({ file: 'parent' }))
  const { continuation: start } = readForward(parent).projection
  const byte_offset = parent.offsetOf('S')!
  const summary = placed('summary', 'S', '1', { text: 'own' })
  const names = { summary_event_uuid: 'S', anchorUuid: 'B', headUuid: 'S', tailUuid: '2' }
  const live = new LiveProjection({ file: 'log', start })
  for (const event of [user('1', null), { ...summary, byte_offset }]) live.push(event)
  live.push(placed('compaction_boundary', 'B', 'S', names))
  const before = live.entries.map((entry) => Object.keys(entry).length)
  const better = { summary_event_uuid: 'S', text: 'better' }
  expect(live.push(placed('summary_revision', 'r', null, better))).toBe(true)
  const texts = live.entries.map((entry) => (entry.kind === 'summary' ? entry.text : entry.kind))
  expect(texts).toEqual(['sums up S', 'event', 'better'])
  expect(live.entries.map((entry) => Object.keys(entry).length)).toEqual(before)
})

test('a rewind to a missing event is reported and has no effect', () => {
  const history = play(['m 1 2', 'rewind to gone at 2', 'm 3'])
  const { projection } = readForward(history)
  expect(history.shown).toEqual(['1', '2', '3'])
  expect(projection.diagnostics).toMatchObject([{ code: 'rewind_target_missing' }])
})

test('a rewind that removes nothing is not reported', () => {
  const history = play(['m 1 2']).add({
    type: 'rewind',
    uuid: 'R',
    payload: { truncate_after: null },
  })
  expect(readForward(history).projection.diagnostics).toEqual([])
})

test('a rewind into the unread part makes everything opaque', () => {
  const { events, file } = play(['m 1..3', 'rewind to 1 at 3', 'm 4'])
  const live = new LiveProjection({ file, start: opaqueStart(file), path: events.slice(2) })
  expect(live.entries).toMatchObject([{ kind: 'opaque', file }, { event: { uuid: '4' } }])
  expect(live.compactedCount).toBe(1)
})

test.each([[-1], [1.5], ['2'], [2 ** 60], [null]])(
  'an epoch of %j is invalid and counts as 0',
  (epoch) => {
    const history = play(['m 1']).compact({ summary: 'S', fields: { epoch } })
    expect(readForward(history).projection.lastBoundary).toEqual({ uuid: 'B', epoch: 0 })
  },
)

test('a repeated event is reported with its offset, and counts once among the compacted entries', () => {
  const history = play(['m 1 2 3', 'again 2', 'm 4'])
  history.compact({ summary: 'S', isPrefix: true, head: '1', tail: '4' })
  const { compactedCount, diagnostics } = readForward(history).projection
  expect(compactedCount).toBe(5)
  const { byte_offset } = history.lines[4]!
  expect(diagnostics).toMatchObject([
    { code: 'duplicate_uuid', file: 'log', byte_offset, uuid: '2' },
  ])
})

test('a missing parent is a gap', () => {
  const start = lostStart('parent', 'parent_session_missing', 'It is not there')
  expect(readForward(new History().m('1'), start).projection.degraded).toBe(true)
})

test('a log without a header has one root', () => {
  const live = new LiveProjection({ file: 'log' })
  expect(live.push(user('x', 'unknown'))).toBe(false)
  expect(live.push(user('1', null))).toBe(true)
  expect(live.push(user('2', null)), 'a second root').toBe(false)
  expect(live.push(user('2', '1'))).toBe(true)
  expect(live.entries.length).toBe(2)
})

test('an event without a link after a header is not a root', () => {
  const live = new LiveProjection({ file: 'log' })
  expect(live.push(header('H'))).toBe(true)
  expect(live.push(user('1', null))).toBe(false)
  expect(live.push(user('1', 'H'))).toBe(true)
})

test('the last of several leading headers is the root, and a later header is ignored', () => {
  const live = new LiveProjection({ file: 'log' })
  expect([live.push(header('F')), live.push(header('H'))]).toEqual([true, true])
  expect(live.push(user('1', 'F'))).toBe(false)
  expect(live.push(user('1', 'H'))).toBe(true)
  expect(live.push(header('X'))).toBe(true)
  expect(live.push(user('2', 'X'))).toBe(false)
  expect(live.push(user('2', '1'))).toBe(true)
})

test('an event without a link does not continue a tip that nothing can follow', () => {
  const live = new LiveProjection({ file: 'log', path: [user('1', null)], nextPrevUuid: null })
  expect(live.push(user('2', null))).toBe(false)
})

test('an off-chain event leaves the entries unchanged', () => {
  const live = new LiveProjection({ file: 'log', path: [user('1', null)], nextPrevUuid: '1' })
  const { entries } = live
  expect(live.push(placed('custom_note', 'n', null, {}))).toBe(true)
  expect(live.entries).toBe(entries)
})

test('only a summary_revision with a text revises, and only a summary', () => {
  const revisions = new Revisions()
  const take = (type: string, uuid: string, payload: unknown, byte_offset: number) =>
    revisions.add({ event: { type, ts: '', uuid, prev_uuid: null, payload }, byte_offset })
  const better = { summary_event_uuid: 'S', text: 'better' }
  take('summary', 'S', { text: 'good' }, 10)
  take('user', 'm', {}, 20)
  expect(take('user', 'u', better, 30)).toBeUndefined()
  expect(take('summary_revision', 'r', { ...better, summary_event_uuid: 'm' }, 40)).toBeUndefined()
  expect(take('summary_revision', 'r', { ...better, summary_event_uuid: 'no' }, 50)).toBeUndefined()
  expect(take('summary_revision', 'r', { ...better, text: 5 }, 60)).toBeUndefined()
  expect(revisions.textOf(10)).toBeUndefined()
  expect(take('summary_revision', 'r', better, 70)).toBe(10)
  expect(revisions.textOf(10)).toBe('better')
})

test('the leading headers of a fork count as one on-chain event', () => {
  const fork = new History({ header: 'F' }).header('H').m('1', '2').header('X')
  expect(walkChain(linksOf(fork)).onChainCount).toBe(3)
})

test('reports the second event without a link in a log without a header', () => {
  const history = play(['unlinked 1', 'unlinked 2'], new History({ header: null }))
  const codes = walkChain(linksOf(history)).findings.map(({ code, uuid }) => [code, uuid])
  expect(codes).toEqual([
    ['unlinked', '2'],
    ['missing_header', '1'],
  ])
})

test('an event requested by `at` that was read is certain, even if the tip is not', () => {
  const links = linksOf(play(['m 1..3'])).slice(2)
  expect(walkChain(links, { at: '2', isWhole: false })).toMatchObject({
    isUndecided: false,
    path: [0],
  })
  expect(walkChain(links, { at: '1', isWhole: false }).isUndecided).toBe(true)
  expect(walkChain(links, { at: 'unknown' }).isUndecided).toBe(false)
})

test('with `at` an off-chain event the path ends with the on-chain event before it', () => {
  const history = new History().m('1')
  for (const uuid of ['n1', 'n2', 'n3']) {
    history.add({ type: 'custom_note', uuid, prev_uuid: null, payload: {} })
  }
  expect(walkChain(linksOf(history), { at: 'n3' }).path).toEqual([0, 1])
})

function linksOf({ events }: History) {
  return events.map(({ event, byte_offset }) => linkOf(event, byte_offset))
}

function user(uuid: string, prev_uuid: string | null): PlacedEvent {
  return placed('user', uuid, prev_uuid, {})
}

function header(uuid: string): PlacedEvent {
  return placed('session_header', uuid, null, {})
}

function placed(
  type: string,
  uuid: string,
  prev_uuid: string | null,
  payload: unknown,
): PlacedEvent {
  return { event: { type, ts: '', uuid, prev_uuid, payload }, byte_offset: 0 }
}
