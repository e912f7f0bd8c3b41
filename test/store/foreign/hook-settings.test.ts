// A program by its path or its name, and the package it belongs to.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { findInstalledProgram, openContext } from '../../../lib/store/index.js'
import { PACKAGE_NAME } from '../../../lib/version.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const find = (program: string, searchPath?: string) =>
  findInstalledProgram(openContext(), program, searchPath)

/** A package with a program in it, and a folder of a PATH that links to that. */
function install(t: TestContext, description: string | undefined) {
  const folder = temporaryFolder(t)
  const program = join(folder, 'package', 'dist', 'bin', 'main.js')
  mkdirSync(join(folder, 'package', 'dist', 'bin'), { recursive: true })
  writeFileSync(program, '')
  chmodSync(program, 0o755)
  if (description !== undefined) writeFileSync(join(folder, 'package', 'package.json'), description)
  mkdirSync(join(folder, 'bin'))
  symlinkSync(program, join(folder, 'bin', 'tool'))
  return { program, path: join(folder, 'bin', 'tool'), searchPath: join(folder, 'bin') }
}

const OURS = JSON.stringify({ name: PACKAGE_NAME, version: '1.2.3' })

test('returns the version of the package that the link of a program leads to', (t) => {
  const { program, path, searchPath } = install(t, OURS)
  expect(find(program)).toEqual({ path: program, version: '1.2.3' })
  expect(find(path)).toEqual({ path, version: '1.2.3' })
  const folders = ['relative', temporaryFolder(t), searchPath].join(delimiter)
  expect(find('tool', folders)).toEqual({ path, version: '1.2.3' })
})

test('does not find a missing program, or a folder of its name', (t) => {
  const { searchPath } = install(t, OURS)
  const missing = { path: null, version: null }
  expect(find('other', searchPath)).toEqual(missing)
  expect(find('tool')).toEqual(missing)
  expect(find(searchPath)).toEqual(missing)
})

test.for([
  ['of another project', JSON.stringify({ name: 'other', version: '1.2.3' })],
  ['without a version', JSON.stringify({ name: PACKAGE_NAME })],
  ['that is damaged', '{"name":'],
  ['that is nothing', 'null'],
  ['that is missing', undefined],
])('returns no version for a program in a package %s', ([, description], t) => {
  const { program } = install(t, description)
  expect(find(program)).toEqual({ path: program, version: null })
})
