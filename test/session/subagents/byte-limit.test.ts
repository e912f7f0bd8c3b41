// All subagents of a session share one cap. Exact where one process writes, and nearly so where
// several do: those read each other's sizes from the disk, every 64 KiB.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { createSession } from '../../../lib/free-functions.js'
import { openSidechain, type Sidechain } from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { listSidechains, openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Subprocess } from '../subprocess.js'

type Context = Parameters<typeof temporaryFolder>[0]

const KIB = 1024
const CAP = 256 * KIB

async function cappedSession(t: Context, maxSidechainBytes = CAP) {
  const root = temporaryFolder(t)
  const reported: Diagnostic[] = []
  const onDiagnostic = (it: Diagnostic) => reported.push(it)
  const session = await createSession({ root, id: 'demo', maxSidechainBytes, onDiagnostic })
  t.onTestFinished(() => session.release())
  return { root, session, reported }
}

const bytesIn = (root: string) =>
  listSidechains(openContext({ root })).sidechains.reduce((sum, { bytes }) => sum + bytes, 0)

async function fill(child: Sidechain, chars: number): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await child.append({ type: 'assistant', payload: { content: 'x'.repeat(chars) } })
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_SUBAGENT_LIMIT' })
      return count
    }
  }
}

// Requirement: 003-62
test('all children share one limit, and none exceeds it', async (t) => {
  const { root, session, reported } = await cappedSession(t)
  const children = await Promise.all([1, 2, 3].map(() => session.spawn({ prompt: 'Go.' })))
  const grandchild = await children[0]!.spawn({ prompt: 'Deeper.' })
  for (const child of [...children, grandchild]) {
    await child.append({ type: 'assistant', payload: { content: 'x'.repeat(54 * KIB) } })
  }
  expect(reported.map(({ code }) => code)).toEqual(['sidechain_near_cap'])
  const [first, second] = children
  await fill(first!, 1000)
  const afterFirst = bytesIn(root)
  expect(afterFirst).toBeGreaterThan(CAP - 4 * 4 * KIB - 2 * KIB)
  expect(afterFirst).toBeLessThanOrEqual(CAP)
  // Its ending freed what was kept for it, so a little more fits now.
  await fill(second!, 1000)
  await children[2]!.finish({ status: 'completed', summary: '語'.repeat(2000) })
  expect(bytesIn(root)).toBeLessThanOrEqual(CAP)
  expect(reported).toHaveLength(1)
})

// Requirements: 003-62, 003-82
test('a child at the limit is ended with the reason in its log and in its parent', async (t) => {
  const { root, session } = await cappedSession(t, 64 * KIB)
  const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
  expect(await fill(child, 8 * KIB)).toBe(7)
  expect(listSidechains(openContext({ root }), { session: 'demo' }).sidechains).toMatchObject([
    { taskId: 'k1', status: 'aborted', endReason: 'byte_cap' },
  ])
  expect([...readLogSync(session.path)].at(-1)).toMatchObject({
    event: {
      type: 'subagent_result',
      payload: { task_id: 'k1', completion_status: 'aborted', errors: ['byte_cap'] },
    },
  })
  // A later call of finish returns the same report.
  const report = await child.finish({ status: 'completed', summary: 'Done.' })
  expect(report).toMatchObject({ status: 'aborted', errors: ['byte_cap'] })
})

test('at the limit its own log holds less of a long summary, and its parent all of it', async (t) => {
  const { session } = await cappedSession(t, 64 * KIB)
  const child = await session.spawn({ prompt: 'Go.' })
  const content = 'x'.repeat(60 * KIB - child.size - 300)
  await child.append({ type: 'assistant', payload: { content } })
  const summary = '語'.repeat(2000)
  const report = await child.finish({ status: 'completed', summary })
  expect(report).toMatchObject({ summary, status: 'completed', truncated: undefined })
  expect(statSync(child.path).size).toBeLessThanOrEqual(64 * KIB)
  expect([...readLogSync(child.path)].at(-1)).toMatchObject({
    event: {
      payload: {
        completion_status: 'completed',
        summary: expect.stringMatching(/^語+… \[cut\]$/u),
        summary_chars: 2000,
        truncated: true,
      },
    },
  })
})

test('rejects all events of an append that exceeds the limit, and counts appends of one tick together', async (t) => {
  const { root, session } = await cappedSession(t, 64 * KIB)
  const child = await session.spawn({ prompt: 'Go.' })
  const line = () => child.append({ type: 'assistant', payload: { content: 'x'.repeat(20 * KIB) } })
  const all = await Promise.allSettled([line(), line(), line(), line()])
  expect(all.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(bytesIn(root)).toBeLessThanOrEqual(64 * KIB)
})

test('rejects a new child beyond the limit, and leaves nothing of it', async (t) => {
  const { root, session } = await cappedSession(t, 64 * KIB)
  const first = await session.spawn({ prompt: 'Go.' })
  await first.append({ type: 'assistant', payload: { content: 'x'.repeat(59 * KIB) } })
  const code = 'ERR_SUBAGENT_LIMIT'
  const second = session.spawn({ prompt: 'x'.repeat(2 * KIB) })
  await expect(second).rejects.toMatchObject({ code })
  const remote = { taskId: 'k1', sessionId: 'demo', parentUuid: null, depth: 1, prompt: 'Go.' }
  const options = { root, maxSidechainBytes: 64 * KIB }
  await expect(openSidechain(remote, options)).rejects.toMatchObject({ code })
  expect(listSidechains(openContext({ root })).sidechains).toHaveLength(1)
  expect([...readLogSync(session.path)]).toHaveLength(2)
})

test('an invalid event does not end a child by the limit', async (t) => {
  const { session } = await cappedSession(t, 64 * KIB)
  const child = await session.spawn({ prompt: 'Go.' })
  const refused = child.append({ type: 'assistant', payload: { content: Number.NaN as never } })
  await expect(refused).rejects.toMatchObject({ code: 'ERR_SERIALIZE' })
  await child.append({ type: 'assistant', payload: { content: 'fine' } })
})

test.each([0, -1, 1.5, '10' as never])(
  'rejects maxSidechainBytes %j',
  async (maxSidechainBytes) => {
    const root = join('/nonexistent', 'store')
    const task = { taskId: 'k1', sessionId: 's', parentUuid: null, depth: 1, prompt: 'Go.' }
    await expect(openSidechain(task, { root, maxSidechainBytes })).rejects.toMatchObject({
      code: 'ERR_ARG',
    })
  },
)

// Requirement: 003-62
test('three children in two processes stay below one limit, and the parent records it', async (t) => {
  const root = temporaryFolder(t)
  const cap = 1024 * KIB
  const parent = new Subprocess(t, 'fill', { root, cap, children: 2 })
  const { task } = await parent.hears('task')
  const child = new Subprocess(t, 'fill', { root, cap, task })
  await child.hears('ready')
  parent.say({ go: true })
  child.say({ go: true })
  const { reports, warnings } = await child.hears('reports')
  parent.say({ merge: reports })
  const ended = await parent.hears('reports')
  // None for a process that slept while the other one wrote the last fifth.
  const once = [[], ['sidechain_near_cap']]
  expect(once).toContainEqual(warnings)
  expect(once).toContainEqual(ended['warnings'])
  await Promise.all([parent.ended, child.ended])

  const { sidechains } = listSidechains(openContext({ root }), { session: 'demo' })
  expect(sidechains).toMatchObject(
    Array.from({ length: 3 }, () => ({ status: 'aborted', endReason: 'byte_cap' })),
  )
  const bytes = sidechains.reduce((sum, { path }) => sum + statSync(path).size, 0)
  expect(bytes).toBeGreaterThan(0.9 * cap)
  // One other process, unseen for 64 KiB at most, and what each child keeps for its ending.
  expect(bytes).toBeLessThanOrEqual(cap + 64 * KIB + 3 * 4 * KIB)
  const results = [...readLogSync(join(root, '.transcripts', 'demo.jsonl'))].flatMap((entry) =>
    entry.kind === 'event' && entry.event.type === 'subagent_result' ? entry.event.payload : [],
  )
  expect(results).toMatchObject(Array.from({ length: 3 }, () => ({ errors: ['byte_cap'] })))
})
