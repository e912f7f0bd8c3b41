// A terminal that a program draws on: the alternate screen, keys one by one. It is always given back.

import { emitKeypressEvents } from 'node:readline'
import type { CliIo } from '../command.js'
import { columnsOf, rowsOf } from '../output/terminal-size.js'

// The alternate screen, without a cursor.
const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const CLEAR_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

/** Signals that end a program with a screen. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** As `node:readline` reports it. */
export interface Key {
  readonly name?: string | undefined
  readonly sequence?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
  readonly shift?: boolean | undefined
}

/** Whether the key is a character that was typed. */
export function isTyped({ sequence = '', ctrl, meta }: Key): boolean {
  return !ctrl && !meta && /^[^\p{C}]+$/u.test(sequence)
}

/** The size of the terminal. */
export function sizeOf({ stdout, env }: CliIo): { columns: number; rows: number } {
  return { columns: columnsOf(stdout, env), rows: rowsOf(stdout, env) }
}

/** Takes the terminal; the returned function gives it back, once. */
export function takeTerminal(io: CliIo): () => void {
  const { stdin, stdout } = io
  const wasRaw = stdin.isRaw === true
  let isTaken = true
  const restore = () => {
    if (!isTaken) return
    isTaken = false
    io.off('exit', restore)
    stdin.pause()
    stdin.setRawMode(wasRaw)
    stdout.write(LEAVE)
  }
  // Also when the process ends meanwhile.
  io.once('exit', restore)
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  stdout.write(ENTER)
  return restore
}

/** Replaces what is on the screen. */
export function drawLines({ stdout }: Pick<CliIo, 'stdout'>, lines: readonly string[]): void {
  stdout.write(HOME + lines.map((line) => line + CLEAR_LINE).join('\r\n') + CLEAR_BELOW)
}
