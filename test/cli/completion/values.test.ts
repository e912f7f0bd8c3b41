// Options that take one of a few words declare them, and completion offers what they declare.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Command, OptionSpec } from '../../../lib/cli/command.js'
import { COMMANDS } from '../../../lib/cli/commands.js'
import { type Answer, runCli, runWell } from '../command-line.js'
import { newPlace, type Place, storeSession } from '../stored.js'

const COMMAND_FILES = fileURLToPath(new URL('../../../lib/cli/commands/', import.meta.url))

const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))
const options = commands.flatMap((command) =>
  (command.options ?? []).map((option) => ({ command, option })),
)
const withValues = options.filter(({ option }) => option.values !== undefined)

async function completed(words: readonly string[], place?: Place): Promise<string[]> {
  const stdout = await runWell(['__complete', '--', ...words], place ?? {})
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((row) => row.split('\t')[0]!)
}

async function placeWithDemo(): Promise<Place> {
  const place = newPlace({ onTestFinished })
  await storeSession(place, 'demo')
  return place
}

/** What a command answers to an option with a word that no option takes. */
async function answerToNonsense(
  place: Place,
  command: Command,
  { name }: OptionSpec,
): Promise<Answer> {
  const operands = (command.operand ?? '').split(' ').filter((operand) => operand.startsWith('<'))
  const words = operands.map((operand) => (/session|target|file/.test(operand) ? 'demo' : 'on'))
  return runCli([...command.name.split(' '), ...words, `--${name}`, 'no-such-value'], place)
}

test('completion offers the values of every option that declares them', async () => {
  expect(withValues.length).toBeGreaterThan(15)
  for (const { command, option } of withValues) {
    const name = command.name.split(' ')
    expect(await completed([...name, `--${option.name}`, ''])).toEqual(option.values)
    const glued = option.values!.map((value) => `--${option.name}=${value}`)
    expect(await completed([...name, `--${option.name}=`])).toEqual(glued)
  }
})

const closed = withValues.filter(({ command, option }) => !option.isOpen && !command.isHook)

test.each(
  closed.map(({ command, option }) => ({
    name: `${command.name} --${option.name}`,
    command,
    option,
  })),
)('$name rejects other words and names those that it takes', async ({ command, option }) => {
  const { exitCode, stderr } = await answerToNonsense(await placeWithDemo(), command, option)
  expect(exitCode).toBe(2)
  for (const value of option.values!) expect(stderr).toContain(value)
})

test('no option without declared values takes one of a few words', async () => {
  const others = options.filter(
    ({ command, option }) =>
      option.value !== undefined && option.values === undefined && !command.isServer,
  )
  const place = await placeWithDemo()
  for (const { command, option } of others) {
    const { stderr } = await answerToNonsense(place, command, option)
    const words = /(?<!like )\b([a-z-]+, )+[a-z-]+(,? or [a-z-]+)?, not "no-such-value"/.exec(
      stderr,
    )
    expect([command.name, option.name, words?.[0]]).toEqual([command.name, option.name, undefined])
  }
})

test('every option that a command reads by readChoice declares its values', async () => {
  const files = readdirSync(COMMAND_FILES, { recursive: true, encoding: 'utf8' })
  const undeclared: string[] = []
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const path = join(COMMAND_FILES, file)
    const source = readFileSync(path, 'utf8')
    const read = [...source.matchAll(/readChoice\(\s*call,\s*'([\w-]+)'/g)].map(([, name]) => name!)
    if (read.length === 0) continue
    const exported = Object.values(await import(pathToFileURL(path).href)) as Partial<Command>[]
    for (const name of read) {
      const specs = exported.flatMap((one) => one?.options ?? []).filter((it) => it.name === name)
      if (specs.length === 0 || specs.some(({ values }) => values === undefined)) {
        undeclared.push(`${file}: --${name}`)
      }
    }
  }
  expect(undeclared).toEqual([])
})

test('a list of values is continued after a comma, without those it has', async () => {
  expect(await completed(['grep', 'x', '--type', 'user,assist'])).toEqual(['user,assistant'])
  expect(await completed(['grep', 'x', '--type', 'user,us'])).toEqual([])
  expect(await completed(['grep', 'x', '--type=user,assist'])).toEqual(['--type=user,assistant'])
})

test('options of one letter are no operands, and those with a value take the next word', async () => {
  const place = await placeWithDemo()
  expect(await completed(['view', '-f', 'de'], place)).toEqual(['demo'])
  expect(await completed(['grep', '-C', '3', '-i', 'x', 'de'], place)).toEqual(['demo', ':file'])
  expect(await completed(['grep', '-lC3', 'x', 'de'], place)).toEqual(['demo', ':file'])
  expect(await completed(['grep', '-C', ''], place)).toEqual([])
  expect(await completed(['view', '--foll'], place)).toEqual(['--follow'])
  expect(await completed(['view', '-f', '--foll'], place)).toEqual([])
})

test('an event is offered with the role and the words of its message, newest first', async () => {
  const place = await placeWithDemo()
  const stdout = await runWell(['__complete', '--', 'rewind', 'demo', '--to', ''], place)
  expect(stdout).toBe(
    'a2\tassistant: Two files.\nu2\tuser: list the files\na1\tassistant: Hi.\nu1\tuser: hello\n',
  )
  expect(await completed(['rewind', '--to', ''], place)).toEqual([])
})

test('restore and prune offer the sessions of the trash or the archive', async () => {
  const place = newPlace({ onTestFinished })
  for (const id of ['kept', 'gone', 'stored']) await storeSession(place, id)
  await runWell(['trash', 'gone', '--apply'], place)
  await runWell(['archive', 'stored', '--apply'], place)
  expect(await completed(['trash', 'restore', ''], place)).toEqual(['gone'])
  expect(await completed(['archive', 'restore', ''], place)).toEqual(['stored'])
  expect(await completed(['prune', ''], place)).toEqual(['gone'])
  expect(await completed(['prune', '--archived', ''], place)).toEqual(['stored'])
})

test('a session that is named already is not offered again', async () => {
  const place = newPlace({ onTestFinished })
  for (const id of ['one', 'two']) await storeSession(place, id)
  expect(await completed(['verify', 'one', ''], place)).toEqual(['two', ':file'])
})
