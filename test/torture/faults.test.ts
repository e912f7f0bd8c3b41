// A call to the disk fails: the error is typed, acknowledged events are kept, and once the disk works
// again the session can be resumed.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scale } from '../helpers/effort.js'
import { seededRandom } from '../helpers/random.js'
import { memoryFolder } from '../helpers/temporary.js'
import { findFaultProblems, listFaultPoints, SCRIPTS, type ScriptName } from './fault-loop.js'

const PATIENCE_MS = 180_000
// The test line fails a share of the calls, beginning at a random one; a soak fails each of them.
const STEP = scale(1, 7)

// Requirement: T10
test.for(
  (Object.keys(SCRIPTS) as ScriptName[]).flatMap((script) => [
    { script, often: 'once', isSticky: false },
    { script, often: 'and all after it', isSticky: true },
  ]),
)(
  'a call of $script fails, $often: the error is typed, nothing acknowledged is lost, the session can be resumed',
  { timeout: PATIENCE_MS },
  async ({ script, isSticky }, t) => {
    const folder = memoryFolder(t)
    const all = await listFaultPoints(join(folder, 'undisturbed'), script)
    expect(all.length).toBeGreaterThan(200)
    const first = seededRandom(t).below(STEP)
    const points = all.filter((_, index) => index % STEP === first)
    const { findings, errors } = await findFaultProblems(folder, points, { isSticky })
    expect(findings).toEqual([])
    // The faults did arrive.
    expect(errors).toBeGreaterThan(points.length / 4)
  },
)
