// From arguments to the one command they name.

import { GLOBAL_OPTIONS, UsageError } from './command.js'
import { COMMANDS } from './commands.js'
import { withoutThrowing } from './output.js'
import { parse } from './parse.js'
import { reporting, runCommand, type Surroundings } from './run-command.js'

export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { output } = surroundings
  const args = commandFirst(argv)
  const command = await COMMANDS.get(args[0] ?? '')?.()
  const isJson = args.includes('--json')
  const asker = { isJson, commandName: command?.name, isHook: command?.isHook }
  return reporting(surroundings, asker, async () => {
    if (command === undefined) return runWithoutCommand(args, surroundings)
    const parsed = await parse(command, args.slice(1))
    if (typeof parsed !== 'string') return runCommand(command, parsed, surroundings)
    await output.write(parsed)
    await output.flush()
    return 0
  })
}

async function runWithoutCommand(
  args: readonly string[],
  { io, output }: Surroundings,
): Promise<number> {
  const group = [...COMMANDS.keys()].filter((name) => name.startsWith(`${args[0]} `))
  if (group.length > 0) throw new UsageError(`${args[0]} alone is not a command: ${either(group)}`)
  const { explain } = await import('./help.js')
  const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))
  const { text, isAnswer } = explain(commands, args)
  if (!isAnswer) {
    if (args.includes('--json')) throw new UsageError('No command was named')
    withoutThrowing(io.stderr).write(text)
    return 2
  }
  await output.write(text)
  await output.flush()
  return 0
}

// People put the options that every command has in front of it, as with git; and `help log` is
// what some type for `log --help`.
function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0
  while (at < argv.length) {
    const option = GLOBAL_OPTIONS.find(({ name }) => argv[at] === `--${name}`)
    const isGlued = GLOBAL_OPTIONS.some(
      ({ name, value }) => value !== undefined && argv[at]!.startsWith(`--${name}=`),
    )
    if (option === undefined && !isGlued) break
    at += option?.value === undefined ? 1 : 2
  }
  const options = argv.slice(0, at)
  const words = argv.slice(at)
  const isHelp = words[0] === 'help'
  const [name, ...rest] = nameFirst(isHelp ? words.slice(1) : words)
  const help = isHelp ? ['--help'] : []
  return name === undefined ? [...help, ...options] : [name, ...help, ...options, ...rest]
}

/** The two words of a group's command as one. */
function nameFirst(words: readonly string[]): readonly string[] {
  const name = words.slice(0, 2).join(' ')
  return COMMANDS.has(name) ? [name, ...words.slice(2)] : words
}

function either(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
