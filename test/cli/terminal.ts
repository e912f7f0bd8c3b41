// The command line on a real terminal, by way of Python's pseudo-terminals.

import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BINARY } from './command-line.js'
import type { Place } from './stored.js'

// Node hands it on to what it spawns itself, and Python does not.
const { NODE_V8_COVERAGE } = process.env

const DRIVER = fileURLToPath(new URL('children/terminal.py', import.meta.url))

export const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0

/** Once the text is seen: keys to type, or a signal to send. */
export interface Step {
  readonly wait: string
  readonly send?: string
  readonly signal?: 'SIGINT' | 'SIGTERM'
}

export interface Played {
  readonly seen: string
  readonly exitCode: number
  readonly isGivenBack: boolean
  readonly stepsLeft: number
}

interface PlayOptions {
  readonly steps?: readonly Step[]
  readonly env?: Record<string, string>
  readonly columns?: number
}

export async function playTerminal(
  args: readonly string[],
  { root, cwd }: Place,
  { steps = [], env = {}, columns = 80 }: PlayOptions = {},
): Promise<Played> {
  const play = {
    args: [process.execPath, BINARY, ...args],
    cwd,
    steps,
    rows: 24,
    columns,
    env: {
      PATH: process.env['PATH'],
      TERM: 'xterm',
      JSONL_SESSION_ROOT: root,
      JSONL_SESSION_HOME: root,
      ...(NODE_V8_COVERAGE !== undefined && { NODE_V8_COVERAGE }),
      ...env,
    },
  }
  const child = spawn('python3', [DRIVER, JSON.stringify(play)])
  const stdout = await child.stdout.setEncoding('utf8').toArray()
  return JSON.parse(stdout.join('')) as Played
}
