// A log to be locked, what stands beside it, and what others do to it between two steps of ours.

import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { lockPathOf } from '../../../lib/log/lock/inspect.js'
import { type FileCall, type FileFault, watchFiles } from '../../helpers/watched-files.js'
import { temporaryFolder } from './worker.js'

const LONG_AGO = new Date(Date.now() - 60_000)

export const aLog = () => join(temporaryFolder(), 'a.jsonl')
export const entriesBeside = (path: string) => readdirSync(dirname(path)).sort()

export function abandonedLock(): string {
  const path = aLog()
  mkdirSync(lockPathOf(path))
  utimesSync(lockPathOf(path), LONG_AGO, LONG_AGO)
  return path
}

/** Once, when that call is made on a path with that ending. */
export function at(
  path: string,
  name: string,
  ending: string,
  { fault, meanwhile }: { fault?: FileFault; meanwhile?: () => void },
): void {
  let isDone = false
  const isIt = (call: FileCall) =>
    !isDone && call.name === name && (call.to ?? call.path).endsWith(ending)
  const stop = watchFiles(dirname(path), {
    before(call) {
      if (fault === undefined || !isIt(call)) return undefined
      isDone = true
      meanwhile?.()
      return fault
    },
    after(call) {
      if (fault !== undefined || !isIt(call)) return
      isDone = true
      meanwhile?.()
    },
  })
  onTestFinished(stop)
}
