// What a harness writes into the pipe of a hook: one JSON object, and then the end. Neither is
// certain, and a hook must not keep its harness waiting.

import type { HookFields } from './hook-input.js'

const BYTES_MAX = 8 * 1024 * 1024
// A harness writes it at once; one that forgets to close the pipe has nothing more to say.
const PATIENCE_MS = 2000

/** The object, or why there is none. */
export type HookInput = { readonly fields: HookFields } | { readonly problem: string }

export async function readInput(stdin: NodeJS.ReadStream): Promise<HookInput> {
  if (stdin.isTTY === true) return { problem: 'a hook reads its event from a pipe' }
  const bytes = await readPipe(stdin)
  if (bytes === undefined) return { problem: `the input is longer than ${BYTES_MAX} bytes (8 MiB)` }
  if (bytes.length === 0) return { problem: 'the input is empty' }
  try {
    const fields: unknown = JSON.parse(bytes.toString())
    const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
    return isObject ? { fields: fields as HookFields } : { problem: 'the input is no JSON object' }
  } catch {
    return { problem: 'the input is not JSON' }
  }
}

/** All of it; `undefined` when it is too long, and even then it is read, or its writer would fail. */
function readPipe(stdin: NodeJS.ReadStream): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let byteCount = 0
    const finish = () => {
      clearTimeout(patience)
      resolve(byteCount > BYTES_MAX ? undefined : Buffer.concat(chunks))
    }
    const giveUp = () => {
      stdin.destroy()
      finish()
    }
    let patience = setTimeout(giveUp, PATIENCE_MS)
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(patience)
      patience = setTimeout(giveUp, PATIENCE_MS)
      byteCount += chunk.length
      if (byteCount > BYTES_MAX) chunks.length = 0
      else chunks.push(chunk)
    })
    stdin.on('end', finish)
    stdin.on('error', finish)
  })
}
