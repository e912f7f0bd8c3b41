// Four processes, one log, which no process keeps open.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareSamples } from '../harness.mjs'
import { startChild } from '../processes.mjs'
import { checkLines } from '../variants.mjs'

const PROCESSES = 4

export const processCases = [
  {
    name: 'one-shot-4-processes',
    against: 'proper-lockfile lock + appendFileSync + unlock',
    durability: 'none',
    target: { least: 0.7 },
    async measure({ folder, isQuick }) {
      const count = isQuick ? 50 : 250
      const sample = (way) => () =>
        appendTogether(way, mkdtempSync(join(folder, 'log-')), { processes: PROCESSES, count })
      const ways = { ours: sample('append-once'), baseline: sample('proper-lockfile') }
      return [await compareSamples(ways, isQuick ? 3 : 7)]
    },
  },
]

/** It returns the time per event, from the first start to the last end, in microseconds. */
export async function appendTogether(way, folder, { processes, count }) {
  const path = join(folder, 'log.jsonl')
  writeFileSync(path, '', { mode: 0o600 })
  const children = Array.from({ length: processes }, (_, index) => {
    const warmUpPath = join(folder, `warm-up-${index}.jsonl`)
    writeFileSync(warmUpPath, '', { mode: 0o600 })
    return startChild('one-shots', { way, path, warmUpPath, count })
  })
  await Promise.all(children.map(({ ready }) => ready))
  for (const { go } of children) go()
  const spans = await Promise.all(children.map(({ result }) => result))
  if (way !== 'sqlite') checkLines(path, processes * count)
  const start = Math.min(...spans.map(({ startMicros }) => startMicros))
  const end = Math.max(...spans.map(({ endMicros }) => endMicros))
  return (end - start) / (processes * count)
}
