import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { id, line } from '../../helpers/lines.js'
import { temporaryFile, temporaryFolder } from '../../helpers/temporary.js'
import { runCli, runInTerminal, runWell } from '../command-line.js'

const HEADER = line('session_header', {
  uuid: id(1),
  payload: {
    format: 1,
    session_id: 'demo',
    start_ts: '2026-01-01T12:00:00.000Z',
    resumed_from: null,
    lib: { name: 'jsonl-session', version: '0.1.0', capture: 'native' },
  },
})
const USER = userLine(2, 1)
const OOPS = Buffer.from('oops\n')

function userLine(number: number, previous: number): Buffer {
  return line('user', { uuid: id(number), prev_uuid: id(previous), payload: { content: 'hi' } })
}

test('verify of a whole log says ok', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, USER]))
  expect(await runCli(['verify', path])).toEqual({
    stdout: `ok  ${path}  2 events, all reachable\n`,
    stderr: '',
    exitCode: 0,
  })
  expect(JSON.parse(await runWell(['verify', path, '--json']))).toEqual([
    { path, events: 2, reachable: 2, onChain: 2, findings: [] },
  ])
})

test('verify names damage by line and bytes, and changes nothing', async (t) => {
  const bytes = Buffer.concat([HEADER, USER, OOPS, userLine(4, 3)])
  const path = temporaryFile(t, 'demo.jsonl', bytes)
  const start = HEADER.length + USER.length
  const { stdout, stderr, exitCode } = await runCli(['verify', path])
  expect(stdout).toMatch(new RegExp(`^2 findings  ${path}  3 events, `))
  expect(stdout).toContain('  bad_line (1)\n')
  expect(stdout).toContain(`    line 3, bytes ${start}–${start + 3}: `)
  expect(stdout).toMatch(new RegExp(`  dangling_prev .*\\n    line 4, .*${id(3)}.*${id(4)}\\n`))
  expect(stderr).toContain('jsonl-session log <file> --from OFFSET')
  expect(exitCode).toBe(1)
  expect(readFileSync(path)).toEqual(bytes)

  const asJson = await runCli(['verify', path, '--json'])
  const [report] = JSON.parse(asJson.stdout)
  expect(report).toMatchObject({
    path,
    events: 3,
    findings: [
      { code: 'bad_line', lineNumber: 3, byteOffset: start, length: 4 },
      { code: 'dangling_prev', lineNumber: 4, uuid: id(4) },
    ],
  })
  expect(asJson).toMatchObject({ stderr: '', exitCode: 1 })
})

test('verify shows ten findings of a kind and counts the rest', async (t) => {
  const bytes = Buffer.concat([HEADER, ...Array<Buffer>(12).fill(OOPS)])
  const path = temporaryFile(t, 'demo.jsonl', bytes)
  const { stdout } = await runCli(['verify', path, '--quiet'])
  expect(stdout.match(/^ {4}line /gm)).toHaveLength(10)
  expect(stdout).toContain('… and 2 more; --json shows all')
})

test('verify continues after an unreadable file', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, OOPS]))
  const folder = temporaryFolder(t)
  const missing = join(folder, 'missing.jsonl')
  const some = await runCli(['verify', missing, path, '--json'])
  expect(JSON.parse(some.stdout)).toMatchObject([{ path, findings: [{ code: 'bad_line' }] }])
  expect(JSON.parse(some.stderr).error.code).toBe('ERR_NOT_FOUND')
  expect(some.exitCode).toBe(3)
  const all = await runCli(['verify', missing, `${folder}/.`, path])
  expect(all.stdout).toContain('1 finding')
  expect(all.exitCode).toBe(2)
})

test('verify --all looks at every transcript of the store', async (t) => {
  const root = temporaryFolder(t)
  const transcripts = join(root, '.transcripts')
  const words = `No transcripts in ${transcripts}\n`
  expect(await runCli(['verify', '--all'], { root })).toEqual({
    stdout: '',
    stderr: words,
    exitCode: 1,
  })
  mkdirSync(transcripts)
  const none = await runCli(['verify', '--all', '--json'], { root })
  expect(none).toEqual({ stdout: '[]\n', stderr: '', exitCode: 1 })
  writeFileSync(join(transcripts, 'one.jsonl'), Buffer.concat([HEADER, USER]))
  writeFileSync(join(transcripts, 'two.jsonl'), Buffer.concat([HEADER, OOPS]))
  writeFileSync(join(transcripts, 'two.jsonl.tmp'), OOPS)
  const { stdout, exitCode } = await runCli(['verify', '--all', '--json'], { root })
  expect(JSON.parse(stdout)).toMatchObject([{ findings: [] }, { findings: [{}] }])
  expect(exitCode).toBe(1)
})

// Requirement: A39
test('verify --all --project checks one project and files without a project', async (t) => {
  const root = temporaryFolder(t)
  const prompt = (id: string, project: string) =>
    runWell(['prompt', id, 'hello', '--project', project], { root })
  await prompt('one', '/work/app')
  await prompt('two', '/work/other')
  const transcripts = join(root, '.transcripts')
  const verify = (...args: string[]) => runCli(['verify', ...args], { root })
  const pathsOf = (stdout: string) => JSON.parse(stdout).map(({ path }: { path: string }) => path)
  const found = await verify('--all', '--project', '/work/app', '--json')
  expect(found).toMatchObject({ stderr: '', exitCode: 0 })
  expect(pathsOf(found.stdout)).toEqual([join(transcripts, 'one.jsonl')])
  expect(await verify('--all', '--project', '/work/none')).toEqual({
    stdout: '',
    stderr: `No transcripts of /work/none in ${transcripts}\n`,
    exitCode: 1,
  })
  writeFileSync(join(transcripts, 'three.jsonl'), OOPS)
  const { stdout, exitCode } = await verify('--all', '--project', '/work/app', '--json')
  const both = ['one.jsonl', 'three.jsonl'].map((name) => join(transcripts, name))
  expect(pathsOf(stdout)).toEqual(both)
  expect(exitCode).toBe(1)
  expect(await verify('one', '--project', '/work/app')).toMatchObject({ exitCode: 2 })
})

test('verify takes a session by its id', async (t) => {
  const root = temporaryFolder(t)
  await runWell(['append', 'demo', '--type', 'user', '--payload', '{"content":"hi"}'], { root })
  expect(await runWell(['verify', 'demo'], { root })).toMatch(/^ok .*2 events, all reachable\n$/)
})

test('verify reads a read-only folder', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, USER]))
  const folder = join(path, '..')
  chmodSync(folder, 0o500)
  t.onTestFinished(() => chmodSync(folder, 0o700))
  expect(await runWell(['verify', path])).toMatch(/^ok/)
})

test('verify in a terminal colours the headline and leaves no trace of its progress', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', Buffer.concat([HEADER, OOPS]))
  const { stdout, stderr, exitCode } = await runInTerminal(['verify', path])
  expect(stdout).toContain('\u001b[31m1 finding\u001b[39m')
  // On a slow machine there was a sign of life; whatever there was is wiped away.
  expect(stderr.slice(stderr.lastIndexOf('\r') + 1)).not.toContain('Reading')
  expect(exitCode).toBe(1)
})

test.each([
  [['verify'], 'verify needs a session, a file, or --all'],
  [['verify', 'x.jsonl', '--all'], 'cannot be combined'],
])('%j is refused as wrong use', async (args, reason) => {
  const answer = await runCli(args)
  expect(answer.stderr).toContain(reason)
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})
