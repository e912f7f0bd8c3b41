// One command alone, for those that scripts and hooks call for every event. It knows nothing of
// the others, so `bin/` can put it into a file of its own that starts in a fraction of the time.

import type { CliIo, CliRooms, Command } from './command.js'
import { Output } from './output.js'
import { parseQuickly } from './parse-quickly.js'
import { reporting, runCommand } from './run-command.js'

/**
 * The exit code; `undefined`, and nothing done, when the arguments after the command's name are
 * for the whole command line to judge.
 */
export async function runHot(
  command: Command,
  args: readonly string[],
  { io, rooms }: { readonly io: CliIo; readonly rooms: CliRooms },
): Promise<number | undefined> {
  const parsed = parseQuickly(command, args)
  if (parsed === undefined) return undefined
  const output = new Output(io, { isShort: true })
  const isJson = parsed.has('json')
  const asker = { isJson, commandName: command.name, isHook: command.isHook }
  return reporting({ io, output }, asker, () => runCommand(command, parsed, { io, output, rooms }))
}
