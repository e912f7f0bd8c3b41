import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { runCli, runInTerminal, runWell } from '../command-line.js'

const HELLO = ['--type', 'user', '--payload', '{"content":"hello"}']

function transcriptOf(root: string, name = 'demo'): string {
  return join(root, '.transcripts', `${name}.jsonl`)
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

// Requirement: 003-19
test('append prints the offset of the event', async (t) => {
  const root = temporaryFolder(t)
  const answer = await runCli(['append', 'demo', ...HELLO, '--uuid', 'one'], { root })
  const path = transcriptOf(root)
  const [header, line] = linesOf(path)
  const offset = Buffer.byteLength(`${header}\n`)
  expect(answer).toEqual({
    stdout: `appended user one at byte ${offset}, line 2 of ${path}\n`,
    stderr: '',
    exitCode: 0,
  })
  expect(JSON.parse(header!)).toMatchObject({ type: 'session_header' })
  expect(JSON.parse(line!)).toMatchObject({ uuid: 'one', payload: { content: 'hello' } })
})

// Requirement: 003-19
test('append --json prints one object and nothing else', async (t) => {
  const root = temporaryFolder(t)
  await runWell(['append', 'demo', ...HELLO], { root })
  const { stdout, stderr } = await runCli(['append', 'demo', ...HELLO, '--json'], { root })
  const receipt = JSON.parse(stdout)
  const [header, first] = linesOf(transcriptOf(root))
  expect(receipt).toEqual({
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    byteOffset: Buffer.byteLength(`${header}\n${first}\n`),
    lineNumber: 3,
    duplicate: false,
  })
  expect(stdout.endsWith('}\n')).toBe(true)
  expect(stderr).toBe('')
})

// Requirement: 003-23
test('append twice with one uuid writes one line', async (t) => {
  const root = temporaryFolder(t)
  const args = ['append', 'demo', ...HELLO, '--uuid', 'one']
  const first = JSON.parse(await runWell([...args, '--json'], { root }))
  const again = JSON.parse(await runWell([...args, '--json'], { root }))
  expect(again).toEqual({ ...first, duplicate: true })
  expect(await runWell(args, { root })).toMatch(/^nothing written, already there: user one at byte/)
  expect(linesOf(transcriptOf(root))).toHaveLength(2)
})

test('append takes its payload from stdin', async (t) => {
  const root = temporaryFolder(t)
  const content = 'a "b"\n日本語 '.repeat(20_000)
  const input = `\ufeff${JSON.stringify({ content })}\n`
  await runWell(['append', 'demo', '--type', 'user', '--payload', '-'], { root, input })
  const [, line] = linesOf(transcriptOf(root))
  expect(JSON.parse(line!).payload).toEqual({ content })
})

test('append without a payload writes an empty one', async (t) => {
  const root = temporaryFolder(t)
  await runWell(['append', 'demo', '--type', 'turn_end', '--durability', 'none'], { root })
  expect(JSON.parse(linesOf(transcriptOf(root))[1]!)).toMatchObject({ payload: {} })
})

test('append refuses a payload on stdin of more than 32 MiB', async (t) => {
  const root = temporaryFolder(t)
  const input = Buffer.alloc(32 * 1024 * 1024 + 1, 'x')
  const args = ['append', 'demo', '--type', 'user', '--payload', '-']
  const { stderr, exitCode } = await runCli(args, { root, input })
  expect(stderr).toContain('32 MiB')
  expect(stderr).toContain('ERR_LINE_TOO_LARGE')
  expect(exitCode).toBe(2)
  expect(readdirSync(root)).toEqual([])
})

test('a payload that is no JSON is shown where it goes wrong', async (t) => {
  const root = temporaryFolder(t)
  const args = ['append', 'demo', '--type', 'user', '--payload', '{"content": hello}']
  const { stdout, stderr, exitCode } = await runCli(args, { root })
  expect(stderr).toContain('position 12 (line 1, column 13)')
  expect(stderr).toContain(`  {"content": hello}\n${' '.repeat(14)}^\n`)
  expect(stderr).toContain(`Example: --payload '{"content":"hello"}'`)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })

  const asJson = await runCli([...args, '--json'], { root })
  expect(JSON.parse(asJson.stderr).error).toMatchObject({
    code: 'ERR_ARG',
    details: { position: 12, line: 1, column: 13 },
  })
  expect(readdirSync(root)).toEqual([])
})

test.each([
  ['an empty stdin', '', 'The payload is empty'],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not UTF-8'],
  ['an array', '[1]', 'must be a JSON object'],
])('append refuses %s as a payload', async (_, input, reason) => {
  const answer = await runCli(['append', 'demo', '--type', 'user', '--payload', '-'], { input })
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})

// Requirements: 003-70, 003-80
test('append refuses permission state and writes nothing', async (t) => {
  const root = temporaryFolder(t)
  const payload = '{"content":"x","allowed_tools":["Bash"]}'
  const args = ['append', 'demo', '--type', 'user', '--payload', payload]
  const asWords = await runCli(args, { root })
  expect(asWords.stderr).toContain('ERR_PERMISSION_STATE')
  expect(asWords).toMatchObject({ stdout: '', exitCode: 2 })
  const asJson = await runCli(['append', 'demo', '--type', 'permission_grant', '--json'], { root })
  expect(JSON.parse(asJson.stderr).error.code).toBe('ERR_PERMISSION_STATE')
  expect(asJson).toMatchObject({ stdout: '', exitCode: 2 })
  expect(existsSync(transcriptOf(root))).toBe(false)
})

test('append writes an event whose --prev is missing, and says so on stderr', async (t) => {
  const root = temporaryFolder(t)
  await runWell(['append', 'demo', ...HELLO], { root })
  const args = ['append', 'demo', ...HELLO, '--prev', 'nobody']
  const asWords = await runCli(args, { root })
  expect(asWords.stderr).toMatch(/^dangling_prev: .*"nobody"/)
  expect(asWords).toMatchObject({ stdout: expect.stringMatching(/^appended user/), exitCode: 0 })
  const asJson = await runCli([...args, '--json'], { root })
  expect(JSON.parse(asJson.stderr).diagnostic).toMatchObject({ code: 'dangling_prev' })
  const quietly = await runCli([...args, '--quiet'], { root })
  expect(quietly.stderr).toBe('')
})

test('append to an agent writes beside the sessions of others', async (t) => {
  const root = temporaryFolder(t)
  await runWell(['--root', root, 'append', 'demo', ...HELLO, '--agent', 'reviewer'])
  expect(linesOf(transcriptOf(join(root, 'agents', 'reviewer')))).toHaveLength(2)
  expect(existsSync(transcriptOf(root))).toBe(false)
})

test.each([
  [['append', 'demo'], 'append needs --type'],
  [['append', '--type', 'user'], "missing required argument 'session'"],
  [['append', 'demo', 'other', '--type', 'user'], 'too many arguments'],
  [['append', 'demo', '--typ', 'user'], 'Did you mean --type?'],
  [['append', 'demo', '--type', 'user', '--durability', 'often'], 'not "often"'],
  [['append', 'demo', '--type', 'No Type'], 'is not an event type'],
])('%j is rejected as wrong use', async (args, reason) => {
  const { stdout, stderr, exitCode } = await runCli(args)
  expect(stderr).toContain(reason)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
})

test('append says that it waits for input on a terminal', async (t) => {
  const root = temporaryFolder(t)
  const input = '{"content":"typed"}'
  const args = ['append', 'demo', '--type', 'user', '--payload', '-', '--root', root]
  const { stdout, stderr, exitCode } = await runInTerminal(args, { input })
  expect(stderr).toContain('Waiting for the payload')
  expect(stdout).toMatch(/^appended user/)
  expect(exitCode).toBe(0)
})

test('append points at the position where a payload is not JSON', async (t) => {
  const root = temporaryFolder(t)
  const refused = async (payload: string) => {
    const args = ['append', 'demo', '--type', 'user', '--payload', payload]
    const { stderr, exitCode } = await runCli(args, { root })
    expect(exitCode).toBe(2)
    return stderr.split('\n')
  }
  expect((await refused('{"a":'))[0]).toMatch(/The payload ends too early at position 5 /)
  const words = `"${'word '.repeat(20)}"`
  const [what, line, arrow] = await refused(`{"a":${words},oops:${words}}`)
  expect(what).toMatch(/is not JSON at position 108 \(line 1, column 109\):$/)
  expect(line).toMatch(/^ {2}….*,oops:.*…$/)
  expect(line![arrow!.indexOf('^')]).toBe('o')
})

test('an off-chain event for a session that another process has open is queued', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, home: root, id: 'demo', project: '/work' })
  t.onTestFinished(async () => void (await session.close()))
  const append = (type: string, payload: object, ...more: string[]) =>
    runCli(['append', 'demo', '--type', type, '--payload', JSON.stringify(payload), ...more], {
      root,
      env: { JSONL_SESSION_LOCK_TIMEOUT_MS: '50' },
    })
  const queued = await append('session_meta', { title: 'One' }, '--uuid', 't1')
  expect(queued).toMatchObject({
    stdout: 'queued t1: another process has this session open and will write it\n',
    exitCode: 0,
  })
  const asJson = await append('session_meta', { title: 'Two' }, '--uuid', 't2', '--json')
  expect(JSON.parse(asJson.stdout)).toEqual({ uuid: 't2', queued: true })
  expect(await append('user', { content: 'hi' })).toMatchObject({ stdout: '', exitCode: 5 })
})
