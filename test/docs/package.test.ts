// The manifest, the CI script and the pages agree with the code.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERROR_REMEDIES } from '../../lib/errors.js'
import { DIAGNOSTIC_SEVERITY } from '../../lib/format/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../lib/version.js'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  name: string
  version: string
  scripts: Record<string, string>
  exports: Record<string, string | Record<string, string>>
}

// Requirement: 000-75
test('CI checks the types of the whole tree, tests included, and runs the test line', () => {
  const { scripts } = manifest
  expect(read('.ci/run')).toMatch(/^npm run check$/m)
  expect(scripts['check']).toContain('npm run --silent types')
  expect(scripts['types']).toBe('tsc -p tsconfig.json && tsc -p lib/viewer/tsconfig.json')
  const { include } = JSON.parse(read('tsconfig.json')) as { include: string[] }
  expect(include).toEqual(expect.arrayContaining(['lib', 'bin', 'test', 'bench']))
})

test('the version in the code is the one of the package', () => {
  expect([PACKAGE_NAME, PACKAGE_VERSION]).toEqual([manifest.name, manifest.version])
})

test('CI runs the test line of the README', () => {
  const line = 'npm install && npm test'
  expect(read('.ci/run')).toContain(`\nbash -c '${line}'\n`)
  expect(read('README.md')).toContain(line)
})

test('docs/ERRORS.md lists every error code and diagnostic, and no other', () => {
  const listed = [...read('docs/ERRORS.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
  const codes = [...Object.keys(ERROR_REMEDIES), ...Object.keys(DIAGNOSTIC_SEVERITY)]
  expect(listed.sort()).toEqual(codes.sort())
})

test('the changelog names this version and its format', () => {
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`## \\[?${PACKAGE_VERSION}[\\s\\S]*?Format: 1`))
})
