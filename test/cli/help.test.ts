import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { GLOBAL_OPTIONS } from '../../lib/cli/command.js'
import { COMMAND_GROUPS, COMMANDS } from '../../lib/cli/commands.js'
import { wrapLesson } from '../../lib/cli/output/wrap-help.js'
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

test.each([60, 80])('every help fits a terminal of %i columns', async (columns) => {
  const calls = [[], ['hooks'], ...commands.map(({ name }) => name.split(' '))]
  for (const words of calls) {
    const { stdout } = await runCli([...words, '--help'], { env: { COLUMNS: `${columns}` } })
    const long = stdout.split('\n').filter((row) => row.length > columns)
    // A word that is longer than the line is not broken.
    expect(long.filter((row) => /\S\s+\S/.test(row))).toEqual([])
  }
})

test('wrapped lines of a help say the same, with the rest of each further to the right', async () => {
  const narrow = (await runCli(['list', '--help'], { env: { COLUMNS: '60' } })).stdout
  const wide = (await runCli(['list', '--help'])).stdout
  const squeezed = (text: string) => text.replace(/\s+/g, '')
  expect(squeezed(narrow)).toBe(squeezed(wide))
  expect(narrow).toMatch(/^ {2}\{"sessions":.*\n {4}\S/m)
  expect(narrow).toMatch(/^ {2}--root <DIR> +the store.*\n {12,}\S/m)
})

test('a wrapped command can be copied into a shell', () => {
  const line = "  $ jsonl-session rewind demo --to 0b0e7a52 --reason 'the wrong file' --json\n"
  const wrapped = wrapLesson(line, 40)
  expect(wrapped).toBe(
    "  $ jsonl-session rewind demo --to \\\n      0b0e7a52 --reason \\\n      'the wrong file' --json\n",
  )
  const script = wrapped.replace('$ jsonl-session', 'printf "%s\\n"')
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  expect(stdout).toBe('rewind\ndemo\n--to\n0b0e7a52\n--reason\nthe wrong file\n--json\n')
})

test('columns of an example keep their spaces, and what fits stays as it is', () => {
  expect(wrapLesson('  a  b   c\n', 20)).toBe('  a  b   c\n')
  expect(wrapLesson('  one    two   three\n', 16)).toBe('  one    two\n    three\n')
  expect(wrapLesson('  {"a":1,"b":[…]}\n', 12)).toBe('  {"a":1,\n    "b":[…]}\n')
  expect(wrapLesson('  a-word-without-an-end\n', 9)).toBe('  a-word-without-an-end\n')
})
