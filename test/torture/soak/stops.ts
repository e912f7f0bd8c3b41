// Writers are stopped at random moments, their locks made to look forgotten, and continued.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSessionError } from '../../../lib/errors.js'
import { appendOnce } from '../../../lib/log/index.js'
import { Child } from '../child.js'
import { isSignedBy, makeLockOld } from '../old-lock.js'
import type { LaneContext } from './lane.js'
import { WatchedLog } from './watch-log.js'

const STOPS_PER_LOG = 50
const SIZES = [300, 20_000, 60, 2000]

export async function runStops(context: LaneContext): Promise<void> {
  for (let round = 0; !context.isOver; round++) {
    const hasKernelLock = context.random.below(4) > 0
    const path = join(context.folder, `${round}.jsonl`)
    const log = new WatchedLog(path, context, { hasKernelLock })
    await (round % 2 === 0 ? stopHolder : stopCrowd)(log, context)
    log.check()
    rmSync(log.path, { force: true })
  }
}

function start(log: WatchedLog, how: 'lease' | 'once', count: number) {
  const { hasKernelLock: useKernelLock } = log
  const options = { durability: 'none', lockTimeoutMs: 30_000, useKernelLock } as const
  const task = { path: log.path, how, sizes: SIZES, pauseMs: 1, options }
  return Array.from({ length: count }, (_, index) => {
    return new Child('writer', { ...task, name: `w${index}` })
  })
}

/** It holds the lease: others fail immediately, and it continues undisturbed. */
async function stopHolder(log: WatchedLog, context: LaneContext): Promise<void> {
  const [holder] = start(log, 'lease', 1)
  await during([holder!], log, context, async () => {
    await holder!.stop()
    ageLock(log, holder!)
    try {
      const event = { type: 'user', payload: { content: 'intruder' } } as const
      await appendOnce(log.path, [event], { lockTimeoutMs: 5000 })
      context.harm('altered', 'another process wrote under the lease of a stopped one')
    } catch (error) {
      if (!isSessionError(error, 'ERR_LOCKED')) context.harm('untyped', String(error))
    }
    holder!.signal('SIGCONT')
  })
}

/** A process that is stopped while it holds the lock delays the others, and no more. */
async function stopCrowd(log: WatchedLog, context: LaneContext): Promise<void> {
  const { random } = context
  const writers = start(log, 'once', 3)
  await during(writers, log, context, async () => {
    const stopped = random.pick(writers)
    await stopped.stop()
    if (random.below(2) === 0) ageLock(log, stopped)
    await sleep(random.below(15))
    stopped.signal('SIGCONT')
  })
}

async function during(
  writers: readonly Child[],
  log: WatchedLog,
  context: LaneContext,
  stopOne: () => Promise<void>,
): Promise<void> {
  await Promise.all(writers.map((writer) => writer.ready()))
  for (const writer of writers) writer.go()
  for (let stop = 0; stop < STOPS_PER_LOG && !context.isOver; stop++) {
    const progress = Promise.all(writers.map((writer) => writer.ackCount(writer.acks.length + 1)))
    await log.within(
      progress.catch(() => []),
      `no process continues ${log.path}`,
    )
    await sleep(context.random.below(4))
    await stopOne()
    context.done(1)
  }
  for (const writer of writers) writer.finish()
  for (const writer of writers) {
    const ending = await log.within(writer.ended, 'a writer does not end')
    if (ending?.code !== 0) context.harm('untyped', `ended with ${ending?.errors}`)
    await writer.kill()
    log.take(writer)
  }
}

// Without the kernel lock only a lock that the stopped process has signed. Another may belong to a
// running process that is about to sign it, and taking that over would fork the chain.
function ageLock({ path, hasKernelLock }: WatchedLog, stopped: Child): void {
  if (hasKernelLock || isSignedBy(path, stopped.pid)) makeLockOld(path)
}
