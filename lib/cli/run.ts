// From arguments to the one command they name.

import { type Command, GLOBAL_OPTIONS, type Parsed, UsageError } from './command.js'
import { COMMANDS } from './commands.js'
import { EXIT } from './exit-codes.js'
import { withoutThrowing } from './output.js'
import { parse } from './parse.js'
import { reporting, runCommand, type Surroundings } from './run-command.js'

export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { output } = surroundings
  if (argv[0] === COMPLETE) return completing(argv, output)
  const args = commandFirst(argv)
  const command = await COMMANDS.get(args[0] ?? '')?.()
  const isJson = args.includes('--json')
  const asker = { isJson, commandName: command?.name, isHook: command?.isHook }
  return reporting(surroundings, asker, async () => {
    if (command === undefined) return runWithoutCommand(args, surroundings)
    const parsed = await parse(command, args.slice(1))
    if (typeof parsed !== 'string') return runParsed(command, parsed, surroundings)
    await output.write(parsed + (await groupText(command.name)))
    await output.flush()
    return 0
  })
}

/** With what only people want, and what is therefore not loaded for scripts. */
async function runParsed(
  command: Command,
  given: Parsed,
  surroundings: Surroundings,
): Promise<number> {
  let parsed: Parsed | undefined = given
  if (given.has('pick')) {
    const { withPicked } = await import('./pick-session.js')
    parsed = await withPicked(given, surroundings)
    if (parsed === undefined) return EXIT.no
  }
  const chosen = parsed
  if (!command.isPaged || !surroundings.output.isTerminal) {
    return runCommand(command, chosen, surroundings)
  }
  const { withPager } = await import('./pager.js')
  return withPager(command, chosen, surroundings, (paged) => runCommand(command, chosen, paged))
}

// Only shells call it, so no help lists it.
const COMPLETE = '__complete'

async function completing(argv: readonly string[], output: Surroundings['output']) {
  const { printCompletion } = await import('./print-completion.js')
  await printCompletion(argv[1] === '--' ? argv.slice(2) : argv.slice(1), output)
  return 0
}

async function runWithoutCommand(
  args: readonly string[],
  { io, output }: Surroundings,
): Promise<number> {
  const group = namesOfGroup(args[0] ?? '')
  if (group.length > 0) {
    const isHelp = !args.every(isNoHelp)
    if (!isHelp) throw new UsageError(`${args[0]} alone is not a command: ${either(group)}`)
    await output.write(`Usage: jsonl-session ${args[0]} <command>\n${await groupText(args[0]!)}`)
    await output.flush()
    return 0
  }
  const { explain } = await import('./help.js')
  const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))
  // The help of a command that does not exist is not the help of all of them.
  const isNamed = args[0] !== undefined && !args[0].startsWith('-')
  const { text, isAnswer } = explain(commands, isNamed ? args.filter(isNoHelp) : args)
  if (!isAnswer) {
    if (args.includes('--json')) throw new UsageError('No command was named')
    withoutThrowing(io.stderr).write(text)
    return 2
  }
  await output.write(text)
  await output.flush()
  return 0
}

function isNoHelp(arg: string): boolean {
  return arg !== '--help' && arg !== '-h'
}

function namesOfGroup(group: string): string[] {
  return [...COMMANDS.keys()].filter((name) => name.startsWith(`${group} `))
}

/** The commands of a group, for the end of a help; empty where there is none. */
async function groupText(group: string): Promise<string> {
  const commands = await Promise.all(namesOfGroup(group).map((name) => COMMANDS.get(name)!()))
  if (commands.length === 0) return ''
  const width = Math.max(...commands.map(({ name }) => name.length))
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`)
  return `\nCommands of ${group}:\n${rows.join('')}\n\`jsonl-session help ${group} <command>\` tells more.\n`
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
