// A session resumed in a fresh process: twenty compactions and two megabytes that are live, however
// much is before them.

import { join } from 'node:path'
import { runInChild } from '../processes.mjs'
import { absent, sampleGrid } from './grid.mjs'
import { FILE_AXIS, fileSizes, MEMORY_AXIS, TIME_AXIS } from './sizes.mjs'

// A file is one string there, and no string is longer than half a gigabyte.
const MOST_AS_ONE_STRING = 500_000_000
const LARGE = 100_000_000

export const resumeGrowth = {
  name: 'growth-resume',
  async measure({ folder, isQuick }) {
    const sizes = fileSizes(isQuick)
    const sessions = sizes.map((bytes) => ({ id: `s${bytes}`, bytes }))
    await runInChild('make-sessions', { root: folder, sessions })
    const missing = []
    const pi = join(folder, 'pi')
    const piSizes = sizes.filter((bytes) => bytes <= MOST_AS_ONE_STRING)
    const { skipped } = await runInChild('make-pi-sessions', {
      folder: pi,
      sessions: piSizes.map((bytes) => ({ id: `s${bytes}`, bytes })),
    })
    const ways = [
      { series: 'ours, every message parsed', way: 'ours', isOurs: true, root: folder },
      { series: 'ours, parsed when asked for', way: 'lazy', isOurs: true, root: folder },
      { series: 'read all, split, parse', way: 'read-all', root: folder },
      ...(skipped === undefined ? [{ series: 'pi SessionManager.open', way: 'pi', root: pi }] : []),
    ]
    if (skipped !== undefined) missing.push(absent('pi SessionManager.open', skipped))
    const cells = ways.flatMap((way) => sizes.filter(fits(way)).map(cellOf(way, isQuick)))
    const seriesOf = await sampleGrid(cells, isQuick ? 2 : 7)
    return [
      {
        name: 'resume',
        title: 'Resuming a session of 2 MB live context',
        x: FILE_AXIS,
        y: TIME_AXIS,
        series: [...seriesOf('time'), ...missing],
      },
      {
        name: 'resume-memory',
        title: 'Memory of resuming',
        x: FILE_AXIS,
        y: MEMORY_AXIS,
        series: [...seriesOf('memory'), ...missing],
      },
    ]
  },
}

function fits({ isOurs }) {
  return (bytes) => isOurs || bytes <= MOST_AS_ONE_STRING
}

function cellOf({ series, way, root, isOurs = false }, isQuick) {
  return (bytes) => ({
    series,
    isOurs,
    x: bytes,
    ...(!isQuick && !isOurs && bytes >= LARGE && { rounds: 3 }),
    async measure() {
      const { micros, peakBytes } = await runInChild('resume', { way, root, id: `s${bytes}` })
      return { time: micros / 1000, memory: peakBytes }
    },
  })
}
