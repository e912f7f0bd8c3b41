import { expect, test } from 'vitest'
import { GLOBAL_OPTIONS } from '../../lib/cli/command.js'
import { append } from '../../lib/cli/commands/append.js'
import { compact } from '../../lib/cli/commands/compact.js'
import { fork } from '../../lib/cli/commands/fork.js'
import { list } from '../../lib/cli/commands/list.js'
import { log } from '../../lib/cli/commands/log.js'
import { rename } from '../../lib/cli/commands/rename.js'
import { resume } from '../../lib/cli/commands/resume.js'
import { rewind } from '../../lib/cli/commands/rewind.js'
import { show } from '../../lib/cli/commands/show.js'
import { verify } from '../../lib/cli/commands/verify.js'
import { PACKAGE_VERSION } from '../../lib/version.js'
import { runCli, runWell } from './command-line.js'

const COMMANDS = [append, log, verify, list, show, resume, fork, rewind, compact, rename]

test.each(COMMANDS)('the help of $name mentions every flag it takes', async (command) => {
  const help = await runWell([command.name, '--help'])
  const [, table = ''] = help.split('\nOptions:\n')
  const shown = [...table.split('\n\n')[0]!.matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(
    ([, name]) => name,
  )
  const taken = [...command.options, ...GLOBAL_OPTIONS].map(({ name }) => name)
  expect(shown.sort()).toEqual([...taken, 'help'].sort())
})

test.each(COMMANDS)('the help of $name teaches by examples and exit codes', async (command) => {
  const help = await runWell(['help', command.name])
  expect(help.match(/^ {2}\$ .*jsonl-session/gm)).toHaveLength(2)
  expect(help).toMatch(/^Exit codes:\n {2}0 /m)
  for (const row of help.split('\n')) expect(row.length).toBeLessThanOrEqual(100)
})

test('the help lists the commands that exist and no others', async () => {
  const help = await runWell(['--help'])
  const [, table = ''] = help.split('\nCommands:\n')
  const names = [...table.split('\n\n')[0]!.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
  expect(names).toEqual(COMMANDS.map(({ name }) => name))
  expect(await runWell(['help'])).toBe(help)
})

test.each(['--version', '-V'])('%s prints the version and nothing else', async (flag) => {
  const answer = await runCli([flag])
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
