// Waits, but not for ever.

import type { LaneContext } from './lane.js'

const HANG_MS = 60_000

/** `undefined` when it took too long, which is counted. */
export async function within<Result>(
  promise: Promise<Result>,
  context: LaneContext,
  what: string,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      context.harm('hung', what)
      resolve(undefined)
    }, HANG_MS)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
