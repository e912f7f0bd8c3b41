// What a harness writes into the pipe of a hook: one JSON object, and then the end. Neither is
// certain, and a hook must not keep its harness waiting.

import { fstatSync, readSync } from 'node:fs'
import type { HookFields } from './hook-input.js'

const BYTES_MAX = 8 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024
const BLANK = 0x20
const CLOSING_BRACE = 0x7d
// A harness writes it at once; one that forgets to close the pipe has nothing more to say.
const PATIENCE_MS = 2000

/** The object, or why there is none. */
export type HookInput = { readonly fields: HookFields } | { readonly problem: string }

export interface InputSource {
  readonly stdin: NodeJS.ReadStream
  /**
   * Its descriptor, where it may be waited for: then it is read without a stream, which takes
   * longer to make than all the reading.
   */
  readonly stdinFd?: number | undefined
}

export async function readInput(source: InputSource): Promise<HookInput> {
  const text = new InputText()
  if (source.stdinFd === undefined || !readAtOnce(source.stdinFd, text)) {
    const { stdin } = source
    if (stdin.isTTY === true) return { problem: 'a hook reads its event from a pipe' }
    await readStream(stdin, text)
  }
  return text.input
}

/** What has come so far. Of what is too long, only that. */
class InputText {
  #chunks: Buffer[] = []
  #byteCount = 0
  #input: HookInput | undefined

  /** All of it is taken, or its writer would fail. */
  add(chunk: Buffer): void {
    this.#input = undefined
    this.#byteCount += chunk.length
    if (this.#byteCount > BYTES_MAX) this.#chunks = []
    else this.#chunks.push(chunk)
  }

  /** It ends as an object does: asked of every piece, and only then all of it is parsed. */
  get mayBeWhole(): boolean {
    return this.#chunks.at(-1)?.findLast((byte) => byte > BLANK) === CLOSING_BRACE
  }

  get input(): HookInput {
    this.#input ??= this.#parse()
    return this.#input
  }

  #parse(): HookInput {
    if (this.#byteCount > BYTES_MAX) {
      return { problem: `the input is longer than ${BYTES_MAX} bytes (8 MiB)` }
    }
    if (this.#byteCount === 0) return { problem: 'the input is empty' }
    try {
      const fields: unknown = JSON.parse(Buffer.concat(this.#chunks).toString())
      const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
      return isObject
        ? { fields: fields as HookFields }
        : { problem: 'the input is no JSON object' }
    } catch {
      return { problem: 'the input is not JSON' }
    }
  }
}

/**
 * Reads until the end, or until there is a whole object and no more: then an end may never come.
 * False where nobody can be waited for so: at a terminal, or in a pipe that does not wait.
 */
function readAtOnce(fd: number, text: InputText): boolean {
  try {
    if (fstatSync(fd).isCharacterDevice()) return false
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      const byteCount = readSync(fd, chunk, 0, CHUNK_BYTES, null)
      if (byteCount === 0) return true
      text.add(Buffer.from(chunk.subarray(0, byteCount)))
      if (text.mayBeWhole && 'fields' in text.input) return true
    }
  } catch {
    // The stream goes on where this ended, and knows what to say.
    return false
  }
}

function readStream(stdin: NodeJS.ReadStream, text: InputText): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(patience)
      resolve()
    }
    const giveUp = () => {
      stdin.destroy()
      finish()
    }
    let patience = setTimeout(giveUp, PATIENCE_MS)
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(patience)
      patience = setTimeout(giveUp, PATIENCE_MS)
      text.add(chunk)
    })
    stdin.on('end', finish)
    stdin.on('error', finish)
  })
}
