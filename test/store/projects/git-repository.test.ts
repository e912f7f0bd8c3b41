// Repositories as git makes them, found without running it.

import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRepository, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  const allowed = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main']
  execFileSync('git', [...identity, ...allowed, ...args], { cwd, stdio: 'pipe' })
}

function folder(): string {
  return realpathSync.native(temporaryFolder({ onTestFinished }))
}

function repositoryIn(parent: string, name: string): string {
  const path = join(parent, name)
  mkdirSync(path, { recursive: true })
  git(path, 'init', '--quiet')
  git(path, 'commit', '--quiet', '--allow-empty', '-m', 'first')
  return path
}

test('all working trees of a repository, and all folders in them, are of one repository', () => {
  const parent = folder()
  const main = repositoryIn(parent, 'main')
  const other = join(parent, 'elsewhere', 'other')
  git(main, 'worktree', 'add', '--quiet', '-b', 'other', other)
  mkdirSync(join(main, 'packages', 'a'), { recursive: true })
  mkdirSync(join(other, 'packages', 'b'), { recursive: true })
  const repository = join(main, '.git')
  for (const path of [main, other, join(main, 'packages', 'a'), join(other, 'packages', 'b')]) {
    expect(findRepository(openContext(), path), path).toBe(repository)
  }
})

test('nested repositories are separate', () => {
  const outer = repositoryIn(folder(), 'outer')
  const inner = repositoryIn(outer, 'inner')
  expect(findRepository(openContext(), inner)).toBe(join(inner, '.git'))
  expect(findRepository(openContext(), outer)).toBe(join(outer, '.git'))
})

test('a submodule is a repository of its own, with its own working trees', () => {
  const parent = folder()
  const library = repositoryIn(parent, 'library')
  const app = repositoryIn(parent, 'app')
  git(app, 'submodule', '--quiet', 'add', library, 'lib')
  const submodule = join(app, 'lib')
  expect(findRepository(openContext(), submodule)).toBe(join(app, '.git', 'modules', 'lib'))
  const tree = join(parent, 'tree')
  git(submodule, 'worktree', 'add', '--quiet', '-b', 'tree', tree)
  expect(findRepository(openContext(), tree)).toBe(findRepository(openContext(), submodule))
  expect(findRepository(openContext(), submodule)).not.toBe(findRepository(openContext(), app))
})

test('working trees of a bare repository belong together', () => {
  const parent = folder()
  const source = repositoryIn(parent, 'source')
  git(parent, 'clone', '--quiet', '--bare', source, 'app/.bare')
  const app = join(parent, 'app')
  writeFileSync(join(app, '.git'), 'gitdir: ./.bare\n')
  git(app, 'worktree', 'add', '--quiet', 'main')
  expect(findRepository(openContext(), app)).toBe(join(app, '.bare'))
  expect(findRepository(openContext(), join(app, 'main'))).toBe(join(app, '.bare'))
})

test('a link to a working tree is that working tree', () => {
  const parent = folder()
  const main = repositoryIn(parent, 'main')
  symlinkSync(main, join(parent, 'link'))
  expect(findRepository(openContext(), join(parent, 'link'))).toBe(join(main, '.git'))
})

test('a missing folder belongs to no repository', () => {
  const main = repositoryIn(folder(), 'main')
  expect(findRepository(openContext(), join(main, 'gone'))).toBeUndefined()
})

const BROKEN: readonly [string, (path: string) => void][] = [
  ['nothing', () => {}],
  ['an empty folder', (path) => mkdirSync(path)],
  ['a file that says something else', (path) => writeFileSync(path, 'hello\n')],
  ['an empty file', (path) => writeFileSync(path, '')],
  ['a file that names nothing', (path) => writeFileSync(path, 'gitdir: \n')],
  ['a file that names a folder that is gone', (path) => writeFileSync(path, 'gitdir: /nowhere/x')],
  ['a file that names itself', (path) => writeFileSync(path, 'gitdir: .git\n')],
  ['a file without end', (path) => writeFileSync(path, `gitdir: ${'x/'.repeat(100_000)}`)],
  ['bytes that are no text', (path) => writeFileSync(path, Buffer.from([0xff, 0, 0x0a]))],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['a link to itself', (path) => symlinkSync('.git', path)],
]

test.each(BROKEN)('where .git is %s there is no repository, and nothing is thrown', (_, spoil) => {
  const project = folder()
  spoil(join(project, '.git'))
  expect(findRepository(openContext(), project)).toBeUndefined()
})

test('a commondir that is a pipe or a broken link does not block', () => {
  const main = repositoryIn(folder(), 'main')
  const commondir = join(main, '.git', 'commondir')
  execFileSync('mkfifo', [commondir])
  expect(findRepository(openContext(), main)).toBe(join(main, '.git'))
  rmSync(commondir)
  writeFileSync(commondir, '../gone\n')
  expect(findRepository(openContext(), main)).toBe(join(main, 'gone'))
})
