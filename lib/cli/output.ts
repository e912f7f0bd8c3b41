// Text on its way to a stream that may be slow, full or gone.

import type { Writable } from 'node:stream'

// Rows are short and system calls are not free, so rows are gathered into pieces of this size.
const HELD_CHARS_MAX = 64 * 1024

/** Nobody reads any more, as after `| head`. Not a failure: there is nothing left to do. */
export class ReaderGone extends Error {}

export class Output {
  readonly #io: Pick<NodeJS.Process, 'stdout'>
  #held = ''
  #reader: Writable | undefined

  /** Of the process, and not its stream: Node makes that when it is asked for, in milliseconds. */
  constructor(io: Pick<NodeJS.Process, 'stdout'>) {
    this.#io = io
  }

  get #stream(): NodeJS.WriteStream {
    return withoutThrowing(this.#io.stdout)
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true
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
    await new Promise<void>((resolve, reject) => {
      const stream = this.#reader ?? this.#stream
      stream.write(text, (error) => {
        if (error == null) resolve()
        else reject(isReaderGone(error) ? new ReaderGone() : error)
      })
    })
  }
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
