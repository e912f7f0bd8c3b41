// Text that is given to a command: as an operand, through a pipe, or in a file.

import { SessionError, toReadError } from '../../errors.js'
import { WRITE_LINE_BYTES_MAX } from '../../format/index.js'
import { type Call, UsageError } from '../command.js'
import { resolveFile } from './arguments.js'

const PIECE_BYTES = 64 * 1024

/** All of stdin; `what` is how messages call it. */
export async function readStdin({ io, notes }: Call, what: string): Promise<string> {
  if (io.stdin.isTTY) notes.say(`Waiting for the ${what} on stdin; end it with Ctrl-D`)
  return collect(io.stdin, `The ${what} on stdin`)
}

/** The text of an operand; `-` reads stdin, without the newline that a shell adds. */
export async function readTextOperand(call: Call, operand: string, what: string): Promise<string> {
  return operand === '-' ? (await readStdin(call, what)).replace(/\r?\n$/, '') : operand
}

/** All of a file that the user names; `-` reads stdin. */
export async function readInput(call: Call, path: string, what: string): Promise<string> {
  if (path === '-') return readStdin(call, what)
  try {
    return await collect(piecesOf(call, resolveFile(call, path)), `The ${what} in ${path}`)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? toReadError(error, 'read', path) : error
  }
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
async function collect(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  name: string,
): Promise<string> {
  const held: Buffer[] = []
  let byteCount = 0
  for await (const piece of pieces) {
    held.push(piece)
    byteCount += piece.length
    if (byteCount <= WRITE_LINE_BYTES_MAX) continue
    const what = `${name} is longer than ${WRITE_LINE_BYTES_MAX} bytes (32 MiB)`
    throw new SessionError('ERR_LINE_TOO_LARGE', what, { max: WRITE_LINE_BYTES_MAX })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(held))
  } catch {
    throw new UsageError(`${name} is not UTF-8. Convert it first, for example with iconv.`)
  }
}
