// Text on its way to a stream that may be slow, full or gone.

import type { Writable } from 'node:stream'
import { isPlainOutput, writePlainly } from './plain-output.js'

// Rows are short and system calls are not free, so rows are gathered into pieces of this size.
const HELD_CHARS_MAX = 64 * 1024

/** Nobody reads any more, as after `| head`. Not a failure: there is nothing left to do. */
export class ReaderGone extends Error {}

export class Output {
  readonly #io: Pick<NodeJS.Process, 'stdout'>
  readonly #isPlain: boolean
  #held = ''
  #reader: Writable | undefined

  /**
   * Of the process, and not its stream: Node makes that when it is asked for, in milliseconds.
   * `isShort`: for a command that prints and ends, which does without where it can.
   */
  constructor(io: Pick<NodeJS.Process, 'stdout'>, { isShort = false } = {}) {
    this.#io = io
    this.#isPlain = isShort && isPlainOutput(io)
  }

  get #stream(): NodeJS.WriteStream {
    return withoutThrowing(this.#io.stdout)
  }

  get isTerminal(): boolean {
    return !this.#isPlain && this.#stream.isTTY === true
  }

  /** Columns of the terminal; `undefined` when the output is a pipe or a file. */
  get columns(): number | undefined {
    return this.isTerminal ? this.#stream.columns : undefined
  }

  /** What is written from now on goes there, and is shown on this terminal in the end. */
  readThrough(reader: Writable | undefined): void {
    this.#reader = reader?.on('error', () => {})
  }

  async write(text: string): Promise<void> {
    this.#held += text
    if (this.#held.length >= HELD_CHARS_MAX) await this.flush()
  }

  /** Resolves once the stream has taken everything, so a slow reader slows its writer. */
  async flush(): Promise<void> {
    if (this.#held === '') return
    const text = this.#held
    this.#held = ''
    try {
      const rest = this.#isPlain && this.#reader === undefined ? writePlainly(text) : text
      if (rest.length > 0) await written(this.#reader ?? this.#stream, rest)
    } catch (error) {
      throw isReaderGone(error as NodeJS.ErrnoException) ? new ReaderGone() : error
    }
  }
}

function written(stream: Writable, text: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error == null) resolve()
      else reject(error)
    })
  })
}

// EOF is what Windows says of a closed pipe; the last is what every write after the first hears.
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EOF' || code === 'ERR_STREAM_DESTROYED'
}

const deaf = new WeakSet<NodeJS.WriteStream>()

/**
 * A stream whose errors are heard only by those who ask: the callback of every write hears of its
 * own, and without a listener it would be thrown as well.
 */
export function withoutThrowing(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!deaf.has(stream)) stream.on('error', () => {})
  deaf.add(stream)
  return stream
}
