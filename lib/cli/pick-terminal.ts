// The picker on a terminal: keys in, screens out. Whatever happens, the terminal is given back as
// it was found.

import { on } from 'node:events'
import { emitKeypressEvents } from 'node:readline'
import type { Colors } from './colors.js'
import type { CliIo } from './command.js'
import {
  type Choice,
  type Key,
  type PickState,
  pressKey,
  selectedOf,
  startPicking,
} from './pick-model.js'
import { screenOf } from './pick-screen.js'

// Another screen, so that what stood there before comes back; and no cursor on it.
const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const CLEAR_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

const ROWS_DEFAULT = 24
const COLUMNS_DEFAULT = 80

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface PickerOptions {
  readonly io: CliIo
  readonly colors: Colors
  /** The last words of a choice. */
  readonly preview: (choice: Choice) => readonly string[]
}

/** The one that was taken; `undefined` when none was. */
export async function pickInTerminal(
  choices: readonly Choice[],
  { io, colors, preview }: PickerOptions,
): Promise<Choice | undefined> {
  const { stdout } = io
  const draw = (state: PickState) => {
    const { columns = COLUMNS_DEFAULT, rows = ROWS_DEFAULT } = stdout
    const choice = selectedOf(state)
    const words = choice === undefined ? [] : preview(choice)
    const lines = screenOf(state, words, { columns, rows, colors })
    stdout.write(HOME + lines.map((line) => line + CLEAR_LINE).join('\r\n') + CLEAR_BELOW)
  }
  const giveBack = takeTerminal(io)
  try {
    return await untilDecided(io, startPicking(choices), draw)
  } finally {
    giveBack()
  }
}

/** Takes the terminal; the returned function gives it back, however often it is called. */
function takeTerminal(io: CliIo): () => void {
  const { stdin, stdout } = io
  const wasRaw = stdin.isRaw === true
  let isTaken = true
  const giveBack = () => {
    if (!isTaken) return
    isTaken = false
    io.off('exit', giveBack)
    stdin.pause()
    stdin.setRawMode(wasRaw)
    stdout.write(LEAVE)
  }
  // Also when somebody ends the process in the middle.
  io.once('exit', giveBack)
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  stdout.write(ENTER)
  return giveBack
}

async function untilDecided(
  io: CliIo,
  start: PickState,
  draw: (state: PickState) => void,
): Promise<Choice | undefined> {
  const { stdin, stdout } = io
  let state = start
  const controller = new AbortController()
  const { signal } = controller
  const redraw = () => draw(state)
  const cancel = () => controller.abort()
  // A queue and not a handler of its own, so that whatever is thrown reaches whoever waits.
  const keys = on(stdin, 'keypress', { signal, close: ['end'] })
  stdout.on('resize', redraw)
  for (const name of SIGNALS) io.once(name, cancel)
  try {
    draw(state)
    for await (const [, key] of keys) {
      state = pressKey(state, key as Key)
      if (state.outcome === 'taken') return selectedOf(state)
      if (state.outcome === 'cancelled') return undefined
      draw(state)
    }
    return undefined
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    await keys.return?.()
    stdout.off('resize', redraw)
    for (const name of SIGNALS) io.off(name, cancel)
  }
}
