// A subagent's life, on real files: spawned, working, ended; and what its parent records.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic, SessionEvent } from '../../../lib/format/index.js'
import { createSession, resumeSession, verifyLog } from '../../../lib/free-functions.js'
import { openSidechain, type Session, type SubagentReport } from '../../../lib/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { listSessions, listSidechains, openContext } from '../../../lib/store/index.js'
import { type WriterFiles, withFiles } from '../../helpers/faulty-disk.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

async function newSession(t: Context, options: Parameters<typeof createSession>[0] = {}) {
  const root = options.root ?? temporaryFolder(t)
  const session = await createSession({ id: 'demo', ...options, root })
  t.onTestFinished(() => session.release().catch(() => {}))
  return { root, session }
}

function eventsOf(path: string): SessionEvent[] {
  return [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? entry.event : []))
}

const typesOf = (path: string) => eventsOf(path).map(({ type }) => type)
const lastOf = (path: string, type: string) =>
  eventsOf(path).findLast((event) => event.type === type)?.payload

function resultsOf(session: Session): SubagentReport[] {
  const results = eventsOf(session.path).filter(({ type }) => type === 'subagent_result')
  return results.map(({ payload }) => payload as SubagentReport)
}

const say = (content: string) => ({ type: 'assistant', payload: { content } }) as const

// Requirements: 003-10, 003-60
test('a subagent has a log of its own, with its prompt first, and its parent links to it', async (t) => {
  const { root, session } = await newSession(t)
  const child = await session.spawn({
    taskId: 'k1',
    prompt: 'Run the tests.',
    agentType: 'tester',
    toolCallId: 't1',
  })
  await child.append(say('They pass.'))
  expect(child.path).toBe(join(root, '.sidechains', 'k1.jsonl'))
  const [header, prompt, reply] = eventsOf(child.path)
  const spawn = eventsOf(session.path).at(-1)!
  expect(spawn).toMatchObject({
    type: 'subagent_spawn',
    payload: {
      task_id: 'k1',
      sidechain_path: '.sidechains/k1.jsonl',
      agent_type: 'tester',
      tool_call_id: 't1',
      spec_sha256: createHash('sha256').update('Run the tests.').digest('hex'),
    },
  })
  expect(header).toMatchObject({
    type: 'sidechain_header',
    payload: {
      format: 1,
      task_id: 'k1',
      parent_session_id: 'demo',
      parent_uuid: spawn.uuid,
      depth: 1,
      agent_type: 'tester',
      tool_call_id: 't1',
    },
  })
  expect(prompt).toMatchObject({ type: 'user', payload: { content: 'Run the tests.' } })
  expect(reply).toMatchObject({ type: 'assistant', prev_uuid: prompt!.uuid })
  await child.finish({ status: 'completed', summary: 'All 12 pass.', tokens: 7 })
  expect(lastOf(child.path, 'sidechain_terminator')).toMatchObject({
    completion_status: 'completed',
    summary: 'All 12 pass.',
    summary_chars: 12,
    tokens: 7,
  })
  expect(resultsOf(session)).toMatchObject([
    { task_id: 'k1', completion_status: 'completed', errors: [], tokens: 7, tool_call_id: 't1' },
  ])
  for (const path of [child.path, session.path]) {
    expect((await verifyLog(path)).findings).toEqual([])
  }
})

// Requirement: 003-61
test('the model sees only the summary, or the result of the tool call', async (t) => {
  const { session } = await newSession(t)
  const plain = await session.spawn({ prompt: 'One.' })
  await plain.append(say('secret work'))
  await plain.finish({ status: 'completed', summary: 'First done.' })
  const called = await session.spawn({ prompt: 'Two.', toolCallId: 't1' })
  await called.finish({ status: 'completed', summary: 'Second done.' })
  const seen = JSON.stringify(session.messages().messages)
  expect(seen).toContain('First done.')
  expect(seen).not.toContain('Second done.')
  expect(readFileSync(session.path, 'utf8')).not.toContain('secret work')
})

// Which file is written and synced, and when, by name: the order of T34 is an order of calls.
function watchedDisk(calls: string[]): Partial<WriterFiles> {
  const disk = systemEnvironment.fs
  const nameOf = (fd: number) => basename(readlinkSync(`/proc/self/fd/${fd}`))
  return {
    writeSync(fd, bytes, start, length) {
      const types = bytes.toString('utf8', start, start + length).matchAll(/^\{"type":"(\w+)"/gm)
      for (const [, type] of types) calls.push(`write ${nameOf(fd)} ${type}`)
      return disk.writeSync(fd, bytes, start, length)
    },
    fdatasyncSync(fd) {
      disk.fdatasyncSync(fd)
      calls.push(`synced ${nameOf(fd)}`)
    },
    fdatasync(fd, done) {
      const name = nameOf(fd)
      disk.fdatasync(fd, (error) => {
        calls.push(`synced ${name}`)
        done(error)
      })
    },
  }
}

// Requirement: 003-63
test.runIf(process.platform === 'linux')(
  'the ending is written and synced before its result is appended to the parent',
  async (t) => {
    const calls: string[] = []
    const { session } = await newSession(t, { environment: withFiles(watchedDisk(calls)) })
    const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
    expect(calls.indexOf('synced k1.jsonl')).toBeGreaterThan(
      calls.indexOf('write k1.jsonl sidechain_header'),
    )
    calls.length = 0
    await child.finish({ status: 'completed', summary: 'Done.' })
    expect(calls.filter((call, index) => call !== calls[index - 1])).toEqual([
      'write k1.jsonl sidechain_terminator',
      'synced k1.jsonl',
      'write demo.jsonl subagent_result',
    ])
    const last = await session.spawn({ taskId: 'k2', prompt: 'Go on.' })
    await last.append(say('at work'))
    calls.length = 0
    session.closeSync('signal')
    expect(calls.filter((call, index) => call !== calls[index - 1])).toEqual([
      'write k2.jsonl sidechain_terminator',
      'synced k2.jsonl',
      'write demo.jsonl subagent_result',
      'write demo.jsonl session_terminator',
      'synced demo.jsonl',
    ])
  },
)

test('an ending whose sync failed is recorded as a crash in the parent', async (t) => {
  const disk = systemEnvironment.fs
  let isBroken = false
  const failing: Partial<WriterFiles> = {
    fdatasync: (fd, done) => {
      const isChild = isBroken && readlinkSync(`/proc/self/fd/${fd}`).includes('.sidechains')
      if (isChild) setImmediate(() => done(Object.assign(new Error('EIO'), { code: 'EIO' })))
      else disk.fdatasync(fd, done)
    },
  }
  const { session } = await newSession(t, { environment: withFiles(failing) })
  const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
  isBroken = true
  await expect(child.finish({ status: 'completed', summary: 'Done.' })).rejects.toMatchObject({
    code: 'ERR_DURABILITY_UNKNOWN',
  })
  expect(resultsOf(session)).toEqual([])
  await session.close()
  expect(resultsOf(session)).toMatchObject([
    { completion_status: 'crashed', errors: ['ERR_DURABILITY_UNKNOWN'] },
  ])
})

// Requirement: 003-82
test.for(['', ' \n\t '])(
  'a success without a summary (%j) is a failure, in both logs',
  async (summary, t) => {
    const { session } = await newSession(t)
    const child = await session.spawn({ prompt: 'Go.' })
    const report = await child.finish({ status: 'completed', summary })
    expect(report).toMatchObject({ status: 'failed', errors: ['empty_summary'] })
    expect(lastOf(child.path, 'sidechain_terminator')).toMatchObject({
      completion_status: 'failed',
      reason: 'empty_summary',
    })
    expect(resultsOf(session)).toMatchObject([
      { completion_status: 'failed', errors: ['empty_summary'] },
    ])
  },
)

test.for([
  ['timeout', undefined, ['timeout']],
  ['failed', 'the model was overloaded', ['the model was overloaded']],
  ['aborted', 'user', ['user']],
  ['completed', undefined, []],
] as const)('an ending %s (%s) leaves the errors %j', async ([status, reason, errors], t) => {
  const { session } = await newSession(t)
  const child = await session.spawn({ prompt: 'Go.' })
  await child.finish({ status, reason, summary: 'so far' })
  expect(await session.mergeResult(child)).toMatchObject({
    record: { completion_status: status, summary: 'so far', errors },
    errors,
  })
  // Merged once by finish; by its uuid the second time writes nothing.
  expect(resultsOf(session)).toHaveLength(1)
})

test('a summary is cut to 2000 characters, between characters, with a marker', async (t) => {
  const { session } = await newSession(t)
  const exact = await session.spawn({ prompt: 'Go.' })
  const fits = '😀'.repeat(2000)
  const kept = await exact.finish({ status: 'completed', summary: fits })
  expect(kept.summary).toBe(fits)
  expect(kept.truncated).toBeUndefined()
  const child = await session.spawn({ prompt: 'Go.' })
  const report = await child.finish({ status: 'completed', summary: '😀'.repeat(2001) })
  expect([...report.summary]).toHaveLength(2000)
  expect(report.summary).toMatch(/😀… \[cut\]$/u)
  expect(report.truncated).toBe(true)
  expect(lastOf(child.path, 'sidechain_terminator')).toMatchObject({
    summary: report.summary,
    summary_chars: 2001,
    truncated: true,
  })
})

test('endings are checked before anything is written, and the first one is kept', async (t) => {
  const { session } = await newSession(t)
  const child = await session.spawn({ prompt: 'Go.' })
  const wrong = child.finish({ status: 'done' as never, summary: 'x' })
  await expect(wrong).rejects.toMatchObject({ code: 'ERR_ARG' })
  const reported = child.finish({ status: 'completed', summary: 1 as never })
  await expect(reported).rejects.toThrow(TypeError)
  await expect(session.mergeResult(child)).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(typesOf(child.path)).toEqual(['sidechain_header', 'user'])
  const first = child.finish({ status: 'completed', summary: 'Done.' })
  const second = child.finish({ status: 'failed' })
  expect(await second).toBe(await first)
  await expect(child.append(say('more'))).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(resultsOf(session)).toHaveLength(1)
})

test('a subagent may have subagents, which may have none', async (t) => {
  const { session } = await newSession(t)
  const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
  const grandchild = await child.spawn({ taskId: 'k2', prompt: 'Go deeper.' })
  expect(eventsOf(grandchild.path)[0]!.payload).toMatchObject({
    parent_session_id: 'demo',
    parent_task_id: 'k1',
    depth: 2,
    parent_uuid: eventsOf(child.path).at(-1)!.uuid,
  })
  const code = 'ERR_SPAWN_DEPTH'
  await expect(grandchild.spawn({ prompt: 'Deeper!' })).rejects.toMatchObject({ code })
  await expect(session.spawn({ prompt: 'Go.', depth: 3 })).rejects.toMatchObject({ code })
  await expect(child.spawn({ prompt: 'x', depth: 1 })).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(readdirSync(join(session.path, '../../.sidechains')).filter(isLog)).toHaveLength(2)
  await child.finish({ status: 'completed', summary: 'Done.' })
  expect(typesOf(child.path)).toEqual([
    'sidechain_header',
    'user',
    'subagent_spawn',
    'subagent_result',
    'sidechain_terminator',
  ])
  expect(lastOf(child.path, 'subagent_result')).toMatchObject({ errors: ['parent_closed'] })
  expect(typesOf(session.path)).toEqual(['session_header', 'subagent_spawn', 'subagent_result'])
})

const isLog = (name: string) => name.endsWith('.jsonl')

test('more than ten open subagents are reported, and allowed', async (t) => {
  const reported: Diagnostic[] = []
  const { session } = await newSession(t, { onDiagnostic: (it) => reported.push(it) })
  for (let count = 0; count < 10; count++) await session.spawn({ prompt: 'Go.' })
  expect(reported).toEqual([])
  await session.spawn({ prompt: 'Go.' })
  expect(reported.map(({ code }) => code)).toEqual(['many_sidechains'])
})

test('a task has one log: a second spawn is rejected, also while the first is being created', async (t) => {
  const { session } = await newSession(t)
  const both = await Promise.allSettled([
    session.spawn({ taskId: 'k1', prompt: 'Go.' }),
    session.spawn({ taskId: 'k1', prompt: 'Go.' }),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const code = 'ERR_EXISTS'
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code } })
  const again = session.delegate({ taskId: 'k1', prompt: 'Go.' })
  await expect(again).rejects.toMatchObject({ code })
  expect(typesOf(session.path)).toEqual(['session_header', 'subagent_spawn'])
})

test('a task id that a child of another session has gets a file name with a suffix', async (t) => {
  const root = temporaryFolder(t)
  const { session: one } = await newSession(t, { root, id: 'one' })
  const { session: two } = await newSession(t, { root, id: 'two' })
  const children = await Promise.all([
    one.spawn({ taskId: 'k1', prompt: 'Go.' }),
    two.spawn({ taskId: 'k1', prompt: 'Go.' }),
  ])
  const names = children.map(({ path }) => basename(path)).sort()
  expect(names).toEqual([expect.stringMatching(/^k1--[0-9a-f]{8}\.jsonl$/), 'k1.jsonl'])
  for (const child of children) {
    expect(eventsOf(child.path)[0]!.payload).toMatchObject({ task_id: 'k1' })
  }
  await expect(two.spawn({ taskId: 'k1', prompt: 'Go.' })).rejects.toMatchObject({
    code: 'ERR_EXISTS',
  })
})

test.for(['../../outside', 'C:\\x', '.hidden', 'nul', 'Ä/Ö'])(
  'the task id %j does not lead to another folder',
  async (taskId, t) => {
    const { root, session } = await newSession(t)
    const child = await session.spawn({ taskId, prompt: 'Go.' })
    expect(join(child.path, '..')).toBe(join(root, '.sidechains'))
    expect(eventsOf(child.path)[0]!.payload).toMatchObject({ task_id: taskId })
  },
)

test('rejects an empty prompt and an invalid task id', async (t) => {
  const { root, session } = await newSession(t)
  for (const prompt of ['', '  ', []]) {
    await expect(session.spawn({ prompt })).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  await expect(session.spawn({ prompt: undefined as never })).rejects.toThrow(TypeError)
  await expect(session.spawn({ prompt: 'x', taskId: ' ' })).rejects.toMatchObject({
    code: 'ERR_ARG',
  })
  expect(readdirSync(root)).toEqual(['.transcripts'])
})

// Requirement: 003-33
test('its log rejects events of other channels, and a second header or ending', async (t) => {
  const { session } = await newSession(t)
  const child = await session.spawn({ prompt: 'Go.' })
  for (const type of ['rewind', 'session_meta', 'session_terminator', 'checkpoint', 'remember']) {
    await expect(child.append({ type, payload: {} })).rejects.toMatchObject({
      code: 'ERR_WRONG_LOG_KIND',
    })
  }
  for (const type of ['sidechain_header', 'sidechain_terminator']) {
    const both = [say('x'), { type, payload: {} }]
    await expect(child.appendAll(both)).rejects.toMatchObject({ code: 'ERR_ARG' })
  }
  expect(typesOf(child.path)).toEqual(['sidechain_header', 'user'])
})

// Requirement: 003-72
test('closing a session ends its open subagents first', async (t) => {
  for (const end of ['close', 'release', 'closeSync'] as const) {
    const { root, session } = await newSession(t)
    const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
    const grandchild = await child.spawn({ taskId: 'k2', prompt: 'Deeper.' })
    await (end === 'closeSync' ? session.closeSync('exit') : session[end]())
    expect(listSidechains(openContext({ root }), { session: 'demo' }).sidechains).toMatchObject([
      { taskId: 'k1', status: 'aborted', endReason: 'parent_closed' },
      { taskId: 'k2', status: 'aborted', endReason: 'parent_closed' },
    ])
    expect(lastOf(child.path, 'subagent_result')).toMatchObject({ task_id: 'k2' })
    expect(resultsOf(session)).toMatchObject([{ task_id: 'k1', errors: ['parent_closed'] }])
    expect(typesOf(session.path).at(-1)).toBe(
      end === 'release' ? 'subagent_result' : 'session_terminator',
    )
    expect(readdirSync(join(root, '.sidechains')).filter((name) => !isLog(name))).toEqual([])
    await expect(grandchild.append(say('late'))).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  }
})

test('a spawn that its parent cannot record is ended immediately', async (t) => {
  const { root, session } = await newSession(t)
  await session.close()
  await expect(session.spawn({ prompt: 'Go.' })).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(listSidechains(openContext({ root })).sidechains).toMatchObject([
    { status: 'failed', endReason: 'spawn_failed' },
  ])
})

test('a subagent that goes out of scope unfinished is aborted', async (t) => {
  const { session } = await newSession(t)
  const child = await session.spawn({ prompt: 'Go.' })
  await child[Symbol.asyncDispose]()
  expect(resultsOf(session)).toMatchObject([{ errors: ['unfinished'] }])
})

// Requirement: 003-61
test('a subagent of another process writes only its own log, and returns its report', async (t) => {
  const { root, session } = await newSession(t)
  const task = await session.delegate({ prompt: 'Go.', agentType: 'tester', toolCallId: 't1' })
  // As it would cross a pipe.
  const child = await openSidechain(JSON.parse(JSON.stringify(task)), { root })
  await child.append(say('working'))
  const report = await child.finish({ status: 'completed', summary: 'Done.', tokens: 3 })
  expect(typesOf(session.path)).toEqual(['session_header', 'subagent_spawn'])
  expect(eventsOf(child.path)[0]!.payload).toMatchObject({
    parent_session_id: 'demo',
    parent_uuid: eventsOf(session.path).at(-1)!.uuid,
  })
  const crossed = JSON.parse(JSON.stringify(report)) as SubagentReport
  const merged = await session.mergeResult(crossed)
  expect(merged.errors).toEqual([])
  await session.mergeResult(crossed)
  expect(resultsOf(session)).toEqual([merged.record])
  expect(merged.record).toEqual({
    task_id: task.taskId,
    completion_status: 'completed',
    summary: 'Done.',
    sidechain_path: `.sidechains/${task.taskId}.jsonl`,
    bytes: readFileSync(child.path).length,
    errors: [],
    tokens: 3,
    tool_call_id: 't1',
  })
})

test('a subagent whose process died is reopened; one that ended is not', async (t) => {
  const { root, session } = await newSession(t)
  const task = await session.delegate({ taskId: 'k1', prompt: 'Go.' })
  const first = await openSidechain(task, { root })
  await first.append(say('half'))
  await expect(openSidechain(task, { root })).rejects.toMatchObject({ code: 'ERR_LOCKED' })
  await first.abandon('test')
  const second = await openSidechain(task, { root })
  await second.append(say('whole'))
  await second.finish({ status: 'completed', summary: 'Done.' })
  expect(typesOf(second.path)).toEqual([
    'sidechain_header',
    'user',
    'assistant',
    'assistant',
    'sidechain_terminator',
  ])
  await expect(openSidechain(task, { root })).rejects.toMatchObject({ code: 'ERR_EXISTS' })
})

// Requirement: 003-82
test('a parent reports the ending of a crashed subagent, and never a success without a summary', async (t) => {
  const { session } = await newSession(t)
  await session.delegate({ taskId: 'k1', prompt: 'Go.' })
  const crashed = { taskId: 'k1', status: 'crashed' } as const
  expect(await session.mergeResult(crashed)).toMatchObject({
    record: { sidechain_path: '.sidechains/k1.jsonl', bytes: null, errors: ['crashed'] },
  })
  const silent = { taskId: 'k2', status: 'completed' } as const
  expect(await session.mergeResult(silent)).toMatchObject({
    record: { completion_status: 'failed' },
    errors: ['empty_summary'],
  })
  const long = { ...silent, summary: 'x'.repeat(3000) }
  expect(await session.mergeResult(long)).toMatchObject({ record: { truncated: true }, errors: [] })
  const wrong = session.mergeResult({ ...silent, status: 'great' as never })
  await expect(wrong).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect((await verifyLog(session.path)).findings).toEqual([])
})

// Requirement: 003-43
test('a damaged, replaced or missing sidechain does not affect its parent', async (t) => {
  const { root, session } = await newSession(t)
  await session.append({ type: 'user', payload: { content: 'hello' } })
  const children = await Promise.all(
    ['k1', 'k2', 'k3', 'k4'].map((taskId) => session.spawn({ taskId, prompt: 'Go.' })),
  )
  for (const child of children) await child.finish({ status: 'completed', summary: child.taskId })
  const before = session.messages().messages
  await session.release()
  const [first, second, third, fourth] = children.map(({ path }) => path)
  writeFileSync(first!, Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 37) % 256)))
  writeFileSync(second!, readFileSync(second!).subarray(0, 300))
  rmSync(third!)
  rmSync(fourth!)
  mkdirSync(fourth!)
  const {
    messages,
    degraded,
    diagnostics,
    session: next,
  } = await resumeSession({
    root,
    id: 'demo',
    mode: 'append',
  })
  expect(messages).toEqual(before)
  expect({ degraded, diagnostics }).toEqual({ degraded: false, diagnostics: [] })
  const another = await next!.spawn({ taskId: 'k5', prompt: 'Go.' })
  await another.finish({ status: 'completed', summary: 'Still works.' })
  await next!.close()
  expect(listSessions(openContext({ root })).sessions).toMatchObject([
    { sessionId: 'demo', status: 'clean' },
  ])
})

// Requirement: 003-05
test('only sessions are listed and resumed, not their subagents', async (t) => {
  const { root, session } = await newSession(t)
  await session.append({ type: 'user', payload: { content: 'hello' } })
  const child = await session.spawn({ taskId: 'k1', prompt: 'Go.' })
  await child.append(say('newest of all'))
  const { sessions } = listSessions(openContext({ root }), { all: true })
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['demo'])
  const { sessionId } = await resumeSession({ root, mode: 'inspect' })
  expect(sessionId).toBe('demo')
})

test('shows what the model of a subagent sees, on the disk and in memory', async (t) => {
  for (const persist of [true, false]) {
    const { session } = await newSession(t, { id: `seen-${persist}`, persist })
    const child = await session.spawn({ taskId: `look-${persist}`, prompt: 'Look.' })
    await child.append({ type: 'assistant', payload: { content: 'Seen.' } })
    const { messages } = child.messages()
    expect(messages.map(({ type, payload }) => [type, payload])).toMatchObject([
      ['user', { content: 'Look.' }],
      ['assistant', { content: 'Seen.' }],
    ])
    await child.finish({ status: 'completed', summary: 'Done.' })
    await session.close()
  }
})

test('a subagent that was left without an ending is opened again by its task id', async (t) => {
  const { root, session } = await newSession(t)
  const task = await session.delegate({ taskId: 'left', prompt: 'Go.', agentType: 'scout' })
  const first = await openSidechain(task, { root })
  await first.append({ type: 'assistant', payload: { content: 'Half.' } })
  await first.abandon('as if killed')
  const again = await openSidechain('left', { root })
  expect(again.messages().messages).toHaveLength(2)
  const report = await again.finish({ status: 'completed', summary: 'Whole.' })
  expect(report).toMatchObject({ taskId: 'left', status: 'completed' })
  await expect(openSidechain('left', { root })).rejects.toMatchObject({ code: 'ERR_EXISTS' })
  await expect(openSidechain('none', { root })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  const { path } = again
  const prompt = eventsOf(path).find(({ type }) => type === 'user')!
  writeFileSync(path, readFileSync(path, 'utf8').replace(prompt.uuid, 'x'))
  await expect(openSidechain('left', { root })).rejects.toMatchObject({ code: 'ERR_DAMAGED' })
})
