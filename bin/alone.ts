// A command without the others. Those that scripts call for every event get a file each, which is
// half of their start; the whole command line is loaded only when their arguments want judging.

import type { CliIo, CliRooms, Command } from '../lib/cli/command.js'
import { runHot } from '../lib/cli/run-hot.js'

export type Main = (args: readonly string[], io: CliIo) => Promise<number>

/** With the rooms that this command asks for, if any. */
export function alone(command: Command, rooms: Partial<CliRooms> = {}): Main {
  const wordCount = command.name.split(' ').length
  return async (args, io) => {
    const surroundings = { io, rooms: rooms as CliRooms }
    const exitCode = await runHot(command, args.slice(wordCount), surroundings)
    return exitCode ?? (await import('./main.js')).main(args, io)
  }
}
