// docs/internals/SPEC.md says of every requirement whether a test holds it. Here the page is compared with
// the `// Requirement:` comments above the tests, so that neither can claim what the other does not.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const TEST_FOLDER = fileURLToPath(new URL('..', import.meta.url))
const THIS_FILE = fileURLToPath(import.meta.url)
const PAGE = readFileSync(new URL('../../docs/internals/SPEC.md', import.meta.url), 'utf8')

// The last id of each list. Ids are never reused and never renumbered.
const LAST_NUMBERS = { '000': 82, '001': 80, '002': 32, '003': 86, '004': 32 }
const LAST_ACCEPTANCE_TEST = 70

// The comment must be directly above a test that runs; further comment lines may be in between.
const TAG =
  /^[ \t]*\/\/ Requirements?: ([^\n]*)\n(?:[ \t]*\/\/[^\n]*\n)*[ \t]*(?:test|it|describe|onLinux)(?!\.(?:skip|todo)\b)[.(`]/gm

const STATES = ['tested', 'open', 'out', 'doc']
const ISSUES = /^[a-i]$/

interface Row {
  readonly id: string
  readonly requirement: string
  readonly issue: string
  readonly state: string
  readonly reason: string
}

const rows = requirementRows(PAGE)
const filesById = tagsIn(TEST_FOLDER)

test('the specification lists every id of the five lists exactly once', () => {
  const expected = Object.entries(LAST_NUMBERS).flatMap(([list, last]) =>
    numbers(last).map((number) => `${list}-${String(number).padStart(2, '0')}`),
  )
  const listed = rows.map(({ id }) => id)
  expectNone(missing(expected, listed), 'Ids without a row in docs/internals/SPEC.md')
  expectNone(repeated(listed), 'Ids with more than one row in docs/internals/SPEC.md')
  expectNone(missing(listed, expected), 'Rows of docs/internals/SPEC.md whose id does not exist')
})

test('every row of the specification has a text and a known state', () => {
  expectNone(
    idsOf((row) => !STATES.includes(row.state)),
    `Rows whose state is none of ${STATES.join(', ')}`,
  )
  expectNone(
    idsOf((row) => row.requirement === ''),
    'Rows that state no requirement',
  )
})

test('what is to be built belongs to an issue, what is not built has a reason', () => {
  expectNone(
    idsOf((row) => !isSettledWithoutTest(row) && !ISSUES.test(row.issue)),
    'Rows to be built that name no issue (a to i)',
  )
  expectNone(
    idsOf((row) => isSettledWithoutTest(row) && row.reason === ''),
    'Rows marked out or doc that give no reason',
  )
})

test('every requirement marked tested is named by a test', () => {
  expectNone(
    idsOf(({ id, state }) => state === 'tested' && !filesById.has(id)),
    'Marked tested in docs/internals/SPEC.md, but no test names them',
  )
})

test('no requirement marked open is named by a test', () => {
  const named = rows
    .filter(({ id, state }) => state === 'open' && filesById.has(id))
    .map(({ id }) => `${id} (${filesById.get(id)?.join(', ')})`)
  expectNone(
    named,
    'Marked open in docs/internals/SPEC.md, but a test names them; mark them tested',
  )
})

test('no test names a requirement that does not exist', () => {
  const unknown = missing([...filesById.keys()], idsOf()).map(
    (id) => `${id} (${filesById.get(id)?.join(', ')})`,
  )
  expectNone(unknown, 'Named by a test, but not in docs/internals/SPEC.md')
})

test('the specification lists every acceptance test exactly once, tested or open', () => {
  const cells = [...PAGE.matchAll(/\| T(\d+) \| [^|]+ \| ([^|]*) (?=\|)/g)]
  const listed = cells.map(([, number]) => `T${number}`)
  const expected = numbers(LAST_ACCEPTANCE_TEST).map((number) => `T${number}`)
  expectNone(missing(expected, listed), 'Acceptance tests missing from docs/internals/SPEC.md')
  expectNone(repeated(listed), 'Acceptance tests listed more than once')
  const odd = cells.filter(([, , state]) => state !== 'tested' && state !== 'open')
  expectNone(
    odd.map(([, number]) => `T${number}`),
    'Acceptance tests that are neither tested nor open',
  )
})

test.each([
  ["// Requirement: 003-20\ntest('a line is whole', () => {})", ['003-20']],
  ["  // Requirements: 000-01, 000-02, T3\n  it('nested', run)", ['000-01', '000-02']],
  ["// Requirement: 003-64\ntest.each(cases)('cut at %i', run)", ['003-64']],
  ["// Requirement: 003-85\ntest.skipIf(isWindows)('modes', run)", ['003-85']],
  ["test('an id in the title (003-35)', run)", []],
  ["// Requirement: 003-41\n\ntest('a comment that belongs to no test', run)", []],
  ["// Requirement: 003-47\ntest.todo('later')", []],
  ["// Requirement: 003-48\ntest.skip('not now', run)", []],
  ["// Requirement: 003-49\nconst value = '003-50'", []],
])('a comment directly above a running test names its requirements: %j', (source, ids) => {
  expect(taggedIds(source)).toEqual(ids)
})

function requirementRows(page: string): Row[] {
  return [...page.matchAll(/^\|\s*(\d{3}-\d+)\s*\|(.*)\|\s*$/gm)].map(([, id, rest]) => {
    const [requirement = '', issue = '', state = '', reason = ''] = rest!
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    return { id: id!, requirement, issue, state, reason }
  })
}

function isSettledWithoutTest({ state }: Row): boolean {
  return state === 'out' || state === 'doc'
}

function idsOf(isWanted: (row: Row) => boolean = () => true): string[] {
  return rows.filter(isWanted).map(({ id }) => id)
}

/** Id → the test files that name it. This file is not one of them. */
function tagsIn(folder: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    const isSource = entry.isFile() && /\.[cm]?[jt]sx?$/.test(name)
    if (!isSource || path === THIS_FILE || name.includes('node_modules')) continue
    for (const id of new Set(taggedIds(readFileSync(path, 'utf8')))) {
      found.set(id, [...(found.get(id) ?? []), name])
    }
  }
  return found
}

/** The ids that a test file names in comments of the form `// Requirements: 003-19, T1`. */
function taggedIds(source: string): string[] {
  return [...source.matchAll(TAG)].flatMap(([, ids]) => ids!.match(/\b00[0-4]-\d\d\b/g) ?? [])
}

function numbers(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

function missing(wanted: readonly string[], present: readonly string[]): string[] {
  return wanted.filter((id) => !present.includes(id))
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
}

function expectNone(offenders: readonly string[], what: string): void {
  expect(offenders, `${what}: ${offenders.join(', ')}`).toEqual([])
}
