// A command without the others. Those that scripts call for every event get a file each, which
// halves their start; the whole command line is loaded only when they need help with their arguments.

import type { CliIo, CliModules, Command } from '../lib/cli/command.js'
import { runHot } from '../lib/cli/run-hot.js'

export type Main = (args: readonly string[], io: CliIo) => Promise<number>

/** The whole command line, for what a command rarely needs. */
export const loadMain = () => import('./main.js')

/** With the modules that this command uses. */
export function alone(command: Command, modules: Partial<CliModules> = {}): Main {
  const words = command.name.split(' ')
  return async (args, io) => {
    const isOwnName = words.every((word, index) => args[index] === word)
    // An earlier name has one word.
    const rest = args.slice(isOwnName ? words.length : 1)
    const exitCode = await runHot(command, rest, { io, modules: modules as CliModules })
    return exitCode ?? (await loadMain()).main(args, io)
  }
}
