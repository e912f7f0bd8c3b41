// The command line with the modules of its own layer, which it may not import itself.

import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CliIo, type CliModules, main as run } from '../lib/cli/index.js'
import type { LaunchRequest } from '../lib/cli/launch/launch.js'

/** Tests replace some of the modules. */
export function main(
  argv: readonly string[],
  io: CliIo,
  replaced: Partial<CliModules> = {},
): Promise<number> {
  return run(argv, io, {
    summarizers: () => import('../lib/summarizers/index.js'),
    hooks: () => import('../lib/hooks/index.js'),
    hookSettings: () => import('../lib/hooks/settings.js'),
    mcp: () => import('../lib/mcp/index.js'),
    server: () => import('../lib/server/index.js'),
    viewerFolder: () => fileURLToPath(new URL('../viewer', import.meta.url)),
    program: () => ({ node: process.execPath, program: findProgram() }),
    launch: launchProgram,
    startPager,
    ...replaced,
  })
}

/** Loaded on demand, as the page that it writes. */
export async function launchProgram(request: LaunchRequest): Promise<number> {
  const [{ launch }, { runProgram }] = await Promise.all([
    import('../lib/cli/launch/launch.js'),
    import('./run-program.js'),
  ])
  return launch(request, runProgram)
}

/** As it was called, if that names this program: a link on the PATH survives an update. */
function findProgram(): string {
  const called = process.argv[1] ?? ''
  if (basename(called).startsWith('jsonl-session')) return called
  return fileURLToPath(new URL('jsonl-session.cjs', import.meta.url))
}

function startPager(command: string, env: NodeJS.ProcessEnv) {
  // By a shell, because people write arguments and quotes into their PAGER.
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
  return { stdin: child.stdin, ended }
}
