// Shards with lines that are not as our writer makes them: each costs itself, and nothing else.

import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  appendCheckpoint,
  findCheckpoint,
  listCheckpoints,
  type NewCheckpoint,
  openContext,
} from '../../../lib/store/index.js'
import { id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import {
  checkpoint,
  checkpointLine,
  clock,
  NOW,
  numbersOf,
  saveShard,
  tombstoneLine,
} from './checkpoint-lines.js'

const PROJECT = '/work/app'

function saved(number: number, more: object): Buffer {
  const payload = checkpoint({ number, more })
  return line('checkpoint', { uuid: payload.id, ts: payload.created_at, payload })
}

const NEXT: NewCheckpoint = {
  session_key: 's1',
  project_normalized: PROJECT,
  trigger: 'periodic',
  harness: 'test',
  digest: '## Session Checkpoint',
  prompt_count: 10,
}

test('a checkpoint or tombstone without its id is reported and left out', (t) => {
  const root = temporaryFolder(t)
  saveShard(root, PROJECT, [
    checkpointLine({ number: 1 }),
    saved(2, { created_at: 5 }),
    saved(3, { created_at: 'some day' }),
    saved(4, { session_key: null }),
    line('checkpoint', { uuid: id(5), payload: null }),
    line('checkpoint_tombstone', { uuid: id(6), payload: { target_id: 1 } }),
    saved(7, { trigger: 7 }),
    saved(8, { project_normalized: undefined, project: PROJECT }),
  ])
  const { checkpoints, diagnostics } = listCheckpoints(openContext({ root, ...clock }), {
    project: PROJECT,
  })
  expect(numbersOf(checkpoints).sort()).toEqual([1, 7, 8])
  expect(diagnostics.map(({ code }) => code)).toEqual(
    Array.from({ length: 5 }, () => 'bad_payload'),
  )
})

test('a checkpoint without text is reported when it is loaded, and the next one is used', (t) => {
  const root = temporaryFolder(t)
  saveShard(root, PROJECT, [checkpointLine({ number: 1 }), saved(2, { digest: 5 })])
  const { checkpoints, diagnostics } = listCheckpoints(openContext({ root, ...clock }), {
    project: PROJECT,
  })
  expect(numbersOf(checkpoints)).toEqual([1])
  expect(diagnostics).toMatchObject([{ code: 'bad_payload', uuid: id(2) }])
  expect(() => findCheckpoint(openContext({ root }), 5 as unknown as string)).toThrow(TypeError)
})

test('a key belongs to the first checkpoint that holds it; an invalid key is ignored', async (t) => {
  const root = temporaryFolder(t)
  const key = (hash: string) => ({ key: 'checkpoint:r:0:aaaaaaaa', hash })
  const path = saveShard(root, PROJECT, [
    checkpointLine({ number: 1 }),
    saved(2, { idempotency_keys: [key('aaaaaaaa11')] }),
    saved(3, { idempotency_keys: [key('bbbbbbbb22'), null, 'text'] }),
    saved(4, { idempotency_keys: 'none' }),
    line('checkpoint', { uuid: id(5), payload: { idempotency_keys: [key('cc')] } }),
    line('other', { uuid: id(6), payload: { idempotency_keys: [key('dd')] } }),
  ])
  appendFileSync(path, '{"idempotency_keys":[\n')
  const memories = [{ content: 'The port is 8080.' }]
  const again = await appendCheckpoint(
    openContext({ root, ...clock }),
    { ...NEXT, memories } as NewCheckpoint,
    { unlessKeys: [{ ...key('aaaaaaaa11'), memory: 0 }] },
  )
  expect(again.id).toBe(id(2))
})

test('a memory is known only by the visible checkpoints of its project', async (t) => {
  const root = temporaryFolder(t)
  const memories = [{ content: 'The  port is 8080.' }]
  saveShard(root, PROJECT, [
    saved(1, { memories, project_normalized: '/work/other' }),
    saved(2, { memories: [null, { content: 5 }] }),
    saved(3, {}),
  ])
  const store = { root, unlessKnownMemories: true, ...clock }
  const next = { ...NEXT, memories: [{ content: 'the port is 8080.' }] } as NewCheckpoint
  const first = await appendCheckpoint(openContext(store), next, store)
  expect([id(1), id(2), id(3)]).not.toContain(first.id)
  const second = await appendCheckpoint(openContext(store), next, store)
  expect(second.id).toBe(first.id)
})

test('a checkpoint that repeats the newest of its session is left out; tombstones and others do not count', async (t) => {
  const root = temporaryFolder(t)
  const uuid = 'u1'
  saveShard(root, PROJECT, [
    saved(1, { last_uuid: uuid }),
    checkpointLine({ number: 2, session: 's2' }),
    tombstoneLine(3, 9),
  ])
  const within = { root, unlessRepeatedWithinMs: 1000, environment: { now: () => NOW + 10 } }
  const same = await appendCheckpoint(openContext(within), { ...NEXT, last_uuid: uuid }, within)
  expect(same.id).toBe(id(1))
  const moved = await appendCheckpoint(openContext(within), { ...NEXT, last_uuid: 'u2' }, within)
  expect(moved.id).not.toBe(id(1))
  await expect(
    appendCheckpoint(openContext({ root }), { ...NEXT, harness: 5 as unknown as string }),
  ).rejects.toThrow(TypeError)
})
