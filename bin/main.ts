// The command line, with the rooms that stand beside its own: here they meet.

import { type CliIo, main as run } from '../lib/cli/index.js'

export function main(argv: readonly string[], io: CliIo): Promise<number> {
  return run(argv, io, {
    summarizers: () => import('../lib/summarizers/index.js'),
    hooks: () => import('../lib/hooks/index.js'),
  })
}
