import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { createSession, diskUsage, forkSession, storeStats } from '../../../lib/free-functions.js'
import { NO_TOKENS } from '../../../lib/store/cost/usage.js'
import type { StoreStatsOptions } from '../../../lib/store/index.js'
import { foreignLine, id, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Written = readonly [type: string, payload: object, day?: number]

function put(root: string, name: string, events: readonly (Written | Buffer)[]): number {
  const lines = events.map((event, index) => {
    if (Buffer.isBuffer(event)) return event
    const [type, payload, day = 1] = event
    const ts = `2026-01-0${day}T12:00:00.000Z`
    return line(type, { uuid: id(index + 1), payload, ts })
  })
  const bytes = Buffer.concat(lines)
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), bytes)
  return bytes.length
}

const usage = (input_tokens: number, output_tokens: number) => ({
  usage: { input_tokens, output_tokens, cache_read_tokens: 7 },
})

const EVENTS: readonly (Written | Buffer)[] = [
  ['session_header', { format: 1, session_id: 'one', project: '/p/one' }],
  ['user', { content: 'hello "usage": no' }],
  ['assistant', { content: 'hi', ...usage(100, 10) }],
  ['tool_call', { tool_call_id: 't1', name: 'Bash', input: {} }],
  ['tool_result', { tool_call_id: 't1', content: 'a "is_error":true b', is_error: false }],
  ['tool_call', { tool_call_id: 't2', name: 'Bash', input: {} }, 2],
  [
    'tool_result',
    { tool_call_id: 't2', is_error: true, content: [{ type: 'text', text: 'x' }] },
    2,
  ],
  ['assistant', { content: [{ type: 'tool_use', id: 'b1', name: 'Edit', input: {} }] }, 2],
  ['user', { content: [{ type: 'tool_result', tool_use_id: 'b1', is_error: true }] }, 2],
  ['compaction_boundary', { tokens_before: 900, tokens_after: 200 }, 2],
  ['compaction_boundary', { tokens_before: 900 }, 2],
  ['subagent_result', { task_id: 'x', completion_status: 'failed', errors: ['e'] }, 2],
  foreignLine({ type: 'assistant', uuid: 'f', ts: 1767268800, payload: usage(5, 5) }),
  Buffer.from('no event\n'),
]

function newStore(t: TestContext): { root: string; bytes: number } {
  const root = temporaryFolder(t)
  const bytes =
    put(root, '.transcripts/one.jsonl', EVENTS) +
    put(root, '.sidechains/task.jsonl', [
      ['sidechain_header', { task_id: 'task', parent_session_id: 'one' }],
      ['assistant', { content: 'done', ...usage(1, 1) }],
      ['sidechain_terminator', { completion_status: 'failed', errors: ['e'] }],
    ])
  return { root, bytes }
}

const statsOf = (root: string, options: StoreStatsOptions = {}) =>
  storeStats({ root, home: root, ...options })

test('a store is counted with its subagents: bytes, events, tokens, tools, errors, compactions', async (t) => {
  const { root, bytes } = newStore(t)
  const stats = await statsOf(root)
  expect(stats.total).toEqual({
    bytes,
    events: EVENTS.length - 1 + 3,
    tokens: { ...NO_TOKENS, input: 106, output: 16, cacheRead: 21 },
    cost: { microDollars: 0, unpricedTokens: 143 },
    toolCalls: 3,
    errors: 3,
    compactions: 2,
    tokensSaved: 700,
    damaged: 1,
    sessions: 1,
    files: 2,
  })
  expect(stats.tools).toEqual([
    { name: 'Bash', calls: 2, errors: 1 },
    { name: 'Edit', calls: 1, errors: 1 },
  ])
  expect(stats.groups.map(({ key, events }) => [key, events])).toEqual([['one', 16]])
})

test('the groups of every grouping add up to the total', async (t) => {
  const { root } = newStore(t)
  put(root, '.transcripts/two.jsonl', [
    ['session_header', { format: 1, session_id: 'two' }, 3],
    ['assistant', { content: 'hi', ...usage(1000, 1) }, 3],
  ])
  const keys: Record<string, (string | null)[]> = {}
  for (const by of ['session', 'project', 'day', 'type'] as const) {
    const { total, groups } = await statsOf(root, { by })
    keys[by] = groups.map(({ key }) => key)
    for (const field of ['bytes', 'events', 'errors', 'toolCalls', 'compactions'] as const) {
      expect(groups.reduce((sum, group) => sum + group[field], 0)).toBe(total[field])
    }
    expect(groups.reduce((sum, { tokens }) => sum + tokens.input, 0)).toBe(total.tokens.input)
  }
  expect(keys['session']).toEqual(['one', 'two'])
  expect(keys['project']).toEqual(['/p/one', null])
  expect(keys['day']).toEqual([null, '2026-01-01', '2026-01-02', '2026-01-03'])
  expect(keys['type']).toContain('compaction_boundary')
})

test('tokens that another program recorded for something else than a reply are counted', async (t) => {
  const root = temporaryFolder(t)
  put(root, '.transcripts/s.jsonl', [
    ['session_header', { format: 1, session_id: 's' }],
    ['pi:usage', usage(5, 6)],
    ['pi:label', { record: { label: 'x' } }],
    ['user', { content: 'hi', ...usage(100, 100) }],
  ])
  const { total } = await statsOf(root)
  expect(total.tokens).toMatchObject({ input: 5, output: 6, cacheRead: 7 })
})

test('reading both ends of our lines counts the same as parsing', async (t) => {
  const tricky: Written[] = [
    ['assistant', { content: ',"usage":{"input_tokens":9}}', stop_reason: 'x' }],
    ['assistant', { content: 'x', meta: { usage: { input_tokens: 9, output_tokens: 9 } } }],
    ['assistant', { content: 'x', ...usage(3, 4), model: 'é "m"', stop_reason: 'end' }],
    ['assistant', { content: 'x', usage: { input_tokens: 1, output_tokens: 2, raw: { a: 1 } } }],
    ['assistant', { content: 'x', message_id: 'm', ...usage(3, 4) }],
    ['assistant', { content: 'x', message_id: 'm', ...usage(3, 5) }],
    [
      'assistant',
      { content: [{ type: 'tool_use', id: 'q', name: 'Né"w', input: {} }], ...usage(1, 1) },
    ],
    ['pi:usage', usage(5, 6)],
    ['pi:usage', { record: { usage: { input: 9, output: 9 } } }],
    ['tool_call', { name: 'Zed', tool_call_id: 'z', input: {} }],
    ['tool_call', { tool_call_id: 'y', name: 'Naïve', input: { name: 'no' } }],
    [
      'tool_result',
      { tool_call_id: 'z', content: ',"is_error":false}', is_error: true, name: 'Zed' },
    ],
    ['tool_result', { tool_call_id: 'y', is_error: true, content: ',"is_error":false' }],
    ['tool_result', { tool_call_id: 'y', is_error: false, content: { is_error: true } }],
    ['tool_result', { tool_call_id: 'y', content: { x: { is_error: false } } }],
  ]
  const root = temporaryFolder(t)
  const strange = temporaryFolder(t)
  const events = [...EVENTS.filter((event): event is Written => !Buffer.isBuffer(event)), ...tricky]
  put(root, '.transcripts/s.jsonl', events)
  const foreign = events.map(([type, payload, day = 1], index) =>
    foreignLine({ payload, uuid: id(index + 1), ts: `2026-01-0${day}T12:00:00.000Z`, type }),
  )
  put(strange, '.transcripts/s.jsonl', foreign)
  const countsOf = async (folder: string) => {
    const { total, groups, tools } = await statsOf(folder, { by: 'type' })
    const withoutBytes = ({ bytes: _, ...counts }: (typeof groups)[number]) => counts
    const sorted = groups.map(withoutBytes).sort((one, other) => (one.key! < other.key! ? -1 : 1))
    return { total: { ...total, bytes: 0 }, groups: sorted, tools }
  }
  const counts = await countsOf(root)
  expect(counts).toEqual(await countsOf(strange))
  expect(counts.total.tokens).toMatchObject({ input: 113, output: 28 })
})

test('counts one project, or one range of time', async (t) => {
  const { root } = newStore(t)
  put(root, '.transcripts/two.jsonl', [
    ['session_header', { format: 1, session_id: 'two', project: '/p/two' }, 3],
  ])
  expect((await statsOf(root, { project: '/p/two' })).total).toMatchObject({ events: 1, files: 1 })
  const since = await statsOf(root, { since: '2026-01-02', until: '2026-01-03' })
  expect(since.total).toMatchObject({ events: 7, damaged: 0, toolCalls: 2, compactions: 2 })
  await expect(statsOf(root, { by: 'mood' as 'day' })).rejects.toMatchObject({ code: 'ERR_ARG' })
})

test('counts the tokens of a reply in several events once', async (t) => {
  const root = temporaryFolder(t)
  const reply = (message_id: string, output: number): Written => [
    'assistant',
    { content: 'x', message_id, ...usage(10, output) },
  ]
  put(root, '.transcripts/s.jsonl', [
    reply('m1', 1),
    reply('m1', 4),
    reply('m2', 2),
    reply('m3', 2),
  ])
  expect((await statsOf(root)).total.tokens).toMatchObject({ input: 30, output: 8 })
})

test('counts an event that a fork copied once, also when the source is missing', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'source', continuity: false })
  const said = await session.append({
    type: 'assistant',
    payload: { content: 'a', ...usage(100, 1) },
  })
  await session.append({ type: 'assistant', payload: { content: 'b', ...usage(10, 1) } })
  const alone = (await statsOf(root)).total
  forkSession('source', { root, newId: 'fork', at: said.uuid })
  forkSession('fork', { root, newId: 'forked-again' })
  await session.append({ type: 'assistant', payload: { content: 'c', ...usage(1, 1) } })
  await session.close()
  const { total, groups } = await statsOf(root)
  expect(total.tokens.input).toBe(111)
  const { bytes } = diskUsage({ root, home: root }).kinds.find(
    ({ kind }) => kind === 'transcripts',
  )!
  expect(total.bytes).toBe(bytes)
  // Each fork adds its own header.
  expect(groups.find(({ key }) => key === 'fork')?.events).toBe(1)
  expect(total.events).toBeGreaterThan(alone.events)
  rmSync(join(root, '.transcripts/source.jsonl'))
  expect((await statsOf(root)).total.tokens.input).toBe(100)
})

test('disk usage lists known folders only, the largest files first', (t) => {
  const root = temporaryFolder(t)
  const put = (name: string, bytes: number) => {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), Buffer.alloc(bytes))
  }
  put('.transcripts/a.jsonl', 10)
  put('.sidechains/t.jsonl', 50)
  put('history.jsonl', 20)
  put('history.jsonl.1', 30)
  put('file-history/a/b/c', 100)
  put('.imports/abc', 5)
  put('node_modules/huge.js', 100_000)
  const usage = diskUsage({ root, home: root, limit: 2 })
  expect(usage).toEqual({
    bytes: 215,
    fileCount: 6,
    kinds: [
      { kind: 'file-history', bytes: 100, fileCount: 1 },
      { kind: 'sidechains', bytes: 50, fileCount: 1 },
      { kind: 'history', bytes: 50, fileCount: 2 },
      { kind: 'transcripts', bytes: 10, fileCount: 1 },
      { kind: 'imports', bytes: 5, fileCount: 1 },
    ],
    files: [
      { path: join(root, 'file-history/a/b/c'), kind: 'file-history', bytes: 100 },
      { path: join(root, '.sidechains/t.jsonl'), kind: 'sidechains', bytes: 50 },
    ],
    skipped: [],
  })
})

test('counts a log without a header under its name, and reports one without events', async (t) => {
  const root = temporaryFolder(t)
  put(root, '.transcripts/bare.jsonl', [['user', { content: 'hi' }]])
  put(root, '.transcripts/noise.jsonl', [Buffer.from('no event\n')])
  const { groups, skipped } = await statsOf(root)
  expect(groups.map(({ key, events }) => [key, events])).toEqual([['bare', 1]])
  expect(skipped).toEqual([
    { path: join(root, '.transcripts/noise.jsonl'), reason: 'no event in it' },
  ])
})

test('counts calls without a name and results without a call', async (t) => {
  const root = temporaryFolder(t)
  put(root, '.transcripts/one.jsonl', [
    ['session_header', { format: 1, session_id: 'one' }],
    ['tool_call', { tool_call_id: 't1', input: {} }],
    ['tool_result', { tool_call_id: 't1', is_error: true }],
    ['tool_result', { is_error: true }],
    ['subagent_result', { task_id: 'x', completion_status: 'completed', errors: [] }],
    ['subagent_result', { task_id: 'y', completion_status: 'completed', errors: ['late'] }],
    ['user', { content: [{ type: 'text', text: 'no tool' }] }],
  ])
  const { total, tools } = await statsOf(root)
  expect(total).toMatchObject({ toolCalls: 1, errors: 3 })
  expect(tools).toMatchObject([{ calls: 1, errors: 2 }])
})

test('counts a partial end and concatenated records to the last byte', async (t) => {
  const root = temporaryFolder(t)
  const said = (uuid: string) => foreignLine({ type: 'user', uuid, payload: { content: uuid } })
  const bytes = put(root, '.transcripts/one.jsonl', [
    ['session_header', { format: 1, session_id: 'one' }],
    Buffer.concat([said('one').subarray(0, -1), said('two')]),
    said('torn').subarray(0, -9),
  ])
  const { total } = await statsOf(root)
  expect(total).toMatchObject({ bytes, events: 3, damaged: 1 })
})

test('counts a subagent without a session separately, and reports a folder named like a log', async (t) => {
  const { root } = newStore(t)
  put(root, '.sidechains/alone.jsonl', [['sidechain_header', { task_id: 'alone' }]])
  put(root, '.sidechains/lost.jsonl', [
    ['sidechain_header', { task_id: 'lost', parent_session_id: 'gone' }],
  ])
  put(root, '.transcripts/two.jsonl', [['session_header', { session_id: 'two' }]])
  put(root, '.transcripts/three.jsonl', [['session_header', { session_id: 'three' }]])
  mkdirSync(join(root, '.sidechains', 'folder.jsonl'))
  const { groups, skipped } = await statsOf(root)
  const keys = groups.map(({ key }) => key)
  expect(keys).toContain('alone')
  expect(keys).toContain('gone')
  expect(skipped.map(({ path }) => path)).toContain(join(root, '.sidechains', 'folder.jsonl'))
  const ofProject = await statsOf(root, { project: '/p/one' })
  expect(ofProject.groups.map(({ key }) => key)).toEqual(['one'])
})

test('sorts files of one size by name', (t) => {
  const root = temporaryFolder(t)
  for (const name of ['b', 'c', 'a']) put(root, `.transcripts/${name}.jsonl`, [['user', {}]])
  const { files } = diskUsage({ root, home: root })
  expect(files.map(({ path }) => path.at(-7))).toEqual(['a', 'b', 'c'])
})
