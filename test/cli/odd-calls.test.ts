// Mistyped calls, and calls of scripts with a variable that was not set.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type TestContext, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { BINARY, runCli, runWell } from './command-line.js'
import { newPlace, storeSession } from './stored.js'

test.each([
  ['help', 'lst'],
  ['lst', '--help'],
  ['lst', '-h'],
])('the help of a command that does not exist is rejected: %s %s', async (...args) => {
  const { stdout, stderr, exitCode } = await runCli(args)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
  expect(stderr).toMatch(/unknown command 'lst'\n\(Did you mean list\?\)\n/)
})

for (const name of ['root', 'home']) {
  test(`an empty --${name} is rejected and does not mean the current folder`, async (t) => {
    const place = newPlace(t)
    const args = ['prompt', 'demo', 'hello', `--${name}`, '']
    const { stderr, exitCode } = await runCli(args, place)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`--${name} is empty; omit it to use the default`)
    expect(readdirSync(place.cwd)).toEqual([])
  })
}

test.for(['team/alpha', 'notes.jsonl'])(
  'a session is found by an id that looks like a file: %s',
  async (id, t) => {
    const place = newPlace(t)
    await storeSession(place, id)
    for (const args of [
      ['show', id],
      ['verify', id],
      ['tail', id],
      ['rename', id, 'x'],
    ]) {
      expect(await runCli(args, place), args.join(' ')).toMatchObject({ exitCode: 0 })
    }
    const resumed = JSON.parse(await runWell(['resume', id, '--json'], place))
    expect(resumed).toMatchObject({ resumedFrom: { sessionId: id } })
    // A file of that name takes precedence.
    mkdirSync(join(place.cwd, 'team'))
    writeFileSync(join(place.cwd, id), 'no log\n')
    expect(await runCli(['verify', id], place)).toMatchObject({ exitCode: 1 })
  },
)

test('relocate with an empty folder notes nothing', async (t) => {
  const place = newPlace(t)
  const { stderr, exitCode } = await runCli(['relocate', '', '/somewhere'], place)
  expect(exitCode).toBe(2)
  expect(stderr).toContain('one of them is empty')
  expect(readdirSync(place.root)).toEqual([])
})

test('what is left with checkpoint is found in the project where append began the session', async (t) => {
  const place = newPlace(t)
  await runWell(['append', 'demo', '--type', 'user', '--payload', '{"content":"hi"}'], place)
  await runWell(['checkpoint', 'demo', '--digest', 'The tests are not done.'], place)
  expect(await runWell(['recover'], place)).toContain('The tests are not done.')
  expect(await runWell(['checkpoints', 'list'], place)).toContain('demo')
})

const hasFull = test.runIf(existsSync('/dev/full'))

hasFull('an answer that could not be printed does not say that the event is lost', async (t) => {
  const place = newPlace(t)
  const stderr = await intoFull(place, [
    'append',
    'demo',
    '--type',
    'user',
    '--payload',
    '{"content":"hi"}',
  ])
  expect(stderr).toMatch(/the output \(ENOSPC\); what was written to the store is kept/)
  expect(stderr).not.toContain('append again')
  expect(await runWell(['verify', 'demo'], place)).toContain('2 events')
})

hasFull('a cursor is never after rows that were not written', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect(await intoFull(place, ['tail', 'demo'])).not.toContain('cursor')
})

async function intoFull({ root, cwd }: ReturnType<typeof newPlace>, args: readonly string[]) {
  const script = '"$0" "$@" > /dev/full; true'
  const env = { JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root, PATH: process.env['PATH'] }
  const all = ['-c', script, process.execPath, BINARY, ...args]
  return (await promisify(execFile)('sh', all, { cwd, env })).stderr
}

test('an unreadable summary file is named', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const args = ['compact', 'demo', '--summary-file', place.cwd]
  const { stderr, exitCode } = await runCli(args, place)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`Could not read ${place.cwd} (EISDIR)`)
})

test('export --output - prints, and makes no file of that name', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const args = ['export', 'demo', '--format', 'text']
  expect(await runWell([...args, '--output', '-'], place)).toBe(await runWell(args, place))
  expect(readdirSync(place.cwd)).toEqual([])
})

test('import without transcripts exits with 1', async (t) => {
  const { root, cwd } = newPlace(t)
  const from = (args: readonly string[]) =>
    runCli(['import', ...args], { root, cwd, env: { HOME: cwd } })
  const nothing = { stdout: '', exitCode: 1 }
  const places = 'no transcripts at the known locations; name a path\n'
  expect(await from(['--all'])).toEqual({ ...nothing, stderr: places })
  expect(await from([cwd])).toEqual({ ...nothing, stderr: `no transcripts in ${cwd}\n` })
})

const canLoseItsFolder = test.skipIf(process.platform === 'win32')

canLoseItsFolder('from a deleted folder, commands that do not need it still work', async (t) => {
  const { root } = newPlace(t)
  const payload = ['--type', 'user', '--payload', '{"content":"hi"}']
  await runWell(['append', 'demo', ...payload], { root })
  for (const args of [
    ['append', 'demo', ...payload],
    ['append', 'fresh', ...payload],
    ['prompt', 'demo', 'hello'],
    ['list', '--all'],
  ]) {
    expect(await fromNowhere(t, root, args)).toMatchObject({ exitCode: '0' })
  }
  const event = '{"session_id":"demo","hook_event_name":"UserPromptSubmit","prompt":"from nowhere"}'
  expect(await fromNowhere(t, root, ['hook'], event)).toMatchObject({ words: '' })
  expect(await runWell(['show', 'demo'], { root })).toContain('from nowhere')
  const { words, exitCode } = await fromNowhere(t, root, ['list'])
  expect(exitCode).toBe('2')
  expect(words).toMatch(/The current folder no longer exists/)
})

async function fromNowhere(t: TestContext, root: string, args: readonly string[], input = '') {
  const cwd = temporaryFolder(t)
  const script =
    'folder=$1; shift; rmdir "$folder"; printf %s "$INPUT" | "$@" > /dev/null; echo "exit $?" >&2'
  const env = {
    JSONL_SESSION_ROOT: root,
    JSONL_SESSION_HOME: root,
    PATH: process.env['PATH'],
    INPUT: input,
  }
  const all = ['-c', script, 'sh', cwd, process.execPath, BINARY, ...args]
  const { stderr } = await promisify(execFile)('sh', all, { cwd, env })
  const [words, exitCode] = stderr.trimEnd().split(/exit (?=\d+$)/)
  return { words: words!, exitCode: exitCode! }
}
