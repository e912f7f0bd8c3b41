// Transcripts of other programs on their way into the store.

import { join } from 'node:path'
import { compareTimes, inRandomOrder, summary } from '../harness.mjs'
import { runInChild } from '../processes.mjs'

const MEGABYTE = 1_000_000

export const importCases = [
  {
    name: 'import',
    durability: 'once, at the end',
    rows: [
      {
        against: 'parsing and serialising every line of 100 MB, without writing',
        unit: '× time',
        target: { most: 3 },
      },
      { against: 'memory at its peak, 100 MB', unit: 'MB' },
      { against: 'memory at its peak, of 20 MB', unit: '× memory', target: { most: 1.5 } },
    ],
    async measure({ folder, isQuick }) {
      const large = await makeFile(folder, 'large', 100)
      const small = await makeFile(folder, 'small', 20)
      const ways = {
        ours: { way: 'ours', path: large, root: join(folder, 'store') },
        small: { way: 'ours', path: small, root: join(folder, 'store') },
        parse: { way: 'parse', path: large },
        again: { way: 'parse', path: large },
      }
      const times = { ours: [], small: [], parse: [], again: [] }
      const peaks = { ours: [], small: [], parse: [], again: [] }
      await inRandomOrder(Object.keys(ways), isQuick ? 3 : 7, async (name) => {
        const { micros, peak } = await runInChild('go-through', ways[name])
        times[name].push(micros)
        peaks[name].push(peak)
      })
      const compared = compareTimes({
        ours: times.ours,
        baseline: times.parse,
        again: times.again,
      })
      return [
        { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 },
        { value: Math.max(...peaks.ours) / MEGABYTE, spread: summary(peaks.ours) },
        { value: Math.max(...peaks.ours) / Math.max(...peaks.small) },
      ]
    },
  },
]

async function makeFile(folder, name, megabytes) {
  const { mkdirSync } = await import('node:fs')
  const own = join(folder, name)
  mkdirSync(own)
  return runInChild('make-foreign', { folder: own, bytes: megabytes * MEGABYTE })
}
