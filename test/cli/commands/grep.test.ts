import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findEventUuid } from '../../../lib/cli/input/event.js'
import { openContext } from '../../../lib/store/index.js'
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
  const row = /^(.*):(\d+): demo r1 @(\d+)\+(\d+) (\S+) tool_result {2}Error: port in use\n$/.exec(
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
      matches: [{ start: 11, end: 15 }],
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
    /:\d+: demo - @\d+\+35 - DAMAGED \(bad_line\) {2}\{"type":"user","payl the port is to\n$/,
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
  expect(rows.map((row) => row.slice(0, 6))).toEqual(['2: u1 ', '4: r1 '])
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

test('grep -A -B -C -m -v -n are spelled as in grep, also glued and joined', async (t) => {
  const place = await demo(t)
  const rows = async (...args: string[]) =>
    (await runWell(['grep', ...args, 'demo'], place))
      .trimEnd()
      .split('\n')
      .map((row) => /jsonl([-:]\d+)/.exec(row)?.[1] ?? row)
  expect(await rows('-A', '1', 'why')).toEqual([':2', '-3'])
  expect(await rows('-A1', 'why')).toEqual([':2', '-3'])
  expect(await rows('-B1', 'lsof')).toEqual(['-2', ':3'])
  expect(await rows('-C1', '-A0', 'lsof')).toEqual(['-2', ':3'])
  expect(await rows('-m1', '-n', 'port')).toEqual([':2'])
  expect(await rows('-in', 'PORT')).toEqual([':2', ':4'])
  expect(await rows('-v', 'port', '--type', 'user,assistant')).toEqual([':5'])
  // As in grep, two dashes are between what is not next to each other.
  expect(await rows('-A1', '(why|caf)')).toEqual([':2', '-3', '--', ':5'])
  expect(await rows('-B1', '(why|lsof)', '--type', 'user,tool_call')).toEqual(['-1', ':2', ':3'])
  const counted = await runWell(['grep', '-vc', 'port', 'demo'], place)
  expect(counted).toBe(`${place.path}:3\n`)
  expect((await runCli(['grep', '-m', '0', 'port'], place)).exitCode).toBe(1)
  expect((await runCli(['grep', '-c', '-A', '1', 'port'], place)).exitCode).toBe(2)
  expect((await runCli(['grep', '-m', 'x', 'port'], place)).stderr).toContain('--max-count takes')
})

test('grep --json separates nothing: each row says whether it is context', async (t) => {
  const place = await demo(t)
  const rows = rowsOf(await runWell(['grep', '-A1', '(why|caf)', 'demo', '--json'], place))
  expect(rows.map(({ uuid, context }) => [uuid, context])).toEqual([
    ['u1', undefined],
    ['c1', true],
    ['a1', undefined],
  ])
})

test('the id of every row is one that --at takes, on a terminal and in a pipe', async (t) => {
  const place = newPlace(t)
  // Of the second writer the uuids begin with the time, so all of them begin alike.
  const said = [
    ['user', '0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a', 'needle 1'],
    ['assistant', '6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11', 'needle 2'],
    ['user', '0198c2a4-7f00-7d8c-9a51-5d3c8f1f6f0a', 'needle 3'],
    ['assistant', '0198c2a4-7f01-7d8c-9a51-5d3c8f1f6f0b', 'needle 4'],
    ['user', 'u1', 'needle 5'],
  ] as const
  const path = await storeSession(place, 'demo', { said })
  const piped = await runWell(['grep', 'needle'], place)
  const typed = await runInTerminal(['grep', 'needle', '--root', place.root], { columns: 140 })
  const ids = [
    ...piped.matchAll(/: demo (\S+) @/g),
    ...typed.stdout.matchAll(/^\d+: (\S+) 2026/gm),
  ].map(([, id]) => id!)
  expect(ids).toHaveLength(2 * said.length)
  const store = openContext({ root: place.root })
  const named = ids.map((id) => findEventUuid({ store }, path, id))
  expect(named).toEqual([...said, ...said].map(([, uuid]) => uuid))
  expect(ids.at(said.length)).toBe('0b0e7a52')
})

const MATCH = (text: string) => `\x1b[1m\x1b[31m${text}\x1b[39m\x1b[22m`

test('a terminal colours what matches, and cuts the text so that it is seen', async (t) => {
  const place = newPlace(t)
  const hostile = `${'before '.repeat(30)}\x1b[31m\x1b]0;owned\x07 a \u202eneedle\x1b[2J, a needle`
  await storeSession(place, 'demo', { said: [['user', 'u1', hostile]] })
  const args = ['grep', 'needle', '--root', place.root]
  const { stdout } = await runInTerminal(args, { columns: 80 })
  const row = stdout.split('\n')[1]!
  expect(row.split(MATCH('needle'))).toHaveLength(3)
  // Only the colours of the matches are control characters.
  const plain = row.replaceAll(MATCH('needle'), 'needle')
  expect(plain).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(plain.length).toBeLessThanOrEqual(80)
  for (const options of [{ env: { NO_COLOR: '1' } }, { env: { TERM: 'dumb' } }]) {
    const bare = await runInTerminal(args, { columns: 80, ...options })
    expect(bare.stdout).not.toContain('\x1b')
  }
  expect(await runWell(['grep', 'needle'], place)).not.toContain('\x1b')
  const forced = await runWell(['grep', 'needle'], { ...place, env: { FORCE_COLOR: '1' } })
  expect(forced).toContain(MATCH('needle'))
})
