// A project is one folder, however it is spelled.

import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { normalizeProject, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

// Requirement: 000-29
test('normalizes links, dots and trailing separators', (t) => {
  const folder = realpathSync(temporaryFolder(t))
  mkdirSync(join(folder, 'project'))
  symlinkSync(join(folder, 'project'), join(folder, 'link'))
  const project = join(folder, 'project')
  for (const spelling of ['project', 'project/', 'link', 'link/.', 'link/../project']) {
    expect(normalizeProject(openContext(), `${folder}/${spelling}`)).toBe(project)
  }
})

test('resolves a relative path from the working directory', () => {
  expect(normalizeProject(openContext(), '.')).toBe(realpathSync.native(process.cwd()))
})

test('a missing folder keeps its spelling, absolute and without a trailing separator', (t) => {
  const folder = join(realpathSync.native(temporaryFolder(t)), 'gone')
  expect(normalizeProject(openContext(), `${folder}//`)).toBe(folder)
  expect(normalizeProject(openContext(), `${folder}/a/../b/`)).toBe(join(folder, 'b'))
  expect(normalizeProject(openContext(), '/')).toBe('/')
})

// Requirement: 000-29
test('a missing folder is still the same project, also through a link above it', (t) => {
  const folder = realpathSync.native(temporaryFolder(t))
  mkdirSync(join(folder, 'real', 'project'), { recursive: true })
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  const before = normalizeProject(openContext(), join(folder, 'link', 'project'))
  rmSync(join(folder, 'real', 'project'), { recursive: true })
  expect(before).toBe(join(folder, 'real', 'project'))
  expect(normalizeProject(openContext(), join(folder, 'link', 'project'))).toBe(before)
})

test.each(['\0', 'a\0b', 'x'.repeat(5000), '/'.repeat(5000), `/${'a/'.repeat(2500)}`])(
  'no string is refused: %#',
  (path) => {
    expect(normalizeProject(openContext(), path)).toMatch(/^(?:\/|[A-Z]:)/)
  },
)

test('a name in NFD and one in NFC are the same', (t) => {
  const folder = temporaryFolder(t)
  rmSync(folder, { recursive: true })
  expect(normalizeProject(openContext(), join(folder, 'e\u0301'))).toBe(
    normalizeProject(openContext(), join(folder, 'é')),
  )
})

test('throws a TypeError for anything but a string', () => {
  expect(() => normalizeProject(openContext(), undefined as never)).toThrow(TypeError)
})
