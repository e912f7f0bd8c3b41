// What the package and its pages say of themselves.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ERROR_REMEDIES } from '../../lib/errors.js'
import { DIAGNOSTIC_SEVERITY } from '../../lib/format/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../lib/version.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  name: string
  version: string
  exports: Record<string, string | Record<string, string>>
}

// On a machine that does much else the compiler may take minutes.
test('the whole tree, tests and all, has no type errors (000-75)', { timeout: 300_000 }, () => {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']
  expect(execFileSync(process.execPath, tsc, { cwd: root, encoding: 'utf8' })).toBe('')
})

test('the version in the code is the one of the package', () => {
  expect([PACKAGE_NAME, PACKAGE_VERSION]).toEqual([manifest.name, manifest.version])
})

test('every file the package exports is there after a build', () => {
  const files = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  )
  expect(files.filter((file) => !existsSync(`${root}/${file}`))).toEqual([])
})

test('CI runs the test line of the README', () => {
  const line = 'npm install && npm test'
  expect(read('.ci/run')).toContain(`\nbash -c '${line}'\n`)
  expect(read('README.md')).toContain(line)
})

test('the errors page tells every code and every diagnostic, and none that does not exist', () => {
  const told = [...read('docs/ERRORS.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
  const codes = [...Object.keys(ERROR_REMEDIES), ...Object.keys(DIAGNOSTIC_SEVERITY)]
  expect(told.sort()).toEqual(codes.sort())
})

test('the changelog knows this version and says its format', () => {
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`## \\[?${PACKAGE_VERSION}[\\s\\S]*?Format: 1`))
})
