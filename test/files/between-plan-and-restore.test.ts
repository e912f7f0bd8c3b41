// What happens to a project, or to what is kept of it, after a plan was made.

import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { startWork, type Work } from './project.js'

const sha = (text: string) => hash('sha256', text)
const blobOf = ({ root }: Work, text: string) => join(root, 'file-history', 'demo', sha(text))

test('does not enter a folder that became a link', async (t) => {
  const work = await startWork(t)
  const outside = temporaryFolder(t)
  work.write('sub/a.txt', 'one')
  await work.say('u1')
  await work.session.snapshotFiles(['sub/a.txt'])
  rmSync(join(work.project, 'sub'), { recursive: true })
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.files).toMatchObject([{ path: 'sub/a.txt', action: 'create' }])
  symlinkSync(outside, join(work.project, 'sub'))
  const { files } = await work.session.applyFileRewind(plan)
  expect(files).toMatchObject([{ failure: 'a symbolic link is in place of its folder sub' }])
  expect(readdirSync(outside)).toEqual([])
})

const harms: Record<string, (path: string) => void> = {
  'is gone': (path) => rmSync(path),
  'was cut off': (path) => truncateSync(path, 1),
  'became a folder': (path) => {
    rmSync(path)
    mkdirSync(path)
  },
  'became a link to the very same content': (path) => {
    writeFileSync(`${path}.other`, 'one')
    rmSync(path)
    symlinkSync(`${path}.other`, path)
  },
}

test.for(Object.keys(harms))(
  'a saved copy that %s leaves its file unchanged and is reported',
  async (harm, t) => {
    const work = await startWork(t)
    work.write('a.txt', 'one')
    work.write('b.txt', 'same')
    await work.say('u1')
    await work.session.snapshotFiles(['a.txt', 'b.txt'])
    work.write('a.txt', 'two')
    work.write('b.txt', 'other')
    await work.session.snapshotFiles(['a.txt', 'b.txt'])
    const plan = await work.session.planFileRewind({ to: 'u1' })
    harms[harm]!(blobOf(work, 'one'))
    const { files } = await work.session.applyFileRewind(plan)
    const isGone = harm === 'is gone'
    const failure = isGone ? 'its content is no longer saved' : 'its copy is damaged'
    expect(files).toEqual([
      { path: 'a.txt', action: 'change', failure },
      { path: 'b.txt', action: 'change' },
    ])
    expect(work.files()).toEqual({ 'a.txt': 'two', 'b.txt': 'same' })
    expect(work.diagnostics).toMatchObject([
      { code: isGone ? 'blob_missing' : 'blob_damaged', file: 'a.txt' },
    ])
  },
)

test('newer work that cannot be saved first is not replaced', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  work.write('a.txt', 'by a person')
  const plan = await work.session.planFileRewind({ to: 'u1' })
  rmSync(join(work.project, 'a.txt'))
  symlinkSync('elsewhere', join(work.project, 'a.txt'))
  const { files } = await work.session.applyFileRewind(plan, { overwrite: true })
  const failure = 'it could not be saved first: it is a symbolic link'
  expect(files).toEqual([{ path: 'a.txt', action: 'change', failure }])
})

test('a file whose folder is not writable fails alone', async (t) => {
  const work = await startWork(t)
  // A name of one letter still fits into what the system allows for a path; a longer one does not.
  const limit = process.platform === 'linux' ? 4096 : 1024
  const rest = limit - 30 - work.project.length
  const deep = `${'d'.repeat(99)}/`.repeat(Math.floor(rest / 100)) + 'e'.repeat(rest % 100)
  work.write(`${deep}/a`, 'one')
  work.write('b.txt', 'one')
  await work.say('u1')
  await work.session.snapshotFiles([`${deep}/a`, 'b.txt'])
  work.write(`${deep}/a`, 'two')
  work.write('b.txt', 'two')
  await work.session.snapshotFiles([`${deep}/a`, 'b.txt'])
  const plan = await work.session.planFileRewind({ to: 'u1' })
  const { files } = await work.session.applyFileRewind(plan)
  expect(files).toMatchObject([
    { path: 'b.txt' },
    { path: `${deep}/a`, failure: expect.stringContaining('ENAMETOOLONG') },
  ])
  expect([work.read('b.txt'), work.read(`${deep}/a`)]).toEqual(['one', 'two'])
})
