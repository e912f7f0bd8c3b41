// From arguments to the one command they name.

import { type Command, GLOBAL_OPTIONS, type Parsed, UsageError } from './command.js'
import { ALIASES, COMMANDS, MEANINGS } from './commands.js'
import { parseQuickly } from './input/parse-quickly.js'
import { EXIT } from './output/exit-codes.js'
import { withoutThrowing } from './output/output.js'
import { helpColumnsOf } from './output/terminal-size.js'
import { reporting, runCommand, type Surroundings } from './run-command.js'

export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { output } = surroundings
  if (argv[0] === COMPLETE) return completing(argv, surroundings)
  const args = commandFirst(argv)
  const command = await COMMANDS.get(args[0] ?? '')?.()
  const isJson = args.includes('--json')
  const asker = { isJson, commandName: command?.name, isHook: command?.isHook }
  return reporting(surroundings, asker, async () => {
    if (command === undefined) return runWithoutCommand(args, surroundings)
    const parsed = await parse(command, args.slice(1), surroundings)
    if (typeof parsed !== 'string') return runParsed(command, parsed, surroundings)
    await output.write(parsed + (await groupText(command.name, surroundings)))
    await output.flush()
    return EXIT.done
  })
}

/** The arguments, or the text of the help when they ask for it. */
async function parse(
  command: Command,
  args: readonly string[],
  { io }: Surroundings,
): Promise<Parsed | string> {
  const parsed = command.isHot ? parseQuickly(command, args) : undefined
  if (parsed !== undefined) return parsed
  const { parseWithHelp } = await import('./help.js')
  return parseWithHelp(command, args, helpColumnsOf(io.stdout, io.env))
}

/** With the picker and the pager, which only people use and scripts need not load. */
async function runParsed(
  command: Command,
  given: Parsed,
  surroundings: Surroundings,
): Promise<number> {
  let parsed: Parsed | undefined = given
  if (given.has('pick')) {
    const { withPicked } = await import('./picker/pick-session.js')
    parsed = await withPicked(command, given, surroundings)
    if (parsed === undefined) return EXIT.no
  }
  const chosen = parsed
  if (!command.isPaged || !surroundings.output.isTerminal) {
    return runCommand(command, chosen, surroundings)
  }
  const { withPager } = await import('./output/pager.js')
  return withPager(chosen, surroundings, (paged) => runCommand(command, chosen, paged))
}

// Only shells call it, so no help lists it.
const COMPLETE = '__complete'

async function completing(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { printCompletion } = await import('./completion/print-completion.js')
  await printCompletion(argv[1] === '--' ? argv.slice(2) : argv.slice(1), surroundings)
  return EXIT.done
}

async function runWithoutCommand(
  args: readonly string[],
  { io, output }: Surroundings,
): Promise<number> {
  const [name = ''] = args
  const group = namesOfGroup(name)
  if (group.length > 0) {
    if (args.every(isNoHelp)) {
      throw new UsageError(`${name} alone is not a command: ${either(group)}`)
    }
    await output.write(`Usage: jsonl-session ${name} <command>\n${await groupText(name, { io })}`)
    await output.flush()
    return EXIT.done
  }
  const meant = MEANINGS.get(name)
  if (meant !== undefined) {
    throw new UsageError(`unknown command '${name}'\n(Did you mean ${meant}?)`)
  }
  const { explain } = await import('./help.js')
  // The help of a command that does not exist is not the help of all of them.
  const isNamed = name !== '' && !name.startsWith('-')
  const asked = isNamed ? args.filter(isNoHelp) : args
  const { text, isAnswer } = await explain(asked, helpColumnsOf(io.stdout, io.env))
  if (!isAnswer) {
    if (args.includes('--json')) throw new UsageError('No command was named')
    withoutThrowing(io.stderr).write(text)
    return EXIT.failed
  }
  await output.write(text)
  await output.flush()
  return EXIT.done
}

function isNoHelp(arg: string): boolean {
  return arg !== '--help' && arg !== '-h'
}

function namesOfGroup(group: string): string[] {
  return [...COMMANDS.keys()].filter((name) => name.startsWith(`${group} `))
}

/** The commands of a group, for the end of a help; empty where there are none. */
async function groupText(group: string, { io }: Pick<Surroundings, 'io'>): Promise<string> {
  const commands = await Promise.all(namesOfGroup(group).map((name) => COMMANDS.get(name)!()))
  if (commands.length === 0) return ''
  const { widthFor } = await import('./help.js')
  const { wrapRow } = await import('./output/wrap-help.js')
  const columns = widthFor(helpColumnsOf(io.stdout, io.env))
  const width = Math.max(...commands.map(({ name }) => name.length))
  const rows = commands.map(
    ({ name, summary }) => `${wrapRow(`  ${name.padEnd(width)}  `, summary, columns)}\n`,
  )
  return `\nCommands of ${group}:\n${rows.join('')}\nRun \`jsonl-session help ${group} <command>\` for details.\n`
}

/**
 * Options that every command has may come before its name, as with git; and `help log` means
 * `log --help`.
 */
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
  const [name, ...rest] = nameFirst(isHelp ? words.slice(1) : words, isHelp)
  const help = isHelp ? ['--help'] : []
  return name === undefined ? [...help, ...options] : [name, ...help, ...options, ...rest]
}

/** The name of the command as one word, also where it has two or is an earlier spelling. */
function nameFirst(words: readonly string[], isHelp: boolean): readonly string[] {
  const pair = words.slice(0, 2).join(' ')
  if (COMMANDS.has(pair)) return [pair, ...words.slice(2)]
  if (words.length > 1 && ALIASES.has(pair)) return [ALIASES.get(pair)!, ...words.slice(2)]
  const alias = ALIASES.get(words[0] ?? '')
  if (alias === undefined) return words
  // The help of a word that also names a group is that of the group.
  const isGroup = namesOfGroup(words[0]!).length > 0
  const isUsed = words.length > 1 && words.slice(1).every(isNoHelp) && !isHelp
  return isGroup && !isUsed ? words : [alias, ...words.slice(1)]
}

function either(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
