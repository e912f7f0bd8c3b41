// A hook as its harness meets it: a whole process per event, the start of Node included.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareTimes, inRandomOrder } from '../harness.mjs'
import { BINARY, loadSessions } from '../library.mjs'
import { timeProcess } from '../processes.mjs'

const PROJECT = '/home/ada/shop'
const SESSIONS = 1000
// How many of them left a checkpoint, as longer sessions do.
const CHECKPOINTED_EVERY = 20

const BARE_APPEND = `
const fs = require('node:fs')
const fd = fs.openSync(process.argv[1], 'a', 0o600)
fs.writeSync(fd, fs.readFileSync(0))
fs.fdatasyncSync(fd)
`

export const hookCases = [
  {
    name: 'hooks',
    durability: 'turn',
    rows: [
      {
        against: 'UserPromptSubmit, to node with one synced append',
        unit: '× time',
        target: { most: 1.35 },
      },
      {
        against: 'SessionStart among 1,000 sessions, to node -e 0',
        unit: '× time',
        target: { most: 1.6 },
      },
    ],
    async measure({ folder, isQuick }) {
      await makeStore(folder)
      const times = await sample(waysIn(folder), isQuick ? 8 : 40)
      check(folder, times)
      return [compared(times, 'prompt', 'append'), compared(times, 'start', 'node')]
    },
  },
]

/** Each way is called with a number that no other call of it gets. */
function waysIn(folder) {
  const event = (fields) => JSON.stringify({ cwd: PROJECT, ...fields })
  const hook = (number, name, fields) =>
    timeProcess([BINARY, 'hook', name, '--root', folder, '--home', folder], event(fields(number)))
  const prompt = (number) => ({
    session_id: 'demo',
    prompt_id: `prompt-${number}`,
    prompt: `what does part ${number} do?`,
  })
  const bare = join(folder, 'bare')
  const append = (number) => timeProcess(['-e', BARE_APPEND, bare], event(prompt(number)))
  const node = () => timeProcess(['-e', '0'])
  return {
    ...{ node, nodeAgain: node, append, appendAgain: append },
    prompt: (number) => hook(number, 'UserPromptSubmit', prompt),
    start: (number) =>
      hook(number, 'SessionStart', () => ({ session_id: `new-${number}`, source: 'startup' })),
  }
}

async function sample(ways, rounds) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  // The first of each finds nothing in the caches.
  let number = 0
  for (const way of Object.values(ways)) way(number++)
  await inRandomOrder(Object.keys(ways), rounds, (name) => {
    times[name].push(ways[name](number++))
  })
  return times
}

function compared(times, ours, baseline) {
  const all = { ours: times[ours], baseline: times[baseline], again: times[`${baseline}Again`] }
  const result = compareTimes(all)
  return { ...result, value: 1 / result.ratio, valueP25: 1 / result.ratioP25 }
}

async function makeStore(folder) {
  const { createSession } = await loadSessions()
  const options = { root: folder, home: folder, project: PROJECT, durability: 'none' }
  for (let number = 0; number < SESSIONS; number++) {
    const isLasting = number % CHECKPOINTED_EVERY === 0
    const continuity = isLasting ? {} : false
    const session = await createSession({ ...options, id: `old-${number}`, continuity })
    await session.prompt(`prompt ${number}`)
    await session.close()
  }
  writeFileSync(join(folder, 'bare'), '')
}

/** What was measured must have been done. */
function check(folder, { start }) {
  const names = readdirSync(join(folder, '.transcripts')).filter((name) => name.endsWith('.jsonl'))
  const started = names.filter((name) => name.startsWith('new-')).length
  if (started !== start.length + 1) throw new Error(`${started} sessions of ${start.length + 1}`)
}
