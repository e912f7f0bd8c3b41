import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startWork, type Work } from '../../files/project.js'
import { runCli, runWell } from '../command-line.js'
import { eventsIn } from '../stored.js'

async function twoEdits(t: Parameters<typeof startWork>[0]): Promise<Work> {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.say('u2')
  await work.edit('a.txt', 'three')
  await work.session.release()
  return work
}

// Requirement: 003-78
test('without --apply nothing at all is written, neither files nor the conversation', async (t) => {
  const work = await twoEdits(t)
  const before = readFileSync(work.session.path)
  const answer = await runCli(['rewind', 'demo', '--to', 'u2', '--files'], work)
  expect(answer.stdout).toBe('would change  a.txt\n')
  expect(answer.stderr).toContain('Nothing was changed; use --apply to do it')
  expect(answer.exitCode).toBe(0)
  expect(work.read('a.txt')).toBe('three')
  expect(readFileSync(work.session.path)).toEqual(before)
})

test('with --apply files go first and the conversation second; the answer says how to undo it', async (t) => {
  const work = await twoEdits(t)
  const args = ['rewind', 'demo', '--to', 'u1', '--files', '--apply', '--json']
  const answer = JSON.parse(await runWell(args, work))
  expect(answer).toMatchObject({
    sessionId: 'demo',
    targetUuid: 'u1',
    applied: true,
    projectRoot: work.project,
    files: [{ path: 'a.txt', action: 'change' }],
    messages: 1,
  })
  expect(work.read('a.txt')).toBe('one')
  const added = eventsIn(work.session.path).slice(-2)
  expect(added.map(({ type }) => type)).toEqual(['file_checkpoint', 'rewind'])
  const { undoUuid } = answer
  expect(added[0]).toMatchObject({ uuid: undoUuid })
  const undo = ['rewind', 'demo', '--to', undoUuid, '--files', '--no-conversation', '--apply']
  const undone = await runCli(undo, work)
  expect(undone.stdout).toBe('changed  a.txt\n')
  expect(undone.stderr).toContain('Undo with: rewind demo --to')
  expect(work.read('a.txt')).toBe('three')
})

test('--no-conversation leaves the conversation where it is', async (t) => {
  const work = await twoEdits(t)
  await runWell(['rewind', 'demo', '--to', 'u1', '--files', '--no-conversation', '--apply'], work)
  expect(work.read('a.txt')).toBe('one')
  expect(eventsIn(work.session.path).some(({ type }) => type === 'rewind')).toBe(false)
})

test('newer work is a conflict, left alone with exit 1, and replaced by --overwrite', async (t) => {
  const work = await twoEdits(t)
  work.write('a.txt', 'by hand')
  const args = ['rewind', 'demo', '--to', 'u1', '--files', '--no-conversation', '--apply']
  const left = await runCli(args, work)
  expect(left.stdout).toBe('left (conflict)  a.txt: no checkpoint holds its present content\n')
  expect(left.stderr).toContain('--overwrite replaces it and keeps a copy')
  expect(left.exitCode).toBe(1)
  expect(work.read('a.txt')).toBe('by hand')
  await runWell([...args, '--overwrite'], work)
  expect(work.read('a.txt')).toBe('one')
})

test('a plan says of each file what would be done, and what it takes to do more', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  work.write('gone.txt', 'here')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.edit('new.txt', 'new')
  await work.session.snapshotFiles(['gone.txt'])
  rmSync(join(work.project, 'gone.txt'))
  await work.session.snapshotFiles(['gone.txt'])
  await work.session.release()
  work.write('a.txt', 'by hand')
  const args = ['rewind', 'demo', '--to', 'u1', '--files']
  const plan = await runCli(args, work)
  expect(plan.stdout.split('\n').sort().filter(Boolean)).toEqual([
    'would create  gone.txt',
    'would leave (conflict)  a.txt: no checkpoint holds its present content',
    'would leave (delete)  new.txt',
  ])
  expect(plan.stderr).toContain('--overwrite replaces it and keeps a copy')
  expect(plan.stderr).toContain('--delete removes files')
  const all = await runCli([...args, '--overwrite', '--delete'], work)
  expect(all.stdout.split('\n').sort().filter(Boolean)).toEqual([
    'would create  gone.txt',
    'would delete  new.txt',
    'would overwrite  a.txt: no checkpoint holds its present content',
  ])
  expect(all.stderr).not.toMatch(/--overwrite|--delete/)
  expect(JSON.parse(await runWell([...args, '--json'], work))).toMatchObject({
    applied: false,
    targetUuid: 'u1',
    unchanged: 0,
  })
  const done = await runCli([...args, '--overwrite', '--delete', '--apply'], work)
  expect(done.exitCode).toBe(0)
  expect(done.stdout).toContain('created  gone.txt\n')
  expect(done.stdout).toContain('deleted  new.txt\n')
  expect(done.stdout).toMatch(/u1/)
  expect(done.stderr).toMatch(/Undo with: rewind demo --to \S+ --files --no-conversation --delete/)
  expect(work.read('a.txt')).toBe('one')
  expect(work.read('gone.txt')).toBe('here')
})

test('a plan with nothing to do exits with 0', async (t) => {
  const work = await twoEdits(t)
  work.write('a.txt', 'two')
  const plan = await runCli(['rewind', 'demo', '--to', 'u2', '--files'], work)
  expect(plan).toMatchObject({ stdout: '', exitCode: 0 })
  expect(plan.stderr).toContain('1 unchanged')
  expect(plan.stderr).not.toContain('--apply')
})

test('a conversation cannot be rewound to a checkpoint of files', async (t) => {
  const work = await twoEdits(t)
  const { uuid } = eventsIn(work.session.path).find(({ type }) => type === 'file_checkpoint')!
  const args = ['rewind', 'demo', '--to', uuid as string, '--files', '--apply']
  const answer = await runCli(args, work)
  expect(answer.stderr).toContain('--no-conversation rewinds only the files to it')
  expect(answer.exitCode).toBe(2)
  expect(work.read('a.txt')).toBe('three')
})

test('a plan can be shown while another process has the session open; applying it exits with 5', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  const plan = await runWell(['rewind', 'demo', '--to', 'u1', '--files'], work)
  expect(plan).toBe('would change  a.txt\n')
  const answer = await runCli(['rewind', 'demo', '--to', 'u1', '--files', '--apply'], work)
  expect(answer.exitCode).toBe(5)
  expect(work.read('a.txt')).toBe('two')
})

// Root may write everywhere.
const asOthers = test.skipIf(process.getuid?.() === 0)

asOthers(
  'a folder that cannot be written is reported, and the other files are restored',
  async (t) => {
    const work = await startWork(t)
    work.write('a.txt', 'one')
    work.write('sub/b.txt', 'one')
    await work.say('u1')
    await work.session.snapshotFiles(['a.txt', 'sub/b.txt'])
    work.write('a.txt', 'two')
    work.write('sub/b.txt', 'two')
    await work.session.snapshotFiles(['a.txt', 'sub/b.txt'])
    await work.session.release()
    chmodSync(join(work.project, 'sub'), 0o500)
    t.onTestFinished(() => chmodSync(join(work.project, 'sub'), 0o700))
    const args = ['rewind', 'demo', '--to', 'u1', '--files', '--no-conversation', '--apply']
    const answer = await runCli(args, work)
    expect(answer.stdout).toContain('changed  a.txt\nfailed to change  sub/b.txt')
    expect(answer.exitCode).toBe(1)
  },
)
