// A program by its path or its name, and the package it belongs to.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { findInstalledProgram } from '../../lib/store/index.js'
import { PACKAGE_NAME } from '../../lib/version.js'
import { temporaryFolder } from '../helpers/temporary.js'

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

test('a program of ours has the version of the package that its link leads to', (t) => {
  const { program, path, searchPath } = install(t, OURS)
  expect(findInstalledProgram(program)).toEqual({ path: program, version: '1.2.3' })
  expect(findInstalledProgram(path)).toEqual({ path, version: '1.2.3' })
  const folders = ['relative', temporaryFolder(t), searchPath].join(delimiter)
  expect(findInstalledProgram('tool', folders)).toEqual({ path, version: '1.2.3' })
})

test('one that is not there, or a folder of its name, is none', (t) => {
  const { searchPath } = install(t, OURS)
  const nobody = { path: null, version: null }
  expect(findInstalledProgram('other', searchPath)).toEqual(nobody)
  expect(findInstalledProgram('tool')).toEqual(nobody)
  expect(findInstalledProgram(searchPath)).toEqual(nobody)
})

test.for([
  ['of somebody else', JSON.stringify({ name: 'other', version: '1.2.3' })],
  ['without a version', JSON.stringify({ name: PACKAGE_NAME })],
  ['that is damaged', '{"name":'],
  ['that is nothing', 'null'],
  ['that is missing', undefined],
])('a program in a package %s has no version that could be told', ([, description], t) => {
  const { program } = install(t, description)
  expect(findInstalledProgram(program)).toEqual({ path: program, version: null })
})
