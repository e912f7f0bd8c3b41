// Texts made to be slow: openings without an end, near misses, long runs. A rule with quadratic cost
// runs into the timeout here. bench/ measures how fast the rules are on the same texts.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_RULES, redactText } from '../../lib/redaction/index.js'
import { scale } from '../helpers/effort.js'

interface Adversary {
  readonly rule: string
  readonly before: string
  readonly unit: string
  readonly after: string
}

const fixture = new URL('../../fixtures/redaction/adversarial.json', import.meta.url)
const adversaries = JSON.parse(readFileSync(fixture, 'utf8')) as readonly Adversary[]

const LENGTH = scale(2 ** 20, 2 ** 18)
const textOf = ({ before, unit, after }: Adversary, length: number) =>
  before + unit.repeat(Math.ceil(length / unit.length)) + after

test.each(DEFAULT_RULES)('$name needs linear time for the texts made against it', (rule) => {
  const own = adversaries.filter(({ rule: name }) => name === rule.name)
  expect(own.length).toBeGreaterThanOrEqual(9)
  for (const adversary of own) rule.redact(textOf(adversary, LENGTH))
})

test('all rules together need linear time for them, and redacting twice changes nothing more', () => {
  for (const adversary of adversaries) {
    const once = redactText(textOf(adversary, LENGTH / 16))
    expect(redactText(once) === once, JSON.stringify(adversary)).toBe(true)
  }
})

test('a text of many megabytes without white space needs linear time', () => {
  const data = 'aB3+/xQ9'.repeat(scale(3_000_000, 500_000))
  expect(redactText(data) === data).toBe(true)
})
