// Text that is given to a command: through a pipe, or in a file that it is told of.

import { SessionError, toReadError } from '../errors.js'
import { WRITE_LINE_BYTES_MAX } from '../format/index.js'
import { type Call, UsageError } from './command.js'

/** All of stdin; `what` is how messages call it. */
export function readStdin({ io, notes }: Call, what: string): Promise<string> {
  if (io.stdin.isTTY) notes.say(`Waiting for the ${what} on stdin; end it with Ctrl-D`)
  return readText(io.stdin, `The ${what} on stdin`)
}

/** What an operand says; `-` stands for stdin, without the newline that a shell adds. */
export async function textOperand(call: Call, operand: string, what: string): Promise<string> {
  return operand === '-' ? (await readStdin(call, what)).replace(/\r?\n$/, '') : operand
}

/** All of a file of the user's; `-` stands for stdin. */
export async function readInput(call: Call, path: string, what: string): Promise<string> {
  if (path === '-') return readStdin(call, what)
  const { createReadStream } = await import('node:fs')
  try {
    return await readText(createReadStream(path), `The ${what} in ${path}`)
  } catch (error) {
    // Node names the file only when it cannot be opened.
    throw (error as NodeJS.ErrnoException).syscall ? toReadError(error, 'read', path) : error
  }
}

async function readText(chunks: AsyncIterable<Buffer>, name: string): Promise<string> {
  const held: Buffer[] = []
  let byteCount = 0
  for await (const chunk of chunks) {
    byteCount += chunk.length
    if (byteCount > WRITE_LINE_BYTES_MAX) {
      const what = `${name} is longer than ${WRITE_LINE_BYTES_MAX} bytes (32 MiB)`
      throw new SessionError('ERR_LINE_TOO_LARGE', what, { max: WRITE_LINE_BYTES_MAX })
    }
    held.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(held))
  } catch {
    throw new UsageError(`${name} is not UTF-8. Convert it first, say with iconv.`)
  }
}
