// docs/RELIABILITY.md shows the recorded runs, and names tests that exist.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { figures, readRuns } from '../torture/soak/table.js'

const url = new URL('../../docs/RELIABILITY.md', import.meta.url)
const page = readFileSync(url, 'utf8')

test('the figures of docs/RELIABILITY.md are those of the recorded runs', () => {
  expect(page).toContain(figures(readRuns()))
})

test('every test that docs/RELIABILITY.md names exists', () => {
  const paths = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(10)
  const missing = paths.filter((path) => !existsSync(fileURLToPath(new URL(path, url))))
  expect(missing).toEqual([])
})
