// Lines are put together byte by byte here: what matters is how a text may be spelled on the disk.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { grepStore } from '../../../lib/free-functions.js'
import type { GrepHit, GrepOptions } from '../../../lib/store/index.js'
import { bareLine, foreignLine, id, line, record, time } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'

const said = (content: string, number = 1) =>
  line('user', { uuid: id(number), payload: { content }, ts: time(number) })

async function hitsIn(
  path: string,
  pattern: string,
  options: Partial<GrepOptions> = {},
): Promise<GrepHit[]> {
  const hits: GrepHit[] = []
  for await (const hit of grepStore({ files: [path], ...options, pattern })) hits.push(hit)
  return hits
}

const linesOf = async (...args: Parameters<typeof hitsIn>) =>
  (await hitsIn(...args)).map(({ lineNumber }) => lineNumber)

function fileOf(t: TestContext, ...lines: readonly (Buffer | string)[]): string {
  return temporaryFile(t, 's.jsonl', Buffer.concat(lines.map((one) => Buffer.from(one))))
}

// Requirement: 003-29
test('a hit has the line, offset and length of its bytes', async (t) => {
  const path = fileOf(t, said('nothing'), said('the needle is here', 2), said('nothing', 3))
  const [hit, ...others] = await hitsIn(path, 'needle')
  expect(others).toEqual([])
  expect(hit).toEqual({
    sessionId: 's',
    path,
    lineNumber: 2,
    byteOffset: said('nothing').length,
    length: said('the needle is here', 2).length - 1,
    ts: time(2),
    type: 'user',
    uuid: id(2),
    snippet: 'the needle is here',
    matches: [{ start: 4, end: 10 }],
  })
  const bytes = readFileSync(path).subarray(hit!.byteOffset, hit!.byteOffset + hit!.length)
  expect(JSON.parse(bytes.toString())).toMatchObject({ uuid: id(2) })
})

const TEXTS = [
  'say "hi"',
  'two\nlines',
  'back\\slash',
  'naïve café',
  '漢字',
  'a😀b',
  'tab\there',
  'a/b',
  'line\u2028separator',
  'del\u007fete',
  '<b>&amp;</b>',
  'nul\u0000byte',
]

test.for(TEXTS)('finds a decoded text in our lines: %j', async (text, t) => {
  const path = fileOf(t, said('nothing'), said(`before ${text} after`, 2))
  expect(await linesOf(path, text, { syntax: 'literal' })).toEqual([2])
})

/** Every character by its number, as no sane writer does and any may. */
const spelledOut = (text: string) =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).toUpperCase())
    .map((digits) => `\\u${digits.padStart(4, '0')}`)
    .join('')

test.for(TEXTS)('finds a decoded text in other spellings: %j', async (text, t) => {
  const foreign = `{"uuid":"f1","type":"user","payload":{"content":"x ${spelledOut(text)} y"}}\n`
  const raw = `{"type":"user","uuid":"f2","payload":{"content":"x ${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('/', '\\/')} y"}}\n`
  const path = fileOf(t, said('nothing'), foreign, raw)
  expect(await linesOf(path, text, { syntax: 'literal' })).toEqual([2, 3])
})

test('names of fields, numbers and the envelope match only raw', async (t) => {
  const result = { tool_call_id: 't1', content: 'ok', is_error: true, code: 127 }
  const path = fileOf(t, line('tool_result', { payload: result }))
  expect(await linesOf(path, 'is_error')).toEqual([])
  expect(await linesOf(path, '127')).toEqual([])
  expect(await linesOf(path, '"is_error":true,"code":127', { raw: true })).toEqual([1])
  expect(await linesOf(path, id(1), { raw: true })).toEqual([1])
  expect(await linesOf(path, '"CODE":\\d+', { raw: true, ignoreCase: true })).toEqual([1])
})

test('ignores case with ignoreCase', async (t) => {
  const path = fileOf(
    t,
    said('ECONNREFUSED É'),
    foreignLine({ type: 'user', uuid: 'f', payload: { content: 'EconnRefused \u00e9' } }),
    said('econn', 3),
  )
  expect(await linesOf(path, 'econnrefused', { ignoreCase: true })).toEqual([1, 2])
  expect(await linesOf(path, 'econnREFUSED é', { ignoreCase: true })).toEqual([1, 2])
  expect(await linesOf(path, 'econn\\w+ É', { ignoreCase: true })).toEqual([1, 2])
  expect(await linesOf(path, 'econnrefused')).toEqual([])
})

test('treats a pattern with special characters as a regular expression, unless syntax is literal', async (t) => {
  const path = fileOf(t, said('file a.ts'), said('file abts', 2), said('one\nstart of line', 3))
  expect(await linesOf(path, 'a.ts')).toEqual([1, 2])
  expect(await linesOf(path, 'a.ts', { syntax: 'literal' })).toEqual([1])
  expect(await linesOf(path, '^start.*line$')).toEqual([3])
  expect(await linesOf(path, 'file', { syntax: 'regex' })).toEqual([1, 2])
  await expect(hitsIn(path, '(a')).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(hitsIn(path, '(?=a)')).rejects.toMatchObject({ code: 'ERR_ARG' })
})

test('no regular expression hangs the search', async (t) => {
  const path = fileOf(t, said(`${'a'.repeat(30_000)}b`))
  expect(await linesOf(path, '(a+)+$')).toEqual([])
  expect(await linesOf(path, '(a|aa)+c|(a*)*d')).toEqual([])
})

test('searches damaged lines as they are, and marks them', async (t) => {
  const whole = record('user', { payload: { content: 'say "hi" needle' } })
  const flipped = Buffer.from(line('user', { uuid: id(2), payload: { content: 'a needle' } }))
  flipped[flipped.indexOf('a needle')] = 0x62
  const path = fileOf(
    t,
    said('fine', 9),
    Buffer.concat([whole.subarray(0, whole.length - 20), Buffer.from('\n')]),
    flipped,
    '{"needle":"no event"}\n',
    'needle \xff\n',
    whole.subarray(0, whole.length - 20),
  )
  const hits = await hitsIn(path, 'needle')
  expect(hits.map(({ lineNumber, damage }) => [lineNumber, damage])).toEqual([
    [2, 'bad_line'],
    [3, 'crc_mismatch'],
    [5, 'bad_line'],
    [6, 'partial_tail'],
  ])
  expect(hits[0]).toMatchObject({ type: null, ts: null, uuid: null })
  expect(await linesOf(path, 'say "hi"', { syntax: 'literal' })).toEqual([2, 6])
  expect(await linesOf(path, 'say \\"hi\\"', { syntax: 'literal' })).toEqual([2, 6])
})

test('returns concatenated records separately', async (t) => {
  const one = record('user', { uuid: id(1), payload: { content: 'needle one' } })
  const two = line('user', { uuid: id(2), payload: { content: 'needle two' } })
  const path = fileOf(t, one, two)
  expect(await hitsIn(path, 'needle')).toMatchObject([
    { lineNumber: 1, byteOffset: 0, uuid: id(1) },
    { lineNumber: 1, byteOffset: one.length, uuid: id(2) },
  ])
})

test('lines without an envelope are searched too: the prompt history', async (t) => {
  const path = fileOf(t, bareLine({ ts: time(0), prompt: 'fix the "parser"', session_id: 's' }))
  expect(await hitsIn(path, 'the "parser"')).toMatchObject([
    { lineNumber: 1, type: null, ts: time(0), snippet: 'fix the "parser"' },
  ])
})

function mixed(t: TestContext): string {
  const call = (name: string, call_id: string) => ({
    tool_call_id: call_id,
    name,
    input: { x: 'needle' },
  })
  const result = (call_id: string, is_error: boolean) => ({
    tool_call_id: call_id,
    content: 'needle',
    is_error,
  })
  const blocks = [{ type: 'tool_use', id: 'b1', name: 'Edit', input: { x: 'needle' } }]
  const answers = [{ type: 'tool_result', tool_use_id: 'b1', content: 'needle', is_error: true }]
  const payloads: [string, object][] = [
    ['user', { content: 'needle' }],
    ['tool_call', call('Bash', 't1')],
    ['tool_result', result('t1', false)],
    ['tool_call', call('Read', 't1')],
    ['tool_result', result('t1', true)],
    ['assistant', { content: blocks }],
    ['user', { content: answers }],
    [
      'subagent_result',
      { task_id: 'x', completion_status: 'timeout', summary: 'needle', errors: ['timeout'] },
    ],
    ['system', { content: 'needle' }],
  ]
  return fileOf(
    t,
    ...payloads.map(([type, payload], index) =>
      line(type, { uuid: id(index + 1), payload, ts: time(index + 1) }),
    ),
  )
}

test('filters: type, role, tool, errors and time', async (t) => {
  const path = mixed(t)
  const lines = (options: Partial<GrepOptions>) => linesOf(path, 'needle', options)
  expect(await lines({})).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(await lines({ types: ['user', 'system'] })).toEqual([1, 7, 9])
  expect(await lines({ role: 'tool' })).toEqual([2, 3, 4, 5])
  expect(await lines({ role: 'tool', types: ['tool_call', 'user'] })).toEqual([2, 4])
  expect(await lines({ tool: 'Bash' })).toEqual([2, 3])
  expect(await lines({ tool: 'Read' })).toEqual([4, 5])
  expect(await lines({ tool: 'Edit' })).toEqual([6, 7])
  expect(await lines({ errors: true })).toEqual([5, 7, 8])
  expect(await lines({ since: time(3), until: time(5) })).toEqual([3, 4])
  expect(await linesOf(path, '', { errors: true })).toEqual([5, 7, 8])
  await expect(lines({ role: 'unknown' })).rejects.toMatchObject({ code: 'ERR_ARG' })
  await expect(lines({ since: 'yore' })).rejects.toMatchObject({ code: 'ERR_ARG' })
})

test('returns context around hits once, in order, with line numbers', async (t) => {
  const texts = ['a', 'b', 'needle', 'c', 'needle', 'd', 'e', 'f']
  const path = fileOf(t, ...texts.map((text, index) => said(text, index + 1)))
  const hits = await hitsIn(path, 'needle', { context: 1 })
  expect(hits.map(({ lineNumber, snippet, context }) => [lineNumber, snippet, context])).toEqual([
    [2, 'b', true],
    [3, 'needle', undefined],
    [4, 'c', true],
    [5, 'needle', undefined],
    [6, 'd', true],
  ])
  const wide = await hitsIn(path, 'needle', { context: 2, limitPerFile: 1 })
  expect(wide.map(({ lineNumber }) => lineNumber)).toEqual([1, 2, 3, 4, 5])
})

// Requirement: 003-29
test('searches many files sorted by name, of one project, with subagents', async (t) => {
  const root = temporaryFolder(t)
  const header = (session_id: string, project: string) =>
    line('session_header', { uuid: id(50), payload: { format: 1, session_id, project } })
  mkdirSync(join(root, '.transcripts'))
  mkdirSync(join(root, '.sidechains'))
  const put = (name: string, ...lines: Buffer[]) =>
    writeFileSync(join(root, name), Buffer.concat(lines))
  put('.transcripts/aa.jsonl', header('aa', '/p/one'), said('needle'))
  put('.transcripts/bb.jsonl', header('bb', '/p/two'), said('needle'))
  put(
    '.sidechains/task.jsonl',
    line('sidechain_header', { payload: { task_id: 'task', parent_session_id: 'bb' } }),
    said('needle'),
  )
  const sessions = async (options: Partial<GrepOptions>) => {
    const found: string[] = []
    for await (const hit of grepStore({ root, pattern: 'needle', ...options })) {
      found.push(`${hit.sessionId} ${hit.path.slice(root.length + 1)}`)
    }
    return found
  }
  const [aa, bb, task] = [
    'aa .transcripts/aa.jsonl',
    'bb .transcripts/bb.jsonl',
    'bb .sidechains/task.jsonl',
  ]
  expect(await sessions({})).toEqual([aa, bb])
  expect(await sessions({ sidechains: true })).toEqual([aa, bb, task])
  expect(await sessions({ project: '/p/two' })).toEqual([bb])
  expect(await sessions({ project: '/p/one', sidechains: true })).toEqual([aa])
  expect(await sessions({ sessions: ['bb'], sidechains: true })).toEqual([bb, task])
  await expect(sessions({ sessions: ['unknown'] })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(sessions({ files: [join(root, 'no.jsonl')] })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})

test('searches a growing file to the end it had at the start', async (t) => {
  const path = fileOf(t, said('needle'), said('needle', 2))
  const found: number[] = []
  for await (const { lineNumber } of grepStore({ files: [path], pattern: 'needle' })) {
    found.push(lineNumber)
    appendFileSync(path, said('needle', lineNumber + 10))
  }
  expect(found).toEqual([1, 2])
})

test('finds a line that spans several blocks, with its number', async (t) => {
  const long = 'x'.repeat(600_000)
  const path = fileOf(
    t,
    said('a'),
    said(`${long} needle`, 2),
    said('b', 3),
    said(`needle ${long}`, 4),
  )
  const hits = await hitsIn(path, 'needle')
  expect(hits.map(({ lineNumber }) => lineNumber)).toEqual([2, 4])
  expect(hits[0]?.snippet).toHaveLength(320)
})

test('rejects invalid options before reading a file', async (t) => {
  const path = fileOf(t, said('needle'))
  const wrong = [
    [{ pattern: 5 }, 'A pattern must be a string'],
    [{ context: '1' }, 'context must be a number'],
    [{ context: -1 }, 'context must be a non-negative integer'],
    [{ syntax: 'glob' }, 'syntax must be auto, literal or regex'],
    [{ pattern: '\ud800' }, 'half a character'],
    [{ since: 'yesterday' }, 'since is a time'],
    [{ until: '2026-02-30T12:00:00Z' }, 'until is a time'],
    [{ role: 'unknown' }, 'role must be'],
  ] as const
  for (const [options, message] of wrong) {
    const { pattern = 'needle', ...rest } = options as { pattern?: string }
    await expect(hitsIn(path, pattern, rest)).rejects.toThrow(message)
  }
})

test('returns nothing with limitPerFile 0', async (t) => {
  const path = fileOf(t, said('needle'))
  expect(await hitsIn(path, 'needle', { limitPerFile: 0 })).toEqual([])
})

test('rejects a named file that is missing, and reports a folder and continues', async (t) => {
  const path = fileOf(t, said('needle'))
  await expect(hitsIn(`${path}.gone`, 'needle')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  const folder = temporaryFolder(t)
  const skipped: object[] = []
  const onSkipped = (one: object) => skipped.push(one)
  const hits = await hitsIn(path, 'needle', { files: [folder, path], onSkipped })
  expect(hits).toHaveLength(1)
  expect(skipped).toMatchObject([{ path: folder }])
})

test('finds a damaged line unless its bytes exclude the filter', async (t) => {
  const half = record('tool_result', { payload: { name: 'Bash', content: 'the needle' } })
  const path = fileOf(t, said('nothing'), half.subarray(0, -20), '\n', said('nothing', 3))
  expect(await linesOf(path, 'needle')).toEqual([2])
  expect(await linesOf(path, 'needle', { types: ['tool_result'] })).toEqual([2])
  expect(await linesOf(path, 'needle', { types: ['user'] })).toEqual([])
  expect(await linesOf(path, 'needle', { tool: 'Bash' })).toEqual([2])
  expect(await linesOf(path, 'needle', { tool: 'Edit' })).toEqual([])
  expect(await linesOf(path, '"type":"tool_result"', { raw: true })).toEqual([2])
  const [, damaged] = await hitsIn(path, 'nothing', { context: 1 })
  expect(damaged).toMatchObject({ context: true, type: null, snippet: '' })
})

test('an event without a time matches any time', async (t) => {
  const path = fileOf(t, foreignLine({ type: 'user', uuid: 'x', payload: { content: 'needle' } }))
  expect(await linesOf(path, 'needle', { since: '2026-01-01' })).toEqual([1])
})

test('finds the tool of a result by the id of its call', async (t) => {
  const call = (tool_call_id: unknown, name: unknown, number: number) =>
    line('tool_call', { uuid: id(number), payload: { tool_call_id, name, input: {} } })
  const result = (tool_call_id: unknown, number: number) =>
    line('tool_result', { uuid: id(number), payload: { tool_call_id, content: 'needle' } })
  const path = fileOf(
    t,
    call('t1', 'Bash', 1),
    result('t1', 2),
    call(undefined, 'Bash', 3),
    call('t2', undefined, 4),
    result(undefined, 5),
    result('t2', 6),
    '{"type":"tool_call"\n',
  )
  expect(await linesOf(path, 'needle', { tool: 'Bash' })).toEqual([2])
})

test('a session is searched alone, or with its subagents', async (t) => {
  const root = temporaryFolder(t)
  const put = (folder: string, name: string, ...lines: Buffer[]) => {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, name), Buffer.concat(lines))
  }
  const header = { format: 1, session_id: 'demo', start_ts: time(0) }
  put('.transcripts', 'demo.jsonl', line('session_header', { payload: header }), said('needle', 2))
  const origin = { task_id: 'k1', parent_session_id: 'demo', start_ts: time(0) }
  put('.sidechains', 'k1.jsonl', line('sidechain_header', { payload: origin }), said('needle', 2))
  const options = { root, home: root, files: undefined, sessions: ['demo'] }
  const alone = await hitsIn('', 'needle', options)
  expect(alone.map(({ path }) => path)).toEqual([join(root, '.transcripts', 'demo.jsonl')])
  const both = await hitsIn('', 'needle', { ...options, sidechains: true })
  expect(both.map(({ sessionId }) => sessionId)).toEqual(['demo', 'demo'])
})

const matchedIn = ({ snippet, matches = [] }: GrepHit) =>
  matches.map(({ start, end }) => snippet.slice(start, end))

test.for<[pattern: string, options: Partial<GrepOptions>, matched: string[]]>([
  ['needle', {}, ['needle', 'needle']],
  ['NEEDLE', { ignoreCase: true }, ['needle', 'Needle', 'needle']],
  ['n[e]+dle', {}, ['needle', 'needle']],
  ['^Needle', {}, ['Needle']],
  ['needle\nNeedle', {}, ['needle Needle']],
  ['x*', {}, []],
  ['', {}, []],
])(
  'the matches of a snippet are given by their indexes: %j',
  async ([pattern, options, matched], t) => {
    const path = fileOf(t, said('a needle\nNeedle and a needle'))
    const [hit] = await hitsIn(path, pattern, options)
    expect(matchedIn(hit!)).toEqual(matched)
  },
)

test('the matches of a text that is cut are those of its snippet', async (t) => {
  const path = fileOf(t, said(`${'😀'.repeat(400)} ^needle ${'é'.repeat(400)} needle`))
  const [hit] = await hitsIn(path, 'needle')
  expect(hit?.snippet).toMatch(/^…/)
  expect(matchedIn(hit!)).toEqual(['needle'])
  const [anchored] = await hitsIn(path, '\\^n.* needle')
  expect(matchedIn(anchored!)).toEqual([anchored!.snippet.slice(anchored!.snippet.indexOf('^'))])
})

test('a letter that is longer in lower case moves no match', async (t) => {
  const path = fileOf(t, said('İİİ needle'))
  const [hit] = await hitsIn(path, 'NEEDLE', { ignoreCase: true })
  expect(hit).not.toHaveProperty('matches')
})

test('invert finds what does not match, also a damaged line, and the filters still select', async (t) => {
  const path = fileOf(t, said('needle'), said('hay', 2), '{"type":"user", hay\n', said('straw', 4))
  expect(await linesOf(path, 'needle', { invert: true })).toEqual([2, 3, 4])
  expect(await linesOf(path, 'h.y', { invert: true })).toEqual([1, 4])
  expect(await linesOf(path, 'needle', { invert: true, since: time(4) })).toEqual([3, 4])
  expect(await linesOf(path, '', { invert: true })).toEqual([])
  const [hit] = await hitsIn(path, 'needle', { invert: true })
  expect(hit).toMatchObject({ snippet: 'hay', uuid: id(2) })
  expect(hit).not.toHaveProperty('context')
})

test('before and after are counted separately, and context is their default', async (t) => {
  const path = fileOf(t, ...[1, 2, 3, 4, 5, 6, 7].map((number) => said(`line ${number}`, number)))
  expect(await linesOf(path, 'line 4', { before: 1 })).toEqual([3, 4])
  expect(await linesOf(path, 'line 4', { after: 2 })).toEqual([4, 5, 6])
  expect(await linesOf(path, 'line 4', { context: 1, before: 2 })).toEqual([2, 3, 4, 5])
  expect(await linesOf(path, 'line 4', { context: 1, after: 0 })).toEqual([3, 4])
  expect(await linesOf(path, 'line [36]', { after: 1, limitPerFile: 1 })).toEqual([3, 4])
  await expect(hitsIn(path, 'x', { before: -1 })).rejects.toThrow(
    'before must be a non-negative integer',
  )
  await expect(hitsIn(path, 'x', { after: 0.5 })).rejects.toThrow(
    'after must be a non-negative integer',
  )
})
