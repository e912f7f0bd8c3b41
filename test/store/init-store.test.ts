import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { createSession } from '../../lib/session/index.js'
import { append_history, initStore, layoutOf } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' })
}

function newRepository(t: Pick<TestContext, 'onTestFinished'>): string {
  const folder = temporaryFolder(t)
  git(folder, 'init', '--quiet')
  return folder
}

test('init keeps every log of a store in a work tree out of version control (003-84)', async (t) => {
  const root = newRepository(t)
  const { ignored } = initStore({ root, home: root })
  expect(ignored.map(({ path }) => path)).toEqual([join(root, '.gitignore')])
  for (const agent of ['default', 'other']) {
    const session = await createSession({ root, home: root, agent, id: 'demo' })
    await session.append({ type: 'user', payload: { content: 'hello' } })
    // Still open, so that its lock lies there, too.
    t.onTestFinished(() => session.release())
  }
  await append_history('hello', 'demo', { root, home: root })
  mkdirSync(join(root, 'file-history'))
  writeFileSync(join(root, 'file-history', 'x'), '')
  writeFileSync(join(root, 'relocations.jsonl'), '')
  expect(git(root, 'status', '--porcelain', '--untracked-files=all')).toBe('?? .gitignore\n')
})

test('a store in a folder of its own within a work tree is kept out, too (003-84)', async (t) => {
  const repository = newRepository(t)
  const root = join(repository, 'logs', 'sessions')
  initStore({ root, home: root })
  const session = await createSession({ root, home: root, id: 'demo' })
  await session.release()
  expect(git(repository, 'status', '--porcelain', '--untracked-files=all')).toBe(
    '?? logs/sessions/.gitignore\n',
  )
})

test('outside of any work tree there is nothing to ignore', (t) => {
  const root = join(temporaryFolder(t), 'store')
  const done = initStore({ root, home: root })
  expect(done).toMatchObject({ ignored: [], isComplete: false, isApplied: true })
  expect(existsSync(join(root, '.gitignore'))).toBe(false)
  const { transcripts, sidechains, checkpoints } = layoutOf({ root })
  expect(done.created).toEqual([root, transcripts, sidechains, checkpoints])
  for (const folder of done.created) expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('again there is nothing to do, and what stands in .gitignore stays', (t) => {
  const root = newRepository(t)
  const path = join(root, '.gitignore')
  writeFileSync(path, 'node_modules/\r\n.spool/')
  chmodSync(path, 0o644)
  initStore({ root, home: root })
  const text = readFileSync(path, 'utf8')
  expect(text).toMatch(
    /^node_modules\/\r\n\.spool\/\r\n\r\n# jsonl-session: [^\n]+\r\n\.transcripts\//,
  )
  expect(text.match(/\.spool/g)).toHaveLength(1)
  expect(statSync(path).mode & 0o777).toBe(0o644)
  expect(initStore({ root, home: root })).toMatchObject({ isComplete: true, created: [] })
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a dry run tells the same and makes nothing', (t) => {
  const repository = newRepository(t)
  const root = join(repository, 'store')
  const plan = initStore({ root, home: root, dryRun: true })
  expect(existsSync(root)).toBe(false)
  expect({ ...initStore({ root, home: root }), isApplied: false }).toEqual(plan)
})

test('what is in the way is refused before anything is made', (t) => {
  const root = temporaryFolder(t)
  writeFileSync(join(root, '.sidechains'), '')
  expect(() => initStore({ root, home: root })).toThrow('is there, and not a folder')
  expect(existsSync(join(root, '.transcripts'))).toBe(false)
})
