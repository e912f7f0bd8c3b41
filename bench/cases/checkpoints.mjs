// Checkpoints of many projects: the newest of one is found as fast as among few.

import { emptyStore, projectName } from '../checkpoints.mjs'
import { compareTimes, inRandomOrder } from '../harness.mjs'
import { runInChild } from '../processes.mjs'

const PER_PROJECT = 200

export const checkpointCases = [
  {
    name: 'checkpoints',
    against: 'the newest of a project among 5, a fresh process each',
    durability: 'reads only',
    unit: '× time',
    target: { most: 1.5 },
    async measure({ folder, isQuick }) {
      const many = isQuick ? 200 : 5000
      const large = { root: emptyStore(folder, 'large'), projects: many, perProject: PER_PROJECT }
      const small = { root: emptyStore(folder, 'small'), projects: 5, perProject: PER_PROJECT }
      await runInChild('make-checkpoints', { stores: [large, small] })
      const project = projectName(3)
      const times = await sample(
        {
          ours: { root: large.root, project },
          baseline: { root: small.root, project },
          again: { root: small.root, project },
        },
        isQuick ? 10 : 40,
      )
      const lookup = compareTimes(times)
      return [{ ...lookup, value: 1 / lookup.ratio, valueP25: 1 / lookup.ratioP25 }]
    },
  },
]

async function sample(ways, rounds) {
  const names = Object.keys(ways)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  await inRandomOrder(names, rounds, async (name) => {
    const { micros } = await runInChild('find-checkpoints', ways[name])
    times[name].push(micros)
  })
  return times
}
