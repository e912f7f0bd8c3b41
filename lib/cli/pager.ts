// Long answers in the reader's own pager: only on a terminal, and never in the way of a program.

import { spawn } from 'node:child_process'
import { Writable } from 'node:stream'
import { findInstalledProgram } from '../store/index.js'
import type { CliIo, Command, Parsed } from './command.js'
import { ReaderGone } from './output.js'
import type { Surroundings } from './run-command.js'

const DEFAULT_PAGER = 'less -FRX'
// As git does: a pager of which nothing else is known shows colours, and ends with a short text.
const LESS = 'FRX'

/** Runs the work, its output through a pager where that helps. */
export async function withPager(
  command: Command,
  parsed: Parsed,
  surroundings: Surroundings,
  work: (surroundings: Surroundings) => Promise<number>,
): Promise<number> {
  const { io, output } = surroundings
  const isWanted = command.isPaged && output.isTerminal && !isRefused(parsed)
  const program = isWanted ? pagerOf(io) : undefined
  if (program === undefined) return work(surroundings)
  const { pager, ended } = startPager(program, io)
  // Ctrl-C is for the pager, which would otherwise be left alone with the terminal.
  const ignore = () => {}
  io.on('SIGINT', ignore)
  const words = new HeldText()
  output.readThrough(pager)
  try {
    // Words on stderr would be drawn over, so they wait.
    return await work({ ...surroundings, io: withStderr(io, words) })
  } catch (error) {
    // What was printed before the failure was true, so it is shown, if anybody still reads.
    if (error instanceof ReaderGone) return 0
    await output.flush().catch(passOver)
    throw error
  } finally {
    output.readThrough(undefined)
    pager.end()
    await ended
    io.off('SIGINT', ignore)
    if (words.text !== '') io.stderr.write(words.text)
  }
}

/** The failure that is on its way already tells more. */
function passOver(): void {}

function isRefused({ has }: Parsed): boolean {
  return has('no-pager') || has('json') || has('follow')
}

/** `undefined` when there is none, or none is wanted. */
function pagerOf({ env }: CliIo): string | undefined {
  if (env['TERM'] === 'dumb') return undefined
  const command = (env['JSONL_SESSION_PAGER'] ?? env['PAGER'] ?? DEFAULT_PAGER).trim()
  const program = command.split(/\s+/)[0]!
  if (program === '' || program === 'cat') return undefined
  return findInstalledProgram(program, env['PATH']).path === null ? undefined : command
}

function startPager(command: string, { env }: CliIo): { pager: Writable; ended: Promise<void> } {
  const child = spawn(command, {
    // People write arguments and quotes into their PAGER.
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS, ...env },
  })
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
  return { pager: child.stdin, ended }
}

/** The same process but for where its words go. */
function withStderr(io: CliIo, words: HeldText): CliIo {
  return {
    get stdin() {
      return io.stdin
    },
    get stdout() {
      return io.stdout
    },
    stderr: words as unknown as CliIo['stderr'],
    env: io.env,
    cwd: io.cwd.bind(io),
    on: io.on.bind(io),
    once: io.once.bind(io),
    off: io.off.bind(io),
  }
}

class HeldText extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
