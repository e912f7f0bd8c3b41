// What a writer asked of the disk, in its order: enough to build every state in which a crash at any
// moment may leave its file.

import { watchFiles } from '../helpers/watched-files.js'
import type { Ack } from './check.js'

export type Step =
  | { readonly kind: 'write'; readonly bytes: Buffer }
  /** Everything before it is on the disk. */
  | { readonly kind: 'sync' }
  /** The caller was told that the event is written; `isOwed`: and that it outlives a power cut. */
  | { readonly kind: 'ack'; readonly uuid: string; readonly isOwed: boolean }

export type Acknowledge = (ack: Ack, isOwed: boolean) => void

/** Records what `run` does to one file; `acknowledge` is to be called with every receipt. */
export async function traceOf(
  path: string,
  folder: string,
  run: (acknowledge: Acknowledge) => Promise<void>,
): Promise<readonly Step[]> {
  const steps: Step[] = []
  const unwatch = watchFiles(folder, {
    after(call, result) {
      if (call.path !== path) return
      if (call.name === 'writeSync') {
        steps.push({ kind: 'write', bytes: Buffer.from(call.bytes!.subarray(0, Number(result))) })
      }
      if (/^f(data)?sync/.test(call.name)) steps.push({ kind: 'sync' })
    },
  })
  try {
    await run(({ uuid }, isOwed) => steps.push({ kind: 'ack', uuid, isOwed }))
  } finally {
    unwatch()
  }
  return steps
}
