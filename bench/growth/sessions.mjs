// From ten sessions in a store to ten thousand: all listed, and a new one begun among them.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectName } from '../checkpoints.mjs'
import { BINARY } from '../library.mjs'
import { runInChild, timeProcess } from '../processes.mjs'
import { absent, sampleGrid } from './grid.mjs'
import { sessionCounts, TIME_AXIS } from './sizes.mjs'

const EVENTS = 8
const PI_BYTES = 20_000
const PER_PROJECT = 10
const MINUTE_MS = 60_000
const X = { label: 'sessions in the store' }

export const sessionGrowth = {
  name: 'growth-sessions',
  async measure({ folder, isQuick }) {
    const stores = []
    for (const count of sessionCounts(isQuick)) stores.push(await makeStore(folder, count))
    const { skipped } = stores[0]
    const rounds = isQuick ? 2 : 7
    const cells = stores.flatMap((store) => [
      ...listCells(store),
      ...startCells(store),
      recoverCell(store),
    ])
    const seriesOf = await sampleGrid(cells, rounds)
    const missing = skipped === undefined ? [] : [absent('pi SessionManager.list', skipped)]
    for (const { root } of stores) rmSync(root, { recursive: true, force: true })
    return [
      {
        name: 'list-sessions',
        title: 'Listing all sessions of a store, in a fresh process',
        x: X,
        y: TIME_AXIS,
        series: [...seriesOf('list'), ...missing],
      },
      {
        name: 'start-sessions',
        title: 'A session starts: the hook as a whole process, and recovery alone',
        x: X,
        y: TIME_AXIS,
        series: seriesOf('start'),
      },
    ]
  },
}

/** As many checkpoints as sessions, one a minute until now, so that the newest can be recovered. */
async function makeStore(folder, count) {
  const root = join(folder, `store-${count}`)
  const pi = join(folder, `pi-${count}`)
  await runInChild('make-many', { root, count, events: EVENTS })
  const projects = count / PER_PROJECT
  const start = Date.now() - count * MINUTE_MS
  await runInChild('make-checkpoints', {
    stores: [{ root, projects, perProject: PER_PROJECT, start }],
  })
  const { skipped } = await runInChild('make-pi-sessions', {
    folder: pi,
    messageChars: 2000,
    sessions: [{ id: 's', bytes: PI_BYTES, copies: count }],
  })
  return { root, pi, count, skipped, project: projectName(projects - 1) }
}

function listCells({ root, pi, count, skipped }) {
  const listing = (series, argument, isOurs = false) => ({
    series,
    isOurs,
    x: count,
    // Pi reads every file to its end.
    ...(argument.way === 'pi' && count >= 1000 && { rounds: 2 }),
    async measure() {
      const { time } = await runInChild('list-sessions', { ...argument, least: count })
      return { list: time }
    },
  })
  return [
    listing('ours, listSessions', { way: 'ours', root }, true),
    listing('the two ends of every file, read', { way: 'ends', root }),
    ...(skipped === undefined
      ? [listing('pi SessionManager.list', { way: 'pi', folder: pi })]
      : []),
  ]
}

function startCells({ root, project, count }) {
  let number = 0
  const hook = () => {
    const event = { session_id: `new-${number++}`, source: 'startup', cwd: project }
    return timeProcess(
      [BINARY, 'hook', 'SessionStart', '--root', root, '--home', root],
      JSON.stringify(event),
    )
  }
  const cell = (series, run, isOurs) => ({
    series,
    isOurs,
    x: count,
    measure: () => ({ start: run() / 1000 }),
  })
  return [
    cell('hook SessionStart, whole process', hook, true),
    cell('node -e 0', () => timeProcess(['-e', '0']), false),
  ]
}

function recoverCell({ root, project, count }) {
  return {
    series: 'recover, in a fresh process',
    isOurs: true,
    x: count,
    async measure() {
      const { time } = await runInChild('read-some', { way: 'recover', root, project })
      return { start: time }
    },
  }
}
