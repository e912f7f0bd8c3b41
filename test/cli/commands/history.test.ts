import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog } from '../../../lib/log/index.js'
import { append_history, HISTORY_LIMITS } from '../../../lib/store/index.js'
import { bareLine, foreignLine } from '../../helpers/lines.js'
import { append } from '../../store/history/history-functions.js'
import { runCli, runInTerminal, runWell, spawnCli } from '../command-line.js'
import { newPlace, type Place, storeSession } from '../stored.js'

const ELSEWHERE = '/somewhere/else'
const liveOf = ({ root }: Place) => join(root, 'history.jsonl')

async function fill(place: Place): Promise<void> {
  const { root: home, cwd } = place
  let second = 0
  const add = (prompt: string, session: string, project: string | undefined) =>
    append_history(prompt, session, {
      home,
      project,
      ts: new Date(Date.UTC(2026, 0, 31, 12, 0, second++)).toISOString(),
    })
  await add('first', 'one-long-id', cwd)
  await add('again', 'one-long-id', cwd)
  await add('elsewhere', 'two', ELSEWHERE)
  await add('again', 'two', cwd)
  await add('no project', 'three', undefined)
}

async function promptsOf(args: readonly string[], place: Place): Promise<string[]> {
  const entries = JSON.parse(await runWell(['history', ...args, '--json'], place))
  return entries.map(({ prompt }: { prompt: string }) => prompt)
}

test('history shows the prompts of the project it is called in, newest first, repeated ones once', async (t) => {
  const place = newPlace(t)
  await fill(place)
  expect(await promptsOf([], place)).toEqual(['again', 'first'])
  expect(await promptsOf(['--limit', '1'], place)).toEqual(['again'])
  expect(await promptsOf(['--scope', 'project'], place)).toEqual(['again', 'first'])
  expect(await promptsOf(['--project', ELSEWHERE], place)).toEqual(['elsewhere'])
})

test('history --all-lines and --forward show every line', async (t) => {
  const place = newPlace(t)
  await fill(place)
  expect(await promptsOf(['--all-lines'], place)).toEqual(['again', 'again', 'first'])
  expect(await promptsOf(['--forward'], place)).toEqual(['first', 'again', 'again'])
  expect(await promptsOf(['--forward', '--limit', '1', '--all'], place)).toEqual(['first'])
})

test('history --all shows every project, and so does it at home', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const all = ['no project', 'again', 'elsewhere', 'again', 'first']
  expect(await promptsOf(['--all'], place)).toEqual(all)
  expect(await promptsOf(['--scope', 'global'], place)).toEqual(all)
  expect(await promptsOf([], { ...place, cwd: '/' })).toEqual(all)
  const env = { HOME: homedir() }
  const atHome = await runWell(['history', '--json'], { ...place, cwd: homedir(), env } as Place)
  expect(JSON.parse(atHome)).toHaveLength(all.length)
})

test('history --session shows one session, by its id or by the beginning of it', async (t) => {
  const place = newPlace(t)
  await fill(place)
  expect(await promptsOf(['--session', 'two'], place)).toEqual(['again', 'elsewhere'])
  expect(await promptsOf(['--session', 'two', '--scope', 'session'], place)).toHaveLength(2)
  // Only a session of the store can be found by its beginning.
  expect((await runCli(['history', '--session', 'one-'], place)).exitCode).toBe(1)
  await storeSession(place, 'one-long-id')
  expect(await promptsOf(['--session', 'one-'], place)).toEqual(['again', 'first'])
})

test('history --json prints one array with the fields of each line', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const { stdout, stderr, exitCode } = await runCli(['history', '--json', '--limit', '1'], place)
  expect(JSON.parse(stdout)).toEqual([
    {
      prompt: 'again',
      ts: '2026-01-31T12:00:03.000Z',
      sessionId: 'two',
      offset: expect.any(Number),
      file: liveOf(place),
      project: place.cwd,
    },
  ])
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
})

test('history in a pipe is exact times and whole prompts, each on one line', async (t) => {
  const place = newPlace(t)
  const prompt = `two\nlines \u001b[31mred ${'x'.repeat(300)}`
  await append_history(prompt, 's', {
    home: place.root,
    project: place.cwd,
    ts: '2026-01-31T12:00:00.000Z',
  })
  const stdout = await runWell(['history'], place)
  expect(stdout).toBe(`2026-01-31T12:00:00.000Z  two lines [31mred ${'x'.repeat(300)}\n`)
})

test('history fits the width of a terminal and shows projects where there are several', async (t) => {
  const place = newPlace(t)
  const { root: home, cwd } = place
  const ts = new Date(Date.now() - 3 * 60_000).toISOString()
  await append_history('漢字 '.repeat(60), 's', { home, project: cwd, ts })
  await append_history('short', 's', { home, project: ELSEWHERE, ts })
  const args = ['history', '--home', home, '--no-color']
  const own = await runInTerminal(args, { columns: 40, cwd })
  expect(own.stdout).toBe('3 min ago  漢字 漢字 漢字 漢字 漢字 漢…\n')
  const all = await runInTerminal([...args, '--all'], { columns: 60, cwd })
  const [first, second] = all.stdout.split('\n')
  expect(first).toMatch(/^3 min ago {2}else +short$/)
  expect(second).toMatch(/^3 min ago {2}jsonl-session-\S+ +漢字/)
  const colored = await runInTerminal(args.slice(0, -1), { columns: 40, cwd })
  expect(colored.stdout).toContain('\u001b[2m3 min ago')
})

test('history of a project without prompts names --all', async (t) => {
  const place = newPlace(t)
  const none = await runCli(['history'], place)
  expect(none).toMatchObject({ stdout: '', exitCode: 1 })
  expect(none.stderr).toBe(
    `No prompts of ${place.cwd} in ${liveOf(place)}; --all searches every project\n`,
  )
  const asJson = await runCli(['history', '--all', '--json'], place)
  expect(asJson).toEqual({ stdout: '[]\n', stderr: '', exitCode: 1 })
  expect(readdirSync(place.root)).toEqual([])
})

test('many lines of one fault are one remark on stderr', async (t) => {
  const place = newPlace(t)
  const foreign = Array.from({ length: 30 }, (_, index) =>
    foreignLine({ ts: 1769860800 + index, prompt: `p${index}`, session_id: 's' }),
  )
  writeFileSync(liveOf(place), Buffer.concat([...foreign, Buffer.from('oops\n')]))
  const { stdout, stderr, exitCode } = await runCli(['history', '--all', '--limit', '20'], place)
  expect(stdout.trimEnd().split('\n')).toHaveLength(20)
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^bad_line: .*history\.jsonl, byte \d+: The line is not JSON$/),
    expect.stringMatching(/^unverified: .* \(and \d+ more of the kind\)$/),
  ])
  expect(exitCode).toBe(0)
})

// Requirement: 003-28
test('HISTORY_RETAIN_DAYS hides older prompts; an invalid value is reported', async (t) => {
  const place = newPlace(t)
  const options = { home: place.root, project: place.cwd }
  await append_history('old', 's', { ...options, ts: '2001-01-01T00:00:00.000Z' })
  await append_history('new', 's', options)
  const shown = await runCli(['history'], { ...place, env: { HISTORY_RETAIN_DAYS: '30' } })
  expect(shown.stdout).toMatch(/^\S+ {2}new\n$/)
  const wrong = await runCli(['history'], { ...place, env: { HISTORY_RETAIN_DAYS: 'soon' } })
  expect(wrong.stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(wrong.stderr).toMatch(/^invalid_setting: HISTORY_RETAIN_DAYS .* not "soon"/)
})

// Requirement: 003-55
test('history add records a prompt of the project it is called in', async (t) => {
  const place = newPlace(t)
  const answer = await runCli(['history', 'add', 'hello', '--session', 'demo'], place)
  expect(answer).toEqual({
    stdout: `recorded at byte 0 of ${liveOf(place)}\n`,
    stderr: '',
    exitCode: 0,
  })
  const args = ['history', 'add', '-', '--session', 'demo', '--project', ELSEWHERE, '--json']
  const asJson = JSON.parse(await runWell(args, { ...place, input: 'two\nlines – ü\n' } as Place))
  expect(asJson).toEqual({
    recorded: true,
    duplicate: false,
    offset: expect.any(Number),
    file: liveOf(place),
  })
  const lines = readFileSync(liveOf(place), 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { prompt: 'hello', session_id: 'demo', project: place.cwd },
    { prompt: 'two\nlines – ü', session_id: 'demo', project: ELSEWHERE },
  ])
})

test('history add with the same event twice writes one line', async (t) => {
  const place = newPlace(t)
  const args = ['history', 'add', 'hello', '--session', 'demo', '--event-uuid', 'e1']
  await runWell(args, place)
  const { size } = statSync(liveOf(place))
  expect(await runWell(args, place)).toMatch(/^nothing written, already there at byte 0/)
  expect(JSON.parse(await runWell([...args, '--json'], place))).toMatchObject({ duplicate: true })
  expect(statSync(liveOf(place)).size).toBe(size)
})

test('history add takes a prompt that begins with a dash behind --', async (t) => {
  const place = newPlace(t)
  await runWell(['history', 'add', '--session', 'demo', '--', '--help me'], place)
  expect(await promptsOf([], place)).toEqual(['--help me'])
})

test('history add records no blank prompt, and says so', async (t) => {
  const place = newPlace(t)
  const answer = await runCli(['history', 'add', ' ', '--session', 's'], place)
  expect(answer).toMatchObject({ stdout: '', exitCode: 1 })
  expect(answer.stderr).toContain('blank')
  const asJson = await runCli(['history', 'add', ' ', '--session', 's', '--json'], place)
  expect(asJson).toEqual({ stdout: '{"recorded":false}\n', stderr: '', exitCode: 1 })
  expect(readdirSync(place.root)).toEqual([])
})

// Requirements: 003-57, 003-81
test('history add near the limit says so on stderr, and rotates at it', async (t) => {
  const place = newPlace(t)
  const line = bareLine({ ts: '2026-01-31T12:00:00.000Z', prompt: 'x', session_id: 's' })
  const lines = (count: number) => Buffer.concat(Array<Buffer>(count).fill(line))
  writeFileSync(liveOf(place), lines(HISTORY_LIMITS.entries - 1), { mode: 0o600 })
  const args = ['history', 'add', 'hello', '--session', 's']
  const near = await runCli(args, place)
  expect(near.stderr).toMatch(/^history_near_limit: .*history\.jsonl\.1\n$/)
  const rotated = await runCli(args, place)
  expect(rotated).toMatchObject({ stdout: expect.stringContaining('at byte 0 of'), stderr: '' })
  expect(readdirSync(place.root).sort()).toEqual(['history.jsonl', 'history.jsonl.1'])
})

// Requirement: 003-58
test('history rotate begins a new file, and nothing is lost', async (t) => {
  const place = newPlace(t)
  await fill(place)
  const file = `${liveOf(place)}.1`
  expect(await runWell(['history', 'rotate'], place)).toBe(
    `rotated: the prompts so far are in ${file}\n`,
  )
  expect(await promptsOf([], place)).toEqual(['again', 'first'])
  const nothing = await runCli(['history', 'rotate'], place)
  expect(nothing).toMatchObject({ stdout: '', exitCode: 0 })
  expect(nothing.stderr).toContain('Nothing to rotate')
  await runWell(['history', 'add', 'x', '--session', 's'], place)
  expect(JSON.parse(await runWell(['history', 'rotate', '--json'], place))).toEqual({
    rotated: true,
    file,
  })
})

// Requirement: 003-59
test('history sweep is a plan until --apply', async (t) => {
  const place = newPlace(t)
  for (const prompt of ['a', 'b', 'c']) {
    await append(prompt, 's', { home: place.root, limits: { entries: 1 } })
  }
  const old = `${liveOf(place)}.2`
  const plan = await runCli(['history', 'sweep'], place)
  expect(plan.stdout).toBe(`would remove ${old}  ${statSync(old).size} B  a newer one exists\n`)
  expect(plan.stderr).toContain('--apply')
  expect(plan.exitCode).toBe(0)
  expect(existsSync(old)).toBe(true)
  const asJson = await runWell(['history', 'sweep', '--apply', '--json'], place)
  expect(JSON.parse(asJson)).toMatchObject({ applied: true, files: [{ file: old }] })
  expect(existsSync(old)).toBe(false)
  const nothing = await runCli(['history', 'sweep', '--apply'], place)
  expect(nothing).toMatchObject({ stdout: '', exitCode: 0 })
})

test.each([
  [['history', '--scope', 'session'], '--scope session needs --session'],
  [['history', '--scope', 'everything'], 'session, project, global'],
  [['history', '--all', '--project', 'x'], 'cannot be combined'],
  [['history', '--all', '--session', 'x'], 'cannot be combined'],
  [['history', '--session', 'x', '--project', 'x'], 'cannot be combined'],
  [['history', '--session', 'x', '--scope', 'project'], 'cannot be combined'],
  [['history', '--limit', 'many'], 'whole number'],
  [['history', 'show'], 'too many arguments'],
  [['history', 'add', 'hello'], 'history add needs --session'],
  [['history', 'add', '--session', 's'], "missing required argument 'prompt'"],
  [['history', 'add', 'x', '--session', 's', '--event-uuid', 'a b'], 'event_uuid'],
])('%j is rejected as wrong use', async (args, reason) => {
  const { stdout, stderr, exitCode } = await runCli(args, { cwd: '/' })
  expect(stderr).toContain(reason)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
})

test('history add names the process that has the history locked and exits with 5', async (t) => {
  const place = { ...newPlace(t), env: { JSONL_SESSION_LOCK_TIMEOUT_MS: '50' } }
  await using _lease = await openLog(liveOf(place))
  const answer = await spawnCli(['history', 'add', 'x', '--session', 's'], place)
  expect(answer).toMatchObject({ stdout: '', exitCode: 5 })
  expect(answer.stderr).toContain(`pid ${process.pid}`)
})

test('a prompt without time and project has dashes on a terminal', async (t) => {
  const place = newPlace(t)
  writeFileSync(join(place.root, 'history.jsonl'), '{"prompt":"who am I"}\n')
  const args = ['history', '--all', '--root', place.root, '--home', place.root]
  const { stdout } = await runInTerminal(args, { env: { NO_COLOR: '1' } })
  expect(stdout).toMatch(/^- +- +who am I\n$/)
})
