// Bytes written for each byte of content, from events of a hundred bytes to those of a hundred thousand.

import { join } from 'node:path'
import { runInChild } from '../processes.mjs'
import { absent, sampleGrid } from './grid.mjs'

const TOTAL_CHARS = 4_000_000
const MOST_APPENDS = 4000

const WAYS = {
  ours: 'ours',
  bare: 'JSON.stringify + writeSync',
  pi: 'pi SessionManager',
  sqlite: 'SQLite, WAL',
  level: 'classic-level (LevelDB)',
}

export const writtenGrowth = {
  name: 'growth-written',
  async measure({ folder, isQuick }) {
    const sizes = isQuick ? [100, 1000] : [100, 1000, 10_000, 100_000]
    const missing = []
    const cells = []
    let number = 0
    const write = (way, chars) =>
      runInChild('written', {
        way,
        chars,
        count: Math.min(MOST_APPENDS, TOTAL_CHARS / chars),
        folder: join(folder, `written-${number++}`),
      })
    for (const [way, series] of Object.entries(WAYS)) {
      const { skipped } = await write(way, sizes[0])
      if (skipped !== undefined) missing.push(absent(series, skipped))
      else cells.push(...sizes.map((chars) => cellOf({ way, series, chars }, write)))
    }
    // The same bytes every time, but for how a database happens to arrange its pages.
    const seriesOf = await sampleGrid(cells, isQuick ? 1 : 3)
    return [
      {
        name: 'written',
        title: 'Bytes written for each byte of content',
        x: { label: 'size of an event', unit: 'B' },
        y: { label: 'bytes written per byte of content', unit: '×' },
        series: [...seriesOf('ratio'), ...missing],
      },
    ]
  },
}

function cellOf({ way, series, chars }, write) {
  return {
    series,
    isOurs: way === 'ours',
    x: chars,
    measure: async () => ({ ratio: (await write(way, chars)).ratio }),
  }
}
