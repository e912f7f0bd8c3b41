import { hash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession, forkSession, resumeSession } from '../../lib/free-functions.js'

import { eventsIn } from '../cli/stored.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { startWork, type Work, workIn } from './project.js'

const sha = (text: string | Buffer) => hash('sha256', text)

async function rewindTo({ session }: Work, to: string, options = {}) {
  return session.applyFileRewind(await session.planFileRewind({ to }), options)
}

const blobFolder = ({ root }: Work, id = 'demo') => join(root, 'file-history', id)

// Requirement: 003-48
test('a snapshot stores each content once, by its hash, and records the hash of the manifest', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one', 0o640)
  work.write('sub/b.bin', Buffer.from([0, 255, 10, 13, 0]))
  work.write('same.txt', 'one')
  work.write('empty', '')
  await work.say('u1')
  const { uuid, hash, files } = await work.session.snapshotFiles([
    'a.txt',
    './sub/../sub/b.bin',
    'same.txt',
    join(work.project, 'a.txt'),
    'empty',
    'missing.txt',
  ])
  expect(files).toEqual([
    { path: 'a.txt', sha256: sha('one'), existed: true, mode: 0o640, bytes: 3 },
    { path: 'empty', sha256: sha(''), existed: true, mode: expect.any(Number), bytes: 0 },
    { path: 'missing.txt', sha256: null, existed: false },
    { path: 'same.txt', sha256: sha('one'), existed: true, mode: expect.any(Number), bytes: 3 },
    expect.objectContaining({ path: 'sub/b.bin', bytes: 5 }),
  ])
  const folder = blobFolder(work)
  expect(readdirSync(folder)).toHaveLength(4)
  expect(statSync(join(folder, sha('one'))).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const manifest = readFileSync(join(folder, `${hash}.json`))
  expect(sha(manifest)).toBe(hash)
  expect(JSON.parse(manifest.toString())).toEqual({ project_root: work.project, files })
  expect(eventsIn(work.session.path).at(-1)).toMatchObject({
    type: 'file_checkpoint',
    uuid,
    prev_uuid: null,
    payload: { hash, files, at_uuid: 'u1', project_root: work.project },
  })
})

// Requirements: 003-49, 003-78
test('files are rewound without the conversation, and the conversation without files', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.say('u2')
  await work.edit('a.txt', 'three')
  await work.say('u3')
  const messages = work.session.messages().messages.length
  await rewindTo(work, 'u2')
  expect(work.read('a.txt')).toBe('two')
  expect(work.session.messages().messages).toHaveLength(messages)
  await work.session.rewind({ to: 'u1' })
  expect(work.read('a.txt')).toBe('two')
  await rewindTo(work, 'u1')
  expect(work.read('a.txt')).toBe('one')
})

test('a plan lists what would be created, changed and deleted, and changes nothing', async (t) => {
  const work = await startWork(t)
  work.write('changed.txt', 'one')
  work.write('gone.txt', 'here')
  work.write('same.txt', 'same')
  await work.say('u1')
  await work.session.snapshotFiles(['changed.txt', 'gone.txt', 'same.txt', 'new.txt'])
  work.write('changed.txt', 'two')
  work.write('new.txt', 'new')
  rmSync(join(work.project, 'gone.txt'))
  await work.session.snapshotFiles(['changed.txt', 'gone.txt', 'new.txt'])
  const before = work.files()
  const size = work.session.size
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.files.map(({ path, action }) => `${action} ${path}`)).toEqual([
    'change changed.txt',
    'create gone.txt',
    'delete new.txt',
  ])
  expect(plan).toMatchObject({ unchanged: 1, projectRoot: work.project, targetUuid: 'u1' })
  expect(work.files()).toEqual(before)
  expect(work.session.size).toBe(size)
})

test('deletes new files only with `delete`, and only if their content is saved', async (t) => {
  const work = await startWork(t)
  await work.say('u1')
  await work.session.snapshotFiles(['made.txt', 'other.txt'])
  work.write('made.txt', 'made')
  work.write('other.txt', 'other')
  await work.session.snapshotFiles(['made.txt'])
  work.write('unknown.txt', 'nobody ever saved it')
  const kept = await rewindTo(work, 'u1')
  expect(kept.files).toEqual([])
  expect(work.files()).toHaveProperty('made.txt')
  const { files, left } = await rewindTo(work, 'u1', { delete: true, overwrite: true })
  expect(files).toEqual([{ path: 'made.txt', action: 'delete' }])
  expect(left).toMatchObject([{ path: 'other.txt', action: 'conflict' }])
  expect(work.files()).toEqual({ 'other.txt': 'other', 'unknown.txt': 'nobody ever saved it' })
})

test('newer work is replaced only with `overwrite`, and is saved first', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  work.write('a.txt', 'by a person')
  const { files, left } = await rewindTo(work, 'u1')
  expect({ files, left }).toMatchObject({ files: [], left: [{ action: 'conflict' }] })
  expect(work.read('a.txt')).toBe('by a person')
  const { undoUuid } = await rewindTo(work, 'u1', { overwrite: true })
  expect(work.read('a.txt')).toBe('one')
  await rewindTo(work, undoUuid!)
  expect(work.read('a.txt')).toBe('by a person')
})

test('a change between the plan and the restore is newer work, too', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  work.write('gone.txt', 'here')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.session.snapshotFiles(['gone.txt'])
  rmSync(join(work.project, 'gone.txt'))
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.files.map(({ action }) => action)).toEqual(['change', 'create'])
  work.write('a.txt', 'by a person')
  work.write('gone.txt', 'by a person, too')
  const { files } = await work.session.applyFileRewind(plan)
  const failure = 'it changed while files were restored'
  expect(files).toMatchObject([{ failure }, { failure }])
  expect(work.files()).toEqual({ 'a.txt': 'by a person', 'gone.txt': 'by a person, too' })
})

test('a rewind of files is undone by its own checkpoint: contents, modes and missing files', async (t) => {
  const work = await startWork(t)
  work.write('run.sh', 'one', 0o755)
  work.write('gone/deep.txt', 'deep')
  await work.say('u1')
  await work.session.snapshotFiles(['run.sh', 'gone/deep.txt'])
  work.write('run.sh', 'two')
  chmodSync(join(work.project, 'run.sh'), 0o600)
  rmSync(join(work.project, 'gone'), { recursive: true })
  await work.session.snapshotFiles(['run.sh', 'gone/deep.txt'])
  const before = work.files()
  const { files, undoUuid } = await rewindTo(work, 'u1')
  expect(files.map(({ path, action }) => `${action} ${path}`)).toEqual([
    'create gone/deep.txt',
    'change run.sh',
  ])
  expect(work.files()).toEqual({ 'run.sh': 'one', 'gone/deep.txt': 'deep' })
  expect(statSync(join(work.project, 'run.sh')).mode & 0o777).toBe(0o755)
  expect(eventsIn(work.session.path).at(-1)).toMatchObject({
    type: 'file_checkpoint',
    payload: { reason: 'rewind' },
  })
  await rewindTo(work, undoUuid!, { delete: true })
  expect(work.files()).toEqual(before)
  expect(statSync(join(work.project, 'run.sh')).mode & 0o777).toBe(0o600)
})

test('restores a mode alone', async (t) => {
  const work = await startWork(t)
  work.write('run.sh', 'same', 0o755)
  await work.say('u1')
  await work.session.snapshotFiles(['run.sh'])
  chmodSync(join(work.project, 'run.sh'), 0o644)
  await rewindTo(work, 'u1')
  expect(statSync(join(work.project, 'run.sh')).mode & 0o777).toBe(0o755)
})

test.for(['../outside.txt', '/etc/hostname', 'sub/../../outside.txt', '.', '', 'a\0b'])(
  'rejects a path outside of the project before anything is written: %j',
  async (path, t) => {
    const work = await startWork(t)
    work.write('a.txt', 'one')
    const size = work.session.size
    const saving = work.session.snapshotFiles(['a.txt', path])
    await expect(saving).rejects.toThrow(/outside the project|not the path/)
    expect(existsSync(blobFolder(work))).toBe(false)
    expect(work.session.size).toBe(size)
  },
)

test('checks its arguments before anything is written', async (t) => {
  const work = await startWork(t)
  const { session } = work
  const text = 'a.txt' as unknown as string[]
  await expect(session.snapshotFiles(text)).rejects.toThrow(
    new TypeError('The files to save must be an array of paths'),
  )
  await expect(session.snapshotFiles([5 as unknown as string])).rejects.toThrow(
    new TypeError('The path of a file must be a string'),
  )
  const many = Array.from({ length: 10_001 }, (_, index) => `${index}.txt`)
  await expect(session.snapshotFiles(many)).rejects.toMatchObject({ code: 'ERR_ARG' })
  for (const maxFileBytes of [-1, 0.5, Number.NaN]) {
    const saving = session.snapshotFiles(['a.txt'], { maxFileBytes })
    await expect(saving).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  expect(existsSync(blobFolder(work))).toBe(false)
})

test('rejects a folder that is a link out of the project; a link inside names the real file', async (t) => {
  const work = await startWork(t)
  const outside = temporaryFolder(t)
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(outside, join(work.project, 'out'))
  work.write('real/a.txt', 'one')
  symlinkSync(join(work.project, 'real'), join(work.project, 'alias'))
  const refused = work.session.snapshotFiles(['out/secret'])
  await expect(refused).rejects.toMatchObject({ code: 'ERR_UNSAFE_PATH' })
  const { files } = await work.session.snapshotFiles(['alias/a.txt', 'real/a.txt'])
  expect(files.map(({ path }) => path)).toEqual(['real/a.txt'])
})

test('records links, hard links, folders, large and unreadable files without content', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  work.write('big', Buffer.alloc(100))
  work.write('locked', 'x')
  chmodSync(join(work.project, 'locked'), 0o000)
  symlinkSync('a.txt', join(work.project, 'link'))
  work.write('twice', 'x')
  linkSync(join(work.project, 'twice'), join(work.project, 'thrice'))
  mkdirSync(join(work.project, 'folder'))
  const paths = ['link', 'twice', 'folder', 'big', 'locked', 'a.txt']
  const { files } = await work.session.snapshotFiles(paths, { maxFileBytes: 50 })
  const why = Object.fromEntries(files.map(({ path, skipped }) => [path, skipped]))
  expect(why).toMatchObject({
    link: 'it is a symbolic link',
    twice: 'it has 2 names (hard links)',
    folder: 'it is a directory',
    big: 'it is larger than 50 bytes',
    'a.txt': undefined,
  })
  // Root reads everything.
  if (process.getuid?.() !== 0) expect(why['locked']).toContain('EACCES')
  const reported = work.diagnostics.filter(({ code }) => code === 'file_not_saved')
  expect(reported.length).toBeGreaterThanOrEqual(4)
})

test('records an inaccessible file without content: in a link loop, or with too long a name', async (t) => {
  const work = await startWork(t)
  symlinkSync('circle', join(work.project, 'circle'))
  const long = 'x'.repeat(300)
  const { files } = await work.session.snapshotFiles(['circle/a.txt', long])
  expect(files).toEqual([
    {
      path: 'circle/a.txt',
      sha256: null,
      existed: true,
      skipped: 'it cannot be read (ELOOP)',
    },
    { path: long, sha256: null, existed: true, skipped: 'it cannot be read (ENAMETOOLONG)' },
  ])
})

test('refuses to restore a file that was recorded without content', async (t) => {
  const work = await startWork(t)
  work.write('big', 'too large to be kept')
  await work.say('u1')
  await work.session.snapshotFiles(['big'], { maxFileBytes: 5 })
  work.write('big', 'new')
  const { files, left } = await rewindTo(work, 'u1', { overwrite: true })
  expect(files).toEqual([])
  expect(left).toMatchObject([
    { action: 'refused', reason: 'it was not saved then: it is larger than 5 bytes' },
  ])
  expect(work.read('big')).toBe('new')
})

test('does not touch what is in place of a file: a link, a hard link, a folder, a linked folder', async (t) => {
  const work = await startWork(t)
  const outside = temporaryFolder(t)
  const names = ['to-link', 'to-hard-link', 'to-folder', 'sub/to-linked-folder', 'under/file']
  for (const name of names) work.write(name, name)
  await work.say('u1')
  await work.session.snapshotFiles(names)
  for (const name of names) rmSync(join(work.project, name))
  writeFileSync(join(outside, 'target'), 'theirs')
  symlinkSync(join(outside, 'target'), join(work.project, 'to-link'))
  writeFileSync(join(outside, 'hard'), 'theirs')
  linkSync(join(outside, 'hard'), join(work.project, 'to-hard-link'))
  mkdirSync(join(work.project, 'to-folder'))
  rmSync(join(work.project, 'sub'), { recursive: true })
  symlinkSync(outside, join(work.project, 'sub'))
  rmSync(join(work.project, 'under'), { recursive: true })
  work.write('under', 'a file now')
  const { files, left } = await rewindTo(work, 'u1', { overwrite: true, delete: true })
  expect(files).toEqual([])
  expect(left.map(({ path, action }) => `${action} ${path}`)).toEqual([
    'refused sub/to-linked-folder',
    'refused to-folder',
    'refused to-hard-link',
    'refused to-link',
    'refused under/file',
  ])
  expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('theirs')
  expect(readFileSync(join(outside, 'hard'), 'utf8')).toBe('theirs')
  expect(readdirSync(outside).sort()).toEqual(['hard', 'target'])
})

test('a missing or damaged copy fails alone and is reported', async (t) => {
  const work = await startWork(t)
  for (const name of ['cut', 'flipped', 'lost', 'fine']) work.write(name, `content of ${name}`)
  await work.say('u1')
  await work.session.snapshotFiles(['cut', 'flipped', 'lost', 'fine'])
  for (const name of ['cut', 'flipped', 'lost', 'fine']) work.write(name, `new ${name}`)
  await work.session.snapshotFiles(['cut', 'flipped', 'lost', 'fine'])
  const blob = (name: string) => join(blobFolder(work), sha(`content of ${name}`))
  truncateSync(blob('cut'), 3)
  writeFileSync(blob('flipped'), 'content of flippeD')
  rmSync(blob('lost'))
  const { files, left } = await rewindTo(work, 'u1')
  expect(left.map(({ path, action }) => `${action} ${path}`)).toEqual([
    'refused cut',
    'refused lost',
  ])
  expect(files).toMatchObject([
    { path: 'fine' },
    { path: 'flipped', failure: 'its copy is damaged' },
  ])
  expect(work.diagnostics.map(({ code }) => code)).toEqual(['blob_damaged'])
  expect(work.files()).toEqual({
    cut: 'new cut',
    flipped: 'new flipped',
    lost: 'new lost',
    fine: 'content of fine',
  })
  work.write('cut', 'content of cut')
  await work.session.snapshotFiles(['cut'])
  expect(statSync(blob('cut')).size).toBe(14)
})

test('restores a file recorded without its length, and a long one', async (t) => {
  const work = await startWork(t)
  const long = Buffer.alloc(700_000, 'long ')
  work.write('long.bin', long)
  work.write('short.txt', 'one')
  await work.session.snapshotFiles(['long.bin', 'short.txt'])
  const files = [
    { path: 'long.bin', sha256: sha(long), existed: true },
    { path: 'short.txt', sha256: sha('one'), existed: true },
  ]
  const project_root = work.project
  const text = `${JSON.stringify({ project_root, files })}\n`
  const hash = sha(text)
  writeFileSync(join(work.root, 'file-history/demo', `${hash}.json`), text)
  const payload = { hash, files, at_uuid: null, project_root }
  const { uuid } = await work.session.append({ type: 'file_checkpoint', payload })
  work.write('long.bin', 'x')
  work.write('short.txt', 'two')
  await work.session.snapshotFiles(['long.bin', 'short.txt'])
  const { undoUuid } = await rewindTo(work, uuid!)
  expect(readFileSync(join(work.project, 'long.bin')).equals(long)).toBe(true)
  expect(work.read('short.txt')).toBe('one')
  await rewindTo(work, undoUuid!)
  expect(work.read('short.txt')).toBe('two')
  rmSync(join(blobFolder(work), sha('one')))
  mkdirSync(join(blobFolder(work), sha('one')))
  const { files: done, left } = await rewindTo(work, uuid!)
  expect(done).toEqual([{ path: 'long.bin', action: 'change' }])
  expect(left).toMatchObject([{ path: 'short.txt', action: 'refused' }])
})

test('restores from a copy with a second name, as backups make it', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.session.snapshotFiles(['a.txt'])
  const files = [{ path: 'a.txt', sha256: sha('one'), existed: true }]
  const project_root = work.project
  const hash = sha(`${JSON.stringify({ project_root, files })}\n`)
  const payload = { hash, files, at_uuid: null, project_root }
  const { uuid } = await work.session.append({ type: 'file_checkpoint', payload })
  linkSync(join(blobFolder(work), sha('one')), join(blobFolder(work), 'second'))
  await work.edit('a.txt', 'two')
  expect(await rewindTo(work, uuid!)).toMatchObject({ files: [{ path: 'a.txt' }] })
  expect(work.read('a.txt')).toBe('one')
})

test('distinguishes names by case, by Unicode form and by blanks, as the disk does', async (t) => {
  const work = await startWork(t)
  const names = ['A.txt', 'a.txt', 'é', 'e\u0301', '名前 ', '-rf', 'it\'s "q"', 'line\nbreak']
  for (const name of names) work.write(name, `was ${name}`)
  await work.say('u1')
  await work.session.snapshotFiles(names)
  for (const name of names) work.write(name, 'x')
  await work.session.snapshotFiles(names)
  await rewindTo(work, 'u1')
  for (const name of names) expect(work.read(name)).toBe(`was ${name}`)
})

test('the store itself is never saved nor overwritten, in any spelling', async (t) => {
  const project = realpathSync(temporaryFolder(t))
  const work = await startWork(t, 'demo', { root: project, project })
  for (const path of ['.transcripts/demo.jsonl', '.Transcripts/demo.jsonl', 'history.jsonl']) {
    const saving = work.session.snapshotFiles([path])
    await expect(saving).rejects.toThrow('it is part of the store')
  }
})

test('an edited record is reported and not followed', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  const files = [{ path: '../../etc/passwd', sha256: sha('one'), existed: true }]
  const payload = { hash: sha('x'), files, at_uuid: 'u1', project_root: work.project }
  await work.session.append({ type: 'file_checkpoint', payload })
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.diagnostics).toMatchObject([{ code: 'bad_payload' }])
  expect(plan.files.map(({ path }) => path)).toEqual(['a.txt'])
})

test('a resumed session and a fork restore files that the earlier session saved', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.say('u2')
  await work.session.release()
  const { root, diagnostics, project } = work
  const resumed = await resumeSession({ root, home: root, id: 'demo', continuity: false })
  t.onTestFinished(() => resumed.session!.release())
  const later = workIn(resumed.session!, { root, project, diagnostics })
  await later.edit('a.txt', 'three')
  await rewindTo(later, 'u2')
  expect(work.read('a.txt')).toBe('two')
  await rewindTo(later, 'u1')
  expect(work.read('a.txt')).toBe('one')
  forkSession('demo', { root, home: root, newId: 'fork' })
  const forked = await resumeSession({ root, home: root, id: 'fork', mode: 'append' })
  t.onTestFinished(() => forked.session!.release())
  const fork = workIn(forked.session!, { root, project, diagnostics })
  await fork.edit('a.txt', 'by the fork')
  await rewindTo(fork, 'u1')
  expect(work.read('a.txt')).toBe('one')
})

// Requirement: 003-51
test('close() returns the hash of the file manifest if that is the newest checkpoint', async (t) => {
  const root = temporaryFolder(t)
  const project = realpathSync(temporaryFolder(t))
  writeFileSync(join(project, 'a.txt'), 'one')
  const session = await createSession({ root, home: root, project, continuity: false })
  const { hash } = await session.snapshotFiles(['a.txt'])
  expect(await session.close()).toMatchObject({ checkpoint_hash: hash })
  const goOn = async (id: string) =>
    (await resumeSession({ root, home: root, id, mode: 'append' })).session!
  expect(await (await goOn(session.id)).close()).toMatchObject({ checkpoint_hash: hash })
  const other = await createSession({ root, home: root, project })
  await other.append({ type: 'user', payload: { content: 'hello' } })
  const files = await other.snapshotFiles(['a.txt'])
  const { sha256 } = await other.checkpoint({ digest: 'left off here' })
  await other.append({ type: 'user', payload: { content: 'more' } })
  const { checkpoint_hash } = await other.close()
  expect([files.hash, sha256, null]).not.toContain(checkpoint_hash)
  expect(await (await goOn(other.id)).close()).toMatchObject({ checkpoint_hash })
})

// Requirement: 003-50
test('contents are stored in the folder of their session, never in its log', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'the content of a file')
  await work.session.snapshotFiles(['a.txt'])
  expect(readFileSync(work.session.path, 'utf8')).not.toContain('the content of a file')
  expect(existsSync(join(blobFolder(work), sha('the content of a file')))).toBe(true)
})

test('a session in memory saves no files', async (t) => {
  const project = realpathSync(temporaryFolder(t))
  const session = await createSession({ persist: false, project })
  const saving = session.snapshotFiles(['a.txt'])
  await expect(saving).rejects.toMatchObject({ code: 'ERR_ARG' })
  await session.close()
})

test('planFileRewind throws if nothing was saved', async (t) => {
  const work = await startWork(t)
  await work.say('u1')
  await expect(work.session.planFileRewind({ to: 'u1' })).rejects.toThrow('No file was saved')
  await work.session.snapshotFiles(['a.txt'])
  await expect(work.session.planFileRewind({ to: 'no' })).rejects.toThrow('No event "no"')
})

test('a folder in place of a content fails with a typed error', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  mkdirSync(join(blobFolder(work), sha('one')), { recursive: true })
  const failed = await work.session.snapshotFiles(['a.txt']).catch((error: unknown) => error)
  expect(failed).toMatchObject({ name: 'SessionError', code: 'ERR_UNSAFE_PATH' })
})

test('a file in place of the folder of contents fails with a typed error', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.session.snapshotFiles(['a.txt'])
  rmSync(join(work.root, 'file-history'), { recursive: true })
  writeFileSync(join(work.root, 'file-history'), '')
  for (const call of [
    work.session.snapshotFiles(['a.txt']),
    work.session.snapshotFiles(['missing.txt']),
    work.session.planFileRewind({ to: 'u1' }),
  ]) {
    const failed = await call.catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'SessionError', details: { errno: 'ENOTDIR' } })
  }
})

test('a folder of contents that vanishes meanwhile fails with a typed error', async (t) => {
  const root = temporaryFolder(t)
  const project = realpathSync(temporaryFolder(t))
  const vanish = ((from: string, to: string) => {
    if (from.includes('file-history')) rmSync(join(root, 'file-history'), { recursive: true })
    return renameSync(from, to)
  }) as typeof renameSync
  const environment = { fs: { renameSync: vanish } }
  const options = { root, home: root, project, continuity: false as const, environment }
  const session = await createSession({ ...options, id: 'demo' })
  t.onTestFinished(() => session.release())
  writeFileSync(join(project, 'a.txt'), 'one')
  const failed = await session.snapshotFiles(['a.txt']).catch((error: unknown) => error)
  expect(failed).toMatchObject({ name: 'SessionError', code: 'ERR_NOT_FOUND' })
})
