import { expect, test } from 'vitest'
import { GLOBAL_OPTIONS } from '../../lib/cli/command.js'
import { COMMAND_GROUPS, COMMANDS } from '../../lib/cli/commands.js'
import { PACKAGE_VERSION } from '../../lib/version.js'
import { runCli, runWell, spawnCli } from './command-line.js'

const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))

test.each(commands)('the help of $name mentions every flag it takes', async (command) => {
  const help = await runWell([...command.name.split(' '), '--help'])
  const [, table = ''] = help.split('\nOptions:\n')
  const shown = [...table.split('\n\n')[0]!.matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(
    ([, name]) => name,
  )
  const taken = [...(command.options ?? []), ...GLOBAL_OPTIONS]
    .filter(({ isHidden }) => !isHidden)
    .map(({ name }) => name)
  expect(shown.sort()).toEqual([...taken, 'help'].sort())
})

test.each(commands)('the help of $name teaches by examples and exit codes', async (command) => {
  const help = await runWell(['help', ...command.name.split(' ')])
  expect(help.match(/^ {2}\$ .*jsonl-session/gm)).toHaveLength(2)
  expect(help).toMatch(/^Exit codes:\n {2}0 /m)
  for (const row of help.split('\n')) expect(row.length).toBeLessThanOrEqual(100)
})

test('every command is called by its own name', () => {
  expect(commands.map(({ name }) => name)).toEqual([...COMMANDS.keys()])
})

test('the help lists all commands in four groups', async () => {
  const help = await runWell(['--help'])
  for (const [title, commands] of COMMAND_GROUPS) {
    const [, table = ''] = help.split(`\n${title}:\n`)
    const rows = [...table.split('\n\n')[0]!.matchAll(/^ {2}(\w+(?: \w+)?)/gm)]
    expect(rows.map(([, name]) => name)).toEqual([...commands.keys()])
  }
  expect(await runWell(['help'])).toBe(help)
  expect(await spawnCli(['--help'])).toEqual({ stdout: help, stderr: '', exitCode: 0 })
})

test.each(['--version', '-V'])('%s prints the version and nothing else', async (flag) => {
  const answer = await spawnCli([flag])
  expect(answer).toEqual({ stdout: `${PACKAGE_VERSION}\n`, stderr: '', exitCode: 0 })
})

test('an unknown command is answered with the nearest one', async () => {
  const answer = await runCli(['lgo', 'x'])
  expect(answer.stderr).toContain('Did you mean log?')
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})

test('without a command the help is on stderr, because it was not asked for', async () => {
  const answer = await runCli([])
  expect(answer.stderr).toContain('Usage: jsonl-session <command>')
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
  expect(JSON.parse((await runCli(['--json'])).stderr).error.code).toBe('ERR_ARG')
})

test('the paragraphs of a help are as wide as the terminal, and its examples stay as they are', async () => {
  const narrow = await runCli(['list', '--help'], { env: { COLUMNS: '60' } })
  const wide = await runCli(['list', '--help'])
  const paragraphs = narrow.stdout.split('\n').filter((row) => /^\S/.test(row))
  expect(Math.max(...paragraphs.map((row) => row.length))).toBeLessThanOrEqual(60)
  expect(narrow.stdout.replace(/\s+/g, ' ')).toContain('Newest first, by the last message. open:')
  const example = wide.stdout.split('\n').find((row) => row.includes('SESSION   TITLE'))!
  expect(narrow.stdout).toContain(example)
})
