import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('every dependency has a row that says why it is there, with its version', () => {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(read('package.json'))
  const wanted = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  const rows = read('docs/internals/DEPENDENCIES.md').matchAll(/^\| `([^`]+)` (\S+)/gm)
  const found = Object.fromEntries(Array.from(rows, ([, name, range]) => [name, range]))
  expect(found).toEqual(wanted)
})
