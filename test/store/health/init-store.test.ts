import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { createSession, initStore } from '../../../lib/free-functions.js'

import { append_history, layoutOf } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' })
}

function newRepository(t: Pick<TestContext, 'onTestFinished'>): string {
  const folder = temporaryFolder(t)
  git(folder, 'init', '--quiet')
  return folder
}

// Requirement: 003-84
test('keeps every log of a store in a work tree out of version control', async (t) => {
  const root = newRepository(t)
  const { ignored } = initStore({ root, home: root })
  expect(ignored.map(({ path }) => path)).toEqual([join(root, '.gitignore')])
  for (const agent of ['default', 'other']) {
    const session = await createSession({ root, home: root, agent, id: 'demo' })
    await session.append({ type: 'user', payload: { content: 'hello' } })
    // Still open, so that there is a lock, too.
    t.onTestFinished(() => session.release())
  }
  await append_history('hello', 'demo', { root, home: root })
  mkdirSync(join(root, 'file-history'))
  writeFileSync(join(root, 'file-history', 'x'), '')
  writeFileSync(join(root, 'relocations.jsonl'), '')
  expect(git(root, 'status', '--porcelain', '--untracked-files=all')).toBe('?? .gitignore\n')
})

// Requirement: 003-84
test('keeps a store in a subfolder of a work tree out of version control', async (t) => {
  const repository = newRepository(t)
  const root = join(repository, 'logs', 'sessions')
  initStore({ root, home: root })
  const session = await createSession({ root, home: root, id: 'demo' })
  await session.release()
  expect(git(repository, 'status', '--porcelain', '--untracked-files=all')).toBe(
    '?? logs/sessions/.gitignore\n',
  )
})

test('writes no .gitignore outside of a work tree', (t) => {
  const root = join(temporaryFolder(t), 'store')
  const done = initStore({ root, home: root })
  expect(done).toMatchObject({ ignored: [], complete: false, applied: true })
  expect(existsSync(join(root, '.gitignore'))).toBe(false)
  const { transcripts, sidechains, checkpoints } = layoutOf({ root }, systemEnvironment.host)
  expect(done.created).toEqual([root, transcripts, sidechains, checkpoints])
  for (const folder of done.created) expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('does nothing the second time, and keeps what is in .gitignore', (t) => {
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
  expect(initStore({ root, home: root })).toMatchObject({ complete: true, created: [] })
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a dry run returns the same and creates nothing', (t) => {
  const repository = newRepository(t)
  const root = join(repository, 'store')
  const plan = initStore({ root, home: root, dryRun: true })
  expect(existsSync(root)).toBe(false)
  expect({ ...initStore({ root, home: root }), applied: false }).toEqual(plan)
})

test('rejects a file in the place of a folder before creating anything', (t) => {
  const root = temporaryFolder(t)
  writeFileSync(join(root, '.sidechains'), '')
  expect(() => initStore({ root, home: root })).toThrow('exists, but is not a folder')
  expect(existsSync(join(root, '.transcripts'))).toBe(false)
})
