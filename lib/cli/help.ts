// The commands as commander sees them: it judges arguments, suggests what was meant, and prints
// the help. Only loaded for people.

import { Command as Commander, CommanderError, type Option } from 'commander'
import { PACKAGE_VERSION } from '../version.js'
import {
  type Command,
  GLOBAL_OPTIONS,
  type OptionSpec,
  type Parsed,
  parsedOf,
  UsageError,
} from './command.js'

const HELP_COLUMNS_MAX = 100

const ROOT_LESSON = `
Data goes to stdout, words for people to stderr. A session is named by its id, or by at least
four characters that only its id begins with. An argument that contains a separator or ends in
.jsonl is a file, if there is one, or a session of just that id.

Examples:
  $ jsonl-session append demo --type user --payload '{"content":"hello"}'
  appended user 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a at byte 377, line 2 of
  /home/ada/.jsonl-session/.transcripts/demo.jsonl

  $ jsonl-session verify demo
  ok  /home/ada/.jsonl-session/.transcripts/demo.jsonl  2 events, all reachable

Exit codes:
  0 done · 1 the answer is no · 2 wrong use, or failed · 3 not found · 4 degraded under --strict
  5 locked by another

\`jsonl-session <command> --help\` tells more.
`

/** The arguments, or the text of the help when they ask for it. */
export function parseWithHelp(command: Command, args: readonly string[]): Parsed | string {
  const { commander, printed } = commanderOf(command, `jsonl-session ${command.name}`)
  commander.action(() => {})
  try {
    commander.parse([...args], { from: 'user' })
  } catch (error) {
    if (isHelp(error)) return printed.join('')
    throw asUsageError(error)
  }
  const { args: operands, options } = commander
  const found = options.map((option) => [nameOf(option), givenValue(commander, option)] as const)
  return parsedOf(operands, new Map(found))
}

/** What to say when no command was named: the help, the version, or what was meant. */
export function explain(
  commands: readonly Command[],
  args: readonly string[],
): { text: string; isAnswer: boolean } {
  const printed: string[] = []
  const program = quiet(new Commander('jsonl-session'), printed)
    .usage('<command> [arguments] [options]')
    .description('Append-only JSONL sessions: hard to break, quick to resume, readable with grep')
    .helpCommand(false)
  for (const command of commands) {
    program.addCommand(commanderOf(command, command.name).commander)
  }
  addOptions(program, GLOBAL_OPTIONS)
  program
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help, or that of a command')
    .addHelpText('after', ROOT_LESSON)
  try {
    program.parse([...args], { from: 'user' })
  } catch (error) {
    if (isHelp(error)) return { text: printed.join(''), isAnswer: true }
    // Nothing was asked for, so the help is no answer.
    if ((error as CommanderError).code === 'commander.help') {
      return { text: printed.join(''), isAnswer: false }
    }
    throw asUsageError(error)
  }
  // Left over are oddities like `jsonl-session -- append`.
  throw new UsageError('The command comes first')
}

function commanderOf(
  command: Command,
  name: string,
): { commander: Commander; printed: readonly string[] } {
  const printed: string[] = []
  const commander = quiet(new Commander(name), printed)
    .usage(`${command.operand} [options]`.trim())
    .summary(command.summary)
    .description(`${command.summary}.`)
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', `\n${command.lesson}`)
  const texts = [command.operandText].flat()
  for (const [index, operand] of command.operand.split(' ').filter(Boolean).entries()) {
    commander.argument(operand, texts[index] ?? '')
  }
  addOptions(commander, command.options)
  addOptions(commander, GLOBAL_OPTIONS)
  return { commander, printed }
}

function addOptions(commander: Commander, options: readonly OptionSpec[]): void {
  for (const { name, value, short, text } of options) {
    const names = short === undefined ? `--${name}` : `-${short}, --${name}`
    commander.option(value === undefined ? names : `${names} <${value}>`, text)
  }
}

// commander would write by itself and end the process; both are for the caller to decide.
function quiet(commander: Commander, printed: string[]): Commander {
  const keep = (text: string) => printed.push(text)
  return commander.exitOverride().configureOutput({
    writeOut: keep,
    writeErr: keep,
    outputError: () => {},
    getOutHelpWidth: helpWidth,
    getErrHelpWidth: helpWidth,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
}

function helpWidth(): number {
  return Math.min(process.stdout.columns ?? HELP_COLUMNS_MAX, HELP_COLUMNS_MAX)
}

function isHelp(error: unknown): boolean {
  const { code } = error as CommanderError
  return code === 'commander.helpDisplayed' || code === 'commander.version'
}

function asUsageError(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error
  return new UsageError(error.message.replace(/^error: /, ''))
}

function nameOf(option: Option): string {
  return option.long!.slice(2)
}

// `--no-color` is kept by commander as `color: false`.
function givenValue(commander: Commander, option: Option): unknown {
  const value = commander.getOptionValue(option.attributeName())
  return option.negate ? value === false : value
}
