// One round of the race for the lock of a dead holder: who came in when, and whether alone.

import { ADVISORY, KERNEL, type Kind, type Visit, type Worker } from './worker-process.js'

export const WAITERS = 8

export interface Mix {
  /** In turns, one per round. */
  readonly holders: readonly Kind[]
  readonly kernelWaiters: number
}

export async function runRound(
  path: string,
  { holder, waiters }: { holder: Worker; waiters: readonly Worker[] },
  { holders, kernelWaiters }: Mix,
  round: number,
): Promise<{ killedAt: number; visits: readonly Visit[] }> {
  const once = { mode: 'once', timeoutMs: 20_000 } as const
  const kind = holders[round % holders.length]
  await holder.ask('acquire', { path, options: { ...once, ...kind } })
  const entering = waiters.map((waiter, index) => {
    const options = { ...once, ...(index < kernelWaiters ? KERNEL : ADVISORY) }
    return waiter.ask('enter', { path, options })
  })
  // Answered after the first attempt has failed, so all of them wait by now.
  await Promise.all(waiters.map((waiter) => waiter.ask('ping')))
  const killedAt = Date.now()
  await holder.kill()
  return { killedAt, visits: await Promise.all(entering) }
}
