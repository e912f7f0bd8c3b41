// One command alone, for those that scripts and hooks call for every event. It imports none of the
// others, so `bin/` can bundle it into a file of its own that starts in a fraction of the time.

import type { CliIo, CliModules, Command } from './command.js'
import { parseQuickly } from './input/parse-quickly.js'
import { Output } from './output/output.js'
import { environmentOf, reporting, runCommand } from './run-command.js'

/**
 * The exit code; `undefined`, and nothing done, when the arguments after the command's name need
 * the whole command line: help, mistakes, options of people.
 */
export async function runHot(
  command: Command,
  args: readonly string[],
  { io, modules }: { readonly io: CliIo; readonly modules: CliModules },
): Promise<number | undefined> {
  const parsed = parseQuickly(command, args)
  if (parsed === undefined) return undefined
  const output = new Output(io, { fs: environmentOf(io).fs })
  const isJson = parsed.has('json')
  const asker = { isJson, commandName: command.name, isHook: command.isHook }
  return reporting({ io, output }, asker, () =>
    runCommand(command, parsed, { io, output, modules }),
  )
}
