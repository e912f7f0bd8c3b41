// Files of sessions that continue others, and of sessions that work in several folders.

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resumeSession } from '../../lib/free-functions.js'

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
