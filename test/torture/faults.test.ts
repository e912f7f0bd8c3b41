// Whatever the disk answers to any call: the error is typed, what was acknowledged is there, and when
// the disk is well again the session goes on.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryFolder } from '../helpers/temporary.js'
import { findFaultProblems, listFaultPoints, SCRIPTS, type ScriptName } from './fault-loop.js'

// Some hundred lives, a few seconds of them; a busy machine may take its time.
const PATIENCE_MS = 180_000

test.for(
  (Object.keys(SCRIPTS) as ScriptName[]).flatMap((script) => [
    { script, often: 'once', isSticky: false },
    { script, often: 'and all after it', isSticky: true },
  ]),
)(
  'whichever call of $script fails, $often, the error is typed, nothing acknowledged is lost, and the session goes on (T10)',
  { timeout: PATIENCE_MS },
  async ({ script, isSticky }, t) => {
    const folder = memoryFolder(t)
    const points = await listFaultPoints(join(folder, 'undisturbed'), script)
    expect(points.length).toBeGreaterThan(200)
    const { findings, errors } = await findFaultProblems(folder, points, { isSticky })
    expect(findings).toEqual([])
    // Not all of them were absorbed, so the faults did arrive.
    expect(errors).toBeGreaterThan(points.length / 4)
  },
)
