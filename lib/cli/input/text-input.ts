// Text that is given to a command: as an operand, through a pipe, or in a file.

import { SessionError, toReadError } from '../../errors.js'
import { WRITE_LINE_BYTES_MAX } from '../../format/index.js'
import { type Call, UsageError } from '../command.js'
import { resolveFile } from './arguments.js'

const PIECE_BYTES = 64 * 1024

/** All of stdin; `what` is how messages call it. */
export async function readStdin({ io, notes }: Call, what: string): Promise<string> {
  if (io.stdin.isTTY) notes.say(`Waiting for the ${what} on stdin; end it with Ctrl-D`)
  const text = new TextCollector(`The ${what} on stdin`)
  for await (const chunk of io.stdin) text.add(chunk)
  return text.decode()
}

/** The text of an operand; `-` reads stdin, without the newline that a shell adds. */
export async function readTextOperand(call: Call, operand: string, what: string): Promise<string> {
  return operand === '-' ? (await readStdin(call, what)).replace(/\r?\n$/, '') : operand
}

/** All of a file that the user names; `-` reads stdin. */
export async function readInput(call: Call, path: string, what: string): Promise<string> {
  if (path === '-') return readStdin(call, what)
  const text = new TextCollector(`The ${what} in ${path}`)
  try {
    for (const piece of piecesOf(call, resolveFile(call, path))) text.add(piece)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? toReadError(error, 'read', path) : error
  }
  return text.decode()
}

function* piecesOf({ env: { fs } }: Call, path: string): Generator<Buffer> {
  const fd = fs.openSync(path, 'r')
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const length = fs.readSync(fd, piece)
      if (length === 0) return
      yield piece.subarray(0, length)
    }
  } finally {
    fs.closeSync(fd)
  }
}

/** Gathers at most as much as one line of a log may hold. */
class TextCollector {
  readonly #name: string
  readonly #held: Buffer[] = []
  #byteCount = 0

  constructor(name: string) {
    this.#name = name
  }

  add(chunk: Buffer): void {
    this.#byteCount += chunk.length
    if (this.#byteCount > WRITE_LINE_BYTES_MAX) {
      const what = `${this.#name} is longer than ${WRITE_LINE_BYTES_MAX} bytes (32 MiB)`
      throw new SessionError('ERR_LINE_TOO_LARGE', what, { max: WRITE_LINE_BYTES_MAX })
    }
    this.#held.push(chunk)
  }

  decode(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#held))
    } catch {
      throw new UsageError(`${this.#name} is not UTF-8. Convert it first, for example with iconv.`)
    }
  }
}
