// Every call to the disk fails, in every script, once and from then on.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { listFaultPoints, liveWithFault, SCRIPTS, type ScriptName } from '../fault-loop.js'
import type { LaneContext } from './lane.js'

export async function runFaults(context: LaneContext): Promise<void> {
  let number = 0
  for (const script of Object.keys(SCRIPTS) as ScriptName[]) {
    const points = await listFaultPoints(join(context.folder, script), script)
    for (const isSticky of [false, true]) {
      for (const point of points) {
        if (context.isOver) return
        const folder = join(context.folder, String(number++))
        const { life, problems } = await liveWithFault(folder, point, { isSticky })
        for (const problem of problems) {
          const text = typeof problem === 'string' ? problem : JSON.stringify(problem)
          const harm = text === 'hung' ? 'hung' : text.includes('lost') ? 'lost' : 'untyped'
          context.harm(harm, `${JSON.stringify(point)}: ${text}`)
        }
        context.done(1, life.acks.length)
        rmSync(folder, { recursive: true, force: true })
      }
    }
  }
}
