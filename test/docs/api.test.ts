// docs/API.md describes every export. `npm run check` also compares the page with the types.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const MAX_RUNTIME_NAMES = 80

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/API.md', root), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: Record<string, string | { default: string }>
}

// The viewer runs in browsers only; docs/VIEWER.md describes its elements.
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' || path === './viewer' ? [] : [[path, target.default] as const],
)

test.for(entries)('every export of "%s" is in docs/API.md', async ([, file]) => {
  const names = Object.keys(await import(new URL(file, root).href))
  expect(names.length).toBeGreaterThan(0)
  const described = [...page.matchAll(/^#+ (\w+)$|^\| `(\w+)/gm)].map(
    ([, title, row]) => title ?? row,
  )
  expect(names.filter((name) => !described.includes(name))).toEqual([])
})

test(`the root exports at most ${MAX_RUNTIME_NAMES} names`, async () => {
  const names = Object.keys(await import(new URL('dist/lib/index.js', root).href))
  expect(names.length).toBeLessThanOrEqual(MAX_RUNTIME_NAMES)
})
