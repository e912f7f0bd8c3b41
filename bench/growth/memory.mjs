// Memory and time of work that goes through everything: an import, and a search of a whole store.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findRipgrep, peerOrReason } from '../peers.mjs'
import { runInChild } from '../processes.mjs'
import { PLANTED } from '../transcripts.mjs'
import { absent, millis, sampleGrid } from './grid.mjs'
import { FILE_AXIS, fileSizes, MEMORY_AXIS, TIME_AXIS } from './sizes.mjs'

const FILES = 20
// A gigabyte is written once more by every import.
const MOST_IMPORTED = 300_000_000

export const memoryGrowth = {
  name: 'growth-memory',
  async measure({ folder, isQuick }) {
    const rg = peerOrReason(findRipgrep)
    const cells = []
    for (const bytes of fileSizes(isQuick)) {
      if (bytes <= MOST_IMPORTED) cells.push(await importCell(folder, bytes))
      cells.push(...(await grepCells(folder, bytes, rg.found)))
    }
    const seriesOf = await sampleGrid(cells, isQuick ? 2 : 3)
    const missing = rg.found === undefined ? [absent('ripgrep', rg.reason)] : []
    return [
      {
        name: 'whole-memory',
        title: 'Memory of going through everything',
        x: { ...FILE_AXIS, label: 'size of the export, or of the store' },
        y: MEMORY_AXIS,
        series: seriesOf('memory'),
      },
      {
        name: 'whole-time',
        title: 'Time of going through everything',
        x: { ...FILE_AXIS, label: 'size of the export, or of the store' },
        y: TIME_AXIS,
        series: [...seriesOf('time'), ...missing],
      },
    ]
  },
}

async function importCell(folder, bytes) {
  const root = join(folder, `source-${bytes}`)
  const path = join(folder, `export-${bytes}.jsonl`)
  await runInChild('make-sessions', { root, sessions: [{ id: 'large', bytes }] })
  await runInChild('make-export', { root, id: 'large', path })
  let number = 0
  return {
    series: 'importing an export',
    isOurs: true,
    x: bytes,
    measure: () =>
      runInChild('read-some', {
        way: 'import',
        path,
        root: join(folder, `into-${bytes}-${number++}`),
      }),
  }
}

async function grepCells(folder, bytes, rg) {
  const root = join(folder, `store-${bytes}`)
  await runInChild('make-store', { root, files: FILES, bytes })
  const pattern = PLANTED.common
  const ours = {
    series: 'grep, ours',
    isOurs: true,
    x: bytes,
    measure: () => runInChild('read-some', { way: 'grep', root, pattern }),
  }
  if (rg === undefined) return [ours]
  const search = () => {
    const { status } = spawnSync(
      rg,
      ['-FIN', '--no-filename', pattern, join(root, '.transcripts')],
      { maxBuffer: 1e9 },
    )
    if (status !== 0) throw new Error('ripgrep found nothing')
  }
  const theirs = {
    series: 'ripgrep, as a process, lines undecoded',
    x: bytes,
    measure: async () => ({ time: await millis(search) }),
  }
  return [ours, theirs]
}
