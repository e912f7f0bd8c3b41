// Long answers in the user's pager, on a terminal only.

import { Writable } from 'node:stream'
import { findInstalledProgram, type StoreContext } from '../../store/index.js'
import type { CliIo, Parsed } from '../command.js'
import { openStore } from '../input/arguments.js'
import { environmentOf, type Surroundings } from '../run-command.js'
import { ReaderGone } from './output.js'

const DEFAULT_PAGER = 'less -FRX'
// As git does: less shows colours, and ends by itself after a short text.
const LESS = 'FRX'
// What is printed is UTF-8, also where no locale is set: less would show it as <E2><80>.
const LESSCHARSET = 'utf-8'

/** Runs the work, with its output in a pager where that helps. */
export async function withPager(
  parsed: Parsed,
  surroundings: Surroundings,
  work: (surroundings: Surroundings) => Promise<number>,
): Promise<number> {
  const { io, output, modules } = surroundings
  const isRefused = ['no-pager', 'json', 'follow'].some((name) => parsed.has(name))
  const program = isRefused ? undefined : findPager(parsed, io)
  if (program === undefined) return work(surroundings)
  const words = new HeldText(io)
  // Ctrl-C is for the pager, which would otherwise be left with the terminal.
  const ignore = () => {}
  let pager: ReturnType<typeof modules.startPager> | undefined
  // Started with the first text: until then progress is seen on stderr.
  output.readThrough(() => {
    io.on('SIGINT', ignore)
    words.hold()
    pager = modules.startPager(program, { LESS, LESSCHARSET, ...io.env })
    return pager.stdin
  })
  try {
    return await work({ ...surroundings, io: withStderr(io, words) })
  } catch (error) {
    if (error instanceof ReaderGone) return 0
    // What was printed before the failure was true, so it is shown if the pager still reads. Its
    // own failure matters less than the one being thrown.
    await output.flush().catch(() => undefined)
    throw error
  } finally {
    output.readThrough(undefined)
    pager?.stdin.end()
    await pager?.ended
    io.off('SIGINT', ignore)
    if (words.text !== '') io.stderr.write(words.text)
  }
}

/** `undefined` when none is installed, or none is wanted. */
function findPager(parsed: Parsed, io: CliIo): string | undefined {
  const { env } = io
  if (env['TERM'] === 'dumb') return undefined
  // The command itself reports what is wrong with the settings.
  const store = openStore({ ...parsed, env: environmentOf(io) }, () => {})
  const command = findPagerCommand(store).value.trim()
  const program = command.split(/\s+/)[0]!
  if (program === '' || program === 'cat') return undefined
  return findInstalledProgram(store, program, env['PATH']).path === null ? undefined : command
}

/** As git does: the program's own variable, the setting of the home, the variable of the system. */
export function findPagerCommand(store: StoreContext): { value: string; from: string } {
  const { JSONL_SESSION_PAGER, PAGER } = store.env.host.variables
  const setting = store.config().settings.get('pager')
  if (JSONL_SESSION_PAGER !== undefined) {
    return { value: JSONL_SESSION_PAGER, from: 'JSONL_SESSION_PAGER' }
  }
  if (setting !== undefined) return { value: String(setting.value), from: setting.path }
  return PAGER === undefined
    ? { value: DEFAULT_PAGER, from: 'default' }
    : { value: PAGER, from: 'PAGER' }
}

/** The same process with another stderr. */
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

/** Stderr; once the pager draws, which would be over notes, they wait. */
class HeldText extends Writable {
  text = ''
  #stderr: CliIo['stderr'] | undefined

  constructor({ stderr }: CliIo) {
    super()
    this.#stderr = stderr
  }

  get isTTY(): boolean {
    return this.#stderr?.isTTY === true
  }

  get columns(): number | undefined {
    return this.#stderr?.columns
  }

  hold(): void {
    this.#stderr = undefined
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#stderr === undefined) this.text += chunk.toString()
    else this.#stderr.write(chunk)
    done()
  }
}
