import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bareLine, id, line, record, time } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'
import { rowsOf, runCli, runInTerminal, runWell } from '../command-line.js'

const HEADER = line('session_header', { uuid: id(1), payload: { session_id: 'demo' } })
const USER = line('user', {
  uuid: id(2),
  prev_uuid: id(1),
  payload: { content: 'one\ntwo \u001b[31mred \u202eturned' },
})
const CALL = line('tool_call', {
  uuid: id(3),
  prev_uuid: id(2),
  payload: { tool_call_id: 't', name: 'Bash', input: { command: 'ls' } },
})
const SICK = Buffer.concat([HEADER, USER, Buffer.from('oops\n'), CALL, Buffer.from('{"type":"us')])
const SICK_OFFSET = HEADER.length + USER.length

test('log prints one row per entry, in the order of the file', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, USER, CALL]))
  const { stdout, stderr, exitCode } = await runCli(['log', path])
  const rows = stdout.trimEnd().split('\n')
  expect(rows[0]).toBe(
    `       0     1  ${time(0)}  session_header  00000000  {"session_id":"demo"}`,
  )
  expect(rows[1]).toMatch(/^ +\d+ +2 .* {2}user {12}00000000 {2}one two \[31mred turned$/)
  expect(rows[2]).toMatch(/Bash \{"command":"ls"\}$/)
  expect(rows).toHaveLength(3)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
})

test('log shows a row also for what nests deeper than the stack', async (t) => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const stranger = (content: string) =>
    `{"type":"user","uuid":"${id(4)}","prev_uuid":null,"payload":{"content":${content}}}\n`
  const lines = [HEADER, stranger(deep), stranger(`{"a":${deep}}`)].map((text) => Buffer.from(text))
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat(lines))
  const { stdout, exitCode } = await runCli(['log', path])
  expect(stdout.match(/nested too deep to show/g)).toHaveLength(2)
  expect(exitCode).toBe(0)
})

test('log --json prints one object per line', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', SICK)
  const rows = rowsOf(await runWell(['log', path, '--json']))
  expect(rows).toMatchObject([
    { kind: 'event', byteOffset: 0, length: HEADER.length - 1, lineNumber: 1 },
    { kind: 'event', lineNumber: 2, event: JSON.parse(String(USER)) },
    { kind: 'damage', byteOffset: SICK_OFFSET, length: 4, lineNumber: 3, reason: 'bad_line' },
    { kind: 'event', lineNumber: 4 },
    { kind: 'torn', reason: 'partial_tail', length: 11 },
  ])
})

test('log shows damage in its place and does not fail', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', SICK)
  const stdout = await runWell(['log', path])
  expect(stdout).toMatch(/ 3 {2}DAMAGE {2}bad_line, 4 bytes: /)
  expect(stdout).toMatch(/ 5 {2}TORN {2}11 bytes: /)
})

test('log --strict shows everything and exits with 4 when something is damaged', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', SICK)
  const { stdout, stderr, exitCode } = await runCli(['log', path, '--strict', '--json'])
  expect(rowsOf(stdout)).toHaveLength(5)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'ERR_DAMAGED',
    details: { byteOffset: SICK_OFFSET },
  })
  expect(exitCode).toBe(4)
  const whole = temporaryFile(t, 'whole.jsonl', Buffer.concat([HEADER, USER]))
  await runWell(['log', whole, '--strict'])
})

test('log --order desc --limit prints the newest entries first', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, USER, CALL]))
  const rows = rowsOf(await runWell(['log', path, '--order', 'desc', '--limit', '2', '--json']))
  expect(rows.map(({ event }) => (event as { uuid: string }).uuid)).toEqual([id(3), id(2)])
  expect(await runWell(['log', path, '--limit', '0'])).toBe('')
})

test('log --from begins at the first line that starts there or later', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, USER, CALL]))
  for (const from of [1, HEADER.length]) {
    const rows = rowsOf(await runWell(['log', path, '--from', String(from), '--json']))
    expect(rows.map(({ byteOffset }) => byteOffset)).toEqual([
      HEADER.length,
      HEADER.length + USER.length,
    ])
  }
})

test('log reads a prompt history, whose lines have no envelope', async (t) => {
  const lines = [1, 2].map((n) => bareLine({ ts: time(n), prompt: `ask ${n}`, session_id: 's' }))
  const path = temporaryFile(t, 'history.jsonl', Buffer.concat(lines))
  const stdout = await runWell(['log', path])
  expect(stdout).toMatch(/history +- +ask 1\n.*history +- +ask 2\n$/)
  const rows = rowsOf(await runWell(['log', path, '--json', '--reverse']))
  expect(rows).toMatchObject([{ event: { prompt: 'ask 2' } }, { event: { prompt: 'ask 1' } }])
})

test('log takes a session by its id or by the beginning of it', async (t) => {
  const root = temporaryFolder(t)
  mkdirSync(join(root, '.transcripts'))
  for (const name of ['alpha-one', 'alpha-two', 'beta']) {
    writeFileSync(join(root, '.transcripts', `${name}.jsonl`), HEADER)
  }
  expect(rowsOf(await runWell(['log', 'beta', '--json'], { root }))).toHaveLength(1)
  expect(rowsOf(await runWell(['log', 'alpha-o', '--json'], { root }))).toHaveLength(1)
  const ambiguous = await runCli(['log', 'alpha'], { root })
  expect(ambiguous).toMatchObject({ stdout: '', exitCode: 2 })
  expect(ambiguous.stderr).toContain('ERR_AMBIGUOUS')
  expect(await runCli(['log', 'alp'], { root })).toMatchObject({ stdout: '', exitCode: 3 })
})

test.each([
  [
    {
      content: [
        { type: 'text', text: 'one' },
        { type: 'tool_use', name: 'Bash' },
      ],
    },
    'one [tool_use Bash]',
  ],
  [{ content: ['bare', { type: 'image' }] }, 'bare [image]'],
  [{ content: { odd: 1 } }, '{"odd":1}'],
  [{ digest: 'where we stand' }, 'where we stand'],
  [['no fields'], ''],
])('a row of a payload %j says %j', async (payload, said) => {
  const path = temporaryFile({ onTestFinished }, 'demo.jsonl', line('assistant', { payload }))
  const stdout = await runWell(['log', path])
  expect(/ assistant +00000000(?: {2}(.*))?\n$/.exec(stdout)?.[1] ?? '').toBe(said)
})

test('a snippet in a pipe is one line of at most 200 columns', async (t) => {
  const content = 'wide 日本 '.repeat(100)
  const path = temporaryFile(t, 'demo.jsonl', line('user', { payload: { content } }))
  const row = (await runWell(['log', path])).trimEnd()
  const snippet = row.slice(row.indexOf('wide'))
  expect(snippet.endsWith('…')).toBe(true)
  expect(snippet.replaceAll(/[日本]/g, 'xx').length).toBeLessThanOrEqual(200)
})

test('a row in a terminal is as wide as the terminal, and damage is red', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', SICK)
  const { stdout } = await runInTerminal(['log', path], { columns: 60 })
  const rows = stdout.trimEnd().split('\n')
  expect(rows[0]).toMatch(/…/)
  const red = rows.filter((row) => row.startsWith('\u001b[31m'))
  expect(red).toHaveLength(1)
  expect(red[0]).toContain('DAMAGE')
  for (const row of rows) expect(bare(row).length).toBeLessThanOrEqual(60)
})

test.for([
  { name: '--no-color', args: ['--no-color'], env: {} },
  { name: 'NO_COLOR', args: [], env: { NO_COLOR: '1' } },
])('$name keeps a terminal free of colour', async ({ args, env }, t) => {
  const path = temporaryFile(t, 'demo.jsonl', SICK)
  const { stdout } = await runInTerminal(['log', path, ...args], { env })
  expect(stdout).not.toContain('\u001b')
})

test.each([
  [['log'], "missing required argument 'file'"],
  [['log', 'x.jsonl', '--limit', 'many'], '--limit takes a whole number'],
  [['log', 'x.jsonl', '--from', '-1'], '--from takes a whole number'],
  [['log', 'x.jsonl', '--reverse', '--follow'], 'cannot be combined'],
  [['log', 'x.jsonl', '--cursor', 'c'], '--cursor needs --follow'],
  [['log', 'x.jsonl', '--orde'], 'Did you mean --order?'],
])('%j is refused as wrong use', async (args, reason) => {
  const answer = await runCli(args)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})

test('a record on a line that was never finished is shown with a note', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, record('user')]))
  expect(await runWell(['log', path])).toContain('[missing_newline]')
})

function bare(row: string): string {
  return row.replaceAll(/\u001b\[\d+m/g, '')
}
