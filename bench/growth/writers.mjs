// From one writer to sixteen: processes that each lock, append and go, and producers of one process
// that each wait for the disk.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { appendTogether } from '../cases/processes.mjs'
import { textPayloads } from '../events.mjs'
import { loadSqlite, NotInstalled } from '../peers.mjs'
import { oursByMany, rawWriteAndSync, sqliteInsertAndSync } from '../variants.mjs'
import { absent, sampleGrid } from './grid.mjs'
import { writerCounts } from './sizes.mjs'

const ONE_SHOTS = 320
const SYNCED = 128
const Y = { label: 'microseconds per event, all writers together', unit: 'µs' }

export const writerGrowth = {
  name: 'growth-writers',
  async measure({ folder, isQuick }) {
    const counts = writerCounts(isQuick)
    const noSqlite = await whyNoSqlite()
    const missing = noSqlite === undefined ? [] : [absent('SQLite', noSqlite)]
    const oneShots = await sampleGrid(
      counts.flatMap((writers) => oneShotCells(folder, writers, noSqlite === undefined)),
      isQuick ? 1 : 3,
    )
    const ways = await syncedWays(noSqlite === undefined)
    const synced = await sampleGrid(
      counts.flatMap((writers) => ways.map((way) => syncedCell(folder, way, writers))),
      isQuick ? 2 : 9,
    )
    return [
      {
        name: 'one-shot-writers',
        title: 'Processes that append one event at a time to one log',
        x: { label: 'processes' },
        y: Y,
        series: [...oneShots('time'), ...missing],
      },
      {
        name: 'synced-writers',
        title: 'Producers that wait for the disk',
        x: { label: 'producers in one process' },
        y: Y,
        series: [...synced('time'), ...missing],
      },
    ]
  },
}

async function whyNoSqlite() {
  try {
    await loadSqlite()
    return undefined
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    return error.message
  }
}

function oneShotCells(folder, writers, hasSqlite) {
  const names = {
    'append-once': 'ours, appendOnce',
    'proper-lockfile': 'proper-lockfile + appendFileSync',
    ...(hasSqlite && { sqlite: 'SQLite, WAL, opened for each' }),
  }
  return Object.entries(names).map(([way, series]) => ({
    series,
    isOurs: way === 'append-once',
    x: writers,
    async measure() {
      const own = mkdtempSync(join(folder, 'log-'))
      const count = Math.ceil(ONE_SHOTS / writers)
      return { time: await appendTogether(way, own, { processes: writers, count }) }
    },
  }))
}

/** Ours shares one sync among all who wait; for the others it makes no difference who asks. */
async function syncedWays(hasSqlite) {
  const payloads = textPayloads(200)
  const sqlite = hasSqlite ? await sqliteInsertAndSync(payloads) : undefined
  return [
    {
      series: 'ours, group commit',
      isOurs: true,
      variantOf: (producers) => oursByMany(payloads, producers),
    },
    { series: 'writeSync + fdatasyncSync each', variantOf: () => rawWriteAndSync(payloads) },
    ...(sqlite === undefined
      ? []
      : [{ series: 'SQLite, WAL, synchronous FULL', variantOf: () => sqlite }]),
  ]
}

function syncedCell(folder, { series, isOurs = false, variantOf }, producers) {
  const variant = variantOf(producers)
  return {
    series,
    isOurs,
    x: producers,
    async measure() {
      const opened = await variant.open(mkdtempSync(join(folder, 'synced-')))
      opened.prepare?.(SYNCED)
      const start = performance.now()
      await opened.run(SYNCED)
      const time = ((performance.now() - start) * 1000) / SYNCED
      opened.check?.()
      await opened.close()
      return { time }
    },
  }
}
