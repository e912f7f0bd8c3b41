// File checkpoints that fit their hash and still ask for what must not be done: anybody who can
// write a line can compute a hash.

import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { manifestText, type SavedFile } from '../../lib/files/index.js'
import { resumeSession } from '../../lib/free-functions.js'
import { openStore } from '../../lib/index.js'

import { temporaryFolder } from '../helpers/temporary.js'
import { startWork, type Work, workIn } from './project.js'

const sha = (text: string) => hash('sha256', text)

/** Records files as a session would, whatever they are, with their manifest or without it. */
async function record(
  { session, project, root: home }: Work,
  files: SavedFile[],
  { root = project, hasManifest = true } = {},
) {
  const text = manifestText({ project_root: root, files })
  const payload = { hash: sha(text), files, at_uuid: null, project_root: root }
  if (hasManifest) {
    const folder = join(home, 'file-history', session.id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${sha(text)}.json`), text)
  }
  const { uuid } = await session.append({ type: 'file_checkpoint', payload })
  return uuid
}

test.for([
  '../outside.txt',
  '/outside.txt',
  'sub/../../outside.txt',
  'a//b',
  './a',
  'a/',
  '',
  'a\0b',
])(
  'a recorded path that leads elsewhere is refused, although the record matches its hash: %j',
  async (path, t) => {
    const folder = realpathSync(temporaryFolder(t))
    const work = await startWork(t, 'demo', { project: join(folder, '.') })
    work.write('kept.txt', 'kept')
    await work.session.snapshotFiles(['kept.txt'])
    const to = await record(work, [{ path, sha256: sha('kept'), existed: true, bytes: 4 }])
    const plan = await work.session.planFileRewind({ to })
    expect(plan.diagnostics).toEqual([])
    expect(plan.files).toMatchObject([
      { path, action: 'refused', reason: 'its path leads out of the project' },
    ])
    const { files } = await work.session.applyFileRewind(plan, { overwrite: true, delete: true })
    expect(files).toEqual([])
    expect(work.files()).toEqual({ 'kept.txt': 'kept' })
  },
)

test('a record never overwrites the store, in any spelling', async (t) => {
  const project = realpathSync(temporaryFolder(t))
  const work = await startWork(t, 'demo', { root: project, project })
  work.write('kept.txt', 'kept')
  await work.session.snapshotFiles(['kept.txt'])
  const paths = ['.transcripts/other.jsonl', '.Transcripts/demo.jsonl', 'history.jsonl']
  const content = { sha256: sha('kept'), existed: true, bytes: 4 }
  const to = await record(
    work,
    paths.map((path) => ({ path, ...content })),
  )
  const plan = await work.session.planFileRewind({ to })
  expect(plan.files.map(({ action, reason }) => `${action}: ${reason}`)).toEqual(
    paths.map(() => 'refused: it is part of the store'),
  )
  await work.session.applyFileRewind(plan, { overwrite: true })
  expect(existsSync(join(project, '.transcripts/other.jsonl'))).toBe(false)
})

test('an edited plan is also refused when it is applied', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  const plan = await work.session.planFileRewind({ to: 'u1' })
  const [file] = plan.files
  const files = [{ ...file!, path: '../outside.txt', action: 'create' as const, mark: undefined }]
  const done = await work.session.applyFileRewind({ ...plan, files })
  expect(done.files).toMatchObject([{ failure: 'its path leads out of the project' }])
  expect(existsSync(join(work.project, '../outside.txt'))).toBe(false)
  expect(work.read('a.txt')).toBe('two')
})

test('a recorded folder with an impossible name is refused, and the other files are restored', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.session.snapshotFiles(['a.txt'])
  const content = { sha256: sha('one'), existed: true, bytes: 3 }
  const long = 'x'.repeat(300)
  const paths = ['a.txt', long, `${long}/a.txt`]
  const to = await record(
    work,
    paths.map((path) => ({ path, ...content })),
  )
  work.write('a.txt', 'two')
  await work.session.snapshotFiles(['a.txt'])
  const plan = await work.session.planFileRewind({ to })
  expect(plan.files).toMatchObject([
    { path: 'a.txt', action: 'change' },
    { action: 'refused', reason: 'it cannot be read (ENAMETOOLONG)' },
    { action: 'refused', reason: `its folder ${long} cannot be read (ENAMETOOLONG)` },
  ])
  await work.session.applyFileRewind(plan)
  expect(work.read('a.txt')).toBe('one')
})

test.for<[what: string, payload: Record<string, unknown>]>([
  ['no list', { files: 'a.txt' }],
  ['no root', { project_root: null }],
  ['a file that is nothing', { files: [null] }],
  ['a file without a path', { files: [{ sha256: null, existed: false }] }],
  ['a file without a hash', { files: [{ path: 'a.txt', existed: true }] }],
  ['a hash that is a path', { files: [{ path: 'a.txt', sha256: '../../demo', existed: true }] }],
])('a record with %s is reported and ignored', async ([, changed], t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  await work.session.release()
  const files = (changed['files'] ?? []) as SavedFile[]
  const project_root = changed['project_root'] === null ? undefined : work.project
  const text =
    Array.isArray(files) && !files.includes(null as never)
      ? manifestText({ project_root: project_root!, files })
      : ''
  const payload = { hash: sha(text), at_uuid: null, project_root, files }
  const line = JSON.stringify({
    type: 'file_checkpoint',
    ts: '2026-01-01T00:00:00.000Z',
    uuid: 'strange',
    prev_uuid: null,
    payload,
  })
  writeFileSync(work.session.path, `${line}\n`, { flag: 'a' })
  const { root, project, diagnostics } = work
  const again = await resumeSession({
    root,
    home: root,
    id: 'demo',
    mode: 'append',
    continuity: false,
  })
  t.onTestFinished(() => again.session!.release())
  const { session } = workIn(again.session!, { root, project, diagnostics })
  const plan = await session.planFileRewind({ to: 'u1' })
  expect(plan.diagnostics).toMatchObject([{ code: 'bad_payload', uuid: 'strange' }])
  expect(plan.files.map(({ path }) => path)).toEqual(['a.txt'])
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two')
})

test('a record without a manifest in this store is inert, and the others are restored', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.say('u1')
  await work.edit('a.txt', 'two')
  const planted = [{ path: 'planted.txt', sha256: sha('one'), existed: true, bytes: 3 }]
  await record(work, planted, { hasManifest: false })
  const plan = await work.session.planFileRewind({ to: 'u1' })
  expect(plan.diagnostics).toMatchObject([{ code: 'file_checkpoint_foreign' }])
  expect(plan.files.map(({ path }) => path)).toEqual(['a.txt'])
})

test('a restore stays inside the project of the session unless the caller names a folder', async (t) => {
  const work = await startWork(t)
  work.write('a.txt', 'one')
  await work.session.snapshotFiles(['a.txt'])
  await work.say('u1')
  const elsewhere = realpathSync(temporaryFolder(t))
  const files = [{ path: 'authorized_keys', sha256: sha('one'), existed: true, bytes: 3 }]
  const to = await record(work, files, { root: elsewhere })
  const mixed = await work.session.planFileRewind({ to })
  expect(mixed).toMatchObject({ projectRoot: work.project, files: [] })
  expect(mixed.diagnostics).toMatchObject([{ code: 'file_elsewhere' }])
  const named = await work.session.planFileRewind({ to, projectRoot: elsewhere })
  await work.session.applyFileRewind(named)
  expect(readFileSync(join(elsewhere, 'authorized_keys'), 'utf8')).toBe('one')
})

test('an imported export plants no file, although it names a session that saved the content', async (t) => {
  const work = await startWork(t, 'victim')
  work.write('id.pub', 'ssh-ed25519 of the attacker')
  await work.session.snapshotFiles(['id.pub'])
  const tip = await work.say('u1')
  await work.session.close()
  const ssh = realpathSync(temporaryFolder(t))
  const content = sha('ssh-ed25519 of the attacker')
  const files = [{ path: 'authorized_keys', sha256: content, existed: true, bytes: 27 }]
  const text = manifestText({ project_root: ssh, files })
  const ts = '2026-01-01T00:00:00.000Z'
  const header = {
    format: 1,
    session_id: 'evil',
    start_ts: ts,
    project: ssh,
    project_normalized: ssh,
    resumed_from: { session_id: 'victim', tip_uuid: tip, transcript_path: work.session.path },
    forked_from: { session_id: 'victim', at_uuid: tip },
  }
  const lines = [
    ['export.begin', { export: 1, session_id: 'evil', view: 'history', redacted: false, at: null }],
    ['export.log', { channel: 'transcript', name: 'evil' }],
    ['session_header', header],
    ['file_checkpoint', { hash: sha(text), files, at_uuid: null, project_root: ssh }],
    ['user', { content: 'hello' }],
    ['export.end', { logs: 1, events: 3, damaged: 0 }],
  ] as const
  const exported = lines.map(([type, payload], index) =>
    JSON.stringify({
      type,
      ts,
      uuid: `e${index}`,
      prev_uuid: type === 'user' ? 'e2' : null,
      payload,
    }),
  )
  const path = join(temporaryFolder(t), 'evil.jsonl')
  writeFileSync(path, `${exported.join('\n')}\n`)
  const store = openStore({ root: work.root, home: work.root })
  await store.importExport(path)
  const { session } = await store.resumeSession({ id: 'evil', mode: 'append' })
  t.onTestFinished(() => session!.release())
  // What the victim saved is outside the project that the import claims.
  await expect(session!.planFileRewind({ to: 'e4' })).rejects.toMatchObject({ code: 'ERR_ARG' })
  const plan = await session!.planFileRewind({ to: 'e3', projectRoot: ssh })
  expect(plan.diagnostics).toMatchObject([{ code: 'file_checkpoint_foreign' }])
  await session!.applyFileRewind(plan, { overwrite: true, delete: true })
  expect(existsSync(join(ssh, 'authorized_keys'))).toBe(false)
})
