// The thirty cases of fixtures/projection: each read forward, from every cut, and line by line.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lineSchemaOf } from '../../lib/format/schemas.js'
import { History } from './history.js'
import { play, type Step } from './notation.js'
import {
  expectLiveEqualsRefold,
  expectSameFromEveryCut,
  lost,
  namesOf,
  readForward,
} from './reading.js'

interface Case {
  readonly case: number
  readonly log: readonly Step[]
  readonly parent?: readonly Step[] | null
  readonly projection: string
  readonly degraded: boolean
  readonly findings: readonly string[]
  readonly lines?: number
  readonly enough?: number | null
}

const fixture = new URL('../../fixtures/projection/cases.json', import.meta.url)
const cases: readonly Case[] = JSON.parse(readFileSync(fixture, 'utf8'))

test('case 1: a suffix compaction shows its summary, then what it kept (003-07, T13)', () => {
  check(1)
  const { walk } = readForward(historyOf(1).history)
  expect(walk.path.length, 'every event can still be walked').toBe(10)
})

test('a boundary names head, anchor, tail and summary, and changes no line (003-15)', () => {
  const history = play(['m 1..6'])
  const before = history.bytes
  const boundary = play(['compact S keep 5..6'], history).lines.at(-1)!.event
  expect(history.bytes.subarray(0, before.length)).toEqual(before)
  const schema = lineSchemaOf('compaction_boundary')!
  expect(schema.safeParse(boundary).success).toBe(true)
  for (const field of ['headUuid', 'anchorUuid', 'tailUuid', 'summary_event_uuid']) {
    const payload = { ...(boundary.payload as object), [field]: undefined }
    expect(schema.safeParse({ ...boundary, payload }).success, `without ${field}`).toBe(false)
  }
})

test('case 2: a prefix compaction shows what it kept, then its summary (003-07, T13)', () => {
  check(2)
})

test('case 3: a compaction that keeps nothing shows its summary only (T13)', () => check(3))

test('case 4: a message that came while the summary was made stays (T13)', () => check(4))

test('case 5: it stays also when nothing is kept (T13)', () => check(5))

test('case 6: of two compactions the second sums up the first (003-40, 003-45, T13)', () => {
  check(6)
  const { walk } = readForward(historyOf(6).history)
  expect(walk.path.length, 'every event can still be walked').toBe(14)
})

test('case 7: what is kept may span an earlier boundary (003-40, T13)', () => check(7))

test('case 8: an earlier summary may be kept (T13)', () => check(8))

test('case 9: a boundary whose head was summed up before does not count (T13)', () => check(9))

test('case 10: the same with a kept prefix (T13)', () => check(10))

test('case 11: a rewind to before a boundary undoes the compaction (T13)', () => check(11))

test('case 12: a rewind into what was kept leaves the compaction (T13)', () => check(12))

test('case 13: a rewind to after a boundary leaves the compaction (T13)', () => check(13))

test('case 14: a summary without a boundary is no compaction (003-66, T13)', () => check(14))

test('case 15: an unreadable boundary is no compaction, visibly (003-66, T13)', () => check(15))

test('case 16: a boundary without its summary is no compaction (003-66, T13)', () => check(16))

test('case 17: damage to what was summed up costs nothing (T13)', () => check(17))

test('case 18: a kept head damaged later costs that event, visibly (T13)', () => check(18))

test('case 19: a uuid appended again is shown once (T13)', () => check(19))

test('case 20: a uuid appended again after its first was summed up is shown (T13)', () => check(20))

test('case 21: a link to nowhere in the live part keeps both sides, visibly (T13)', () => check(21))

test('case 22: a stray header changes nothing (T13)', () => check(22))

test('case 23: an event without a link is shown, and reported (T13)', () => check(23))

test('case 24: a rewind to what came while the summary was made leaves the compaction (T13)', () => {
  check(24)
})

test('case 25: a compaction may keep events of the parent (003-40, T13)', () => check(25))

test('case 26: with the parent gone its compaction still counts, visibly (T13)', () => check(26))

test('case 27: of equal uuids the own one is meant (T13)', () => check(27))

test('case 28: a rewind into the parent cuts what the file started with (T13)', () => check(28))

test('case 29: twenty compactions leave the last summary and what is live (003-45, T13)', () => {
  check(29)
  const { walk } = readForward(historyOf(29).history)
  expect(walk.path.length, 'every event can still be walked').toBe(2046)
})

test('case 30: cuts that cover only the last summary let the projection grow (T13)', () => {
  check(30)
})

function check(number: number): void {
  const { wanted, history, start } = historyOf(number)
  const { projection, walk } = readForward(history, start)
  const codes = [...walk.findings, ...projection.diagnostics].map(({ code }) => code)
  expect({
    projection: namesOf(projection, history.file),
    degraded: projection.isDegraded,
    findings: [...new Set(codes)].sort(),
    lines: history.lines.length,
  }).toEqual({
    projection: wanted.projection,
    degraded: wanted.degraded,
    findings: wanted.findings,
    lines: wanted.lines ?? history.lines.length,
  })
  const enough = expectSameFromEveryCut(history, start).enough ?? null
  if (wanted.enough !== undefined) expect(enough).toBe(wanted.enough)
  if (history.lines.length < 200) expectLiveEqualsRefold(history, start)
}

function historyOf(number: number) {
  const wanted = cases.find((one) => one.case === number)!
  const parent = wanted.parent ? play(wanted.parent, new History({ file: 'parent' })) : undefined
  const inherited = parent === undefined ? undefined : readForward(parent).projection.continuation
  const start = wanted.parent === null ? lost() : inherited
  return { wanted, history: play(wanted.log), start }
}
