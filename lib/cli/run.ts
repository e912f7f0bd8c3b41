// From arguments to the one command they name.

import { type Call, type CliIo, type Command, GLOBAL_OPTIONS, UsageError } from './command.js'
import { Notes } from './notes.js'
import { type Output, ReaderGone } from './output.js'
import { parse } from './parse.js'

const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['append', async () => (await import('./commands/append.js')).append],
  ['log', async () => (await import('./commands/log.js')).log],
  ['verify', async () => (await import('./commands/verify.js')).verify],
  ['list', async () => (await import('./commands/list.js')).list],
  ['show', async () => (await import('./commands/show.js')).show],
  ['resume', async () => (await import('./commands/resume.js')).resume],
  ['fork', async () => (await import('./commands/fork.js')).fork],
  ['rewind', async () => (await import('./commands/rewind.js')).rewind],
  ['compact', async () => (await import('./commands/compact.js')).compact],
  ['rename', async () => (await import('./commands/rename.js')).rename],
])

export async function run(argv: readonly string[], io: CliIo, output: Output): Promise<number> {
  const args = commandFirst(argv)
  const command = await COMMANDS.get(args[0] ?? '')?.()
  try {
    return command === undefined
      ? await runWithoutCommand(args, { io, output })
      : await runCommand(command, args.slice(1), { io, output })
  } catch (error) {
    if (error instanceof ReaderGone) throw error
    // What was printed before the failure was true, so it is not taken back.
    await output.flush()
    const { reportError } = await import('./report-error.js')
    return reportError(error, {
      io,
      isJson: args.includes('--json'),
      commandName: command?.name,
    })
  }
}

async function runCommand(
  command: Command,
  args: readonly string[],
  { io, output }: { io: CliIo; output: Output },
): Promise<number> {
  const parsed = await parse(command, args)
  if (typeof parsed === 'string') {
    await output.write(parsed)
    await output.flush()
    return 0
  }
  const isQuiet = parsed.has('quiet')
  const isJson = parsed.has('json')
  const call: Call = { ...parsed, output, io, notes: new Notes(io.stderr, { isQuiet, isJson }) }
  const exitCode = await command.run(call)
  await output.flush()
  return exitCode
}

async function runWithoutCommand(
  args: readonly string[],
  { io, output }: { io: CliIo; output: Output },
): Promise<number> {
  const { explain } = await import('./help.js')
  const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))
  const { text, isAnswer } = explain(commands, args)
  if (!isAnswer) {
    if (args.includes('--json')) throw new UsageError('No command was named')
    io.stderr.write(text)
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
  const [name, ...rest] = argv.slice(at)
  if (name === undefined) return options
  if (name !== 'help') return [name, ...options, ...rest]
  return [...rest.slice(0, 1), '--help', ...options, ...rest.slice(1)]
}
