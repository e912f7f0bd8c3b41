// Projects that moved are found because somebody said so, and never because a folder is missing.

import { appendFileSync, mkdirSync, readFileSync, realpathSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type ContextOptions,
  findNewestSession,
  type ListOptions,
  LiveCatalog,
  listSessions,
  openContext,
  relocateProject,
  selectProjects,
} from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'

function stage(): { root: string; at: (name: string) => string } {
  const folder = realpathSync.native(temporaryFolder({ onTestFinished }))
  const at = (name: string) => join(folder, 'work', name)
  mkdirSync(at('.'), { recursive: true })
  return { root: join(folder, 'store'), at }
}

const idsOf = (options: ContextOptions & ListOptions) =>
  listSessions(openContext(options), options)
    .sessions.map(({ sessionId }) => sessionId)
    .sort()

test('a project that moved is not found under its new name until it is relocated', async () => {
  const { root, at } = stage()
  mkdirSync(at('old'))
  new Transcript('s', 0, { project: at('old') }).say('hello').save(root)
  renameSync(at('old'), at('new'))
  expect(idsOf({ root, project: at('new') })).toEqual([])
  await relocateProject(openContext({ root }), { from: at('old'), to: at('new') })
  expect(idsOf({ root, project: at('new') })).toEqual(['s'])
  expect(findNewestSession(openContext({ root }), { project: at('new') })?.sessionId).toBe('s')
  expect(idsOf({ root, project: at('old') })).toEqual(['s'])
  const catalog = new LiveCatalog(openContext({ root }))
  expect(catalog.list({ project: at('new') })).toEqual(
    listSessions(openContext({ root }), { project: at('new') }),
  )
})

test('a query for the old folder does not find sessions of the new one', async () => {
  const { root, at } = stage()
  new Transcript('new', 0, { project: at('new') }).say('hello').save(root)
  await relocateProject(openContext({ root }), { from: at('old'), to: at('new') })
  expect(idsOf({ root, project: at('old') })).toEqual([])
})

test('follows several moves, and stops at a circle', async () => {
  const { root, at } = stage()
  const names = (project: string) =>
    [...selectProjects(openContext({ root }), { project }).names!].sort()
  await relocateProject(openContext({ root }), { from: at('a'), to: at('b') })
  await relocateProject(openContext({ root }), { from: at('b'), to: at('c') })
  await relocateProject(openContext({ root }), { from: at('x'), to: at('c') })
  expect(names(at('c'))).toEqual([at('a'), at('b'), at('c'), at('x')])
  expect(names(at('b'))).toEqual([at('a'), at('b')])
  await relocateProject(openContext({ root }), { from: at('c'), to: at('a') })
  expect(names(at('a'))).toEqual([at('a'), at('b'), at('c'), at('x')])
})

test('a move appends one line, whatever else is in the file', async () => {
  const { root, at } = stage()
  const path = join(root, 'relocations.jsonl')
  await relocateProject(openContext({ root }), { from: at('a'), to: at('b') })
  const first = readFileSync(path, 'utf8')
  appendFileSync(path, '{"type":"relocation","payload":{"from_norm')
  await relocateProject(openContext({ root }), { from: at('b'), to: at('c') })
  expect(readFileSync(path, 'utf8').startsWith(first)).toBe(true)
  expect(selectProjects(openContext({ root }), { project: at('c') }).has(at('a'))).toBe(true)
})

test('a folder moves for all agents of a store', async () => {
  const { root, at } = stage()
  new Transcript('s', 0, { project: at('a') }).say('hello').save(join(root, 'agents', 'ada'))
  await relocateProject(openContext({ root }), { from: at('a'), to: at('b') })
  expect(idsOf({ root, agent: 'ada', project: at('b') })).toEqual(['s'])
})

test('two spellings of a folder are not a move', async () => {
  const { root, at } = stage()
  const same = relocateProject(openContext({ root }), { from: at('a'), to: `${at('x')}/../a/` })
  await expect(same).rejects.toMatchObject({ code: 'ERR_ARG' })
})

test('rejects an unknown scope; the scope "all" includes every project', () => {
  const { root, at } = stage()
  const project = at('a')
  expect(() => selectProjects(openContext({ root }), { project, scope: 'near' as never })).toThrow(
    /scope/,
  )
  const { names, has } = selectProjects(openContext({ root }), { project, scope: 'all' })
  expect([names, has(at('z')), has(null)]).toEqual([undefined, true, true])
  expect(selectProjects(openContext({ root }), { project }).has(null)).toBe(false)
})

test('sessions of other working trees are found in the scope of the repository only', () => {
  const { root, at } = stage()
  mkdirSync(join(at('main'), '.git', 'worktrees', 'tree'), { recursive: true })
  mkdirSync(join(at('main'), 'packages'), { recursive: true })
  mkdirSync(at('tree'))
  mkdirSync(at('stranger'))
  const write = (path: string, text: string) => appendFileSync(path, text)
  write(join(at('main'), '.git', 'HEAD'), 'ref: refs/heads/main\n')
  write(join(at('main'), '.git', 'worktrees', 'tree', 'HEAD'), 'ref: refs/heads/tree\n')
  write(join(at('main'), '.git', 'worktrees', 'tree', 'commondir'), '../..\n')
  write(join(at('tree'), '.git'), `gitdir: ${at('main')}/.git/worktrees/tree\n`)
  const projects = { main: at('main'), tree: at('tree'), sub: join(at('main'), 'packages') }
  for (const [id, project] of Object.entries({ ...projects, stranger: at('stranger') })) {
    new Transcript(id, 0, { project }).say('hello').save(root)
  }
  for (const [id, project] of Object.entries(projects)) {
    expect(idsOf({ root, project })).toEqual([id])
    expect(idsOf({ root, project, scope: 'exact' })).toEqual([id])
    expect(idsOf({ root, project, scope: 'repository' })).toEqual(['main', 'sub', 'tree'])
    expect(idsOf({ root, project, scope: 'all' })).toHaveLength(4)
  }
  expect(idsOf({ root, project: at('stranger'), scope: 'repository' })).toEqual(['stranger'])
  const { has } = selectProjects(openContext({ root }), {
    project: at('main'),
    scope: 'repository',
  })
  expect([has(at('tree')), has('.'), has(null)]).toEqual([true, false, false])
})
