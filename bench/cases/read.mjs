// A large log, read. All of it is in the page cache: what is measured is the work, not the disk.

import { compareTimes, compareVariants, inRandomOrder, summary } from '../harness.mjs'
import { readLogBackwardSync } from '../library.mjs'
import { runInChild } from '../processes.mjs'

const NEWEST_LINES = 50
const MEGABYTE = 1_000_000

export const readCases = [
  {
    name: 'scan',
    needsLogs: true,
    durability: 'reads only',
    rows: [
      { against: 'JSON.parse of every line, chunked', target: { least: 10 } },
      { against: 'reading the bytes only', target: { least: 0.4 } },
      { against: 'memory at its peak', unit: 'MB', target: { most: 120 } },
    ],
    async measure({ logs, isQuick }) {
      const log = logs.large
      const ways = {
        scan: 'index-uuids',
        parse: 'parse-lines',
        parseAgain: 'parse-lines',
        read: 'read-bytes',
        readAgain: 'read-bytes',
      }
      const { times, peaks } = await sampleWays(ways, log, isQuick ? 3 : 4)
      return [
        compareTimes({ ours: times.scan, baseline: times.parse, again: times.parseAgain }),
        compareTimes({ ours: times.scan, baseline: times.read, again: times.readAgain }),
        { value: Math.max(...peaks.scan) / MEGABYTE, spread: summary(peaks.scan) },
      ]
    },
  },
  {
    name: 'full-parse',
    needsLogs: true,
    durability: 'reads only',
    rows: [
      { against: 'ndjson over createReadStream', target: { least: 3 } },
      { against: 'readline and JSON.parse' },
    ],
    async measure({ logs }) {
      const ways = { ours: 'read-log', ndjson: 'ndjson', again: 'ndjson', readline: 'readline' }
      const { times } = await sampleWays(ways, logs.large, 2)
      const { ours, again } = times
      return [
        compareTimes({ ours, baseline: times.ndjson, again }),
        compareTimes({ ours, baseline: times.readline }),
      ]
    },
  },
  {
    name: 'backward-50',
    needsLogs: true,
    against: 'the same on 10 MB',
    durability: 'reads only',
    unit: '× time',
    target: { most: 1.5 },
    async measure({ folder, logs, isQuick }) {
      const variants = { ours: newestOf(logs.large), baseline: newestOf(logs.small) }
      const settings = { folder, slice: 5, rounds: isQuick ? 40 : 200 }
      const compared = await compareVariants(variants, settings)
      return [{ ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }]
    },
  },
]

async function sampleWays(ways, log, rounds) {
  const names = Object.keys(ways)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const peaks = Object.fromEntries(names.map((name) => [name, []]))
  // Once for the page cache.
  await runInChild('read', { way: 'read-bytes', log })
  await inRandomOrder(names, rounds, async (name) => {
    const { micros, peakBytes } = await runInChild('read', { way: ways[name], log })
    times[name].push(micros)
    peaks[name].push(peakBytes)
  })
  return { times, peaks }
}

function newestOf({ path }) {
  return {
    open: () => ({
      run(count) {
        for (let done = 0; done < count; done++) readNewest(path)
      },
      close() {},
    }),
  }
}

function readNewest(path) {
  let events = 0
  for (const { kind } of readLogBackwardSync(path)) {
    if (kind !== 'event') throw new Error(`${path} holds a ${kind} entry`)
    if (++events === NEWEST_LINES) return
  }
  throw new Error(`${path} has only ${events} events`)
}
