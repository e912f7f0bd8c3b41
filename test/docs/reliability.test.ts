// The page of figures says what the runs said, and names tests that are there.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { figures, readRuns } from '../torture/soak/table.js'

const url = new URL('../../docs/RELIABILITY.md', import.meta.url)
const page = readFileSync(url, 'utf8')

test('the figures are those of the recorded runs', () => {
  expect(page).toContain(figures(readRuns()))
})

test('every test that is named is there', () => {
  const paths = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(10)
  const missing = paths.filter((path) => !existsSync(fileURLToPath(new URL(path, url))))
  expect(missing).toEqual([])
})
