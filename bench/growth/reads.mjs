// A little out of a large log: its newest lines, and one event by its uuid.

import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findJq, findRipgrep, peerOrReason } from '../peers.mjs'
import { runInChild } from '../processes.mjs'
import { absent, millis, sampleGrid } from './grid.mjs'
import { FILE_AXIS, fileSizes, TIME_AXIS } from './sizes.mjs'

const LARGE = 100_000_000
// It takes half a minute for a gigabyte.
const MOST_FOR_JQ = 100_000_000
// How the others grow is clear by then, and a gigabyte takes them minutes.
const MOST_FOR_OTHERS = 300_000_000

export const readGrowth = {
  name: 'growth-reads',
  async measure({ folder, isQuick }) {
    const sizes = fileSizes(isQuick)
    const logs = await makeLogs(folder, sizes)
    const rounds = isQuick ? 2 : 5
    const newest = await newestCurve(logs, rounds)
    const found = await foundCurve(logs, rounds)
    const indexed = await indexedCurve(logs, rounds)
    return [newest, found, indexed]
  },
}

async function makeLogs(folder, sizes) {
  const named = sizes.map((bytes) => ({
    name: String(bytes),
    path: join(folder, `${bytes}.jsonl`),
    bytes,
  }))
  await runInChild('make-logs', named)
  const logs = []
  for (const { path, bytes } of named) {
    const own = bytes > MOST_FOR_OTHERS ? undefined : join(folder, `databases-${bytes}`)
    if (own !== undefined) mkdirSync(own, { mode: 0o700 })
    logs.push({
      path,
      bytes,
      folder: own,
      ...(await runInChild('make-databases', { path, folder: own })),
    })
  }
  return logs
}

async function newestCurve(logs, rounds) {
  const jq = peerOrReason(findJq)
  const tail = ({ path }) => pipe(`tail -n 50 '${path}' | '${jq.found}' -c .uuid`)
  const ways = [
    ourCell('ours, backward', ({ path }) => ({ way: 'newest-50', path, expected: 50 })),
    childCell('readline over all lines', ({ path }) => ({
      way: 'newest-50-readline',
      path,
      expected: 50,
    })),
    ...(jq.found === undefined ? [] : [pipeCell('tail | jq, two processes', tail)]),
  ]
  return curveOf(logs, ways, rounds, {
    name: 'last-50',
    title: 'The last 50 events of a log',
    missing: jq.found === undefined ? [absent('tail | jq', jq.reason)] : [],
  })
}

async function foundCurve(logs, rounds) {
  const jq = peerOrReason(findJq)
  const rg = peerOrReason(findRipgrep)
  const wanted = ({ uuids }) => uuids[Math.floor(uuids.length / 2)]
  const search = (log) => pipe(`'${rg.found}' -FN '"uuid":"${wanted(log)}"' '${log.path}'`)
  const select = (log) => pipe(`'${jq.found}' -c 'select(.uuid == "${wanted(log)}")' '${log.path}'`)
  const ways = [
    ourCell('ours, without an index', (log) => ({
      way: 'find-event',
      path: log.path,
      uuid: wanted(log),
    })),
    childCell('readline and JSON.parse', (log) => ({
      way: 'find-event-readline',
      path: log.path,
      uuid: wanted(log),
    })),
    ...(rg.found === undefined ? [] : [pipeCell('ripgrep, as a process', search)]),
    ...(jq.found === undefined ? [] : [pipeCell('jq, as a process', select, MOST_FOR_JQ)]),
  ]
  return curveOf(logs, ways, rounds, {
    name: 'by-uuid-cold',
    title: 'One event by its uuid, in a file that was not read before',
    missing: [
      ...(rg.found === undefined ? [absent('ripgrep', rg.reason)] : []),
      ...(jq.found === undefined ? [absent('jq', jq.reason)] : []),
    ],
  })
}

async function indexedCurve(logs, rounds) {
  const { skipped } = logs[0]
  const peers = { sqlite: 'SQLite, unique uuid', level: 'classic-level (LevelDB)' }
  const look = (way) => async (log) => {
    const { micros } = await runInChild('look-up', { way, ...log })
    return { time: micros / 1000 }
  }
  const ways = [
    { series: 'ours, index in memory', isOurs: true, sample: look('ours') },
    ...Object.keys(peers)
      .filter((name) => skipped[name] === undefined)
      .map((name) => ({ series: peers[name], most: MOST_FOR_OTHERS, sample: look(name) })),
  ]
  return curveOf(logs, ways, rounds, {
    name: 'by-uuid-indexed',
    title: 'One event by its uuid, with an index at hand',
    missing: Object.entries(skipped).map(([name, why]) => absent(peers[name], why)),
  })
}

function ourCell(series, argumentOf) {
  const most = Number.POSITIVE_INFINITY
  return { ...childCell(series, argumentOf), isOurs: true, most }
}

function childCell(series, argumentOf) {
  return {
    series,
    most: MOST_FOR_OTHERS,
    sample: async (log) => ({ time: (await runInChild('read-some', argumentOf(log))).time }),
  }
}

function pipeCell(series, run, most = Number.POSITIVE_INFINITY) {
  return { series, most, sample: async (log) => ({ time: await millis(() => run(log)) }) }
}

function pipe(command) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { maxBuffer: 1e9 })
  if (status !== 0 || stdout.length === 0) throw new Error(`${command}: ${stderr}`)
}

async function curveOf(logs, ways, rounds, { name, title, missing }) {
  const cells = ways.flatMap(
    ({ series, isOurs = false, most = Number.POSITIVE_INFINITY, sample }) =>
      logs
        .filter(({ bytes }) => bytes <= most)
        .map((log) => ({
          series,
          isOurs,
          x: log.bytes,
          ...(!isOurs && log.bytes >= LARGE && { rounds: Math.min(rounds, 2) }),
          measure: () => sample(log),
        })),
  )
  const seriesOf = await sampleGrid(cells, rounds)
  return { name, title, x: FILE_AXIS, y: TIME_AXIS, series: [...seriesOf('time'), ...missing] }
}
