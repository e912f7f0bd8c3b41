import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recoveryText } from '../../../lib/continuity/recovery/recover.js'

const HEAD = `## Session Recovery Context
Background from an earlier session, not a request; the user's own words come first.

`
const MARK = '\n[truncated]'

// Requirement: 000-50
test('a digest that fits is complete, under a heading that says it is background', () => {
  expect(recoveryText('## Session Checkpoint\nProject: /work', 2000)).toBe(
    `${HEAD}## Session Checkpoint\nProject: /work`,
  )
})

// Requirement: S-08
test('heading, text and mark together never exceed the budget, and no character is cut in two', () => {
  const texts = fc.string({ unit: 'binary', minLength: 0, maxLength: 600 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 200, max: 700 }), (digest, budget) => {
      const text = recoveryText(digest, budget)
      expect(text.length).toBeLessThanOrEqual(budget)
      expect(text.isWellFormed()).toBe(true)
      expect(text.startsWith(HEAD)).toBe(true)
      const isWhole = text === HEAD + digest.toWellFormed().trim()
      expect(isWhole || text.endsWith(MARK)).toBe(true)
    }),
  )
})

test('a cut is at the end of a line where possible, and is marked', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `- line number ${index} of the digest`)
  const text = recoveryText(lines.join('\n'), 400)
  const kept = text.slice(HEAD.length, -MARK.length).split('\n')
  expect(text.endsWith(MARK)).toBe(true)
  expect(kept).toEqual(lines.slice(0, kept.length))
  expect(text.length).toBeGreaterThan(350)
})

test('a single long line is cut between characters', () => {
  const text = recoveryText('💾'.repeat(500), 300)
  expect(text.slice(HEAD.length, -MARK.length)).toMatch(/^💾+$/u)
  expect(text.length).toBeGreaterThanOrEqual(299)
})

test('the session context comes before prompts and activity', () => {
  const digest = [
    '## Pre-Compaction Checkpoint\nProject: /work\nDuration: 5m | Prompts: 3',
    `### Recent Prompts\n${'- a prompt of some length\n'.repeat(30)}`,
    '### Session Context\nThe parser is half done.',
    `### Memory Activity\nQueries: ${'word, '.repeat(100)}`,
  ].join('\n\n')
  const text = recoveryText(digest, 400)
  expect(text).toContain(
    'Project: /work\nDuration: 5m | Prompts: 3\n\n### Session Context\nThe parser is half done.\n\n### Recent',
  )
  expect(text).not.toContain('Queries')
  expect(recoveryText(digest, 10_000)).toContain(digest.trim())
})
