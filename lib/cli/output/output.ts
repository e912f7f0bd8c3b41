// Text on its way to a stream that may be slow, full or closed.

import type { Writable } from 'node:stream'
import type { FileSystem } from '../../environment/index.js'
import { columnsOf } from './terminal-size.js'

// Rows are short and system calls are not free, so rows are gathered into pieces of this size.
const HELD_CHARS_MAX = 64 * 1024
const STDOUT = 1

/** The reader closed the pipe, as `head` does. Not a failure: nothing is left to do. */
export class ReaderGone extends Error {}

type OutputIo = Pick<NodeJS.Process, 'stdout' | 'env'>

export class Output {
  readonly #io: OutputIo
  /** Of a process whose stdout is a file or a pipe. */
  readonly #plainFs: FileSystem | undefined
  #held = ''
  #reader: Writable | undefined
  #startReader: (() => Writable) | undefined
  /** Whether anything was printed. */
  hasWritten = false
  /** Called once, before anything is printed. */
  onFirstWrite: (() => void) | undefined

  /**
   * Takes the process, not its stream: Node creates that on first use, which takes milliseconds.
   * `fs`: for a command that prints and ends, which writes without a stream where it can.
   */
  constructor(io: OutputIo, { fs }: { fs?: FileSystem } = {}) {
    this.#io = io
    this.#plainFs = fs !== undefined && isPlainOutput(io, fs) ? fs : undefined
  }

  get #stream(): NodeJS.WriteStream {
    return withoutThrowing(this.#io.stdout)
  }

  get isTerminal(): boolean {
    return this.#plainFs === undefined && this.#stream.isTTY === true
  }

  /** Columns of the terminal; `undefined` when the output is a pipe or a file. */
  get columns(): number | undefined {
    return this.isTerminal ? columnsOf(this.#stream, this.#io.env) : undefined
  }

  /** From the first text on it goes there, and from there to this terminal. */
  readThrough(start: (() => Writable) | undefined): void {
    this.#startReader = start
    this.#reader = undefined
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
    if (!this.hasWritten) this.onFirstWrite?.()
    this.hasWritten = true
    this.#reader ??= this.#startReader?.().on('error', () => {})
    try {
      const fs = this.#reader === undefined ? this.#plainFs : undefined
      const rest = fs === undefined ? text : writePlainly(text, fs)
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

// Windows reports EOF for a closed pipe; the last is the error of every write after the first.
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EOF' || code === 'ERR_STREAM_DESTROYED'
}

/** Whether stdout of this process is a file or a pipe. */
function isPlainOutput(io: OutputIo, fs: FileSystem): boolean {
  if (io !== process) return false
  try {
    return !fs.fstatSync(STDOUT).isCharacterDevice()
  } catch {
    return false
  }
}

/**
 * Writes without a stream, which takes longer to create than a short command runs. Returns what a
 * non-blocking pipe did not take. While it waits for a slow reader, no signal is handled.
 */
function writePlainly(text: string, fs: FileSystem): Buffer {
  const bytes = Buffer.from(text)
  let done = 0
  try {
    while (done < bytes.length) {
      done += fs.writeSync(STDOUT, bytes, done, bytes.length - done)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return bytes.subarray(done)
}

const silenced = new WeakSet<NodeJS.WriteStream>()

/**
 * A stream whose errors reach only the callback of the write that failed. Without a listener Node
 * would throw them as well.
 */
export function withoutThrowing(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!silenced.has(stream)) stream.on('error', () => {})
  silenced.add(stream)
  return stream
}
