// What can be exported, in which shape, and what is refused.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import { createSession, type ExportOptions, exportSession } from '../../../lib/index.js'
import { createRedactor } from '../../../lib/redaction/index.js'
import { collect } from '../../helpers/collect.js'
import { foreignLine, line } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

const textOf = async (...call: Parameters<typeof exportSession>) =>
  (await collect(exportSession(...call))).join('')

async function setUp(t: Context) {
  const root = temporaryFolder(t)
  const session = await createSession({ root, home: root, id: 'demo', continuity: false })
  t.onTestFinished(() => session.release())
  return { session, store: { root, home: root } }
}

test('exports any log by its path, without its store', async (t) => {
  const header = { session_id: 'copied', start_ts: '2026-01-01T00:00:00.000Z', format: 1 }
  const path = temporaryFile(
    t,
    'copy.jsonl',
    Buffer.concat([
      line('session_header', { uuid: 'h', payload: header }),
      line('user', { uuid: 'u1', prev_uuid: 'h', payload: { content: 'hello there' } }),
    ]),
  )
  const text = await textOf({ path }, { format: 'text' })
  expect(text).toContain('hello there')
  expect(text).toContain('copied')
})

test('rejects a file without any event', async (t) => {
  const path = temporaryFile(t, 'notes.jsonl', 'only words\n')
  await expect(textOf({ path })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(textOf({ path: join(path, 'nowhere') })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})

test('rejects an unknown format and an invalid redactor', async (t) => {
  const { store } = await setUp(t)
  const format = { ...store, format: 'pdf' } as unknown as ExportOptions
  await expect(textOf('demo', format)).rejects.toMatchObject({ code: 'ERR_ARG' })
  const redact = { ...store, redact: 'yes' } as unknown as ExportOptions
  await expect(textOf('demo', redact)).rejects.toThrow(TypeError)
})

test('uses the redactor of the caller', async (t) => {
  const { session, store } = await setUp(t)
  await session.append({ type: 'user', payload: { content: 'the word is swordfish' } })
  const redact = createRedactor({ rules: [{ name: 'word', pattern: /swordfish/g }] })
  const text = await textOf('demo', { ...store, redact })
  expect(text).toContain('the word is ')
  expect(text).not.toContain('swordfish')
})

test('exports what the model saw at an event: with the summary of that time', async (t) => {
  const { session, store } = await setUp(t)
  for (const uuid of ['u1', 'u2', 'u3']) {
    await session.append({ type: 'user', uuid, payload: { content: `said ${uuid}` } })
  }
  const { summaryUuid, boundaryUuid } = await session.compact({
    summary: 'a stub',
    keepFrom: 'u3',
  })
  await session.append({ type: 'user', uuid: 'u4', payload: { content: 'said u4' } })
  const better = {
    summary_event_uuid: summaryUuid,
    boundary_uuid: boundaryUuid,
    text: 'better words',
    attempt: 1,
  }
  await session.append({ type: 'user', uuid: 'u5', payload: { content: 'said u5' } })
  await session.append({ type: 'summary_revision', payload: { ...better, final: true } })
  const then = await textOf('demo', { ...store, projected: true, at: 'u4' })
  expect(then).toContain('a stub')
  expect(then).not.toContain('better words')
  const now = await textOf('demo', { ...store, projected: true })
  expect(now).toContain('better words')
  expect(now).not.toContain('a stub')
})

test('marks a synthetic result of a call without a result', async (t) => {
  const { session, store } = await setUp(t)
  const payload = { tool_call_id: 't1', name: 'Bash', input: {} }
  await session.append({ type: 'user', payload: { content: 'list the files' } })
  await session.append({ type: 'tool_call', payload })
  await session.append({ type: 'user', payload: { content: 'never mind' } })
  const text = await textOf('demo', { ...store, projected: true })
  const made = text.split('\n').filter((one) => one.includes('"synthetic":true'))
  expect(made).toHaveLength(1)
  expect(made[0]).toContain('t1')
})

test('an export up to an event excludes subagents spawned later, and their subagents', async (t) => {
  const { session, store } = await setUp(t)
  const first = await session.spawn({ taskId: 'k1', prompt: 'one' })
  const inner = await first.spawn({ taskId: 'k2', prompt: 'one of one' })
  await inner.finish({ status: 'completed', summary: 'inner' })
  await first.finish({ status: 'completed', summary: 'first' })
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'go on' } })
  const later = await session.spawn({ taskId: 'k3', prompt: 'two' })
  await later.finish({ status: 'completed', summary: 'later' })
  const text = await textOf('demo', { ...store, at: 'u1' })
  expect(text).toContain('one of one')
  expect(text).not.toContain('"task_id":"k3"')
})

test('a spawn without a payload names no subagent, and damage is reported', async (t) => {
  const { session, store } = await setUp(t)
  await session.append({ type: 'user', uuid: 'u1', payload: { content: 'go on' } })
  await session.release()
  const spawn = {
    type: 'subagent_spawn',
    ts: '2026-01-01T00:00:00.000Z',
    uuid: 's',
    prev_uuid: null,
  }
  writeFileSync(session.path, foreignLine({ ...spawn, payload: null }), { flag: 'a' })
  writeFileSync(session.path, '{"type":\n', { flag: 'a' })
  const reported: Diagnostic[] = []
  const text = await textOf('demo', { ...store, onDiagnostic: (it) => reported.push(it) })
  expect(text).toContain('"uuid":"s"')
  expect(reported.length).toBeGreaterThan(0)
})
