// Entry point of the command line: arguments in, an exit code out.

import { PACKAGE_VERSION } from '../version.js'
import type { CliIo, CliModules } from './command.js'
import { EXIT } from './output/exit-codes.js'
import { Output } from './output/output.js'
import { run } from './run.js'
import { reporting } from './run-command.js'

export type { CliIo, CliModules } from './command.js'

/** Runs one command and resolves with its exit code. It never throws and never ends the process. */
export function main(argv: readonly string[], io: CliIo, modules: CliModules): Promise<number> {
  const output = new Output(io)
  if (argv[0] !== '--version' && argv[0] !== '-V') return run(argv, { io, output, modules })
  return reporting({ io, output }, { isJson: argv.includes('--json') }, async () => {
    await output.write(`${PACKAGE_VERSION}\n`)
    await output.flush()
    return EXIT.done
  })
}
