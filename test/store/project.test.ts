// A project is one folder, however it is spelled.

import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { normalizeProject } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

test('links, dots and trailing separators lead to the same project (000-29)', (t) => {
  const folder = realpathSync(temporaryFolder(t))
  mkdirSync(join(folder, 'project'))
  symlinkSync(join(folder, 'project'), join(folder, 'link'))
  const project = join(folder, 'project')
  for (const spelling of ['project', 'project/', 'link', 'link/.', 'link/../project']) {
    expect(normalizeProject(`${folder}/${spelling}`)).toBe(project)
  }
})

test('a relative path is one from the working directory', () => {
  expect(normalizeProject('.')).toBe(realpathSync.native(process.cwd()))
})

test('a folder that is gone keeps its spelling, absolute and without trailing separator', (t) => {
  const folder = join(realpathSync.native(temporaryFolder(t)), 'gone')
  expect(normalizeProject(`${folder}//`)).toBe(folder)
  expect(normalizeProject(`${folder}/a/../b/`)).toBe(join(folder, 'b'))
  expect(normalizeProject('/')).toBe('/')
})

test('a folder that is gone is the project it was, also by a link to a folder above it (000-29)', (t) => {
  const folder = realpathSync.native(temporaryFolder(t))
  mkdirSync(join(folder, 'real', 'project'), { recursive: true })
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  const before = normalizeProject(join(folder, 'link', 'project'))
  rmSync(join(folder, 'real', 'project'), { recursive: true })
  expect(before).toBe(join(folder, 'real', 'project'))
  expect(normalizeProject(join(folder, 'link', 'project'))).toBe(before)
})

test.each(['\0', 'a\0b', 'x'.repeat(5000), '/'.repeat(5000), `/${'a/'.repeat(2500)}`])(
  'no string is refused: %#',
  (path) => {
    expect(normalizeProject(path)).toMatch(/^(?:\/|[A-Z]:)/)
  },
)

test('a name in NFD and one in NFC are the same', (t) => {
  const folder = temporaryFolder(t)
  rmSync(folder, { recursive: true })
  expect(normalizeProject(join(folder, 'e\u0301'))).toBe(normalizeProject(join(folder, 'é')))
})

test('anything but a string is a mistake of the caller', () => {
  expect(() => normalizeProject(undefined as never)).toThrow(TypeError)
})
