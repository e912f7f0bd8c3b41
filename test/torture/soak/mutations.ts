// Changed copies of good logs, read from both ends.

import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findProblems, readBackward, readForResume, readForward } from '../changed-log.js'
import type { LaneContext } from './lane.js'

const STEP = 200
const READERS = [readForward, readForward, readForResume, readBackward]
/** Mostly short logs, which are read quickly; now and then one over several chunks. */
const LENGTHS = [6, 8, 10, 12, 60]

export async function runMutations(context: LaneContext): Promise<void> {
  const path = join(context.folder, 's.jsonl')
  const { random } = context
  for (let step = 0; !context.isOver; step++) {
    const lines = step % 20 === 0 ? LENGTHS.at(-1)! : LENGTHS[step % (LENGTHS.length - 1)]!
    const read = READERS[step % READERS.length]!
    for (const finding of findProblems(path, read, { random, count: STEP, lines })) {
      const isThrown = finding.problems.some(({ what }) => what === 'thrown')
      context.harm(isThrown ? 'untyped' : 'altered', JSON.stringify(finding))
    }
    context.done(STEP)
    await nextTurn()
  }
}
