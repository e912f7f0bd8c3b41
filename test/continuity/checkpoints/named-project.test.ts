// The project that a caller names for a checkpoint is the one that finds it.

import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { id, line } from '../../helpers/lines.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const HEADER = '/work/header'
const NAMED = '/work/named'

async function newStore(t: Parameters<typeof temporaryFolder>[0], project?: string) {
  const root = temporaryFolder(t)
  const store = openStore({ root, home: root })
  const session = await store.createSession({ id: 's1', project, continuity: false })
  await session.prompt('hello')
  const refs = () =>
    Array.from(readLogSync(session.path)).flatMap((entry) =>
      entry.kind === 'event' && entry.event.type === 'checkpoint_ref' ? [entry.event.payload] : [],
    )
  return { root, store, session, refs }
}

const digestsOf = (store: ReturnType<typeof openStore>, query: object) =>
  store.checkpoints.list(query).checkpoints.map(({ checkpoint }) => checkpoint.digest)

test('recovery of the named project finds it, and that of the header does not', async (t) => {
  const { root, store, session, refs } = await newStore(t, HEADER)
  await session.close()
  const { id } = await store.contextCheckpoint({
    sessionKey: 's1',
    project: NAMED,
    sessionSummary: 'the other work',
  })
  expect(store.recover({ project: NAMED })?.text).toContain('the other work')
  expect(store.recover({ project: HEADER })?.text ?? '').not.toContain('the other work')
  const shards = readdirSync(join(root, '.checkpoints')).filter((name) => name.endsWith('.jsonl'))
  expect(shards).toHaveLength(1)
  expect(refs()).toMatchObject([{ checkpoint_id: id, trigger: 'agent', shard: shards[0] }])
})

test('a lookup by session reads the shard of its project and those that the transcript names', async (t) => {
  const { store, session } = await newStore(t, HEADER)
  await session.close()
  await store.checkpoints.addDigest({ sessionKey: 's1', digest: 'own' })
  await store.checkpoints.addDigest({ sessionKey: 's1', digest: 'named', project: NAMED })
  expect(digestsOf(store, { session: 's1' })).toEqual(['named', 'own'])
  expect(store.recover({ sessionKey: 's1', source: 'resume' })?.text).toContain('named')
  expect(digestsOf(store, { project: HEADER })).toEqual(['own'])
})

test('a session without a project is found by the one that was named', async (t) => {
  const { store, session, refs } = await newStore(t)
  await session.close()
  const add = { sessionKey: 's1', digest: 'work', project: NAMED, runId: 'run' }
  await store.checkpoints.addDigest(add)
  expect(store.recover({ project: NAMED })?.text).toContain('work')
  expect(digestsOf(store, { session: 's1' })).toEqual(['work'])
  // Sent again it is stored once and named once.
  expect(await store.checkpoints.addDigest(add)).toMatchObject({ duplicate: true })
  expect(refs()).toHaveLength(1)
})

test('while a process has the session open, the reference waits for it', async (t) => {
  const { store, session, refs } = await newStore(t, HEADER)
  await store.checkpoints.addDigest({ sessionKey: 's1', digest: 'named', project: NAMED })
  expect(refs()).toEqual([])
  expect(digestsOf(store, { session: 's1' })).toEqual(['named'])
  await session.close()
  expect(refs()).toHaveLength(1)
  expect(digestsOf(store, { session: 's1' })).toEqual(['named'])
})

test('a checkpoint of the own project is not referred to', async (t) => {
  const { store, session, refs } = await newStore(t, HEADER)
  await session.close()
  await store.checkpoints.addDigest({ sessionKey: 's1', digest: 'own', project: HEADER })
  expect(refs()).toEqual([])
})

test('a reference leads to no file but a shard, and to no other session', async (t) => {
  const { root, store, session } = await newStore(t, HEADER)
  await session.close()
  const { id: other } = await store.checkpoints.addDigest({
    sessionKey: 's2',
    digest: 'of another',
    project: NAMED,
  })
  const [shard] = readdirSync(join(root, '.checkpoints'))
  const names = ['../secrets.jsonl', 'missing.jsonl', '', shard]
  for (const [number, name] of names.entries()) {
    const payload = { checkpoint_id: other, trigger: 'agent', sha256: 'x', shard: name }
    appendFileSync(session.path, line('checkpoint_ref', { uuid: id(number), payload }))
  }
  expect(store.checkpoints.list({ session: 's1' })).toEqual({ checkpoints: [], diagnostics: [] })
})

test('0.1.0 reads such a store without findings and finds it by the named project', async (t) => {
  const { root, store, session } = await newStore(t, HEADER)
  await session.close()
  await store.checkpoints.addDigest({ sessionKey: 's1', digest: 'named', project: NAMED })
  const [shard] = readdirSync(join(root, '.checkpoints'))
  for (const path of [session.path, join(root, '.checkpoints', shard!)]) {
    expect(await release010.verifyLog(path)).toMatchObject({ findings: [] })
  }
  const seen = await release010.resumeSession({ root, id: 's1', mode: 'inspect' })
  expect(seen).toMatchObject({ degraded: false, diagnostics: [] })
  expect(await release010.recover({ root, project: NAMED })).toMatchObject({
    checkpoint: { digest: 'named' },
  })
})
