// Many processes append to one log while it is followed, by hints and by the clock alone: each
// follower sees every event once, in the order of the file.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FollowOptions } from '../../../lib/log/index.js'
import { Child, runTogether } from '../child.js'
import { followUntil, uuidsOf } from '../follow-until.js'
import type { LaneContext } from './lane.js'
import { WatchedLog } from './watch-log.js'

const LINES_EACH = 60
const LONG_CHARS_MAX = 300_000
const HOW: readonly FollowOptions[] = [{}, { pollMs: 20 }]

export async function runFollowers(context: LaneContext): Promise<void> {
  for (let round = 0; !context.isOver; round++) {
    const hasKernelLock = context.random.below(4) > 0
    const path = join(context.folder, `${round}.jsonl`)
    const log = new WatchedLog(path, context, { hasKernelLock })
    await writeAndFollow(log, context)
    log.check()
    rmSync(path, { force: true })
  }
}

async function writeAndFollow(log: WatchedLog, context: LaneContext): Promise<void> {
  const { random } = context
  const writers = startWriters(log, context, random.between(2, 10))
  const controller = new AbortController()
  const { signal } = controller
  const count = writers.length * LINES_EACH
  const following = HOW.map((how) => followUntil(log.path, count, { ...how, signal }))
  try {
    const acks = await log.within(runTogether(writers), `the writers of ${log.path} do not end`)
    if (acks === undefined) return
    const written = uuidsOf(log.path)
    for (const follower of following) {
      const seen = await log.within(follower, `a follower of ${log.path} does not see all`)
      if (seen === undefined) continue
      const missing = written.filter((uuid) => !new Set(seen).has(uuid))
      if (missing.length > 0) context.harm('lost', `not seen: ${missing.join(', ')}`)
      else if (seen.join() !== written.join()) context.harm('altered', 'seen in another order')
      context.done(seen.length)
    }
  } catch (error) {
    context.harm('untyped', `${error}`)
  } finally {
    controller.abort()
    await Promise.all([...writers.map((writer) => writer.kill()), ...following])
    for (const writer of writers) log.take(writer)
  }
}

function startWriters(log: WatchedLog, { random }: LaneContext, count: number): Child[] {
  const { path, hasKernelLock: useKernelLock } = log
  const options = { durability: 'none', lockTimeoutMs: 40_000, useKernelLock } as const
  return Array.from({ length: count }, (_, index) => {
    const sizes = Array.from({ length: 20 }, () =>
      random.below(20) === 0 ? random.below(LONG_CHARS_MAX) : random.between(20, 2000),
    )
    const task = { path, how: 'once', sizes, count: LINES_EACH, options, name: `w${index}` }
    return new Child('writer', task)
  })
}
