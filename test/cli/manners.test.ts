// What every command must have, read from the table of commands.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Command } from '../../lib/cli/command.js'
import { COMMANDS } from '../../lib/cli/commands.js'
import { parseWithHelp } from '../../lib/cli/help.js'
import { runCli, runInTerminal, runWell } from './command-line.js'
import { newPlace, storeSession } from './stored.js'

const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))

/** As many words as it must have. */
function operandsOf({ operand = '' }: Command): string[] {
  return operand.split(' ').filter((word) => word.startsWith('<'))
}

test.each(commands)('$name has a lesson with examples and exit codes', ({ lesson, summary }) => {
  expect(summary).toMatch(/^[A-Z].*[^.]$/)
  expect(lesson).toMatch(/^Examples:\n(?: {2}.*\n|\n)* {2}\$ .*jsonl-session/m)
  expect(lesson).toMatch(/^Exit codes:\n {2}0 .*/m)
  expect(lesson).toMatch(/· 2 wrong use|^ {2}2 wrong use|2 wrong use|0 always/m)
})

test.each(commands)('$name takes --json, --root, --home and --no-pager', async (command) => {
  const given = ['--json', '--root', 'R', '--home', 'H', '--agent', 'A', '--no-pager']
  const parsed = parseWithHelp(command, [...operandsOf(command), ...given])
  if (typeof parsed === 'string') throw new Error('The help was printed')
  for (const name of ['json', 'no-pager']) expect(parsed.has(name)).toBe(true)
  expect(['root', 'home', 'agent'].map(parsed.value)).toEqual(['R', 'H', 'A'])
})

test.each(commands)('$name rejects an unknown option', async (command) => {
  const words = [...command.name.split(' '), ...operandsOf(command)]
  const answer = await runInTerminal([...words, '--no-such-option'])
  // A hook never fails its harness.
  expect(answer).toMatchObject({ stdout: '', exitCode: command.isHook === true ? 0 : 2 })
  expect(answer.stderr).toContain('--no-such-option')
})

test.each(['hooks', 'checkpoint', 'sidechain'])(
  'the help of the group %s lists it',
  async (name) => {
    const help = await runWell([name, '--help'])
    for (const command of COMMANDS.keys()) {
      if (command.startsWith(`${name} `)) expect(help).toContain(`  ${command} `)
    }
    expect(await runWell(['help', name])).toBe(help)
  },
)

test('the help of a command that is also a group lists its commands', async () => {
  const help = await runWell(['history', '--help'])
  expect(help).toMatch(/^Commands of history:\n(?: {2}history \w+ .*\n)* {2}history add /m)
})

test('colours: --no-color and NO_COLOR say no, FORCE_COLOR insists, else a terminal decides', async (t) => {
  const place = newPlace(t)
  await storeSession(place, 'demo')
  const { root } = place
  const isColored = async (env: Record<string, string>, ...flags: string[]) =>
    (await runWell(['show', 'demo', ...flags], { root, env })).includes('\x1b[')
  expect(await isColored({})).toBe(false)
  expect(await isColored({ FORCE_COLOR: '1' })).toBe(true)
  expect(await isColored({ FORCE_COLOR: '0' })).toBe(false)
  expect(await isColored({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
  expect(await isColored({ FORCE_COLOR: '1' }, '--no-color')).toBe(false)
  const shown = async (env: object) => {
    const { stdout } = await runInTerminal(['show', 'demo', '--root', root], { env })
    return stdout.includes('\x1b[')
  }
  expect(await shown({ TERM: 'xterm' })).toBe(true)
  expect(await shown({ TERM: 'dumb' })).toBe(false)
  expect(await shown({ TERM: 'xterm', NO_COLOR: '1' })).toBe(false)
})

test('init in a working tree of git keeps the store out of it, and plans before it does', async (t) => {
  const { cwd } = newPlace(t)
  mkdirSync(join(cwd, '.git'))
  writeFileSync(join(cwd, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  const root = join(cwd, 'store')
  const args = ['init', '--root', root, '--home', root]
  const plan = await runCli([...args, '--dry-run'], { cwd })
  expect(plan.stdout).toContain(`would create  ${root}/.transcripts\n`)
  expect(plan.stdout).toMatch(/^would add +.*\.gitignore: /m)
  expect(plan.stderr).toBe('Nothing was written\n')
  const done = await runCli(args, { cwd })
  expect(done.stdout).toMatch(/^added +.*\.gitignore: /m)
  expect(done.stderr).toContain('git rm --cached')
  expect(done.stderr).toContain(`hooks install --apply --root ${root}`)
  expect(done.stderr).toContain(`export JSONL_SESSION_ROOT=${root}`)
})

test('init prints what it did, and what to do next on stderr', async (t) => {
  const { root } = newPlace(t)
  const first = await runCli(['init'], { root })
  expect(first.exitCode).toBe(0)
  expect(first.stdout).toContain(`created  ${root}/.transcripts\n`)
  expect(first.stderr).toContain('hooks install --apply')
  const again = await runCli(['init'], { root })
  expect(again).toMatchObject({ stdout: '', exitCode: 0 })
  expect(again.stderr).toContain('set up already')
  const plan = JSON.parse(await runWell(['init', '--dry-run', '--json'], { root }))
  expect(plan).toMatchObject({ root, complete: true, applied: false, created: [] })
})
