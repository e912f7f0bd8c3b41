// Files of sessions that continue others, and of sessions that work in several folders.

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forkSession, resumeSession } from '../../lib/free-functions.js'

import { temporaryFolder } from '../helpers/temporary.js'
import { startWork, type Work, workIn } from './project.js'

/** The same session, or one that continues it. */
async function goOn(
  t: Parameters<typeof temporaryFolder>[0],
  { root, project, diagnostics }: Work,
  options: { mode?: 'new' | 'append'; newId?: string },
): Promise<Work> {
  const { session } = await resumeSession({
    root,
    home: root,
    id: 'demo',
    continuity: false,
    ...options,
  })
  t.onTestFinished(() => session!.release())
  return workIn(session!, { root, project, diagnostics })
}

test('files saved after another session continued from it do not belong to that session', async (t) => {
  const work = await startWork(t)
  work.write('shared.txt', 'one')
  await work.say('u1')
  await work.edit('shared.txt', 'two')
  await work.session.release()
  const child = await goOn(t, work, { newId: 'child' })
  await child.say('u2')
  const parent = await goOn(t, work, { mode: 'append' })
  await parent.say('u3')
  parent.write('alone.txt', 'of the parent')
  await parent.session.snapshotFiles(['alone.txt'])
  parent.write('alone.txt', 'changed')
  const ofChild = await child.session.planFileRewind({ to: 'u1' })
  expect(ofChild.files.map(({ path }) => path)).toEqual(['shared.txt'])
  const ofParent = await parent.session.planFileRewind({ to: 'u1' })
  expect(ofParent.files.map(({ path }) => path)).toEqual(['alone.txt', 'shared.txt'])
})

test('all files saved by a parent count if the branch point is unknown', async (t) => {
  const root = temporaryFolder(t)
  const project = realpathSync(temporaryFolder(t))
  const transcripts = join(root, '.transcripts')
  mkdirSync(transcripts, { recursive: true })
  // Nothing of it can be read when it is resumed, so the branch point is unknown.
  writeFileSync(join(transcripts, 'demo.jsonl'), '{"type":\n')
  const child = await goOn(t, { root, project, diagnostics: [] } as unknown as Work, {
    newId: 'child',
  })
  const parent = await goOn(t, child, { mode: 'append' })
  parent.write('a.txt', 'one')
  await parent.session.snapshotFiles(['a.txt'], { projectRoot: project })
  parent.write('a.txt', 'two')
  await child.say('u1')
  // The header names no project, so the caller does.
  await expect(child.session.planFileRewind({ to: 'u1' })).rejects.toMatchObject({
    code: 'ERR_ARG',
  })
  const plan = await child.session.planFileRewind({ to: 'u1', projectRoot: project })
  expect(plan.files.map(({ path }) => path)).toEqual(['a.txt'])
})

test('restores files saved in the project and in one of its folders together', async (t) => {
  const work = await startWork(t)
  work.write('sub/inner.txt', 'one')
  work.write('outer.txt', 'one')
  await work.say('u1')
  const sub = join(work.project, 'sub')
  await work.session.snapshotFiles(['inner.txt'], { projectRoot: sub })
  await work.session.snapshotFiles(['outer.txt'])
  work.write('sub/inner.txt', 'two')
  work.write('outer.txt', 'two')
  await work.session.snapshotFiles(['inner.txt'], { projectRoot: sub })
  await work.session.snapshotFiles(['outer.txt'])
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.diagnostics).toEqual([])
  await work.session.applyFileRewind(plan)
  expect(work.files()).toEqual({ 'outer.txt': 'one', 'sub/inner.txt': 'one' })
})

test('files saved outside of the newest project are reported and not restored', async (t) => {
  const work = await startWork(t)
  work.write('outer.txt', 'one')
  work.write('sub/inner.txt', 'one')
  await work.say('u1')
  await work.session.snapshotFiles(['outer.txt', 'sub/inner.txt'])
  work.write('outer.txt', 'two')
  work.write('sub/inner.txt', 'two')
  const sub = join(work.project, 'sub')
  await work.session.snapshotFiles(['inner.txt'], { projectRoot: sub })
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.projectRoot).toBe(sub)
  expect(plan.diagnostics).toMatchObject([{ code: 'file_elsewhere' }])
  await work.session.applyFileRewind(plan)
  expect(work.files()).toEqual({ 'outer.txt': 'two', 'sub/inner.txt': 'one' })
})

/** Two turns, each of which changes a file; the second also creates one. */
async function twoTurns(t: Parameters<typeof temporaryFolder>[0]): Promise<Work> {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.say('u2')
  await work.edit('a.txt', 'three')
  await work.edit('b.txt', 'new')
  await work.session.snapshotFiles(['a.txt', 'b.txt'])
  await work.session.release()
  return work
}

const actionsOf = (files: readonly { path: string; action: string }[]) =>
  files.map(({ path, action }) => `${action} ${path}`)

// Requirement: 18-8
test.for(['u1', 'u2'])('a fork at %s restores the files of that time', async (at, t) => {
  const work = await twoTurns(t)
  forkSession('demo', { root: work.root, home: work.root, at, newId: 'fork' })
  const options = { root: work.root, home: work.root, id: 'fork', mode: 'append' } as const
  const { session } = await resumeSession({ ...options, continuity: false })
  t.onTestFinished(() => session!.release())
  const plan = await session!.planFileRewind({ to: at })
  expect(actionsOf(plan.files)).toEqual(['change a.txt', 'delete b.txt'])
  const { files, left } = await session!.applyFileRewind(plan, { delete: true })
  expect(files.every(({ failure }) => failure === undefined)).toBe(true)
  expect(left).toEqual([])
  expect(work.files()).toEqual({ 'a.txt': at === 'u1' ? 'one' : 'two' })
})

// Requirement: 18-8
test('a session resumed at an older event knows what the source session saved since', async (t) => {
  const work = await twoTurns(t)
  const { root } = work
  const { session } = await resumeSession({
    root,
    home: root,
    id: 'demo',
    at: 'u1',
    newId: 'again',
  })
  t.onTestFinished(() => session!.release())
  const plan = await session!.planFileRewind({ to: 'u1' })
  expect(actionsOf(plan.files)).toEqual(['change a.txt', 'delete b.txt'])
  await session!.applyFileRewind(plan, { delete: true })
  expect(work.files()).toEqual({ 'a.txt': 'one' })
  // What the source saves later is its own, but its content is not lost.
  const source = await goOn(t, work, { mode: 'append' })
  await source.say('u3')
  source.write('c.txt', 'of the source')
  await source.edit('a.txt', 'four')
  await source.session.snapshotFiles(['a.txt', 'c.txt'])
  const later = await session!.planFileRewind({ to: 'u1' })
  expect(actionsOf(later.files)).toEqual(['change a.txt'])
})

// Requirement: 18-8
test('files are rewound to a message that an undone compaction repeats', async (t) => {
  const work = await startWork(t)
  await work.say('u1')
  await work.session.compact({ summary: 'short' })
  work.write('a.txt', 'one')
  await work.say('u2')
  await work.edit('a.txt', 'two')
  await work.session.snapshotFiles(['a.txt'])
  await work.session.uncompact()
  const copy = work.session.messages().messages.at(-1)!
  expect(copy.payload).toMatchObject({ copied_from: 'u2' })
  const plan = await work.session.planFileRewind({ to: copy.uuid })
  expect(actionsOf(plan.files)).toEqual(['change a.txt'])
})
