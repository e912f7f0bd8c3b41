// A catalog that is kept, asked again when nothing has changed: it looks at every file, and reads none.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { compareSamples } from '../harness.mjs'
import { loadSessions } from '../library.mjs'
import { makeMany } from '../many-sessions.mjs'

const EVENTS = 4

export const catalogCases = [
  {
    name: 'catalog-refresh',
    against: '5,000 files, to reading the folder and stat of each',
    durability: 'reads only',
    unit: '× time',
    target: { most: 1.3 },
    async measure({ folder, isQuick }) {
      const count = isQuick ? 500 : 5000
      await makeMany({ root: folder, count, events: EVENTS })
      const { openStore } = await loadSessions()
      const catalog = openStore({ root: folder, home: folder }).openCatalog()
      if (catalog.list({ all: true }).sessions.length !== count)
        throw new Error('not all are there')
      const ways = {
        ours: () => timed(() => catalog.refresh()),
        baseline: () => timed(() => statEach(join(folder, '.transcripts'))),
      }
      for (const way of Object.values(ways)) for (let warm = 0; warm < 5; warm++) way()
      const compared = await compareSamples(ways, isQuick ? 5 : 25)
      return [{ ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }]
    },
  },
]

function statEach(folder) {
  for (const name of readdirSync(folder)) statSync(join(folder, name))
}

function timed(work) {
  const start = performance.now()
  work()
  return (performance.now() - start) * 1000
}
