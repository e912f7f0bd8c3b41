// A checkpoint becomes one line of the shard of its session's project.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { lineSchemaOf } from '../../../lib/format/schemas.js'
import { appendOnce, readLogSync } from '../../../lib/log/index.js'
import { shardNameOf } from '../../../lib/store/checkpoints/read-shard.js'
import {
  appendCheckpoint,
  deleteCheckpoint,
  listCheckpoints,
  type NewCheckpoint,
  normalizeProject,
  openContext,
} from '../../../lib/store/index.js'
import { FaultyDisk } from '../../helpers/faulty-disk.js'
import { id } from '../../helpers/lines.js'
import { seededRandom } from '../../helpers/random.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'
import { CheckpointProcess } from './checkpoint-process.js'

function folder(): string {
  return realpathSync.native(temporaryFolder({ onTestFinished }))
}

const SAID = {
  session_key: 's1',
  trigger: 'periodic',
  harness: 'test',
  digest: '## Session Checkpoint',
  prompt_count: 10,
} as const satisfies NewCheckpoint

const shardsIn = (root: string) => {
  const path = join(root, '.checkpoints')
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.jsonl')) : []
}

// Requirement: 000-31
test('a checkpoint is one line of its shard, on the disk before it is acknowledged', async () => {
  const root = folder()
  const disk = new FaultyDisk()
  const { path } = await appendCheckpoint(
    openContext({ root, environment: disk.environment }),
    SAID,
  )
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1)
  expect(disk.calls.filter((call) => call === 'writeSync')).toHaveLength(1)
  expect(disk.calls).toContain('fdatasyncSync')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

// Requirements: 000-10, 000-11, 000-13
test('its line has all fields of the format, the searched ones first', async () => {
  const root = folder()
  const project = join(root, 'Project')
  mkdirSync(project)
  const { path, id } = await appendCheckpoint(openContext({ root }), {
    ...SAID,
    project: `${project}/`,
    cause: 'prompt_interval',
    memory_queries: ['config'],
  })
  const [entry] = readLogSync(path)
  if (entry?.kind !== 'event') throw new Error('no event')
  const { event } = entry
  expect(lineSchemaOf('checkpoint')?.safeParse(event).error?.issues).toBeUndefined()
  const payload = event.payload as Record<string, unknown>
  expect(Object.keys(payload).slice(0, 5)).toEqual([
    'id',
    'session_key',
    'created_at',
    'project_normalized',
    'trigger',
  ])
  expect(payload).toMatchObject({
    id,
    project: `${project}/`,
    project_normalized: normalizeProject(openContext(), project),
    agent_id: 'default',
    total_prompt_count: 10,
  })
  expect([event.uuid, event.ts]).toEqual([id, payload['created_at']])
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
})

test('the hash is of the exact bytes of the line, at the returned offset', async () => {
  const root = folder()
  for (const digest of ['one', 'é\u2028"\\', 'x'.repeat(100_000)]) {
    const { path, byteOffset, sha256 } = await appendCheckpoint(openContext({ root }), {
      ...SAID,
      digest,
    })
    const bytes = readFileSync(path).subarray(byteOffset)
    const line = bytes.subarray(0, bytes.indexOf(0x0a))
    expect(sha256).toBe(createHash('sha256').update(line).digest('hex'))
    expect(listCheckpoints(openContext({ root }), { session: 's1' }).checkpoints[0]).toMatchObject({
      sha256,
    })
  }
})

test('a session keeps all its checkpoints in the shard of its header, wherever it works', async () => {
  const root = folder()
  const home = join(root, 'home')
  new Transcript('s1', 0, { project: home, project_normalized: home }).say('hello').save(root)
  await appendCheckpoint(openContext({ root }), { ...SAID, project: home })
  await appendCheckpoint(openContext({ root }), { ...SAID, project: '/somewhere/else' })
  expect(shardsIn(root)).toEqual([shardNameOf(home)])
  const { checkpoints } = listCheckpoints(openContext({ root }), { project: home })
  expect(checkpoints.map(({ checkpoint }) => checkpoint.project)).toEqual(['/somewhere/else', home])
})

test('checkpoints of a session without a project go to the file without a project', async () => {
  const root = folder()
  new Transcript('s1').say('hello').save(root)
  await appendCheckpoint(openContext({ root }), { ...SAID, project: '/somewhere' })
  await appendCheckpoint(openContext({ root }), { ...SAID, session_key: 'no-transcript' })
  expect(shardsIn(root)).toEqual(['_none.jsonl'])
  expect(listCheckpoints(openContext({ root }), { session: 's1' }).checkpoints).toHaveLength(1)
})

// Requirement: 000-15
test('checkpoints have files of their own: no other log takes them, and they take nothing else', async () => {
  const root = folder()
  const { path } = await appendCheckpoint(openContext({ root }), SAID)
  const remember = { type: 'remember', payload: { text: 'the key is in the config' } }
  const wrong = { code: 'ERR_WRONG_LOG_KIND' }
  const toShard = appendOnce(path, [remember], { channel: 'checkpoint' })
  await expect(toShard).rejects.toMatchObject(wrong)
  const transcript = join(root, '.transcripts', 's1.jsonl')
  const event = {
    type: 'checkpoint',
    payload: listCheckpoints(openContext({ root })).checkpoints[0]!.checkpoint,
  }
  const toTranscript = appendOnce(transcript, [event], { channel: 'transcript' })
  await expect(toTranscript).rejects.toMatchObject(wrong)
})

test('another agent has shards of its own', async () => {
  const root = folder()
  await appendCheckpoint(openContext({ root, agent: 'ada' }), SAID)
  expect(shardsIn(root)).toEqual([])
  expect(shardsIn(join(root, 'agents', 'ada'))).toEqual(['_none.jsonl'])
})

test('no two paths share a shard, and each name says which project it is', (t) => {
  const random = seededRandom(t)
  const parts = [
    'a',
    'b',
    'A',
    'é',
    '日本',
    '😀',
    '_',
    '-',
    '.',
    ' ',
    '%',
    'app',
    'con',
    '..',
    '\\',
  ]
  const paths = new Set<string>()
  while (paths.size < 100_000) {
    const segments = Array.from({ length: random.between(1, 6) }, () =>
      Array.from({ length: random.between(1, 4) }, () => random.pick(parts)).join(''),
    )
    paths.add(`/${segments.join('/')}`)
  }
  for (const length of [1000, 4095]) paths.add(`/${'x'.repeat(length)}`)
  const names = new Set(Array.from(paths, shardNameOf))
  expect(names.size).toBe(paths.size)
  for (const name of names) expect(name).toMatch(/^[a-z0-9._%A-F-]{1,40}-[0-9a-f]{16}\.jsonl$/)
  expect(shardNameOf('/work/app')).toMatch(/^app-/)
  expect(shardNameOf('/')).toMatch(/^root-/)
  expect(shardNameOf(null)).toBe('_none.jsonl')
})

test.each([
  ['a trigger nobody knows', { trigger: 'sometimes' }, 'ERR_ARG'],
  ['a count below zero', { prompt_count: -1 }, 'ERR_ARG'],
  ['a long list', { memory_queries: Array<string>(21).fill('q') }, 'ERR_ARG'],
  ['an empty session key', { session_key: ' ' }, 'ERR_ARG'],
  ['a time of another shape', { created_at: 'yesterday' }, 'ERR_ARG'],
  ['what JSON would lose', { structured: { ledger: 1n } }, 'ERR_SERIALIZE'],
])('%s is refused, and nothing is written', async (_, wrong, code) => {
  const root = folder()
  const appended = appendCheckpoint(openContext({ root }), { ...SAID, ...(wrong as object) })
  await expect(appended).rejects.toMatchObject({ code })
  expect(shardsIn(root)).toEqual([])
})

test('a digest that is no string is a mistake of the caller', async () => {
  const appended = appendCheckpoint(openContext({ root: folder() }), {
    ...SAID,
    digest: 1 as never,
  })
  await expect(appended).rejects.toThrow(TypeError)
})

test('the same checkpoint appended again is one line', async () => {
  const root = folder()
  const again = { ...SAID, id: id(7), created_at: '2026-01-31T12:00:00.000Z' }
  const first = await appendCheckpoint(openContext({ root }), again)
  expect(await appendCheckpoint(openContext({ root }), again)).toEqual({
    ...first,
    duplicate: true,
  })
  const other = appendCheckpoint(openContext({ root }), { ...again, digest: 'other' })
  await expect(other).rejects.toMatchObject({ code: 'ERR_UUID_CONFLICT' })
  expect(listCheckpoints(openContext({ root }), { session: 's1' }).checkpoints).toHaveLength(1)
})

const RUN = {
  ...SAID,
  trigger: 'agent',
  session_summary: 'the summary',
  memories: [{ content: 'first' }, { content: 'second' }],
} as const satisfies NewCheckpoint

const KEYS = [
  { key: 'checkpoint:r:summary', hash: 'aaaaaaaa11' },
  { key: 'checkpoint:r:0', hash: 'bbbbbbbb11', memory: 0 },
  { key: 'checkpoint:r:1', hash: 'cccccccc11', memory: 1 },
]

test('a retried run is stored once, and the answer names the checkpoint that holds it', async () => {
  const root = folder()
  const first = await appendCheckpoint(openContext({ root }), RUN, { unlessKeys: KEYS })
  const before = readFileSync(first.path)
  const again = await appendCheckpoint(openContext({ root }), RUN, { unlessKeys: KEYS })
  expect(again).toEqual({ ...first, duplicate: true })
  expect(readFileSync(first.path)).toEqual(before)
})

test('of a run that comes again with more, only what is new is stored', async () => {
  const root = folder()
  await appendCheckpoint(openContext({ root }), RUN, { unlessKeys: KEYS })
  const memories = [...RUN.memories, { content: 'third' }]
  const unlessKeys = [...KEYS, { key: 'checkpoint:r:2', hash: 'dddddddd11', memory: 2 }]
  await appendCheckpoint(openContext({ root }), { ...RUN, memories }, { unlessKeys })
  const [{ checkpoint }] = listCheckpoints(openContext({ root }), { session: 's1' })
    .checkpoints as [never]
  expect(checkpoint).toMatchObject({
    memories: [{ content: 'third' }],
    idempotency_keys: [{ key: 'checkpoint:r:2', hash: 'dddddddd11' }],
  })
  expect(checkpoint).not.toHaveProperty('session_summary')
})

test('a key that comes with other content is stored under a longer key, with a warning, once', async () => {
  const root = folder()
  const told: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => told.push(it)
  await appendCheckpoint(openContext({ root, onDiagnostic }), RUN, { unlessKeys: KEYS })
  expect(told).toEqual([])
  const memories = [{ content: 'changed' }, { content: 'second' }]
  const unlessKeys = [KEYS[0]!, { ...KEYS[1]!, hash: 'eeeeeeee11' }, KEYS[2]!]
  const changed = await appendCheckpoint(
    openContext({ root, onDiagnostic }),
    { ...RUN, memories },
    { unlessKeys },
  )
  expect(told).toMatchObject([{ code: 'idempotency_conflict', uuid: changed.id }])
  const [{ checkpoint }] = listCheckpoints(openContext({ root }), { session: 's1' })
    .checkpoints as [never]
  expect(checkpoint).toMatchObject({
    memories: [{ content: 'changed' }],
    idempotency_keys: [{ key: 'checkpoint:r:0:eeeeeeee', hash: 'eeeeeeee11' }],
  })
  const again = await appendCheckpoint(
    openContext({ root, onDiagnostic }),
    { ...RUN, memories },
    { unlessKeys },
  )
  expect(again.duplicate).toBe(true)
  expect(told).toHaveLength(1)
})

test('parts without a key are always stored', async () => {
  const root = folder()
  await appendCheckpoint(openContext({ root }), RUN, { unlessKeys: KEYS })
  const memories = [...RUN.memories, { content: 'no key' }]
  const { duplicate } = await appendCheckpoint(
    openContext({ root }),
    { ...RUN, memories },
    { unlessKeys: KEYS },
  )
  expect(duplicate).toBeUndefined()
  const [{ checkpoint }] = listCheckpoints(openContext({ root }), { session: 's1' })
    .checkpoints as [never]
  expect(checkpoint).toMatchObject({ memories: [{ content: 'no key' }] })
})

test('memories that a visible checkpoint of the project holds in the same words are left out', async () => {
  const root = folder()
  const first = await appendCheckpoint(openContext({ root }), { ...RUN, project: '/work/a' })
  const said = { ...RUN, session_summary: undefined, project: '/work/a' }
  const dedup = { root, unlessKnownMemories: true }
  const spelled = [{ content: '  FIRST ' }, { content: 'Second\n' }]
  const known = await appendCheckpoint(openContext(dedup), { ...said, memories: spelled }, dedup)
  expect(known).toMatchObject({ id: first.id, duplicate: true, sha256: first.sha256 })
  const mixed = [{ content: 'first' }, { content: 'new' }]
  await appendCheckpoint(openContext(dedup), { ...said, memories: mixed }, dedup)
  const [{ checkpoint }] = listCheckpoints(openContext({ root }), { project: '/work/a' })
    .checkpoints as [never]
  expect(checkpoint).toMatchObject({ memories: [{ content: 'new' }] })
  const elsewhere = await appendCheckpoint(
    openContext(dedup),
    { ...said, project: '/work/b' },
    dedup,
  )
  expect(elsewhere.duplicate).toBeUndefined()
  // What was learnt is not forgotten after seven days, but it can be deleted.
  const later = { now: () => Date.now() + 8 * 86_400_000 }
  const after = openContext({ ...dedup, environment: later })
  const old = await appendCheckpoint(after, { ...said, memories: mixed }, dedup)
  expect(old.duplicate).toBe(true)
  for (const {
    checkpoint: { id },
  } of listCheckpoints(after, { project: '/work/a' }).checkpoints) {
    await deleteCheckpoint(after, id, { reason: 'wrong' })
  }
  const again = await appendCheckpoint(after, { ...said, memories: mixed }, dedup)
  expect(again.duplicate).toBeUndefined()
})

test('of several processes with the same run exactly one stores it', async () => {
  const root = folder()
  const count = 15
  const names = ['a', 'b', 'c', 'd']
  const processes = names.map(
    (name) => new CheckpointProcess({ root, how: 'keyed', name, project: '/work/app', count }),
  )
  await Promise.all(processes.map((it) => it.ready()))
  for (const it of processes) it.go()
  expect(await Promise.all(processes.map((it) => it.ends()))).toEqual([0, 0, 0, 0])
  const said = processes.flatMap((it) => it.said)
  for (let round = 0; round < count; round++) {
    const own = said.filter((it) => it.round === round)
    expect(own.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    expect(new Set(own.map(({ id }) => id)).size).toBe(1)
  }
  expect(shardsIn(root).map((name) => basename(name))).toEqual([shardNameOf('/work/app')])
})
