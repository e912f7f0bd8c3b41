// Texts made to be slow: openings without an end, near misses, long runs. A rule that looks at any
// of them twice for every character would need minutes here; the timeout is all there is to fail.
// How fast the rules are is said by the bench, on the same texts.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_RULES, redactText } from '../../lib/redaction/index.js'

interface Adversary {
  readonly rule: string
  readonly before: string
  readonly unit: string
  readonly after: string
}

const fixture = new URL('../../fixtures/redaction/adversarial.json', import.meta.url)
const adversaries = JSON.parse(readFileSync(fixture, 'utf8')) as readonly Adversary[]

const MEBIBYTE = 2 ** 20
const textOf = ({ before, unit, after }: Adversary, length: number) =>
  before + unit.repeat(Math.ceil(length / unit.length)) + after

test.each(DEFAULT_RULES)('$name goes through a mebibyte of what was made against it', (rule) => {
  const own = adversaries.filter(({ rule: name }) => name === rule.name)
  expect(own.length).toBeGreaterThanOrEqual(9)
  for (const adversary of own) rule.redact(textOf(adversary, MEBIBYTE))
})

test('all rules together go through all of them, and twice is once', () => {
  for (const adversary of adversaries) {
    const once = redactText(textOf(adversary, MEBIBYTE / 16))
    expect(redactText(once) === once, JSON.stringify(adversary)).toBe(true)
  }
})

test('a text of many megabytes without a break is no problem', () => {
  const data = 'aB3+/xQ9'.repeat(3_000_000)
  expect(redactText(data) === data).toBe(true)
})
