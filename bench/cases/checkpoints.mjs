// Checkpoints of many projects: all of them indexed, and the newest of one found.

import { emptyStore, projectName } from '../checkpoints.mjs'
import { compareTimes, inRandomOrder, summary } from '../harness.mjs'
import { runInChild } from '../processes.mjs'

const PER_PROJECT = 200
const MEGABYTE = 1_000_000

export const checkpointCases = [
  {
    name: 'checkpoints',
    durability: 'reads only',
    rows: [
      { against: 'JSON.parse of every line, for the whole index', target: { least: 5 } },
      { against: 'memory of the whole index at its peak', unit: 'MB' },
      {
        against: 'the newest of a project among 5, a fresh process each',
        unit: '× time',
        target: { most: 1.5 },
      },
    ],
    async measure({ folder, isQuick }) {
      const many = isQuick ? 200 : 5000
      const large = { root: emptyStore(folder, 'large'), projects: many, perProject: PER_PROJECT }
      const small = { root: emptyStore(folder, 'small'), projects: 5, perProject: PER_PROJECT }
      await runInChild('make-checkpoints', { stores: [large, small] })
      const all = { root: large.root, lines: many * PER_PROJECT }
      const whole = await sample(
        {
          ours: { way: 'index', ...all },
          baseline: { way: 'parse-lines', ...all },
          again: { way: 'parse-lines', ...all },
        },
        isQuick ? 3 : 5,
      )
      const project = projectName(3)
      const one = await sample(
        {
          ours: { way: 'newest', root: large.root, project },
          baseline: { way: 'newest', root: small.root, project },
          again: { way: 'newest', root: small.root, project },
        },
        isQuick ? 10 : 40,
      )
      const lookup = compareTimes(one.times)
      const peaks = whole.peaks.ours
      return [
        compareTimes(whole.times),
        { value: Math.max(...peaks) / MEGABYTE, spread: summary(peaks) },
        { ...lookup, value: 1 / lookup.ratio, valueP25: 1 / lookup.ratioP25 },
      ]
    },
  },
]

async function sample(ways, rounds) {
  const names = Object.keys(ways)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const peaks = Object.fromEntries(names.map((name) => [name, []]))
  await inRandomOrder(names, rounds, async (name) => {
    const { micros, peakBytes } = await runInChild('find-checkpoints', ways[name])
    times[name].push(micros)
    peaks[name].push(peakBytes)
  })
  return { times, peaks }
}
