// Writers are killed with SIGKILL at random moments, one after the other or several at one log.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../helpers/random.js'
import { Child } from '../child.js'
import { bundledWriter } from './bundled-writer.js'
import type { LaneContext } from './lane.js'
import { WatchedLog } from './watch-log.js'

const KILLS_PER_LOG = 40
/** Logs at which writers are killed at the same time. */
const AT_ONCE = 3
const LIFE_MS_MAX = 12
// Starting a process takes longer than its life, so the next ones start meanwhile.
const AHEAD = 2

export async function runKills(context: LaneContext): Promise<void> {
  const writer = await bundledWriter(String(process.pid))
  const queues = Array.from({ length: AT_ONCE }, (_, queue) => killInTurn(queue, writer, context))
  await Promise.all(queues)
  rmSync(writer)
}

async function killInTurn(queue: number, writer: string, context: LaneContext): Promise<void> {
  for (let round = 0; !context.isOver; round++) {
    const isCrowd = context.random.below(2) === 0
    // One-shots without it wait ten seconds for the lock of a dead one: that is in the test line.
    const hasKernelLock = isCrowd || context.random.below(4) > 0
    const path = join(context.folder, `${queue}-${round}.jsonl`)
    const log = new WatchedLog(path, context, { hasKernelLock })
    await killAtOneLog(log, { writer, isCrowd }, context)
    log.check()
    rmSync(log.path, { force: true })
  }
}

async function killAtOneLog(
  log: WatchedLog,
  { writer, isCrowd }: { writer: string; isCrowd: boolean },
  context: LaneContext,
): Promise<void> {
  const { random } = context
  const { hasKernelLock: useKernelLock } = log
  const options = { durability: 'none', lockTimeoutMs: 30_000, useKernelLock } as const
  let started = 0
  const start = () => {
    const how = isCrowd ? 'once' : 'lease'
    const name = `w${started++}`
    // Of a crowd two wait for their turn; they leave the processor to those that start.
    const pauseMs = isCrowd ? 2 : 0
    return new Child(writer, {
      path: log.path,
      how,
      name,
      sizes: sizesOf(random),
      pauseMs,
      options,
    })
  }
  const ready = Array.from({ length: AHEAD }, start)
  const living: Child[] = []
  try {
    for (let kill = 0; kill < KILLS_PER_LOG && !context.isOver; kill++) {
      while (living.length < (isCrowd ? 3 : 1)) living.push(await nextOf(ready, start))
      const victim = living.splice(random.below(living.length), 1)[0]!
      await log.within(
        victim.ackCount(1).catch(() => {}),
        `no line of ${log.path}`,
      )
      await sleep(random.below(LIFE_MS_MAX))
      const { signal, errors } = await victim.kill()
      if (signal !== 'SIGKILL') context.harm('untyped', `died by itself: ${errors}`)
      log.take(victim)
      if (living.length === 0) log.look()
      context.done(1)
    }
  } finally {
    await Promise.all([...ready, ...living].map((child) => child.kill()))
    for (const child of living) log.take(child)
  }
}

async function nextOf(ready: Child[], start: () => Child): Promise<Child> {
  const child = ready.shift()!
  ready.push(start())
  await child.ready()
  child.go()
  return child
}

/** Mostly short lines, and one in twenty long enough to be torn. */
function sizesOf(random: Random): number[] {
  return Array.from({ length: 40 }, () => {
    return random.below(20) === 0 ? random.between(20_000, 200_000) : random.between(20, 2000)
  })
}
