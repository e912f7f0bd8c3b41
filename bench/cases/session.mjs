// Sessions: resumed, kept up, listed, and met on the command line.

import { openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { newEventsOf, textPayloads } from '../events.mjs'
import {
  compareSamples,
  compareTimes,
  compareVariants,
  inRandomOrder,
  summary,
} from '../harness.mjs'
import { BINARY, indexUuids, loadSessions, openLog, readLogSync } from '../library.mjs'
import { makeMany, readEnds } from '../many-sessions.mjs'
import { loadSqlite } from '../peers.mjs'
import { runInChild, timeProcess } from '../processes.mjs'

const MEGABYTE = 1_000_000

export const sessionCases = [
  {
    name: 'resume',
    durability: 'reads only',
    rows: [
      { against: 'the same live context in 10 MB', unit: '× time', target: { most: 1.3 } },
      { against: 'memory at its peak', unit: 'MB', target: { most: 100 } },
      { against: 'reading, splitting and parsing all of 100 MB', target: { least: 40 } },
      { against: 'all of 100 MB, and every message parsed by us too' },
      { against: 'parsing every message of the live context', target: { least: 2 } },
    ],
    async measure({ folder, isQuick }) {
      const sessions = [
        { id: 'large', bytes: (isQuick ? 100 : 1000) * MEGABYTE },
        { id: 'middle', bytes: 100 * MEGABYTE },
        { id: 'small', bytes: 10 * MEGABYTE },
      ]
      await runInChild('make-sessions', { root: folder, sessions })
      const ways = {
        large: { way: 'ours', id: 'large' },
        middle: { way: 'ours', id: 'middle' },
        middleLazy: { way: 'lazy', id: 'middle' },
        small: { way: 'ours', id: 'small' },
        smallAgain: { way: 'ours', id: 'small' },
        all: { way: 'read-all', id: 'middle' },
        allAgain: { way: 'read-all', id: 'middle' },
      }
      const { times, peaks } = await sample(ways, folder, isQuick ? 3 : 25)
      const sizes = compareTimes({
        ours: times.large,
        baseline: times.small,
        again: times.smallAgain,
      })
      return [
        { ...sizes, value: 1 / sizes.ratio, valueP25: 1 / sizes.ratioP25 },
        { value: Math.max(...peaks.large) / MEGABYTE, spread: summary(peaks.large) },
        compareTimes({ ours: times.middleLazy, baseline: times.all, again: times.allAgain }),
        compareTimes({ ours: times.middle, baseline: times.all, again: times.allAgain }),
        compareTimes({ ours: times.middleLazy, baseline: times.middle, again: times.middle }),
      ]
    },
  },
  {
    name: 'resume-whole-file',
    durability: 'reads only',
    rows: [
      { against: 'a prefix is kept, to a prefix scan', unit: '× time', target: { most: 1.5 } },
      { against: 'a live line is damaged, to the same', unit: '× time', target: { most: 1.5 } },
    ],
    async measure({ folder, isQuick }) {
      const bytes = (isQuick ? 100 : 1000) * MEGABYTE
      const sessions = [
        { id: 'prefix', bytes, keepsPrefix: true },
        { id: 'damaged', bytes, isDamaged: true },
      ]
      await runInChild('make-sessions', { root: folder, sessions })
      const ways = Object.fromEntries(
        sessions.flatMap(({ id }) => [
          [id, { way: 'lazy', id }],
          [`${id} scan`, { way: 'scan', id }],
          [`${id} scan again`, { way: 'scan', id }],
        ]),
      )
      const { times } = await sample(ways, folder, isQuick ? 3 : 10)
      return sessions.map(({ id }) => {
        const compared = compareTimes({
          ours: times[id],
          baseline: times[`${id} scan`],
          again: times[`${id} scan again`],
        })
        return { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }
      })
    },
  },
  {
    name: 'keep-up',
    against: 'a session of 100 events',
    durability: 'none',
    unit: '× time',
    target: { most: 1.15 },
    async measure({ folder, isQuick }) {
      const variants = { ours: sessionOf(isQuick ? 10_000 : 100_000), baseline: sessionOf(100) }
      const settings = { folder, slice: 200, rounds: isQuick ? 20 : 60 }
      const compared = await compareVariants(variants, settings)
      return [{ ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }]
    },
  },
  {
    name: 'list',
    against: 'opening each file, reading its first 4 KB and last 64 KB',
    durability: 'reads only',
    unit: '× time',
    target: { most: 2 },
    async measure({ folder, isQuick }) {
      const count = isQuick ? 500 : 10_000
      await makeMany({ root: folder, count })
      const { listSessions } = await loadSessions()
      const ways = {
        ours: () => timed(() => listSessions({ root: folder, all: true }).sessions.length, count),
        baseline: () => timed(() => readEnds(join(folder, '.transcripts')), count),
      }
      const compared = await compareSamples(ways, isQuick ? 3 : 7)
      return [{ ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }]
    },
  },
  {
    name: 'by-uuid',
    against: 'SQLite, select by unique uuid',
    durability: 'reads only',
    target: { least: 1.5 },
    async measure({ folder, isQuick }) {
      const count = isQuick ? 2000 : 50_000
      const variants = await lookups(folder, count)
      return [await compareVariants(variants, { folder, slice: 200, rounds: isQuick ? 20 : 100 })]
    },
  },
  {
    name: 'command-line',
    durability: 'turn',
    rows: [
      { against: '--version, to node -e 0', unit: '× time', target: { most: 1.15 } },
      { against: 'resume --json, to node -e 0', unit: '× time', target: { most: 1.5 } },
      { against: 'append, to node -e 0', unit: '× time' },
    ],
    async measure({ folder, isQuick }) {
      const store = ['--root', folder]
      const append = ['append', 'demo', '--type', 'user', '--payload', '{"content":"x"}', ...store]
      timeProcess([BINARY, ...append])
      const ways = {
        node: ['-e', '0'],
        nodeAgain: ['-e', '0'],
        version: [BINARY, '--version'],
        resume: [BINARY, 'resume', 'demo', '--json', ...store],
        append: [BINARY, ...append],
      }
      const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
      await inRandomOrder(Object.keys(ways), isQuick ? 8 : 40, (name) => {
        times[name].push(timeProcess(ways[name]))
      })
      return ['version', 'resume', 'append'].map((name) => {
        const compared = compareTimes({
          ours: times[name],
          baseline: times.node,
          again: times.nodeAgain,
        })
        return { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }
      })
    },
  },
]

async function sample(ways, root, rounds) {
  const names = Object.keys(ways)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const peaks = Object.fromEntries(names.map((name) => [name, []]))
  await inRandomOrder(names, rounds, async (name) => {
    const { micros, peakBytes } = await runInChild('resume', { ...ways[name], root })
    times[name].push(micros)
    peaks[name].push(peakBytes)
  })
  return { times, peaks }
}

function sessionOf(eventCount) {
  return {
    async open(folder) {
      const { createSession } = await loadSessions()
      const session = await createSession({ root: folder, durability: 'none' })
      const events = newEventsOf(textPayloads(200))
      while (events.length < eventCount) events.push(...events)
      await session.appendAll(events.slice(0, eventCount))
      const [event] = events
      return {
        async run(count) {
          for (let done = 0; done < count; done++) await session.append(event)
        },
        close: () => session.close(),
      }
    },
  }
}

function timed(work, expected) {
  const start = performance.now()
  const found = work()
  const micros = (performance.now() - start) * 1000
  if (found !== expected) throw new Error(`${found} of ${expected} were found`)
  return micros
}

async function lookups(folder, count) {
  const sqlite = await loadSqlite()
  const path = join(folder, 'log.jsonl')
  const log = await openLog(path, { durability: 'none' })
  const events = newEventsOf(textPayloads(1000))
  const uuids = []
  while (uuids.length < count) {
    for (const { uuid } of await log.appendAll(events)) uuids.push(uuid)
  }
  await log.close()
  const database = sqlite.open(join(folder, 'log.db'))
  database.exec('create table events (uuid text primary key, line text) without rowid')
  database.exec('begin')
  const insert = database.prepare('insert into events values (?, ?)')
  for (const { event } of readLogSync(path)) insert.run(event.uuid, JSON.stringify(event))
  database.exec('commit')
  const select = database.prepare('select line from events where uuid = ?')
  const pick = () => uuids[Math.floor(Math.random() * uuids.length)]
  return {
    baseline: looking(() => {
      const uuid = pick()
      if (JSON.parse(select.get(uuid).line).uuid !== uuid) throw new Error('not the one')
    }),
    ours: looking(
      (() => {
        const index = indexUuids(path)
        const fd = openSync(path, 'r')
        const bytes = Buffer.allocUnsafe(4096)
        return () => {
          const uuid = pick()
          const length = readSync(fd, bytes, 0, bytes.length, index.find(uuid))
          const line = bytes.toString('utf8', 0, Math.min(bytes.indexOf(10), length))
          if (JSON.parse(line).uuid !== uuid) throw new Error('not the one')
        }
      })(),
    ),
  }
}

function looking(look) {
  return {
    open: () => ({
      run(count) {
        for (let done = 0; done < count; done++) look()
      },
      close() {},
    }),
  }
}
