// Both rates of docs/REDACTION.md: how many shapes of secrets are found, and how many harmless lines are
// changed. The harmless texts are those of the installed packages, so that no one chose them.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { redactText } from '../../lib/redaction/index.js'
import { runs } from '../helpers/effort.js'
import { isLeaked, secretShapes } from './corpus.js'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const SEED = 20260101

// Requirement: 18-2
test('at least 98 % of more than 150 shapes of secrets are found, whatever their letters', () => {
  for (let seed = SEED; seed < SEED + runs(100, 5); seed++) {
    const shapes = secretShapes(seed)
    expect(shapes.length).toBeGreaterThanOrEqual(150)
    const missed = shapes.filter(({ text, secret }) => isLeaked(redactText(text), secret))
    const found = 1 - missed.length / shapes.length
    expect(found, `seed ${seed}: ${JSON.stringify(missed)}`).toBeGreaterThanOrEqual(0.98)
  }
})

test('a secret that is found stays found when the text is redacted twice', () => {
  for (const { text } of secretShapes(SEED)) {
    const once = redactText(text)
    expect(redactText(once)).toBe(once)
  }
})

// Requirement: 18-2
test('at most 0.1 % of the lines of READMEs and type declarations are changed', () => {
  let lines = 0
  const touched: string[] = []
  for (const name of readdirSync(packages, { recursive: true, encoding: 'utf8' })) {
    if (!/(?:^|[/\\])readme[^/\\]*$|\.d\.[cm]?ts$/i.test(name)) continue
    const path = join(packages, name)
    if (!statSync(path).isFile()) continue
    const text = readFileSync(path, 'utf8')
    const all = text.split('\n')
    lines += all.length
    if (redactText(text) === text) continue
    const redacted = all.map((line) => redactText(line))
    touched.push(...all.filter((line, index) => redacted[index] !== line))
  }
  expect(lines).toBeGreaterThan(100_000)
  const share = touched.length / lines
  expect(share, touched.slice(0, 20).join('\n')).toBeLessThanOrEqual(0.001)
})
