// Ctrl-C is how following ends, not how it fails. Whoever only reads is simply stopped by it.

import type { Call } from './command.js'

/** With `--follow`, the signal is aborted by the first Ctrl-C. */
export async function untilInterrupted(
  call: Call,
  run: (signal: AbortSignal | undefined) => Promise<number>,
): Promise<number> {
  if (!call.has('follow')) return run(undefined)
  const controller = new AbortController()
  const stop = () => controller.abort()
  call.io.once('SIGINT', stop)
  try {
    return await run(controller.signal)
  } finally {
    call.io.off('SIGINT', stop)
  }
}
