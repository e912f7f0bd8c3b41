// The agent that a person resumes a session with.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { splitCommand } from '../../../lib/cli/launch/split-command.js'
import { answerOf, runCli, runInTerminal, runWell, spawnCli, startCli } from '../command-line.js'
import { eventsIn, newPlace, type Place, storeSession } from '../stored.js'

/** A program that writes what it was given into `given.json`, and ends as its code says. */
function agentIn({ cwd }: Place, code = ''): string {
  const path = join(cwd, 'an agent.mjs')
  writeFileSync(
    path,
    `import { readFileSync, statSync, writeFileSync } from 'node:fs'
const context = process.env.JSONL_SESSION_CONTEXT
const text = context === undefined ? readFileSync(0, 'utf8') : readFileSync(context, 'utf8')
const mode = context === undefined ? null : statSync(context).mode & 0o777
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('JSONL_SESSION_')))
writeFileSync('given.json', JSON.stringify({ args: process.argv.slice(2), text, mode, env }))
${code}`,
  )
  return `${process.execPath} "${path}"`
}

const givenIn = ({ cwd }: Place) => JSON.parse(readFileSync(join(cwd, 'given.json'), 'utf8'))

test('resume --exec gives a program the session, in a file that is removed afterwards', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const command = `${agentIn(place)} --id {id} '$(touch owned)' "a b;" {file}`
  const { stdout, stderr, exitCode } = await spawnCli(
    ['resume', 'demo', '--id', 'next', '--exec', command],
    place,
  )
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 })
  expect(stderr).toMatch(
    /resumed demo as next[\s\S]*Last reply {5}Two files\.[\s\S]*Permissions are reset/,
  )
  const { args, text, mode, env } = givenIn(place)
  const { JSONL_SESSION_CONTEXT: file, ...variables } = env
  // Without a shell nothing is expanded and nothing is run.
  expect(args).toEqual(['--id', 'next', '$(touch owned)', 'a b;', file])
  expect(existsSync(join(place.cwd, 'owned'))).toBe(false)
  expect(mode).toBe(0o600)
  expect(existsSync(dirname(file))).toBe(false)
  expect(text).toMatch(/^# hello\n[\s\S]*Two files\./)
  expect(variables).toEqual({
    JSONL_SESSION_ROOT: place.root,
    JSONL_SESSION_HOME: place.root,
    JSONL_SESSION_ID: 'next',
    JSONL_SESSION_PARENT_ID: 'demo',
    JSONL_SESSION_TRANSCRIPT: join(place.root, '.transcripts', 'next.jsonl'),
    JSONL_SESSION_CONTEXT_FORMAT: 'markdown',
  })
})

test('resume --exec gives JSON on stdin, and the session is free for the program to write', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const binary = JSON.stringify(join(process.cwd(), 'dist/bin/jsonl-session.cjs'))
  const code = `import { execFileSync } from 'node:child_process'
const { JSONL_SESSION_ID } = process.env
execFileSync(process.execPath, [${binary}, 'append', JSONL_SESSION_ID, '--type', 'user', '--payload', '{"content":"on"}'])
process.exitCode = 42`
  const args = ['resume', 'demo', '--id', 'next', '--format', 'json', '--to-stdin']
  const { exitCode } = await spawnCli([...args, '--exec', agentIn(place, code)], place)
  expect(exitCode).toBe(42)
  const { text, env } = givenIn(place)
  expect(JSON.parse(text)).toMatchObject({
    sessionId: 'next',
    messages: expect.arrayContaining([expect.objectContaining({ uuid: 'a2' })]),
    permissions: 'reset',
  })
  expect(env).not.toHaveProperty('JSONL_SESSION_CONTEXT')
  expect(eventsIn(env.JSONL_SESSION_TRANSCRIPT).at(-1)).toMatchObject({
    type: 'user',
    payload: { content: 'on' },
  })
})

test('a signal reaches the program, and its end is that of resume', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const code = `process.on('SIGTERM', () => process.exit(7))
process.stdout.write('ready')
setInterval(() => {}, 1000)`
  const child = startCli(['resume', 'demo', '--exec', agentIn(place, code)], place)
  child.stdin.end()
  const answer = answerOf(child)
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.kill('SIGTERM')
  expect((await answer).exitCode).toBe(7)
  const { JSONL_SESSION_CONTEXT: file } = givenIn(place).env
  expect(existsSync(file)).toBe(false)
})

test('a program that a signal ended counts as in a shell', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const command = agentIn(place, "process.kill(process.pid, 'SIGKILL')")
  expect((await spawnCli(['resume', 'demo', '--exec', command], place)).exitCode).toBe(128 + 9)
})

test('a program that cannot be started is named, and the session can still be used', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const answer = await runCli(['resume', 'demo', '--id', 'next', '--exec', 'no-such-agent'], place)
  expect(answer).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Cannot start no-such-agent: there is no such program'),
  })
  await runWell(['resume', 'next', '--mode', 'append'], place)
})

test('the launcher of the settings starts on a terminal, and never for a script', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  writeFileSync(join(place.root, 'config.json'), '{ "launcher": "my-agent {id}" }')
  const launched: string[] = []
  const modules = {
    launch: async ({ command }: { command: readonly string[] }) => {
      launched.push(command.join(' '))
      return 3
    },
  }
  const args = ['resume', 'demo', '--root', place.root, '--home', place.root]
  const inTerminal = (...more: string[]) =>
    runInTerminal([...args, ...more], { cwd: place.cwd, modules })
  expect((await inTerminal()).exitCode).toBe(3)
  expect((await inTerminal('--exec', 'other')).exitCode).toBe(3)
  expect(launched).toEqual(['my-agent {id}', 'other'])
  for (const more of ['--no-exec', '--full', '--json', '--dry-run']) {
    expect((await inTerminal(more)).exitCode).toBe(0)
  }
  expect((await runCli(['resume', 'demo'], place)).exitCode).toBe(0)
  expect(launched).toHaveLength(2)
})

test('a store of its own cannot choose the program', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  writeFileSync(join(place.root, 'config.json'), '{ "launcher": "owned" }')
  const modules = { launch: () => Promise.reject(new Error('must not start')) }
  const args = ['resume', 'demo', '--root', place.root, '--home', place.cwd]
  const { exitCode, stderr } = await runInTerminal(args, { cwd: place.cwd, modules })
  expect(exitCode).toBe(0)
  expect(stderr).toContain('launcher can only be set in')
})

test.for([
  ['--exec', 'x', '--json'],
  ['--exec', 'x', '--full'],
  ['--exec', 'x', '--mode', 'inspect'],
  ['--exec', 'x', '--dry-run'],
  ['--exec', ''],
  ['--exec', 'x "y'],
  ['--exec', 'x {file}', '--to-stdin'],
  ['--to-stdin'],
  ['--format', 'json'],
  ['--exec', 'x', '--format', 'yaml'],
])('resume refuses %j', async (args, t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  expect((await runCli(['resume', 'demo', ...args], place)).exitCode).toBe(2)
  // Whatever is refused creates no session.
  expect(readdirSync(join(place.root, '.transcripts'))).toEqual(['demo.jsonl'])
})

test.for<[text: string, words: string[]]>([
  ['agent', ['agent']],
  ['  agent   -c\tx\n', ['agent', '-c', 'x']],
  [`agent 'a "b" \\' "c 'd' \\" e"`, ['agent', 'a "b" \\', "c 'd' \" e"]],
  ['agent a\\ b "" x""y', ['agent', 'a b', '', 'xy']],
  ['agent $HOME `id` *;|', ['agent', '$HOME', '`id`', '*;|']],
])('a command is split into words as a shell does, and nothing else: %j', ([text, words]) => {
  expect(splitCommand(text, 'linux')).toEqual(words)
})

test('on Windows a backslash is part of a path', () => {
  expect(splitCommand('C:\\bin\\agent.exe "a b"', 'win32')).toEqual(['C:\\bin\\agent.exe', 'a b'])
})
