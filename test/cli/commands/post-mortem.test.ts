// tail, export and repair as people call them: the built binary, real files, real signals.

import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/temporary.js'
import { answerOf, rowsOf, runCli, runWell, startCli } from '../command-line.js'

async function say(root: string, session: string, content: string): Promise<void> {
  const payload = JSON.stringify({ content })
  await runWell(['append', session, '--type', 'user', '--payload', payload], { root })
}

test('tail -f shows what is written, in new sessions too, and ends on SIGINT with 0 and a cursor', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const child = startCli(['tail', '-f', '--json', '--lines', '1'], { root })
  const answer = answerOf(child)
  const rows = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await rows.next()).value)
  expect(await next()).toMatchObject({ sessionId: 'demo', event: { payload: { content: 'one' } } })
  await say(root, 'other', 'two')
  expect(await next()).toMatchObject({ sessionId: 'other', event: { type: 'session_header' } })
  const last = await next()
  expect(last).toMatchObject({ event: { payload: { content: 'two' } } })
  child.kill('SIGINT')
  const { exitCode, stderr } = await answer
  expect({ exitCode, ...JSON.parse(stderr) }).toEqual({ exitCode: 0, cursor: last.cursor })
  await say(root, 'demo', 'three')
  const later = rowsOf(await runWell(['tail', '--json', '--since-cursor', last.cursor], { root }))
  expect(later).toMatchObject([{ sessionId: 'demo', event: { payload: { content: 'three' } } }])
})

test('tail -f waits for a session that does not exist yet, and says so', async (t) => {
  const root = temporaryFolder(t)
  const child = startCli(['tail', 'demo', '-f'], { root })
  const answer = answerOf(child)
  await new Promise((resolve) => child.stderr.once('data', resolve))
  const row = new Promise((resolve) => child.stdout.once('data', resolve))
  await say(root, 'demo', 'one')
  await row
  child.kill('SIGINT')
  const { exitCode, stderr } = await answer
  expect(exitCode).toBe(0)
  expect(stderr).toContain('waiting for session demo')
})

test('tail whose reader is gone ends without a word of complaint', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const child = startCli(['tail', 'demo', '--follow'], { root })
  let stderr = ''
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const closed = new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.stdout.destroy()
  await say(root, 'demo', 'two')
  expect({ exitCode: await closed, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test('tail refuses what contradicts itself, and says when there is nothing', async (t) => {
  const root = temporaryFolder(t)
  expect(await runCli(['tail'], { root })).toMatchObject({ exitCode: 1, stdout: '' })
  expect(await runCli(['tail', 'nobody'], { root })).toMatchObject({ exitCode: 3 })
  for (const args of [
    ['--raw', '--projected'],
    ['--lines', '1', '--since-cursor', 't1..'],
    ['--since-cursor', 'x'],
    ['demo', '--project', '.'],
  ]) {
    expect(await runCli(['tail', ...args], { root })).toMatchObject({ exitCode: 2 })
  }
})

// Requirement: 003-47
test('export writes to a pipe, or a private file that it replaces only by --force', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'password=hunter2hunter2')
  const piped = await runWell(['export', 'demo', '--redact'], { root })
  expect(rowsOf(piped).map(({ type }) => type)).toEqual([
    'export.begin',
    'export.log',
    'session_header',
    'user',
    'export.end',
  ])
  expect(piped).not.toContain('hunter2hunter2')
  const output = join(root, 'demo.jsonl')
  await runWell(['export', 'demo', '--redact', '--output', output], { root })
  expect(readFileSync(output, 'utf8')).toBe(piped)
  expect(statSync(output).mode & 0o777).toBe(0o600)
  const again = ['export', 'demo', '--format', 'text', '--output', output]
  const refused = await runCli(again, { root })
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('--force replaces it')
  expect(readFileSync(output, 'utf8')).toBe(piped)
  await runWell([...again, '--force'], { root })
  expect(readFileSync(output, 'utf8')).toContain('User  ')
  const seen = rowsOf(await runWell(['export', 'demo', '--projected'], { root }))
  expect(seen[1]).toMatchObject({ type: 'user', payload: { content: 'password=hunter2hunter2' } })
})

test('export reports each kind of damage once, with the offset of the first', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const path = join(root, '.transcripts', 'demo.jsonl')
  const at = statSync(path).size
  appendFileSync(path, 'oops\noops\n')
  await say(root, 'demo', 'two')
  const { stdout, stderr, exitCode } = await runCli(['export', 'demo'], { root })
  expect(exitCode).toBe(0)
  expect(rowsOf(stdout).filter(({ type }) => type === 'export.damage')).toHaveLength(2)
  const where = `${path}, byte ${at}`
  expect(stderr).toBe(`bad_line: ${where}: The line is not JSON (and 1 more of the kind)\n`)
})

test('export --json is --format jsonl, and goes with no other format', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const piped = await runWell(['export', 'demo', '--json'], { root })
  expect(await runWell(['export', 'demo', '--json', '--format', 'jsonl'], { root })).toBe(piped)
  const args = ['export', 'demo', '--json', '--format', 'text']
  expect(await runCli(args, { root })).toMatchObject({ stdout: '', exitCode: 2 })
})

// Requirement: A44
test('repair writes a copy that verifies, and a report; the original stays', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const path = join(root, '.transcripts', 'demo.jsonl')
  appendFileSync(path, 'oops\n')
  await say(root, 'demo', 'two')
  const sha = () => createHash('sha256').update(readFileSync(path)).digest('hex')
  const before = sha()
  const output = join(root, 'whole.jsonl')
  const report = await runWell(['repair', 'demo', '--output', output, '--json'], { root })
  expect(JSON.parse(report)).toMatchObject({
    read: 4,
    kept: 3,
    salvaged: [],
    dropped: [{ lineNumber: 3, reasons: ['bad_line'] }],
    findings: [],
  })
  expect(sha()).toBe(before)
  await runWell(['verify', output], { root })
  const again = await runCli(['repair', 'demo', '--output', output], { root })
  expect(again).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await runCli(['repair', 'demo'], { root })).toMatchObject({ exitCode: 2 })
  const printed = await runWell(['repair', path, '--output', `${output}.2`], { root })
  expect(printed).toContain('4 read, 3 kept (0 salvaged), 1 dropped')
  expect(printed).toMatch(/dropped {3}line 3, bytes \d+–\d+ {2}bad_line: The line is not JSON/)
  expect(existsSync(`${output}.2`)).toBe(true)
})

test('repair makes a header where the first one is lost, and says so', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const path = join(root, '.transcripts', 'demo.jsonl')
  const [, ...rest] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, ['spoiled', ...rest].join('\n'))
  const { stdout } = await runCli(['repair', path, '--output', join(root, 'new.jsonl')], { root })
  expect(stdout).toContain('  made      a header, because the first one is lost\n')
})

test('export --force without a file to replace is wrong use', async (t) => {
  const root = temporaryFolder(t)
  await say(root, 'demo', 'one')
  const answer = await runCli(['export', 'demo', '--force'], { root })
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
  expect(answer.stderr).toContain('--force needs --output')
})
