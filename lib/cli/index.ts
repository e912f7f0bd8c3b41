// The door of the command line: arguments in, an exit code out.
//
// Start-up time is what people feel most, so whatever a command does not need is not loaded:
// `--version` ends here, and everything else is fetched when it is known to be wanted.

import type { CliIo, CliRooms } from './command.js'
import { Output, ReaderGone } from './output.js'

export type { CliIo, CliRooms } from './command.js'

/** Runs one command and resolves with its exit code. It never throws and never ends the process. */
export async function main(argv: readonly string[], io: CliIo, rooms: CliRooms): Promise<number> {
  const output = new Output(io.stdout)
  // Nobody to tell, and nothing lost: words for people are not the answer.
  io.stderr.on('error', () => {})
  try {
    if (argv[0] === '--version' || argv[0] === '-V') {
      const { PACKAGE_VERSION } = await import('../version.js')
      await output.write(`${PACKAGE_VERSION}\n`)
      await output.flush()
      return 0
    }
    const { run } = await import('./run.js')
    return await run(argv, { io, output, rooms })
  } catch (error) {
    if (error instanceof ReaderGone) return 0
    const { reportError } = await import('./report-error.js')
    return reportError(error, { io, isJson: argv.includes('--json') })
  }
}
