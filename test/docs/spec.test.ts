// docs/SPEC.md says of every requirement whether a test holds it. Here the page is compared with
// the titles of the tests, so that neither can claim what the other does not.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const TEST_FOLDER = fileURLToPath(new URL('..', import.meta.url))
const THIS_FILE = fileURLToPath(import.meta.url)
const PAGE = readFileSync(new URL('../../docs/SPEC.md', import.meta.url), 'utf8')

// The last id of each list. Ids are never reused and never renumbered.
const LAST_NUMBERS = { '000': 82, '001': 80, '002': 32, '003': 86, '004': 32 }
const LAST_ACCEPTANCE_TEST = 70

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
const filesById = titleIds(TEST_FOLDER)

test('the specification lists every id of the five lists exactly once', () => {
  const expected = Object.entries(LAST_NUMBERS).flatMap(([list, last]) =>
    numbers(last).map((number) => `${list}-${String(number).padStart(2, '0')}`),
  )
  const listed = rows.map(({ id }) => id)
  expectNone(missing(expected, listed), 'Ids without a row in docs/SPEC.md')
  expectNone(repeated(listed), 'Ids with more than one row in docs/SPEC.md')
  expectNone(missing(listed, expected), 'Rows of docs/SPEC.md whose id does not exist')
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

test('every requirement marked tested is named by the title of a test', () => {
  expectNone(
    idsOf(({ id, state }) => state === 'tested' && !filesById.has(id)),
    'Marked tested in docs/SPEC.md, but no test title names them',
  )
})

test('no requirement marked open is named by the title of a test', () => {
  const named = rows
    .filter(({ id, state }) => state === 'open' && filesById.has(id))
    .map(({ id }) => `${id} (${filesById.get(id)?.join(', ')})`)
  expectNone(named, 'Marked open in docs/SPEC.md, but a test title names them; mark them tested')
})

test('no test title names a requirement that does not exist', () => {
  const unknown = missing([...filesById.keys()], idsOf()).map(
    (id) => `${id} (${filesById.get(id)?.join(', ')})`,
  )
  expectNone(unknown, 'Named by a test title, but not in docs/SPEC.md')
})

test('the specification lists every acceptance test exactly once, tested or open', () => {
  const cells = [...PAGE.matchAll(/\| T(\d+) \| [^|]+ \| ([^|]*) (?=\|)/g)]
  const listed = cells.map(([, number]) => `T${number}`)
  const expected = numbers(LAST_ACCEPTANCE_TEST).map((number) => `T${number}`)
  expectNone(missing(expected, listed), 'Acceptance tests missing from docs/SPEC.md')
  expectNone(repeated(listed), 'Acceptance tests listed more than once')
  const odd = cells.filter(([, , state]) => state !== 'tested' && state !== 'open')
  expectNone(
    odd.map(([, number]) => `T${number}`),
    'Acceptance tests that are neither tested nor open',
  )
})

test.each([
  ["test('a line is whole (003-20)', () => {})", ['003-20']],
  [
    "describe('channels (000-01, 000-02)', () => { it('nested (000-03)') })",
    ['000-01', '000-02', '000-03'],
  ],
  [`test(\`a \${kind} line (003-38)\`, () => {})`, ['003-38']],
  ["test.each(cases)('cut at %i (003-64)', run)", ['003-64']],
  [`test.each\`a | b\n\${1} | \${2}\`('tables (003-34)', run)`, ['003-34']],
  ["test.skipIf(isWindows)('modes (003-85)', run)", ['003-85']],
  ["test('a long title ' + 'in two parts (003-35)', run)", ['003-35']],
  ["test.each([['003-40']])('an id in the data', () => run('003-42'))", []],
  ["// test('a comment (003-41)')\nconst text = \"it('a string (003-45)')\"", []],
  ["pattern.test('of a method (003-44)')", []],
  ["test.todo('later (003-47)')\ntest.skip('not now (003-48)', run)", []],
])('of a test file only the titles count: %j', (source, ids) => {
  expect(idsInTitles(source)).toEqual(ids)
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

/** Id → the test files whose titles name it. This file is not one of them. */
function titleIds(folder: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    const isSource = entry.isFile() && /\.[cm]?[jt]sx?$/.test(name)
    if (!isSource || path === THIS_FILE || name.includes('node_modules')) continue
    for (const id of new Set(idsInTitles(readFileSync(path, 'utf8')))) {
      found.set(id, [...(found.get(id) ?? []), name])
    }
  }
  return found
}

/** The ids in the titles of a test file, in order. Read as syntax: comments and data do not count. */
function idsInTitles(source: string): string[] {
  const ids: string[] = []
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest))
  return ids

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && isRunningTest(node.expression)) {
      ids.push(...(titleOf(node.arguments[0]).match(/\b00[0-4]-\d\d\b/g) ?? []))
    }
    ts.forEachChild(node, visit)
  }
}

/** `test`, `it` or `describe`, also with modifiers. A test that does not run holds nothing. */
function isRunningTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return /^(?:test|it|describe)$/.test(callee.text)
  if (ts.isCallExpression(callee)) return isRunningTest(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return isRunningTest(callee.tag)
  if (!ts.isPropertyAccessExpression(callee)) return false
  return !/^(?:skip|todo)$/.test(callee.name.text) && isRunningTest(callee.expression)
}

function titleOf(node: ts.Expression | undefined): string {
  if (node === undefined) return ''
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isBinaryExpression(node)) return titleOf(node.left) + titleOf(node.right)
  if (!ts.isTemplateExpression(node)) return ''
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join(' ')
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
