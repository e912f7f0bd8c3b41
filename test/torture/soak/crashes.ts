// All states in which crashes may leave logs that were written by chance.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { tryCrashes } from '../crash-check.js'
import type { LaneContext } from './lane.js'

export async function runCrashes(context: LaneContext): Promise<void> {
  for (let log = 0; !context.isOver; log++) {
    const folder = join(context.folder, String(log))
    const seed = context.random.below(2 ** 31)
    const { states, owed, findings } = await tryCrashes(folder, seed)
    for (const { state, problems } of findings) {
      const harm = problems.some((problem) => problem.startsWith('thrown')) ? 'untyped' : 'lost'
      context.harm(harm, `seed ${seed}, state ${state}: ${problems.join(', ')}`)
    }
    context.done(states, owed)
    rmSync(folder, { recursive: true, force: true })
    await nextTurn()
  }
}
