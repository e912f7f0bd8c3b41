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

test('`then` shows a summary as it read before the next event', () => {
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

test('a revision means the nearest summary of that uuid before it', () => {
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

test('a revision that says nothing revises nothing', () => {
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

test('a list of kept events takes the place of a range, in its own order', () => {
  const keptUuids = ['5', '2', '5']
  expect(shownAfter(['m 1..6'], { keptUuids })).toBe('S 5 2 7')
  expect(shownAfter(['m 1..6'], { keptUuids, isPrefix: true })).toBe('5 2 S 7')
  expect(shownAfter(['m 1..6'], { keptUuids: [] })).toBe('S 7')
})

test('what came after the covered part stays behind a list of kept events', () => {
  const cut = { keptUuids: ['2', '6x'], coveredTo: '6' }
  expect(shownAfter(['m 1..6 6x 6y'], cut)).toBe('S 2 6x 6y 7')
  expect(shownAfter(['m 1..6 6x 6y'], { ...cut, isPrefix: true })).toBe('2 6x S 6y 7')
  expect(shownAfter(['m 1..6'], { ...cut, coveredTo: 'gone' })).toBe('1 2 3 4 5 6 7')
})

test('kept events that are missing are reported one by one, and the rest is kept', () => {
  const history = play(['m 1..6']).compact({ summary: 'S', keptUuids: ['gone', '2', 'lost'] })
  const { projection } = readForward(history)
  expect(namesOf(projection, 'log')).toBe('S 2')
  expect(projection.isDegraded).toBe(true)
  expect(projection.diagnostics.map(({ code, uuid }) => [code, uuid])).toEqual([
    ['kept_uuid_missing', 'B'],
    ['kept_uuid_missing', 'B'],
  ])
})

test('a kept event that is named by no uuid is reported as one without a name', () => {
  const history = play(['m 1..6']).compact({ summary: 'S', keptUuids: [5 as never, '2'] })
  const { projection } = readForward(history)
  expect(namesOf(projection, 'log')).toBe('S 2')
  expect(projection.diagnostics).toMatchObject([
    { code: 'kept_uuid_missing', message: expect.stringContaining('without a name') as string },
  ])
})

test('a log without events shows nothing, at any time', () => {
  for (const revisions of ['then', 'newest'] as const) {
    expect(projectLog([], { file: 'log', revisions }).projection.entries).toEqual([])
  }
})

test('a compaction of another tool without a text counts, and shows no summary', () => {
  const external = { text: '', fields: { strategy: 'external' } }
  expect(shownAfter(['m 1..6'], { ...external, head: '5', tail: '6' })).toBe('5 6 7')
  expect(shownAfter(['m 1..6'], external)).toBe('7')
})

test('a compaction of ours without a text does not count', () => {
  expect(shownAfter(['m 1..6'], { text: ' \n', head: '5', tail: '6' })).toBe('1 2 3 4 5 6 7')
})

test('a boundary that does not say what it keeps does not count (003-66)', () => {
  for (const headUuid of [undefined, 5, {}, []]) {
    expect(shownAfter(['m 1 2'], { fields: { headUuid } })).toBe('1 2 7')
  }
  expect(shownAfter(['m 1 2'], { fields: { anchorUuid: '1' } })).toBe('1 2 7')
})

test('a damaged summary leaves everything as it was, visibly (003-66)', () => {
  const history = play(['m 1..6', 'compact S keep 5..6', 'm 7', 'damage S'])
  const { projection } = readForward(history)
  expect(namesOf(projection, 'log')).toBe('1 2 3 4 5 6 7')
  expect(projection.isDegraded).toBe(true)
})

test('of an own and an inherited event of one uuid the own is meant, wherever it stands', () => {
  const parent = play(['m 1 2', 'compact S keep 2..2'], new History({ file: 'parent' }))
  const { continuation } = readForward(parent).projection
  const child = play(['m 3', 'compact S keep S..3 covers nothing', 'm 4'])
  expect(namesOf(readForward(child, continuation).projection, 'log')).toBe(
    'S parent/S parent/2 3 4',
  )
  const { projection } = readForward(play(['compact S2 keep S..4'], child), continuation)
  expect(namesOf(projection, 'log')).toBe('S2 S parent/S parent/2 3 4')
})

test('an event repeated in the parent is left out only while its first is shown', () => {
  const parent = play(['m 1 2 3', 'again 1'], new History({ file: 'parent' }))
  const { continuation } = readForward(parent).projection
  const child = play(['m 4'])
  const before = readForward(child, continuation).projection
  expect(namesOf(before, 'log')).toBe('parent/1 parent/2 parent/3 4')
  const { projection } = readForward(play(['compact S keep 3..4'], child), continuation)
  expect(namesOf(projection, 'log')).toBe('S parent/3 parent/1 4')
})

test('a summary that is not right before its boundary does not count', () => {
  const history = play(['m 1 2', 'summary S', 'm 3', 'boundary S keep 2..3'])
  expect(namesOf(readForward(history).projection, 'log')).toBe('1 2 3')
})

test('an own summary that went into the unread part of a parent is still meant first', () => {
  const steps = ['m 1 2', 'compact Sp prefix 1..1 covers 2', 'm S 4'] as const
  const parent = play(steps, new History({ file: 'parent' }))
  const again = ['m c2', 'compact S2 keep S..c2 covers nothing', 'm c3'] as const
  const child = play(['m c1', 'compact S keep 1..c1 covers nothing', ...again])
  const whole = readForward(child, readForward(parent).projection.continuation).projection
  expect(namesOf(whole, 'log')).toBe('S2 S parent/1 parent/Sp parent/S parent/4 c1 c2 c3')
  const part = readForward(child, readFrom(3, parent).projection.continuation).projection
  expect(part.isComplete).toBe(false)
})

// In doubt more is opaque than the first entry: what a head that may be gone would have dropped.
test.each([
  [['m 1..6', 'compact S keep gone..6 covers 4', 'm 7', 'compact S2 keep 3..7 covers 2', 'm 8']],
  [['m 1..6', 'compact S prefix gone..4 covers 5', 'm 7', 'compact S2 keep 3..7 covers 2', 'm 8']],
  [['m 1..6', 'compact S prefix 1..4 covers gone', 'm 7', 'compact S2 keep 6..7 covers 5', 'm 8']],
  [['m 1..6', 'compact S nothing covers gone', 'm 7', 'compact S2 keep 5..7 covers 4', 'm 8']],
  [['m 1..6', 'rewind to gone at 6', 'm 7', 'compact S2 keep 5..7 covers 4', 'm 8']],
])('whoever reads only the end of %j sees no more than whoever reads all', (steps) => {
  expectSameFromEveryCut(play(steps))
})

test('a gap counts as long as the model would see it', () => {
  const steps = ['m 1..3', 'damage 2', 'm 4'] as const
  expect(readForward(play(steps)).projection.isDegraded).toBe(true)
  expect(readForward(play([...steps, 'compact S keep 4..4'])).projection.isDegraded).toBe(false)
  const { projection } = readForward(play(['m 1', 'compact S nothing']), lost())
  expect(projection.isDegraded).toBe(false)
  expect(projection.diagnostics.map(({ code }) => code)).toEqual(['lineage_missing'])
})

test('the epoch is the one the last boundary says, and a child begins at none', () => {
  const history = play(['m 1..3', 'compact S keep 3..3', 'm 4', 'compact S2 keep 4..4'])
  const { projection } = readForward(history)
  expect(projection).toMatchObject({ contextEpoch: 2, lastBoundary: { uuid: 'B2', epoch: 2 } })
  const child = readForward(play(['m 5']), projection.continuation).projection
  expect(child).toMatchObject({ contextEpoch: 0, lastBoundary: null, compactedCount: 2 })
  // Undone by a rewind, it counts no more.
  const undone = readForward(history.rewind('R', '4')).projection
  expect(undone).toMatchObject({ contextEpoch: 1, lastBoundary: { uuid: 'B', epoch: 1 } })
})

test('what a subagent found is shown unless a tool result tells it', () => {
  const history = new History()
  history.add({ type: 'subagent_result', uuid: 'told', payload: { tool_call_id: 'a' } })
  history.add({ type: 'subagent_result', uuid: 'alone', payload: { summary: 'found' } })
  expect(namesOf(readForward(history).projection, 'log')).toBe('alone')
})

test('in a fork offsets count from the end of its own header', () => {
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
  expect(projectLog(last, { ...part, offsetBase: base }).projection.isComplete).toBe(true)
  expect(projectLog(last, part).projection.isComplete).toBe(false)
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
test('a rewind by the rules shows everything up to its target', () => {
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
  fc.assert(property, { numRuns: 1000 })
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
