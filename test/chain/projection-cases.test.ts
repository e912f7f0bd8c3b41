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

// Requirements: 003-07, T13
test('case 1: a suffix compaction shows its summary, then what it kept', () => {
  check(1)
  const { walk } = readForward(historyOf(1).history)
  expect(walk.path.length, 'every event can still be walked').toBe(10)
})

// Requirement: 003-15
test('a boundary names head, anchor, tail and summary, and changes no line', () => {
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

// Requirements: 003-07, T13
test('case 2: a prefix compaction shows what it kept, then its summary', () => {
  check(2)
})

// Requirement: T13
test('case 3: a compaction that keeps nothing shows its summary only', () => check(3))

// Requirement: T13
test('case 4: a message that was appended while the summary was made stays', () => check(4))

// Requirement: T13
test('case 5: such a message stays also when nothing is kept', () => check(5))

// Requirements: 003-40, 003-45, T13
test('case 6: a second compaction summarizes the first', () => {
  check(6)
  const { walk } = readForward(historyOf(6).history)
  expect(walk.path.length, 'every event can still be walked').toBe(14)
})

// Requirements: 003-40, T13
test('case 7: what is kept may span an earlier boundary', () => check(7))

// Requirement: T13
test('case 8: an earlier summary may be kept', () => check(8))

// Requirement: T13
test('case 9: a boundary whose head was summarized before has no effect', () => check(9))

// Requirement: T13
test('case 10: a boundary whose kept prefix was summarized before has no effect', () => check(10))

// Requirement: T13
test('case 11: a rewind to before a boundary undoes the compaction', () => check(11))

// Requirement: T13
test('case 12: a stored rewind that cuts into what was kept keeps the compaction', () => check(12))

// Requirement: T13
test('case 13: a rewind to after a boundary keeps the compaction', () => check(13))

// Requirements: 003-66, T13
test('case 14: a summary without a boundary is not a compaction', () => check(14))

// Requirements: 003-66, T13
test('case 15: an unreadable boundary has no effect and is reported', () => check(15))

// Requirements: 003-66, T13
test('case 16: a boundary without its summary has no effect', () => check(16))

// Requirement: T13
test('case 17: damage to a summarized event loses nothing', () => check(17))

// Requirement: T13
test('case 18: a kept head that is damaged later loses that event only, and is reported', () =>
  check(18))

// Requirement: T13
test('case 19: a uuid appended again is shown once', () => check(19))

// Requirement: T13
test('case 20: a uuid that is appended again after the first was summarized is shown', () =>
  check(20))

// Requirement: T13
test('case 21: a dangling link after the boundary keeps both sides and is reported', () =>
  check(21))

// Requirement: T13
test('case 22: a header in the middle of the log has no effect', () => check(22))

// Requirement: T13
test('case 23: an event without a link is shown, and reported', () => check(23))

// Requirement: T13
test('case 24: a stored rewind that cuts after a message appended while the summary was made keeps the compaction', () => {
  check(24)
})

// Requirements: 003-40, T13
test('case 25: a compaction may keep events of the parent', () => check(25))

// Requirement: T13
test('case 26: without the parent its compaction still takes effect, and the loss is reported', () =>
  check(26))

// Requirement: T13
test('case 27: of equal uuids that of the own file is meant', () => check(27))

// Requirement: T13
test('case 28: a rewind into the parent removes inherited entries', () => check(28))

// Requirements: 003-45, T13
test('case 29: after twenty compactions the last summary and later messages are shown', () => {
  check(29)
  const { walk } = readForward(historyOf(29).history)
  expect(walk.path.length, 'every event can still be walked').toBe(2046)
})

// Requirement: T13
test('case 30: cuts that cover only the last summary let the projection grow', () => {
  check(30)
})

function check(number: number): void {
  const { wanted, history, start } = historyOf(number)
  const { projection, walk } = readForward(history, start)
  const codes = [...walk.findings, ...projection.diagnostics].map(({ code }) => code)
  expect({
    projection: namesOf(projection, history.file),
    degraded: projection.degraded,
    findings: [...new Set(codes)].sort(),
    lines: history.lines.length,
  }).toEqual({
    projection: wanted.projection,
    degraded: wanted.degraded,
    findings: wanted.findings.toSorted(),
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
