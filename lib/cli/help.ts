// The commands as commander sees them: it judges arguments, suggests what was meant, and prints
// the help. Loaded only where the quick parser does not do.

import { Command as Commander, CommanderError, Option } from 'commander'
import { PACKAGE_VERSION } from '../version.js'
import {
  type Command,
  GLOBAL_OPTIONS,
  type OptionSpec,
  type Parsed,
  toParsed,
  UsageError,
} from './command.js'
import { COMMAND_GROUPS } from './commands.js'
import { wrapLesson } from './output/wrap-help.js'

const HELP_COLUMNS_MAX = 100

export const PROGRAM_SUMMARY =
  'Append-only JSONL sessions: hard to break, quick to resume, readable with grep'

export const PROGRAM_LESSON = `
Data goes to stdout, messages go to stderr. A session is named by its id, or by at least four
characters that only its id begins with. An argument that contains a separator or ends in .jsonl is
a file if there is one, and otherwise a session of exactly that id. Commands that write take
--dry-run; commands that remove or move things show a plan and need --apply.

Examples:
  $ jsonl-session append demo --type user --payload '{"content":"hello"}'
  appended user 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a at byte 377, line 2 of
  /home/ada/.jsonl-session/.transcripts/demo.jsonl

  $ jsonl-session verify demo
  ok  /home/ada/.jsonl-session/.transcripts/demo.jsonl  2 events, all reachable

Exit codes:
  0 done, or nothing to do · 1 no match, nothing to show, findings, or not all done
  2 wrong use, or failed · 3 not found · 4 degraded under --strict · 5 locked by another process

Run \`jsonl-session <command> --help\` for details.
`

/** The arguments, or the text of the help when they ask for it. */
export function parseWithHelp(
  command: Command,
  args: readonly string[],
  columns?: number,
): Parsed | string {
  const printed: string[] = []
  const commander = toCommander(command, `jsonl-session ${command.name}`, { printed, columns })
  commander.action(() => {})
  try {
    commander.parse(command.hasSignedOperands ? signedLast(args) : [...args], { from: 'user' })
  } catch (error) {
    if (isHelp(error)) return printed.join('')
    throw asUsageError(error)
  }
  const { args: operands, options } = commander
  const found = options.map((option) => [nameOf(option), givenValue(commander, option)] as const)
  return toParsed(operands, new Map(found))
}

/** Words like `-draft` after `--`, where they are no options. */
function signedLast(args: readonly string[]): string[] {
  const at = args.indexOf('--')
  const [first, rest] = at === -1 ? [args, []] : [args.slice(0, at), args.slice(at + 1)]
  const isSigned = (word: string) => /^-[^-]/.test(word) && word !== '-h'
  const others = first.filter((word) => !isSigned(word))
  return [...others, '--', ...first.filter(isSigned), ...rest]
}

/** What to print when no command was named: the help, the version, or what was meant. */
export async function explain(
  args: readonly string[],
  columns?: number,
): Promise<{ text: string; isAnswer: boolean }> {
  const printed: string[] = []
  const program = quiet(new Commander('jsonl-session'), { printed, columns })
    .usage('<command> [arguments] [options]')
    .description(PROGRAM_SUMMARY)
    .helpCommand(false)
  for (const [title, commands] of COMMAND_GROUPS) {
    for (const load of commands.values()) {
      const command = await load()
      const commander = toCommander(command, command.name, { printed: [], columns })
      program.addCommand(commander.helpGroup(`${title}:`))
    }
  }
  addOptions(program, GLOBAL_OPTIONS)
  program
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help, or that of a command')
    .addHelpText('after', wrapLesson(PROGRAM_LESSON, widthFor(columns)))
  try {
    program.parse([...args], { from: 'user' })
  } catch (error) {
    if (isHelp(error)) return { text: printed.join(''), isAnswer: true }
    // Nothing was asked for, so the help is not an answer.
    if ((error as CommanderError).code === 'commander.help') {
      return { text: printed.join(''), isAnswer: false }
    }
    throw asUsageError(error)
  }
  // What remains are oddities like `jsonl-session -- append`.
  throw new UsageError('Put the command first')
}

interface Printing {
  readonly printed: string[]
  readonly columns: number | undefined
}

function toCommander(command: Command, name: string, printing: Printing): Commander {
  const { summary, operand = '', operandText = '', options = [], lesson } = command
  const commander = quiet(new Commander(name), printing)
    .usage(`${operand} [options]`.trim())
    .summary(summary)
    .description(`${summary}.`)
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', `\n${wrapLesson(lesson, widthFor(printing.columns))}`)
  const texts = [operandText].flat()
  for (const [index, one] of operand.split(' ').filter(Boolean).entries()) {
    commander.argument(one, texts[index] ?? '')
  }
  addOptions(commander, [...options, ...GLOBAL_OPTIONS])
  return commander
}

function addOptions(commander: Commander, options: readonly OptionSpec[]): void {
  for (const { name, value, short, text, isHidden } of options) {
    const names = short === undefined ? `--${name}` : `-${short}, --${name}`
    const option = new Option(value === undefined ? names : `${names} <${value}>`, text)
    commander.addOption(option.hideHelp(isHidden === true))
  }
}

/** Wider lines are harder to read. */
export function widthFor(columns = HELP_COLUMNS_MAX): number {
  return Math.min(columns, HELP_COLUMNS_MAX)
}

// commander would print by itself and end the process; both are for the caller to decide.
function quiet(commander: Commander, { printed, columns = HELP_COLUMNS_MAX }: Printing): Commander {
  const keep = (text: string) => printed.push(text)
  const width = () => widthFor(columns)
  commander.configureHelp({
    // Narrower columns of text are harder to read than lines that the terminal wraps.
    minWidthToWrap: 12,
    // The list of all commands has their names; the help of each has its operands.
    subcommandTerm: (command) => command.name(),
  })
  return commander.exitOverride().configureOutput({
    writeOut: keep,
    writeErr: keep,
    outputError: () => {},
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
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

// commander keeps `--no-color` as `color: false`.
function givenValue(commander: Commander, option: Option): unknown {
  const value = commander.getOptionValue(option.attributeName())
  return option.negate ? value === false : value
}
