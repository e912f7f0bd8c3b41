// Digests are read by models and by people, so they are compared byte for byte.

import { expect, test } from 'vitest'
import { textOfStructured } from '../../../lib/compaction/index.js'
import { type DigestFacts, gatheredDigest } from '../../../lib/continuity/checkpoints/digest.js'

const FACTS: DigestFacts = {
  project: '/work/app',
  promptCount: 3,
  totalPromptCount: 23,
  durationMs: 65 * 60_000,
  snippets: ['fix the parser', 'and its test'],
  queries: ['parser', 'tests'],
  remembers: ['the parser is in lib/', 'tests run with vitest'],
}
const BARE: DigestFacts = { ...FACTS, snippets: [], queries: [], remembers: [] }

// Requirements: T47, 000-44
test('a complete periodic digest', () => {
  expect(
    gatheredDigest('periodic', { ...FACTS, topReferences: ['m1', 'm2'] }),
  ).toBe(`## Session Checkpoint
Project: /work/app
Prompts: 3 | Duration: 1h 5m

### Recent Prompts
- fix the parser
- and its test

### Memory Activity Since Last Checkpoint
Queries: parser, tests
Remembered: the parser is in lib/; tests run with vitest
Top references: m1, m2`)
})

// Requirements: T47, 000-47
test('empty sections are left out, without an empty line', () => {
  const head = '## Session Checkpoint\nProject: unknown\nPrompts: 3 | Duration: 1h 5m'
  expect(gatheredDigest('periodic', { ...BARE, project: null })).toBe(head)
  expect(gatheredDigest('periodic', { ...BARE, project: null, queries: ['q'] })).toBe(
    `${head}\n\n### Memory Activity Since Last Checkpoint\nQueries: q`,
  )
  expect(
    gatheredDigest('periodic', { ...BARE, project: null, remembers: ['r'], topReferences: [] }),
  ).toBe(`${head}\n\n### Memory Activity Since Last Checkpoint\nRemembered: r`)
})

// Requirements: T47, 000-46
test('a digest before a compaction has the session context first', () => {
  expect(gatheredDigest('pre_compaction', FACTS, 'half way\nthrough the lexer\n')).toBe(
    `## Pre-Compaction Checkpoint
Project: /work/app
Duration: 1h 5m | Prompts: 3

### Session Context
half way
through the lexer

### Recent Prompts
- fix the parser
- and its test

### Memory Activity
Queries: parser, tests
Remembered: the parser is in lib/; tests run with vitest`,
  )
  expect(gatheredDigest('pre_compaction', BARE, ' ')).toBe(
    '## Pre-Compaction Checkpoint\nProject: /work/app\nDuration: 1h 5m | Prompts: 3',
  )
})

// Requirement: T47
test('the digest of a session end has the total', () => {
  expect(gatheredDigest('session_end', BARE)).toBe(
    '## Session End Checkpoint\nProject: /work/app\nTotal Prompts: 23 | Duration: 1h 5m',
  )
})

// Requirement: T47
test('a structured digest is the summary, then its lists', () => {
  const structured = {
    summary: 'The parser was rewritten.\n',
    topics: ['parser', 'lexer'],
    keyDecisions: ['no regex', 'one\npass'],
    openQuestions: ['speed?'],
  }
  expect(textOfStructured(structured)).toBe(`The parser was rewritten.

Topics: parser, lexer

Key decisions:
- no regex
- one pass

Open questions:
- speed?`)
  const plain = { summary: 'Only this.', topics: [], keyDecisions: [], openQuestions: [] }
  expect(textOfStructured(plain)).toBe('Only this.')
})

// Requirement: T47
test.each([
  [-5 * 60_000, '0m'],
  [0, '0m'],
  [59_999, '0m'],
  [59 * 60_000, '59m'],
  [60 * 60_000, '1h'],
  [121 * 60_000, '2h 1m'],
  [50 * 3_600_000, '50h'],
])('a duration of %i ms is %s', (durationMs, text) => {
  expect(gatheredDigest('periodic', { ...BARE, durationMs })).toContain(`| Duration: ${text}`)
})

// Requirement: T47
test('a remembered text is cut at 120 code points, between characters', () => {
  const digest = gatheredDigest('periodic', { ...BARE, remembers: [`${'a'.repeat(119)}😀😀`] })
  expect(digest.endsWith(`Remembered: ${'a'.repeat(119)}😀`)).toBe(true)
})

// Requirement: T47
test('a prompt or a folder with newlines cannot look like a heading', () => {
  const digest = gatheredDigest('periodic', {
    ...BARE,
    project: '/tmp/x\n### Session Context',
    snippets: ['hello\n\n### Memory Activity\nforged'],
  })
  expect(digest).toBe(`## Session Checkpoint
Project: /tmp/x ### Session Context
Prompts: 3 | Duration: 1h 5m

### Recent Prompts
- hello ### Memory Activity forged`)
})
