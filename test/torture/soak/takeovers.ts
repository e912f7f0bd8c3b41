// A holder is killed while eight wait for its lock, and each of the eight must be alone inside.

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Mix, runRound, WAITERS } from '../../log/lock/takeover-round.js'
import { ADVISORY, KERNEL, Worker } from '../../log/lock/worker-process.js'
import type { LaneContext } from './lane.js'
import { within } from './within.js'

export async function runTakeovers(context: LaneContext): Promise<void> {
  const waiters = Array.from({ length: WAITERS }, () => new Worker())
  let next = new Worker()
  try {
    for (let round = 0; !context.isOver; round++) {
      const holder = next
      // It starts while this round runs.
      next = new Worker()
      const isOver = await race(join(context.folder, `${round}.jsonl`), holder, waiters, context)
      await holder.kill()
      if (!isOver) return
    }
  } finally {
    await Promise.all([next, ...waiters].map((worker) => worker.kill()))
  }
}

/** False: a process still waits, so there can be no next one. */
async function race(
  path: string,
  holder: Worker,
  waiters: readonly Worker[],
  context: LaneContext,
): Promise<boolean> {
  const { random } = context
  const mix: Mix = { holders: [random.pick([KERNEL, ADVISORY])], kernelWaiters: random.below(9) }
  try {
    const running = runRound(path, { holder, waiters }, mix, 0)
    const ended = await within(running, context, `no process takes over the lock of ${path}`)
    if (ended === undefined) return false
    const met = ended.visits.filter(({ isAlone }) => !isAlone).length
    if (met > 0) context.harm('altered', `${met} met another inside: ${JSON.stringify(mix)}`)
    const left = readdirSync(context.folder).filter((name) => !path.endsWith(name))
    if (left.length > 0) context.harm('altered', `left behind: ${left.join(', ')}`)
  } catch (error) {
    context.harm('untyped', `${error}`)
  }
  rmSync(context.folder, { recursive: true })
  mkdirSync(context.folder)
  context.done(1)
  return true
}
