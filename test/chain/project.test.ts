// What the thirty cases leave out: revisions, lists of kept events, epochs, forks, rewinds.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  EMPTY_START,
  isGap,
  LiveProjection,
  type Projection,
  projectLog,
} from '../../lib/chain/index.js'
import { runs } from '../helpers/effort.js'
import { type Cut, History } from './history.js'
import { play, type Step } from './notation.js'
import { randomHistory, randomSteps, rewindTo, TAME } from './random-history.js'
import { expectSameFromEveryCut, lost, namesOf, readForward, readFrom } from './reading.js'

test('the newest revision of a summary is shown, also as of an earlier event', () => {
  const history = play([
    'm 1 2',
    'compact S keep 2..2',
    'm 3',
    'revise S better',
    'm 4',
    'revise S best',
  ])
  expect(textsOf(readForward(history).projection)).toEqual(['best'])
  expect(textsOf(readForward(history, undefined, '3').projection)).toEqual(['best'])
})

test('`then` shows a summary with the text it had before the next event', () => {
  const history = play([
    'm 1 2',
    'compact S keep 2..2',
    'm 3',
    'revise S better',
    'm 4',
    'revise S best',
  ])
  expect(textsThen(history, 'B')).toEqual(['sums up S'])
  expect(textsThen(history, '3')).toEqual(['better'])
  expect(textsThen(history, '4')).toEqual(['best'])
})

test('a revision refers to the nearest earlier summary with its uuid', () => {
  const history = play([
    'm 1 2',
    'compact S keep 2..2',
    'revise S first',
    'm 3',
    'compact S keep 3..3',
  ])
  expect(textsOf(readForward(history).projection)).toEqual(['sums up S'])
  expect(textsOf(readForward(history, undefined, '3').projection)).toEqual(['first'])
  history.revise('S', 'second')
  expect(textsOf(readForward(history).projection)).toEqual(['second'])
  expect(textsOf(readForward(history, undefined, '3').projection)).toEqual(['first'])
})

test('a blank revision has no effect', () => {
  const history = play(['m 1 2', 'compact S keep 2..2', 'revise S  ', 'revise T other'])
  expect(textsOf(readForward(history).projection)).toEqual(['sums up S'])
})

test('a child shows the revised summary of its parent', () => {
  const parent = play(
    ['m 1 2', 'compact S keep 2..2', 'revise S better'],
    new History({ file: 'p' }),
  )
  const child = play(['m 3'])
  const { projection } = readForward(child, readForward(parent).projection.continuation)
  expect(textsOf(projection)).toEqual(['better'])
})

test('a list of kept events replaces a range and gives the order', () => {
  const keptUuids = ['5', '2', '5']
  expect(shownAfter(['m 1..6'], { keptUuids })).toBe('S 5 2 7')
  expect(shownAfter(['m 1..6'], { keptUuids, isPrefix: true })).toBe('5 2 S 7')
  expect(shownAfter(['m 1..6'], { keptUuids: [] })).toBe('S 7')
})

test('events after the covered part follow a list of kept events', () => {
  const cut = { keptUuids: ['2', '6x'], coveredTo: '6' }
  expect(shownAfter(['m 1..6 6x 6y'], cut)).toBe('S 2 6x 6y 7')
  expect(shownAfter(['m 1..6 6x 6y'], { ...cut, isPrefix: true })).toBe('2 6x S 6y 7')
  expect(shownAfter(['m 1..6'], { ...cut, coveredTo: 'gone' })).toBe('1 2 3 4 5 6 7')
})

test('each missing kept event is reported, and the others are kept', () => {
  const history = play(['m 1..6']).compact({ summary: 'S', keptUuids: ['gone', '2', 'lost'] })
  const { projection } = readForward(history)
  expect(namesOf(projection, 'log')).toBe('S 2')
  expect(projection.degraded).toBe(true)
  expect(projection.diagnostics.map(({ code, uuid }) => [code, uuid])).toEqual([
    ['compaction_entry_missing', 'B'],
    ['compaction_entry_missing', 'B'],
  ])
})

test('an invalid uuid in a list of kept events is reported', () => {
  const history = play(['m 1..6']).compact({ summary: 'S', keptUuids: [5 as never, '2'] })
  const { projection } = readForward(history)
  expect(namesOf(projection, 'log')).toBe('S 2')
  expect(projection.diagnostics).toMatchObject([
    {
      code: 'compaction_entry_missing',
      message: expect.stringContaining('without a name') as string,
    },
  ])
})

test('the projection of an empty log is empty', () => {
  for (const revisions of ['then', 'newest'] as const) {
    expect(projectLog([], { file: 'log', revisions }).projection.entries).toEqual([])
  }
})

test('a compaction of another tool without a text takes effect without a summary', () => {
  const external = { text: '', fields: { strategy: 'external' } }
  expect(shownAfter(['m 1..6'], { ...external, head: '5', tail: '6' })).toBe('5 6 7')
  expect(shownAfter(['m 1..6'], external)).toBe('7')
})

test('a compaction of this library without a text has no effect', () => {
  expect(shownAfter(['m 1..6'], { text: ' \n', head: '5', tail: '6' })).toBe('1 2 3 4 5 6 7')
})

// Requirement: 003-66
test('a boundary that does not say what it keeps has no effect', () => {
  for (const headUuid of [undefined, 5, {}, []]) {
    expect(shownAfter(['m 1 2'], { fields: { headUuid } })).toBe('1 2 7')
  }
  expect(shownAfter(['m 1 2'], { fields: { anchorUuid: '1' } })).toBe('1 2 7')
})

// Requirement: 003-66
test('a boundary with a damaged summary has no effect and is reported', () => {
  const history = play(['m 1..6', 'compact S keep 5..6', 'm 7', 'damage S'])
  const { projection } = readForward(history)
  expect(namesOf(projection, 'log')).toBe('1 2 3 4 5 6 7')
  expect(projection.degraded).toBe(true)
})

test('a uuid refers to the event of its own file before an inherited one', () => {
  const parent = play(['m 1 2', 'compact S keep 2..2'], new History({ file: 'parent' }))
  const { continuation } = readForward(parent).projection
  const child = play(['m 3', 'compact S keep S..3 covers nothing', 'm 4'])
  expect(namesOf(readForward(child, continuation).projection, 'log')).toBe(
    'S parent/S parent/2 3 4',
  )
  const { projection } = readForward(play(['compact S2 keep S..4'], child), continuation)
  expect(namesOf(projection, 'log')).toBe('S2 S parent/S parent/2 3 4')
})

test('an event that is repeated in the parent is left out only while the first one is shown', () => {
  const parent = play(['m 1 2 3', 'again 1'], new History({ file: 'parent' }))
  const { continuation } = readForward(parent).projection
  const child = play(['m 4'])
  const before = readForward(child, continuation).projection
  expect(namesOf(before, 'log')).toBe('parent/1 parent/2 parent/3 4')
  const { projection } = readForward(play(['compact S keep 3..4'], child), continuation)
  expect(namesOf(projection, 'log')).toBe('S parent/3 parent/1 4')
})

test('a boundary whose summary is not directly before it has no effect', () => {
  const history = play(['m 1 2', 'summary S', 'm 3', 'boundary S keep 2..3'])
  expect(namesOf(readForward(history).projection, 'log')).toBe('1 2 3')
})

test('a summary of the own file is preferred where the parent was read in part', () => {
  const steps = ['m 1 2', 'compact Sp prefix 1..1 covers 2', 'm S 4'] as const
  const parent = play(steps, new History({ file: 'parent' }))
  const again = ['m c2', 'compact S2 keep S..c2 covers nothing', 'm c3'] as const
  const child = play(['m c1', 'compact S keep 1..c1 covers nothing', ...again])
  const whole = readForward(child, readForward(parent).projection.continuation).projection
  expect(namesOf(whole, 'log')).toBe('S2 S parent/1 parent/Sp parent/S parent/4 c1 c2 c3')
  const part = readForward(child, readFrom(3, parent).projection.continuation).projection
  expect(part.complete).toBe(false)
})

// In doubt more is opaque than the first entry: what a head that may be gone would have dropped.
test.each([
  [['m 1..6', 'compact S keep gone..6 covers 4', 'm 7', 'compact S2 keep 3..7 covers 2', 'm 8']],
  [['m 1..6', 'compact S prefix gone..4 covers 5', 'm 7', 'compact S2 keep 3..7 covers 2', 'm 8']],
  [['m 1..6', 'compact S prefix 1..4 covers gone', 'm 7', 'compact S2 keep 6..7 covers 5', 'm 8']],
  [['m 1..6', 'compact S nothing covers gone', 'm 7', 'compact S2 keep 5..7 covers 4', 'm 8']],
  [['m 1..6', 'rewind to gone at 6', 'm 7', 'compact S2 keep 5..7 covers 4', 'm 8']],
])('a reader of the end of %j sees no more than a reader of all of it', (steps) => {
  expectSameFromEveryCut(play(steps))
})

test('a projection is degraded as long as the gap is part of it', () => {
  const steps = ['m 1..3', 'damage 2', 'm 4'] as const
  expect(readForward(play(steps)).projection.degraded).toBe(true)
  expect(readForward(play([...steps, 'compact S keep 4..4'])).projection.degraded).toBe(false)
  const { projection } = readForward(play(['m 1', 'compact S nothing']), lost())
  expect(projection.degraded).toBe(false)
  expect(projection.diagnostics.map(({ code }) => code)).toEqual(['parent_session_missing'])
})

// Requirement: 18-15
test.for([
  ['has no effect', ['m 1..6', 'compact S keep gone..6 covers gone', 'm 7']],
  ['has a tail that is gone', ['m 1..6', 'compact S keep 5..gone covers 4', 'm 7']],
  ['has a tail before its head', ['m 1..6', 'compact S keep 5..2 covers 4', 'm 7']],
] as const)('a projection is degraded while its newest boundary %s', ([, steps]) => {
  const { projection } = readForward(play(steps))
  expect(projection.degraded).toBe(true)
  expect(projection.diagnostics).toHaveLength(1)
  // A session that continues it is degraded, too, until a valid compaction.
  const child = readForward(play(['m 8']), projection.continuation).projection
  expect(child.degraded).toBe(true)
  const valid = readForward(play([...steps, 'compact S2 keep 7..7 covers 6'])).projection
  expect(valid.degraded).toBe(false)
  expectSameFromEveryCut(play([...steps, 'compact S2 keep 7..7 covers 6', 'm 8']))
  expectSameFromEveryCut(play(steps))
})

test('the epoch is that of the last boundary, and 0 in a new child', () => {
  const history = play(['m 1..3', 'compact S keep 3..3', 'm 4', 'compact S2 keep 4..4'])
  const { projection } = readForward(history)
  expect(projection).toMatchObject({ contextEpoch: 2, lastBoundary: { uuid: 'B2', epoch: 2 } })
  const child = readForward(play(['m 5']), projection.continuation).projection
  expect(child).toMatchObject({ contextEpoch: 0, lastBoundary: null, compactedCount: 2 })
  // Undone by a rewind, it counts no more.
  const undone = readForward(history.rewind('R', '4')).projection
  expect(undone).toMatchObject({ contextEpoch: 1, lastBoundary: { uuid: 'B', epoch: 1 } })
})

test('a subagent result is shown unless a tool result contains it', () => {
  const history = new History()
  history.add({ type: 'subagent_result', uuid: 'answered', payload: { tool_call_id: 'a' } })
  history.add({ type: 'subagent_result', uuid: 'alone', payload: { summary: 'found' } })
  expect(namesOf(readForward(history).projection, 'log')).toBe('alone')
})

test('in a fork offsets are relative to the end of its own header', () => {
  const source = play(['m 1..6', 'compact S keep 5..6', 'm 7'])
  const header = new History({ header: null }).header('F', {
    forked_from: { session_id: 'log', at_uuid: '7', base: 10 },
  })
  const base = header.size
  const events = [
    ...header.events,
    ...source.events.map((line) => ({ ...line, byte_offset: line.byte_offset + base })),
  ]
  const part = { file: 'fork', isWhole: false }
  const last = events.slice(-5)
  expect(projectLog(last, { ...part, offsetBase: base }).projection.complete).toBe(true)
  expect(projectLog(last, part).projection.complete).toBe(false)
})

test('a message costs the same however many came before it', () => {
  const live = new LiveProjection({ file: 'log', start: EMPTY_START })
  const history = new History().m(...Array.from({ length: 1000 }, (_, index) => `m${index}`))
  const { entries } = live
  for (const line of history.events) expect(live.push(line)).toBe(true)
  expect(live.entries, 'the very same array').toBe(entries)
  expect(entries.length).toBe(1000)
})

// Honest histories only: where uuids are repeated, a name has two meanings.
test('a valid rewind shows everything up to its target', () => {
  const property = fc.property(
    randomSteps(12, TAME),
    fc.nat(),
    fc.boolean(),
    (steps, pick, hasParent) => {
      const parent = play(['m p1..p3', 'compact Sp keep p3..p3'], new History({ file: 'parent' }))
      const start = hasParent ? readForward(parent).projection.continuation : undefined
      const history = randomHistory(steps, { start })
      const before = namesOf(readForward(history, start).projection, 'log').split(' ')
      const target = pick % before.length
      if (before[target] === '') return
      const to = before[target]!.replace('parent/', '')
      rewindTo(to, { history, start, prefix: 'x', count: 0 })
      const after = namesOf(readForward(history, start).projection, 'log').split(' ')
      expect(after).toEqual(before.slice(0, target + 1))
    },
  )
  fc.assert(property, { numRuns: runs(1000) })
})

function shownAfter(steps: readonly Step[], cut: Omit<Cut, 'summary'>): string {
  const history = play(steps)
    .compact({ summary: 'S', ...cut })
    .m('7')
  return namesOf(readForward(history).projection, 'log')
}

function textsOf({ entries }: Projection): string[] {
  return entries.flatMap((entry) => (isGap(entry) || entry.kind === 'event' ? [] : entry.text))
}

function textsThen({ file, events }: History, at: string): string[] {
  return textsOf(projectLog(events, { file, at, revisions: 'then' }).projection)
}
