import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, rowsOf, runCli, runInTerminal, runWell, startCli } from '../command-line.js'
import { newPlace, type Place, type Said, storeSession } from '../stored.js'

const SAID: readonly Said[] = [
  ['user', 'u1', 'why is the port in use?'],
  ['tool_call', 'c1', { tool_call_id: 't1', name: 'Bash', input: { command: 'lsof "8080"' } }],
  ['tool_result', 'r1', { tool_call_id: 't1', content: 'Error:\nport in use', is_error: true }],
  ['assistant', 'a1', 'A café server holds it.'],
]

async function demo(t: Parameters<typeof newPlace>[0]): Promise<Place & { path: string }> {
  const place = newPlace(t)
  await storeSession(place, 'demo', { said: SAID })
  return { ...place, path: join(place.root, '.transcripts/demo.jsonl') }
}

test('grep prints rows whose line goes to sed and whose bytes go to tail and dd', async (t) => {
  const place = await demo(t)
  const stdout = await runWell(['grep', 'port in use', '--errors'], place)
  const row = /^(.*):(\d+): demo @(\d+)\+(\d+) (\S+) tool_result {2}Error: port in use\n$/.exec(
    stdout,
  )
  expect(row?.[1]).toBe(place.path)
  const [number, offset, length] = row!.slice(2, 5)
  const bySed = execFileSync('sed', ['-n', `${number}p`, place.path], { encoding: 'utf8' })
  expect(JSON.parse(bySed)).toMatchObject({ uuid: 'r1', ts: row![5] })
  const dd = ['bs=1', `skip=${offset}`, `count=${length}`, `if=${place.path}`, 'status=none']
  expect(execFileSync('dd', dd, { encoding: 'utf8' })).toBe(bySed.trimEnd())
})

test('grep --json prints one object per hit', async (t) => {
  const place = await demo(t)
  const rows = rowsOf(await runWell(['grep', 'port', '--json', '--role', 'user'], place))
  expect(rows).toEqual([
    {
      sessionId: 'demo',
      path: place.path,
      lineNumber: 2,
      byteOffset: expect.any(Number),
      length: expect.any(Number),
      ts: '2026-01-01T00:00:01.000Z',
      type: 'user',
      uuid: 'u1',
      snippet: 'why is the port in use?',
    },
  ])
})

test('grep exits as grep does, and with 3 for a session that is not there', async (t) => {
  const place = await demo(t)
  const codes = async (...args: string[]) => (await runCli(['grep', ...args], place)).exitCode
  expect(await codes('port')).toBe(0)
  expect(await codes('juniper')).toBe(1)
  expect(await codes('(a')).toBe(2)
  expect(await codes('port', '--role', 'nobody')).toBe(2)
  expect(await codes('-F', '-E', 'port')).toBe(2)
  expect(await codes('port', 'nobody')).toBe(3)
  expect(await codes('port', './nothing.jsonl')).toBe(3)
  expect(await runCli(['grep', '(a', '--json'], place)).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('"code":"ERR_ARG"'),
  })
})

test('grep knows the switches of grep: -i -F -E -C -c -l', async (t) => {
  const place = await demo(t)
  await storeSession(place, 'other', { second: 60, said: [['user', 'x1', 'a port.']] })
  const other = join(place.root, '.transcripts/other.jsonl')
  expect(await runWell(['grep', '-c', 'port'], place)).toBe(`${place.path}:2\n${other}:1\n`)
  expect(await runWell(['grep', '-l', '-i', 'PORT IN'], place)).toBe(`${place.path}\n`)
  expect(await runWell(['grep', '-F', '-l', 'port.'], place)).toBe(`${other}\n`)
  expect(await runWell(['grep', '-E', '-l', 'caf. (s|t)erver'], place)).toBe(`${place.path}\n`)
  expect(rowsOf(await runWell(['grep', '-c', 'lsof "8080"', '--json'], place))).toEqual([
    { sessionId: 'demo', path: place.path, count: 1 },
  ])
  const around = await runWell(['grep', '-C', '1', 'lsof', 'demo'], place)
  expect(around.split('\n').map((row) => /jsonl([-:]\d+[-:])/.exec(row)?.[1])).toEqual([
    '-2-',
    ':3:',
    '-4-',
    undefined,
  ])
})

test('grep takes sessions and files together, tools, times and types', async (t) => {
  const place = await demo(t)
  const lines = async (...args: string[]) =>
    rowsOf(await runWell(['grep', ...args, '--json'], place)).map(({ lineNumber }) => lineNumber)
  expect(await lines('', 'demo', '--tool', 'Bash')).toEqual([3, 4])
  expect(await lines('', place.path, '--type', 'user,assistant')).toEqual([2, 5])
  expect(await lines('port', 'demo', '--since', '2026-01-01T00:00:02Z')).toEqual([4])
  expect((await runCli(['grep', 'port', 'demo', '--since', '1h'], place)).exitCode).toBe(1)
  expect(await lines('"is_error":true', 'demo', '--raw')).toEqual([4])
})

test.for(['tomorrow', '5x', '', '2026-02-30'])(
  'grep --since %j names all that it takes',
  async (since, t) => {
    const place = await demo(t)
    const { stderr, exitCode } = await runCli(['grep', 'port', '--since', since], place)
    expect(stderr).toContain('--since takes a time like 2026-01-31')
    expect(stderr).toContain(`or an age: 90m, 2h, 3d; not "${since}"`)
    expect(exitCode).toBe(2)
  },
)

test('grep shows a damaged line as such', async (t) => {
  const place = await demo(t)
  appendFileSync(place.path, '{"type":"user","payl the port is to\n')
  expect(await runWell(['grep', 'port is to', 'demo'], place)).toMatch(
    /:\d+: demo @\d+\+35 - DAMAGED \(bad_line\) {2}\{"type":"user","payl the port is to\n$/,
  )
})

test('grep in a terminal groups rows under their file, clipped to its width', async (t) => {
  const place = await demo(t)
  const { stdout, exitCode } = await runInTerminal(['grep', 'port', '--root', place.root], {
    columns: 60,
    env: { NO_COLOR: '1' },
  })
  expect(exitCode).toBe(0)
  const [heading, ...rows] = stdout.trimEnd().split('\n')
  expect(heading).toBe(`${place.path}  demo`)
  expect(rows.map((row) => row.slice(0, 4))).toEqual(['2: @', '4: @'])
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(60)
})

test('grep ends silently when the reader closes the pipe', async (t) => {
  const place = newPlace(t)
  const said = Array.from(
    { length: 3000 },
    (_, index): Said => ['user', `u${index}`, 'needle '.repeat(40)],
  )
  await storeSession(place, 'long', { said })
  const child = startCli(['grep', 'needle'], place)
  child.stdout.once('data', () => child.stdout.destroy())
  const exitCode = await new Promise((resolve) => child.on('close', resolve))
  expect(exitCode).toBe(0)
  await answerOf(startCli(['grep', 'no such thing'], place)).then((answer) =>
    expect(answer.exitCode).toBe(1),
  )
})

test('grep -l --json names files to programs, and a terminal shows each once above its rows', async (t) => {
  const place = await demo(t)
  await storeSession(place, 'other', { second: 60, said: SAID })
  const rows = rowsOf(await runWell(['grep', 'port in use', '-l', '--json'], place))
  expect(rows).toEqual([
    { sessionId: 'demo', path: place.path },
    { sessionId: 'other', path: place.path.replace('demo', 'other') },
  ])
  const { stdout } = await runInTerminal(['grep', 'port in use', '--root', place.root], {
    columns: 200,
    env: { NO_COLOR: '1' },
  })
  const headings = stdout.split('\n').filter((row) => row.startsWith('/'))
  expect(headings).toEqual(rows.map(({ path, sessionId }) => `${path}  ${sessionId}`))
  expect(stdout).toContain(`\n\n${headings[1]}\n`)
})

test('grep that could not look everywhere fails, with what it found', async (t) => {
  const place = await demo(t)
  mkdirSync(join(place.root, '.transcripts', 'folder.jsonl'))
  const { stdout, stderr, exitCode } = await runCli(['grep', 'port in use'], place)
  expect(stdout).toContain('port in use')
  expect(stderr).toMatch(/^skipped .*folder\.jsonl: /m)
  expect(exitCode).toBe(2)
})

test('without a pattern each row says what its event says, and not its first string', async (t) => {
  const place = await demo(t)
  expect(await runWell(['grep', '', '--errors'], place)).toMatch(
    / tool_result {2}Error: port in use\n$/,
  )
  expect(await runWell(['grep', '', '--type', 'tool_call'], place)).toMatch(/ {2}Bash .*lsof.*\n$/)
})

test('a rejected pattern is shown as it was typed', async (t) => {
  const place = await demo(t)
  for (const flags of [[], ['-i']]) {
    const { stderr, exitCode } = await runCli(['grep', '(', ...flags], place)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('missing closing ): `(`')
  }
})
