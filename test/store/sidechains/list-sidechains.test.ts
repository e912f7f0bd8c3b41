// The subagents of a store, from real files: how they stand, whose they are, which one is meant.

import { createHash } from 'node:crypto'
import fs, { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { openLog } from '../../../lib/log/index.js'
import {
  findSidechain,
  findSidechainTarget,
  layoutOf,
  listSidechains,
  openContext,
  SidechainSizes,
} from '../../../lib/store/index.js'
import { contextOfLayout } from '../../helpers/context.js'
import { line, time } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

interface Child {
  readonly session?: string
  readonly parentUuid?: string | null
  readonly parentTask?: string
  readonly depth?: number
  readonly second?: number
  readonly lines?: readonly Buffer[]
}

function newStore(t: Context) {
  const root = temporaryFolder(t)
  for (const folder of ['.sidechains', '.transcripts']) mkdirSync(join(root, folder))
  return root
}

function headerLine(task: string, child: Child = {}): Buffer {
  const { session = 's', parentUuid = 'spawn', parentTask, depth = 1, second = 0 } = child
  return line('sidechain_header', {
    uuid: 'h',
    ts: time(second),
    payload: {
      format: 1,
      task_id: task,
      parent_session_id: session,
      parent_uuid: parentUuid,
      depth,
      start_ts: time(second),
      ...(parentTask !== undefined && { parent_task_id: parentTask }),
      agent_type: 'tester',
    },
  })
}

const prompt = (content: string) =>
  line('user', { uuid: 'p', prev_uuid: 'h', payload: { content } })
const reply = line('assistant', { uuid: 'a', prev_uuid: 'p', payload: { content: 'ok' } })
const ending = (completion_status: string, reason?: string) =>
  line('sidechain_terminator', {
    uuid: 'z',
    payload: {
      end_ts: time(9),
      completion_status,
      summary: 'All pass.',
      summary_chars: 9,
      bytes: 1,
      ...(reason !== undefined && { reason }),
    },
  })

function store(root: string, name: string, lines: readonly Buffer[]): string {
  const path = join(root, '.sidechains', `${name}.jsonl`)
  writeFileSync(path, Buffer.concat(lines))
  return path
}

function storeChild(root: string, task: string, child: Child = {}, name = task): string {
  return store(root, name, [headerLine(task, child), ...(child.lines ?? [prompt('Go.')])])
}

function storeTranscript(root: string, id: string, lines: readonly Buffer[] = []): void {
  const header = sessionHeader(id)
  writeFileSync(join(root, '.transcripts', `${id}.jsonl`), Buffer.concat([header, ...lines]))
}

const sessionHeader = (id: string, forkedFrom?: string) =>
  line('session_header', {
    uuid: `h-${id}`,
    payload: {
      format: 1,
      session_id: id,
      start_ts: time(0),
      resumed_from: null,
      ...(forkedFrom !== undefined && {
        forked_from: { session_id: forkedFrom, at_uuid: 'x', base: 0 },
      }),
    },
  })

const spawned = (uuid: string) =>
  line('subagent_spawn', { uuid, prev_uuid: 'h', payload: { task_id: 'k', sidechain_path: '' } })

const tasksOf = (root: string, session?: string) =>
  listSidechains(openContext({ root }), { session }).sidechains.map(({ taskId }) => taskId)

test('a listing has the id, the prompt and the ending of a subagent', (t) => {
  const root = newStore(t)
  storeTranscript(root, 's')
  const path = storeChild(root, 'k1', {
    second: 3,
    lines: [prompt('Run the tests,\n please.'), reply, ending('completed')],
  })
  expect(listSidechains(openContext({ root }), { session: 's' })).toEqual({
    sidechains: [
      {
        taskId: 'k1',
        parentSessionId: 's',
        parentUuid: 'spawn',
        parentTaskId: null,
        depth: 1,
        agentType: 'tester',
        toolCallId: null,
        startedAt: time(3),
        path,
        status: 'completed',
        prompt: 'Run the tests, please.',
        summary: 'All pass.',
        endReason: null,
        endedAt: time(9),
        tokens: null,
        bytes: fs.statSync(path).size,
      },
    ],
    skipped: [],
  })
})

test.for([
  ['completed', [ending('completed')]],
  ['timeout', [ending('timeout')]],
  ['aborted', [ending('aborted', 'signal')]],
  ['failed', [ending('failed')]],
  ['failed', [ending('splendid')]],
  ['crashed', []],
  ['crashed', [ending('completed'), reply]],
  ['crashed', [ending('completed').subarray(0, 60)]],
  ['completed', [ending('completed'), line('turn_end', { uuid: 'e' })]],
  ['failed', [ending('completed'), reply, ending('failed')]],
] as const)('the status is %s by the ending behind its last event', ([status, lines], t) => {
  const root = newStore(t)
  storeChild(root, 'k1', { lines: [prompt('Go.'), reply, ...lines] })
  expect(listSidechains(openContext({ root })).sidechains).toMatchObject([{ status }])
})

test('a subagent that a living process writes is open, also with an ending in it', async (t) => {
  const root = newStore(t)
  const path = storeChild(root, 'k1', { lines: [ending('completed')] })
  const log = await openLog(path)
  expect(listSidechains(openContext({ root })).sidechains).toMatchObject([{ status: 'open' }])
  await log.close()
  expect(listSidechains(openContext({ root })).sidechains).toMatchObject([{ status: 'completed' }])
})

test('they come in the order of their start, and a bad file hides no other', (t) => {
  const root = newStore(t)
  storeTranscript(root, 's')
  storeChild(root, 'late', { second: 9 })
  storeChild(root, 'early', { second: 1 })
  storeChild(root, 'stranger', { session: 'other' })
  const empty = store(root, 'empty', [])
  const noise = store(root, 'noise', [Buffer.from([1, 2, 3, 10, 255])])
  const headless = store(root, 'headless', [prompt('Whose?')])
  const folder = join(root, '.sidechains', 'folder.jsonl')
  mkdirSync(folder)
  const link = join(root, '.sidechains', 'link.jsonl')
  symlinkSync('/nonexistent', link)
  writeFileSync(join(root, '.sidechains', 'late.jsonl.lock.owner'), 'x')
  expect(tasksOf(root, 's')).toEqual(['early', 'late'])
  expect(listSidechains(openContext({ root }), { session: 's' }).skipped).toEqual([
    { path: empty, reason: 'empty file' },
    { path: folder, reason: 'a directory' },
    { path: link, reason: 'a link to nothing' },
    { path: noise, reason: 'no event in it' },
    { path: headless, reason: 'it names no session' },
  ])
  expect(tasksOf(root)).toEqual(['headless', 'stranger', 'early', 'late'])
})

test('a header longer than the first look is read on', (t) => {
  const root = newStore(t)
  storeTranscript(root, 's')
  storeChild(root, 'x'.repeat(6000), {}, 'long')
  expect(tasksOf(root, 's')).toEqual(['x'.repeat(6000)])
})

test('a session is named by its id, also one that is gone', (t) => {
  const root = newStore(t)
  storeTranscript(root, 'session-1')
  storeChild(root, 'k1', { session: 'session-1' })
  storeChild(root, 'k2', { session: 'deleted' })
  expect(tasksOf(root, 'session-1')).toEqual(['k1'])
  expect(tasksOf(root, 'deleted')).toEqual(['k2'])
  for (const session of ['dele', 'session-']) {
    expect(() => listSidechains(openContext({ root }), { session })).toThrow(/No session/)
  }
  expect(listSidechains(openContext({ root: join(root, 'nowhere') }))).toEqual({
    sidechains: [],
    skipped: [],
  })
})

test('a fork lists what its source had spawned by then, and nothing later', (t) => {
  const root = newStore(t)
  storeTranscript(root, 's', [spawned('spawn-1'), spawned('spawn-2')])
  const copy = [sessionHeader('s'), spawned('spawn-1')]
  const forked = [sessionHeader('f', 's'), ...copy, spawned('spawn-f')]
  const twice = [sessionHeader('ff', 'f'), ...forked]
  writeFileSync(join(root, '.transcripts', 'f.jsonl'), Buffer.concat(forked))
  writeFileSync(join(root, '.transcripts', 'ff.jsonl'), Buffer.concat(twice))
  storeChild(root, 'before', { parentUuid: 'spawn-1', second: 1 })
  const deeper = { depth: 2, parentUuid: 'x', second: 2 }
  storeChild(root, 'before-deep', { ...deeper, parentTask: 'before' })
  storeChild(root, 'after', { parentUuid: 'spawn-2', second: 3 })
  storeChild(root, 'after-deep', { ...deeper, parentTask: 'after', second: 4 })
  storeChild(root, 'unlinked', { parentUuid: null, second: 5 })
  storeChild(root, 'own', { session: 'f', parentUuid: 'spawn-f', second: 6 })
  storeChild(root, 'loop', { ...deeper, parentTask: 'loop', second: 7 })
  const ofSource = ['before', 'before-deep', 'after', 'after-deep', 'unlinked', 'loop']
  expect(tasksOf(root, 's')).toEqual(ofSource)
  expect(tasksOf(root, 'f')).toEqual(['before', 'before-deep', 'own'])
  expect(tasksOf(root, 'ff')).toEqual(['before', 'before-deep', 'own'])
  expect(findSidechain(openContext({ root }), 'before-deep', { session: 'f' }).taskId).toBe(
    'before-deep',
  )
  expect(() => findSidechain(openContext({ root }), 'after', { session: 'f' })).toThrow(
    /No subagent "after"/,
  )
})

const suffixOf = (session: string) => createHash('sha256').update(session).digest('hex').slice(0, 8)

test('a subagent is found by its task, or by task and session', (t) => {
  const root = newStore(t)
  storeTranscript(root, 's')
  storeTranscript(root, 'other')
  storeChild(root, 'tests')
  storeChild(root, 'tests', { session: 'other' }, `tests--${suffixOf('other')}`)
  storeChild(root, 'tests-again')
  storeChild(root, 'UPPER', {}, '%55%50%50%45%52')
  const named = (task: string, session?: string) =>
    findSidechain(openContext({ root }), task, { session })
  expect(named('tests', 's').parentSessionId).toBe('s')
  expect(named('tests', 'other').parentSessionId).toBe('other')
  expect(named('tests-again').taskId).toBe('tests-again')
  expect(named('UPPER').taskId).toBe('UPPER')
  expect(() => named('tests')).toThrow(
    expect.objectContaining({
      code: 'ERR_AMBIGUOUS',
      message: expect.stringMatching(/2 subagents: tests of other, tests of s\. .*session/),
      details: { task: 'tests', count: 2 },
    }),
  )
  for (const [task, session] of [
    ['test'],
    ['tests-a'],
    ['missing'],
    ['tests', 'nowhere'],
  ] as const) {
    expect(() => named(task, session)).toThrow(expect.objectContaining({ code: 'ERR_NOT_FOUND' }))
  }
  expect(() => named(' ')).toThrow(expect.objectContaining({ code: 'ERR_ARG' }))
})

test('a task finds its log under either name, and a free name when it has none', (t) => {
  const root = newStore(t)
  const layout = layoutOf({ root }, systemEnvironment.host)
  const place = (task: string, session: string) => {
    const { path, taken } = findSidechainTarget(contextOfLayout(layout), task, session)
    return `${path.slice(join(root, '.sidechains').length + 1)} ${taken}`
  }
  expect(place('k1', 's')).toBe('k1.jsonl false')
  store(root, 'k1', [])
  expect(place('k1', 's')).toBe('k1.jsonl false')
  storeChild(root, 'k1')
  expect(place('k1', 's')).toBe('k1.jsonl true')
  expect(place('k1', 'other')).toBe(`k1--${suffixOf('other')}.jsonl false`)
  storeChild(root, 'k1', { session: 'other' }, `k1--${suffixOf('other')}`)
  expect(place('k1', 'other')).toBe(`k1--${suffixOf('other')}.jsonl true`)
  fs.rmSync(join(root, '.sidechains', 'k1.jsonl'))
  expect(place('k1', 'other')).toBe(`k1--${suffixOf('other')}.jsonl true`)
  store(root, 'k2', [prompt('Whose?')])
  store(root, `k2--${suffixOf('s')}`, [prompt('Whose?')])
  expect(() => place('k2', 's')).toThrow(expect.objectContaining({ code: 'ERR_EXISTS' }))
})

// Requirement: 003-62
test('the bytes of all children of a session are summed, new ones and grown ones too', (t) => {
  const root = newStore(t)
  const sizes = new SidechainSizes(openContext({ root }), 's')
  const none = new Set<string>()
  expect(sizes.sumExcept(none)).toBe(0)
  const one = storeChild(root, 'one')
  storeChild(root, 'stranger', { session: 'other' })
  const begun = store(root, 'begun', [])
  const bytesOf = (path: string) => fs.statSync(path).size
  expect(sizes.sumExcept(none)).toBe(bytesOf(one))
  writeFileSync(begun, headerLine('begun', { depth: 2, parentTask: 'one' }))
  fs.appendFileSync(one, reply)
  expect(sizes.sumExcept(none)).toBe(bytesOf(one) + bytesOf(begun))
  expect(sizes.sumExcept(new Set([one]))).toBe(bytesOf(begun))
})
