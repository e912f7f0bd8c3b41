// The command line, with the rooms that stand beside its own: here they meet.

import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CliIo, main as run } from '../lib/cli/index.js'

export function main(argv: readonly string[], io: CliIo): Promise<number> {
  return run(argv, io, {
    summarizers: () => import('../lib/summarizers/index.js'),
    hooks: () => import('../lib/hooks/index.js'),
    hookSettings: () => import('../lib/hooks/settings.js'),
    mcp: () => import('../lib/mcp/index.js'),
    program: () => ({ node: process.execPath, program: ownPath() }),
  })
}

/** As it was called where that can be told: a link on the PATH outlives what it leads to. */
function ownPath(): string {
  const called = process.argv[1] ?? ''
  if (basename(called).startsWith('jsonl-session')) return called
  return fileURLToPath(new URL('jsonl-session.cjs', import.meta.url))
}
