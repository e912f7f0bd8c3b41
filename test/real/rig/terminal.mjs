// A program with a screen, in tmux: typed keys in, the screen out, and its process for kill -9.

import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const SOCKET = `jsonl-session-real-${process.pid}`
const STEP_MS = 100

function tmux(...args) {
  return execFileSync('tmux', ['-L', SOCKET, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Whether the TUI scenarios can run here. */
export function hasTmux() {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export class Terminal {
  #name

  /** `command`: program and arguments; `env`: its whole environment. */
  constructor(name, command, { cwd, env, columns = 150, rows = 50 }) {
    this.#name = name
    const quoted = [
      'env',
      '-i',
      ...Object.entries(env).map(([key, value]) => `${key}=${value}`),
      ...command,
    ]
      .map((word) => `'${String(word).replaceAll("'", `'\\''`)}'`)
      .join(' ')
    // `exec` makes the pane's process the program itself; the pane stays when it ends.
    tmux(
      'new-session',
      '-d',
      '-s',
      name,
      '-x',
      String(columns),
      '-y',
      String(rows),
      '-c',
      cwd,
      `exec ${quoted}`,
      ';',
      'set-option',
      '-t',
      name,
      'remain-on-exit',
      'on',
    )
  }

  /** Types a text, then Enter. */
  async say(text) {
    tmux('send-keys', '-t', this.#name, '-l', text)
    await sleep(400)
    tmux('send-keys', '-t', this.#name, 'Enter')
  }

  /** Presses keys by their tmux names: `Escape`, `Up`, `C-c`. */
  async press(...keys) {
    for (const key of keys) {
      tmux('send-keys', '-t', this.#name, key)
      await sleep(300)
    }
  }

  screen() {
    return tmux('capture-pane', '-p', '-S', '-200', '-t', this.#name).replace(/\n{2,}/g, '\n')
  }

  /** Waits until the screen, or the value of a function, matches; throws with the screen otherwise. */
  async waitFor(wanted, seconds = 30) {
    const isThere =
      typeof wanted === 'function'
        ? wanted
        : () =>
            wanted instanceof RegExp ? wanted.test(this.screen()) : this.screen().includes(wanted)
    for (let tries = (seconds * 1000) / STEP_MS; tries > 0; tries--) {
      if (isThere()) return
      await sleep(STEP_MS)
    }
    throw new Error(`the screen never showed ${wanted}:\n${this.screen()}`)
  }

  get pid() {
    return Number(tmux('list-panes', '-t', this.#name, '-F', '#{pane_pid}').trim())
  }

  /** Kills the program, as a crash or the user's `kill -9` does. */
  kill() {
    try {
      process.kill(this.pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }

  close() {
    try {
      tmux('kill-session', '-t', this.#name)
    } catch {
      // It has ended already.
    }
  }
}

/** Ends the tmux server of this run and everything in it. */
export function closeTerminals() {
  try {
    tmux('kill-server')
  } catch {
    // No terminal was opened.
  }
}
