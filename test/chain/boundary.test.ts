// One boundary, one projection before it: each answer whole, findings and doubts included.

import { expect, test } from 'vitest'
import { applyBoundary } from '../../lib/chain/boundary.js'
import type { PlacedEvent, ProjectionEntry } from '../../lib/chain/index.js'
import { EITHER, findEntry, MISSING, UNREAD } from '../../lib/chain/projection.js'

type Fields = Readonly<Record<string, unknown>>

const suffix = { summary_event_uuid: 'S', anchorUuid: 'S' }
const prefix = { summary_event_uuid: 'S', anchorUuid: 'B' }
const summary = placed('summary', 'S', { text: 'sums up' })

test('a boundary whose head is missing may cover the first entry only', () => {
  const fields = { ...suffix, headUuid: 'gone', coveredToUuid: 'a' }
  expect(apply('a b c', fields)).toEqual({
    entries: 'S ?missing b c',
    isCommitted: true,
    codes: ['compaction_head_missing'],
  })
  expect(apply('?lost b c', { ...fields, coveredToUuid: 'gone' }).entries).toBe('S ?missing b c')
  expect(apply('a b c', { ...fields, coveredToUuid: 'gone' })).toEqual(uncommitted('a b c'))
})

// Requirements: 003-66, 18-15
test.for([
  ['names no event', 'gone', ['compaction_tail_mismatch']],
  ['is before the head', 'a', ['compaction_tail_mismatch']],
  ['is kept', 'b', []],
  ['is missing', undefined, []],
] as const)(
  'a suffix boundary whose tail %s keeps everything from its head on',
  ([, tailUuid, codes]) => {
    const patch = apply('a b c', { ...suffix, headUuid: 'b', tailUuid })
    expect(patch).toEqual({ entries: 'S b c', isCommitted: true, codes })
  },
)

// Requirement: 003-66
test('a boundary that does not say what it keeps has no effect', () => {
  for (const headUuid of [undefined, 5, {}]) {
    const patch = apply('a b', { ...suffix, headUuid, coveredToUuid: 'a' })
    expect(patch).toEqual(uncommitted('a b'))
  }
})

test('the summary of a boundary is directly before it, has the named uuid and has a text', () => {
  const external = { ...suffix, headUuid: null, strategy: 'external' }
  const text = { text: 'sums up' }
  expect(apply('a', external, placed('user', 'S', text))).toEqual(uncommitted('a'))
  expect(apply('a', external, placed('summary', 'T', text))).toEqual(uncommitted('a'))
  expect(apply('a', external, undefined)).toEqual(uncommitted('a'))
  for (const wrong of [{}, { text: 5 }, null]) {
    expect(apply('a', external, placed('summary', 'S', wrong))).toEqual(uncommitted('a'))
  }
  expect(apply('a', external, placed('summary', 'S', { text: ' ' })).entries).toBe('')
})

test('a boundary that keeps nothing must cover an entry of the log', () => {
  const fields = { ...suffix, headUuid: null }
  expect(apply('a b', { ...fields, coveredToUuid: 'gone' })).toEqual(uncommitted('a b'))
  expect(apply('a b', { ...fields, coveredToUuid: 'a' }).entries).toBe('S b')
  expect(apply('a b', { ...fields, coveredToUuid: null }).entries).toBe('S')
  expect(apply('', fields).entries).toBe('S')
})

test('a kept prefix needs its head, its tail and the covered entry, in this order', () => {
  const fields = { ...prefix, headUuid: 'a', tailUuid: 'b', coveredToUuid: 'c' }
  expect(apply('a b c d', fields).entries).toBe('a b S d')
  expect(apply('a b c d', { ...fields, coveredToUuid: null }).entries).toBe('a b S')
  for (const wrong of [
    { headUuid: 'gone' },
    { tailUuid: 'gone' },
    { coveredToUuid: 'gone' },
    { headUuid: 'b', tailUuid: 'a' },
  ]) {
    expect(apply('a b c d', { ...fields, ...wrong })).toEqual(uncommitted('a b c d'))
  }
})

test('where the unread part decides, only the entries that all outcomes share are kept', () => {
  const read = '?opaque a b c'
  const head = { ...suffix, headUuid: 'x' }
  expect(apply(read, { ...head, coveredToUuid: 'a' })).toEqual(doubtful('?opaque b c', true))
  expect(apply(read, { ...head, coveredToUuid: 'y' })).toEqual(doubtful('?opaque a b c'))
  expect(apply(read, { ...suffix, headUuid: null, coveredToUuid: 'y' })).toEqual(
    doubtful('?opaque a b c'),
  )
  const range = { ...prefix, headUuid: 'a', tailUuid: 'b' }
  expect(apply(read, { ...range, coveredToUuid: 'y' })).toEqual(doubtful('?opaque c'))
  expect(apply(read, { ...range, headUuid: 'x', coveredToUuid: 'b' })).toEqual(
    doubtful('?opaque c'),
  )
  // A tail that is no name can be in no part, read or not.
  const nameless = { ...range, headUuid: 'x', tailUuid: 5, coveredToUuid: 'b' }
  expect(apply(read, nameless)).toEqual(uncommitted(read))
  expect(apply(read, { ...suffix, headUuid: 'a' }, 'unread')).toEqual(doubtful('?opaque'))
})

test('a uuid that an ancestor also has is ambiguous while part of the own file is unread', () => {
  const entries = [gap('opaque'), event('a', 'parent'), event('b')]
  expect(apply(entries, { ...suffix, headUuid: 'a' })).toEqual(doubtful('?opaque'))
})

test('a listed event is kept once, in the order of the list, followed by the rest', () => {
  const list = { ...suffix, keptUuids: ['d', 'a'], coveredToUuid: 'b' }
  expect(apply('a b c d', list)).toEqual({ entries: 'S d a c', isCommitted: true, codes: [] })
  expect(apply('a b c d', { ...list, coveredToUuid: 'gone' })).toEqual(uncommitted('a b c d'))
  expect(apply('?opaque a b', { ...list, coveredToUuid: 'y' })).toEqual(doubtful('?opaque'))
  const unread = { ...suffix, keptUuids: ['x', 'b'], coveredToUuid: 'b' }
  expect(apply('?opaque a b c', unread)).toEqual(doubtful('?opaque b c', true))
})

test('a uuid refers to the last entry of its own file, else to the last of an ancestor', () => {
  const own = [event('a', 'parent'), event('a'), event('a', 'parent')]
  expect(findEntry(own, 'a', 'log')).toBe(1)
  const inherited = [event('a', 'parent'), event('a', 'parent'), event('b')]
  expect(findEntry(inherited, 'a', 'log')).toBe(1)
  expect(findEntry([gap('opaque'), ...inherited], 'a', 'log')).toBe(EITHER)
  expect(findEntry([gap('opaque', 'parent'), ...inherited], 'a', 'log')).toBe(2)
  expect(findEntry([gap('opaque', 'parent'), ...inherited], 'x', 'log')).toBe(UNREAD)
  expect(findEntry([gap('lost', 'parent')], undefined, 'log')).toBe(MISSING)
})

function uncommitted(entries: string) {
  return { entries, isCommitted: false, codes: ['compaction_uncommitted'] }
}

function doubtful(entries: string, isCommitted: true | 'unknown' = 'unknown') {
  return { entries, isCommitted, codes: [] }
}

function apply(
  given: string | readonly ProjectionEntry[],
  fields: Fields,
  ...befores: readonly (PlacedEvent | 'unread' | undefined)[]
) {
  const before = befores.length === 0 ? summary : befores[0]
  const entries = typeof given === 'string' ? entriesOf(given) : given
  const boundary = placed('compaction_boundary', 'B', fields)
  const patch = applyBoundary({ entries, file: 'log', boundary, before, textOf: () => 'sums up' })
  return {
    entries: patch.entries.map(nameOf).join(' '),
    isCommitted: patch.isCommitted,
    codes: patch.findings.map(({ code }) => code),
  }
}

/** `?` marks a gap; the others are events of this file. */
function entriesOf(names: string): ProjectionEntry[] {
  return names
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => (name.startsWith('?') ? gap(name.slice(1) as 'lost' | 'opaque') : event(name)))
}

function nameOf(entry: ProjectionEntry): string {
  return 'event' in entry ? entry.event.uuid : `?${entry.kind}`
}

function gap(kind: 'lost' | 'opaque', file = 'log'): ProjectionEntry {
  return { kind, file }
}

function event(uuid: string, file = 'log'): ProjectionEntry {
  return { kind: 'event', file, ...placed('user', uuid, {}) }
}

function placed(type: string, uuid: string, payload: unknown): PlacedEvent {
  return { event: { type, ts: '', uuid, prev_uuid: null, payload }, byte_offset: 7 }
}
